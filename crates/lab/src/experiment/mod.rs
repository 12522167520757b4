//! Experiments: lists of searches, each measured once and kept as soon as it is done.
//!
//! A [`Run`] says everything about one search; [`perform`] measures it. [`perform_all`] measures many (on all cores, if
//! they are virtual) and keeps each [`Measurement`] in the journal of a [`Folder`], so that an experiment that was
//! stopped goes on where it was. [`Comparison`] computes speedups from measurements, [`statistics`] means, intervals
//! and fits.

mod decompose;
mod error;
mod folder;
mod hosts;
mod inherit;
mod plan;
mod pool;
mod profile;
mod run;
pub mod statistics;
mod tree_shares;

pub use decompose::{
    Comparison, CriticalPath, LostShares, Mean, MeanSharing, MeanTraffic, SpeedupCell, SpeedupFactors, TableTraffic,
};
pub use error::LabError;
pub use folder::Folder;
pub use hosts::{check_ranks, hosts, hosts_text, tables};
pub use inherit::inherit;
pub use plan::{Course, Plan, positions};
pub use pool::{Progress, perform_all};
pub use profile::{PROFILES, costs, measured};
pub(crate) use run::WARM_UP;
pub use run::{Goal, Iteration, MachineKind, Measurement, Run, algorithm, perform};
pub use tree_shares::{IdleTime, SumFactors, TreeShares};

#[cfg(test)]
pub(crate) mod tests;
