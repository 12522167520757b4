//! Simulation: random searches, each checked for everything that must hold, whatever the machine and its faults.
//!
//! A [`Case`] says everything about one search in one line of text. [`draw`] makes the case of a number and a seed, [`check`]
//! runs it and says what does not hold, [`shrink`] makes a case that fails small, and [`run`] runs many cases on several
//! cores. In the manner of FoundationDB and TigerBeetle: what fails can be replayed, because on the virtual machine the same
//! case is the same run.

mod accounts;
mod answer;
mod campaign;
mod case;
mod check;
mod claims;
mod counted;
mod draw;
mod faults;
mod panics;
mod play;
mod ranks;
mod shrink;
mod subject;
mod tally;
#[cfg(test)]
mod tests;

pub use campaign::{Campaign, Found, Source, run};
pub use case::{Case, MachineKind};
pub use check::check;
pub use claims::{Claims, Failure};
pub use draw::draw;
pub use faults::RankFaults;
pub use play::Play;
pub use shrink::shrink;
pub use tally::Tally;
