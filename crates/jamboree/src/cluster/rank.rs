//! One rank of a cluster: the first speaks UCI, the others work for it.

use super::{check, launcher::Launcher};
use crate::Failure;
use clap::{Args, ValueEnum};

/// How the ranks of a cluster work together.
#[derive(Args, Clone, Debug)]
pub(crate) struct Settings {
    /// Which ranks keep the table entry of a position [default: everywhere with 2 to 4 ranks, distributed with more]
    #[arg(long, value_enum)]
    table: Option<Table>,
    /// Do not exchange the histories of moves between ranks
    #[arg(long)]
    own_histories: bool,
    /// Least work of a task for another rank, in nodes [default: adapted to the network]
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    grain: Option<u64>,
    /// Print counters of the messages between the ranks after every search
    #[arg(long)]
    traffic: bool,
}

/// Which ranks keep the table entry of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Table {
    /// One rank; other ranks ask for the entry before they need it
    Distributed,
    /// All ranks: every result is sent to all
    Everywhere,
    /// The rank that searched it; nothing is sent
    Local,
    /// Always another rank: to measure what that costs
    Far,
}

impl Settings {
    /// These settings as arguments, for the ranks that the front starts.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(table) = self.table.and_then(|table| table.to_possible_value()) {
            words.extend(["--table".to_string(), table.get_name().to_string()]);
        }
        if let Some(grain) = self.grain {
            words.extend(["--grain".to_string(), grain.to_string()]);
        }
        if self.own_histories {
            words.push("--own-histories".to_string());
        }
        if self.traffic {
            words.push("--traffic".to_string());
        }
        words
    }
}

#[cfg(not(feature = "mpi"))]
pub(crate) fn run(_: &Settings, _: &check::CheckSettings, launcher: &Launcher) -> Result<(), Failure> {
    Ok(launcher.compare(None)?)
}

/// Maximum number of ranks that send each other every result.
#[cfg(feature = "mpi")]
const FEW: usize = 4;

#[cfg(feature = "mpi")]
pub(crate) fn run(arguments: &Settings, check: &check::CheckSettings, launcher: &Launcher) -> Result<(), Failure> {
    // Dropped last: it ends MPI.
    let job = cluster::Job::join()?;
    let mut transport = job.transport();
    let ranks = cluster::Transport::ranks(&transport);
    launcher.compare(Some((ranks, &cluster::Job::library())))?;
    if check.check {
        return check::run(&mut transport, check);
    }
    let few = ranks <= FEW;
    let homes = match arguments.table.unwrap_or(if few { Table::Everywhere } else { Table::Distributed }) {
        Table::Distributed => cluster::Homes::Even,
        Table::Everywhere => cluster::Homes::Everywhere,
        Table::Local => cluster::Homes::Local,
        Table::Far => cluster::Homes::AllRemote,
    };
    let terms = engine::ClusterSettings {
        homes,
        grain: arguments.grain,
        own_histories: arguments.own_histories,
        is_talkative: arguments.traffic,
    };
    let mut engine = engine::EngineCore::new()?;
    if cluster::Transport::rank(&transport) == 0 {
        engine.lead(Box::new(transport), terms);
        engine::uci::run(engine, std::io::stdin().lock(), std::io::stdout(), Box::new(crate::bench::lines), |_| ())?;
    } else {
        engine.follow(Box::new(transport), terms);
    }
    Ok(())
}
