//! `jamboree lab simulate`: random searches, each checked for everything that must hold.

use crate::{Failure, duration, threads};
use clap::Args;
use jamboree_io::{note, outln, write_file};
use lab::simulate::{Campaign, Case, Found, Source, Tally, run as run_campaign, shrink};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Random searches, each checked for everything that must hold
///
/// Every case is a search of a small game (a synthetic tree, Connect Four or chess) by some algorithm with some
/// switches on some machine: virtual processors of any profile, on one host or several; now and then threads, or
/// ranks whose messages are delayed, reordered, damaged, repeated, refused or lost, or one of which stops. Limits
/// and stops end it anywhere. The value must be that of negamax, the answer legal and the only one; the accounts
/// must add up, nothing may be left, and the same case must be the same run.
///
/// The first case that fails is made as small as possible, and the command that replays it is printed; the exit code
/// is then 1. docs/reliability.md says what has been run.
///
/// Examples:
///   jamboree lab simulate --searches 100000
///   jamboree lab simulate --seed 7 --time 10m --jobs 2
///   jamboree lab simulate --replay 'game=tree:random:3:4:1 depth=4 algorithm=ybw processors=5'
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Seed of the cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first case of the seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// How many cases [default: 10000, or as many as there is time for]
    #[arg(long, value_name = "N")]
    searches: Option<u64>,
    /// For how long, for example 10m
    #[arg(long, value_name = "T", value_parser = duration::parse)]
    time: Option<Duration>,
    /// Cases that run at the same time [default: one a core]
    #[arg(long, value_parser = threads::parse)]
    jobs: Option<usize>,
    /// A case that takes longer than this does not end
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration::parse)]
    patience: Duration,
    /// Run this case only, as it was printed
    #[arg(long, value_name = "CASE", conflicts_with_all = ["seed", "from", "searches", "time", "jobs"])]
    replay: Option<String>,
    /// Write what was printed to this file as well
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Cases of a campaign if nothing is said.
const SEARCHES: u64 = 10_000;
/// How often a case is replayed whose runs differ.
const REPLAYS: u64 = 20;
/// How long a case may take while it is made smaller.
const SHORT_PATIENCE: &str = "10s";
/// The longest time for which a case is made smaller.
const SHRINKING: Duration = Duration::from_secs(180);
/// Time between two lines of progress.
const LINE_INTERVAL: Duration = Duration::from_secs(15);

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let campaign = match &arguments.replay {
        Some(text) => replay(text.parse()?, arguments.patience),
        None => Campaign {
            source: Source::Drawn { seed: arguments.seed, first: arguments.from },
            searches: arguments.searches.unwrap_or(if arguments.time.is_some() { u64::MAX } else { SEARCHES }),
            time: arguments.time,
            jobs: threads::or_all(arguments.jobs),
            patience: arguments.patience,
        },
    };
    let (started, mut shown) = (Instant::now(), Instant::now());
    let (tally, found) = run_campaign(&campaign, &mut |tally| {
        if shown.elapsed() > LINE_INTERVAL {
            shown = Instant::now();
            let rate = tally.searches as f64 / started.elapsed().as_secs_f64();
            note!("{} searches, {rate:.0} a second", tally.searches);
        }
    })?;
    let text = match &found {
        None => summary(&tally, started.elapsed()),
        Some(found) if arguments.replay.is_some() => format!("FAILS  {}\n", found.failure),
        Some(found) => told_small(found),
    };
    outln!("{}", text.trim_end())?;
    if let Some(path) = &arguments.out {
        write_file(path, text.as_bytes())?;
    }
    match found {
        Some(_) => Err(format!("a case fails, after {} that hold", tally.searches).into()),
        None => Ok(()),
    }
}

/// The campaign that replays a case.
fn replay(case: Case, patience: Duration) -> Campaign {
    let searches = if case.is_deterministic() { 1 } else { REPLAYS };
    Campaign { source: Source::One(Box::new(case)), searches, time: None, jobs: 1, patience }
}

/// What is printed of a case that fails: the case, the smallest one made of it, and how to replay both.
fn told_small(found: &Found) -> String {
    note!("{}\n{}\nmaking it smaller", found.failure, found.case);
    let mut text = format!("FAILS     {}\ncase      {}\n", found.failure, found.case);
    let smallest = if fails_alone(&found.case) {
        shrink(&found.case, SHRINKING, &mut fails_alone)
    } else {
        text.push_str("          It held when it was run again.\n");
        found.case.clone()
    };
    text.push_str(&format!("smallest  {smallest}\nreplay    jamboree lab simulate --replay '{smallest}'\n"));
    text
}

/// Does the case fail in a process of its own? A panic or a search that does not end ends only that.
fn fails_alone(case: &Case) -> bool {
    let Ok(program) = std::env::current_exe() else { return false };
    let mut command = Command::new(program);
    command.args(["lab", "simulate", "--patience", SHORT_PATIENCE, "--replay", &case.to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| !status.success())
}

/// What was done.
fn summary(tally: &Tally, time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let rate = tally.searches as f64 / seconds;
    let mut text = String::new();
    let mut part = |title: &str, counts: Vec<(String, u64)>| {
        // Writing to a string can't fail.
        let _ = writeln!(text, "{title}");
        for (name, count) in counts {
            let _ = writeln!(text, "{count:>12}  {name}");
        }
    };
    let named =
        |counts: &BTreeMap<&'static str, u64>| counts.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
    part("Searches by algorithm:", tally.algorithms.iter().map(|(name, n)| (name.clone(), *n)).collect());
    part("Searches by game:", named(&tally.games));
    part("Searches by machine:", named(&tally.machines));
    part("Searches by disturbance:", named(&tally.disturbances));
    part("Checks:", named(&tally.claims));
    let (searches, nodes, checks) = (tally.searches, tally.nodes, tally.checks());
    let _ = writeln!(
        text,
        "{searches} searches of {nodes} nodes in {seconds:.0} s ({rate:.0} a second), {checks} checks: all hold."
    );
    text
}
