//! Studies: questions asked of the search, answered by experiments, and told on a page.

pub mod papers;
pub mod speedup;
