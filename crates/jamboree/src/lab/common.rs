//! Options that several experiments have in common.

pub(crate) use crate::version::VERSION;

use crate::progress::{self, clock};
use crate::{Failure, threads};
use clap::Args;
use indicatif::ProgressBar;
use jamboree_io::{note, outln};
use lab::experiment::{Goal, LabError, PROFILES, Progress};
use lab::suite::Builtin;
use parking_lot::Mutex;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Help for options that name positions.
pub(crate) fn suite_help() -> String {
    format!("Positions to search: a built-in suite ({}) or an EPD file", Builtin::ALL.map(Builtin::name).join(", "))
}

/// Help for options that name an algorithm, followed by `more`.
pub(crate) fn algorithm_help(more: &str) -> String {
    format!("How the tree is divided: {}{more}", search::algorithms::NAMES.join(", "))
}

/// Help for options that name a machine profile.
pub(crate) fn profile_help() -> String {
    let names = PROFILES.join(", ");
    format!("Costs of the virtual machine: {names}; single costs can be changed, for example ideal,message=10")
}

/// Which algorithms.
#[derive(Args)]
pub(crate) struct AlgorithmArguments {
    #[arg(
        long,
        value_name = "A,B,...",
        default_value_t = search::algorithms::default().name().to_string(),
        help = algorithm_help("; one or more")
    )]
    algorithm: String,
}

impl AlgorithmArguments {
    pub(crate) fn names(&self) -> Vec<String> {
        names(&self.algorithm)
    }
}

/// Where results go, and on how many cores.
#[derive(Args)]
pub(crate) struct OutputArguments {
    /// The folder for page, rows and journal
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// How many virtual searches to make at the same time [default: one a core]
    #[arg(long, value_parser = threads::parse)]
    jobs: Option<usize>,
}

impl OutputArguments {
    pub(crate) fn jobs(&self) -> usize {
        threads::or_all(self.jobs)
    }
}

/// Options for the searches: positions, rules, table, size.
#[derive(Args)]
pub(crate) struct SearchArguments {
    #[arg(long, default_value = "dts", help = suite_help())]
    pub(crate) suite: String,
    /// Take only the first positions of the suite
    #[arg(long, value_name = "K")]
    pub(crate) first: Option<usize>,
    /// Search to this depth
    #[arg(long, value_name = "D", conflicts_with = "nodes", allow_hyphen_values = true)]
    depth: Option<i32>,
    /// Search to the first depth at which one processor visits this many nodes [default: 1000000]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// With --nodes: no deeper than this
    #[arg(long, value_name = "D", default_value_t = 100)]
    pub(crate) deepest: i32,
    /// Search full width with quiescence, as in the papers
    #[arg(long)]
    classic: bool,
    /// Rules to switch on or off and numbers to set, for example `modern,-null_move,see_depth=7`
    #[arg(long, conflicts_with = "classic", allow_hyphen_values = true)]
    rules: Option<String>,
    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 64)]
    pub(crate) hash: usize,
    #[arg(long, value_name = "T", default_value = "", help = TABLE_HELP)]
    pub(crate) table: String,
    /// Seed of the random choices of virtual processors and of the 95 % intervals
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

impl SearchArguments {
    pub(crate) fn rules(&self) -> String {
        let usual = if self.classic { "classic" } else { "modern" };
        self.rules.clone().unwrap_or_else(|| usual.to_owned())
    }

    pub(crate) fn goal(&self) -> Result<Goal, LabError> {
        self.goal_or(1_000_000)
    }

    /// The goal that was given, or else `usual` nodes.
    pub(crate) fn goal_or(&self, usual: u64) -> Result<Goal, LabError> {
        match (self.depth, self.nodes) {
            (Some(depth), _) if !(1..=100).contains(&depth) => {
                Err(LabError::Settings(format!("depth {depth}: a depth is from 1 to 100")))
            }
            (Some(depth), _) => Ok(Goal::Depth(depth)),
            (None, Some(0)) => Err(LabError::Settings("0 nodes: a search visits at least one".into())),
            (None, nodes) => Ok(Goal::Nodes(nodes.unwrap_or(usual))),
        }
    }
}

/// What can be said of a table whose entries are those of a paper's program.
pub(crate) const TABLE_HELP: &str = "A table as a paper's program had it, by its number of entries, instead of --hash: \
    `startech:2^16`, `socrates:2^21/processor`, `zugzwang:20000/processor`, `none`";

/// A list of numbers of processors such as `1,2,4`.
pub(crate) fn processors(text: &str) -> Result<Vec<usize>, LabError> {
    let number = |word: &str| {
        let count = word.trim().parse::<usize>().ok().filter(|count| (1..=4096).contains(count));
        count.ok_or_else(|| LabError::Processors(format!("'{word}' is not a number of processors: 1 to 4096")))
    };
    let mut counts = Vec::new();
    for word in text.split(',') {
        let count = number(word)?;
        if !counts.contains(&count) {
            counts.push(count);
        }
    }
    Ok(counts)
}

/// A list of names such as `ybw,jamboree`.
pub(crate) fn names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in text.split(',').map(|word| word.trim().to_lowercase()).filter(|name| !name.is_empty()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Time between two lines where there is no terminal to draw a bar on.
const LINE_INTERVAL: Duration = Duration::from_secs(15);

/// Shows how far an experiment is, with the time left: a bar on a terminal, a line now and then elsewhere.
pub(crate) struct SearchMeter {
    bar: Option<ProgressBar>,
    state: Mutex<(Instant, Instant)>,
}

impl SearchMeter {
    pub(crate) fn new() -> SearchMeter {
        let bar = std::io::stderr().is_terminal().then(|| progress::bar(0));
        SearchMeter { bar, state: Mutex::new((Instant::now(), Instant::now())) }
    }

    pub(crate) fn show(&self, progress: Progress<'_>) {
        let mut state = self.state.lock();
        let Progress { done, total, work: (made, left), last } = progress;
        if last.is_none() {
            *state = (Instant::now(), Instant::now());
        }
        let elapsed = state.0.elapsed().as_secs_f64();
        let to_go = if made > 0.0 { clock(elapsed * left / made) } else { "?".to_owned() };
        let name = last.map_or_else(String::new, |row| {
            let run = &row.run;
            format!(": {} {} P{} {} nodes", run.id, run.algorithm, run.processors, row.nodes)
        });
        if let Some(bar) = &self.bar {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            bar.set_message(format!("about {to_go} left{name}"));
        } else if done == total || state.1.elapsed() > LINE_INTERVAL {
            state.1 = Instant::now();
            note!("{done} of {total} searches, about {to_go} left{name}");
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Says where the results are.
pub(crate) fn tell_where(output: &OutputArguments) -> Result<(), Failure> {
    outln!("{}", output.out.join("index.html").display())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        assert_eq!(processors("1, 4,16,4").unwrap(), [1, 4, 16]);
        for bad in ["", "0", "4097", "-1", "four", "4,,8"] {
            assert!(processors(bad).is_err(), "{bad}");
        }
        assert_eq!(names("ybw, Jamboree,ybw,"), ["ybw", "jamboree"]);
    }
}
