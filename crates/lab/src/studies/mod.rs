//! Studies: each asks a question about the search, answers it by experiments, and writes a page.

pub mod cluster;
pub mod law;
pub mod papers;
pub mod predict;
pub mod predict_page;
pub mod profile;
pub mod profile_page;
pub mod span;
pub mod speedup;
mod split_tree;
