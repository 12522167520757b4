//! Studies: questions asked of the search, answered by experiments, and told on a page.

pub mod cluster;
pub mod law;
pub mod papers;
pub mod predict;
pub mod predict_page;
pub mod profile;
pub mod profile_page;
pub mod speedup;
mod split_tree;
