//! Any number of processors inside one thread, in virtual time.
//!
//! Every processor has a clock. The machine always resumes the processor whose clock is lowest, so whatever a strand
//! sees was done at an earlier or equal virtual time. Nothing depends on real time: the same seed gives the same run, to
//! the node. With several hosts the processors are divided among them: see `hosts.rs`.
//!
//! What a processor does is decided by `processor.rs`, as on threads; this driver knows what it costs.

mod agenda;
mod board;
mod busy_list;
mod help;
mod run;
mod traffic;
mod victims;
mod world;

use crate::{Accounts, Application, Costs, Hosts, Recorder};
use run::Run;
use world::World;

/// A machine of virtual processors.
#[derive(Clone, Debug)]
pub struct VirtualMachine {
    /// How many processors; zero counts as one.
    pub processors: usize,
    /// What things cost.
    pub costs: Costs,
    /// Decides which processor an idle one asks.
    pub seed: u64,
    /// The hosts its processors are divided among.
    pub hosts: Hosts,
}

impl VirtualMachine {
    /// Runs the application to its end.
    ///
    /// # Panics
    /// If a strand of the application panics.
    pub fn run<A: Application>(&self, application: &A) -> Accounts {
        self.run_recorded(application, None)
    }

    /// As [`VirtualMachine::run`]; the recorder, if there is one, keeps what each processor did. The run is the same.
    ///
    /// # Panics
    /// If a strand of the application panics.
    pub fn run_recorded<A: Application>(&self, application: &A, recorder: Option<&Recorder>) -> Accounts {
        let processors = self.processors.max(1);
        let mut world = World::new(application, &self.costs, &self.hosts, processors, self.seed);
        world.recorder = recorder;
        Run::new(&world, self.seed).run_to_end()
    }
}
