//! One rank of a cluster: the first speaks UCI, the others work for it.

use crate::Failure;
use clap::{Args, ValueEnum};

/// How the ranks of a cluster work together.
#[derive(Args, Clone, Debug)]
pub(crate) struct Settings {
    /// Where the ranks keep what is known of a position
    #[arg(long, value_enum, default_value_t = Table::Distributed)]
    table: Table,
    /// Give nodes of at least this depth to other ranks [default: by what the way costs]
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(i32).range(1..=100))]
    grain: Option<i32>,
    /// Say after every search what was sent between the ranks
    #[arg(long)]
    traffic: bool,
}

/// Where the ranks keep what is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Table {
    /// Every position has a home on one rank; copies are asked for ahead
    Distributed,
    /// Every rank keeps what it has found out itself
    Local,
    /// Every position has its home on another rank: to measure what that costs
    Far,
}

impl Settings {
    /// As the words of a command line, for the ranks that the front starts.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.table != Table::Distributed
            && let Some(table) = self.table.to_possible_value()
        {
            words.extend(["--table".to_string(), table.get_name().to_string()]);
        }
        if let Some(grain) = self.grain {
            words.extend(["--grain".to_string(), grain.to_string()]);
        }
        if self.traffic {
            words.push("--traffic".to_string());
        }
        words
    }
}

#[cfg(not(feature = "mpi"))]
pub(crate) fn run(_: &Settings) -> Result<(), Failure> {
    Err("this build has no MPI: build with --features mpi".into())
}

#[cfg(feature = "mpi")]
pub(crate) fn run(arguments: &Settings) -> Result<(), Failure> {
    let homes = match arguments.table {
        Table::Distributed => cluster::Homes::Even,
        Table::Local => cluster::Homes::Local,
        Table::Far => cluster::Homes::AllFar,
    };
    let terms = engine::Terms { homes, grain: arguments.grain, is_talkative: arguments.traffic };
    // Dropped last: it ends MPI.
    let job = cluster::Job::join()?;
    let transport = job.transport();
    let mut engine = engine::Engine::new()?;
    if cluster::Transport::rank(&transport) == 0 {
        engine.lead(Box::new(transport), terms);
        engine::uci::run(engine, std::io::stdin().lock(), &crate::bench::lines);
    } else {
        engine.follow(Box::new(transport), terms);
    }
    Ok(())
}
