//! Options about the hosts of a virtual cluster and the network between them.

use clap::Args;
use lab::experiment::{LabError, tables};
use search::{Costs, Hosts};

/// The network of a virtual cluster.
#[derive(Args)]
pub(crate) struct NetworkArguments {
    /// Bandwidth between hosts in gigabits a second [default: no limit]
    #[arg(long, value_name = "G", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    gigabits: Option<u64>,
    /// Least depth of frames that are given to other hosts [default: grows with the latency]
    #[arg(long, value_name = "D")]
    pub(crate) remote_grain: Option<i32>,
    /// What hosts find in each other's tables: everything at no cost (shared), nothing (local), deep results that were
    /// asked for early enough (distributed), or deep results after waiting for a message (blocking)
    #[arg(long, value_name = "KIND", default_value = "distributed")]
    tables: String,
    /// With distributed and blocking tables: results at least this deep are found by all hosts
    #[arg(long, value_name = "D", default_value_t = 4)]
    table_depth: i32,
}

/// Number of hosts, and the latency between them.
#[derive(Args)]
pub(crate) struct ClusterArguments {
    /// Divide the virtual processors among this many hosts
    #[arg(long, alias = "ranks", value_name = "H", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    hosts: u32,
    /// With --hosts: microseconds that a message takes from one host to another
    #[arg(long, value_name = "US", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    latency: u64,
    #[command(flatten)]
    network: NetworkArguments,
}

/// How many ticks of this machine a microsecond has.
pub(crate) fn microsecond(costs: &Costs) -> Result<u64, LabError> {
    let message = || format!("profile '{}' counts nodes, not time: for a cluster name workstation or host", costs.name);
    costs.microsecond().ok_or_else(|| LabError::Settings(message()))
}

impl NetworkArguments {
    /// The network, with latency and number of hosts still to be set.
    pub(crate) fn hosts(&self, microsecond: u64) -> Result<Hosts, LabError> {
        // A gigabit a second is a kilobyte in 8.192 microseconds.
        let kilobyte = self.gigabits.map_or(0, |gigabits| 8192 * microsecond / (1000 * gigabits));
        Ok(Hosts { kilobyte, tables: tables(&self.tables, self.table_depth)?, ..Hosts::one() })
    }
}

impl ClusterArguments {
    /// The hosts of a machine with these costs.
    pub(crate) fn hosts(&self, costs: &Costs) -> Result<Hosts, LabError> {
        let count = self.hosts as usize;
        if count == 1 {
            return Ok(Hosts::one());
        }
        let microsecond = microsecond(costs)?;
        let latency = self.latency * microsecond;
        let usual = || lab::studies::cluster::grain(costs.grain, latency, costs.node);
        let grain = self.network.remote_grain.unwrap_or_else(usual);
        Ok(Hosts { count, latency, grain, ..self.network.hosts(microsecond)? })
    }

    /// Whether there is only one host.
    pub(crate) fn is_one(&self) -> bool {
        self.hosts == 1
    }
}
