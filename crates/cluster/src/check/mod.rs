//! Is a job fit to search? Its ranks tell what they are and measure the ways between their hosts; the first one says what
//! is wrong.

mod facts;
mod survey;
mod verdict;

pub use facts::{Facts, FileFact};
pub use survey::{Survey, Way, follow, lead};
pub use verdict::{Fault, Plan, Wanted, faults, intervals, show_rate, show_time};
