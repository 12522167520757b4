//! `jamboree lab spsa`: tunes the numbers of the search by self-play.

use super::common::VERSION;
use crate::progress::Meter;
use crate::{Failure, threads};
use chess::RuleSet;
use clap::Args;
use jamboree_io::{out, outln};
use lab::experiment::Folder;
use lab::report::Origin;
use lab::spsa::{SelfPlay, SelfPlayGames, SpsaSettings, State, Tuned, table, tune, write};
use parking_lot::Mutex;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Tune parameters of the search by self-play (SPSA)
/// In each pair of games, two engines play each other. Each parameter of one engine is
/// a step above or below its present value, at random, and that of the other engine a
/// step to the other side. Then all values move a little towards the better engine.
/// Openings are random and balanced; each is played twice with colours exchanged. All
/// engines run in this process.
///
/// Parameters are named as in --rules: null_depth, razor_margin.0, or razor_margin
/// for all numbers of an array. A wrong name is answered with a list of the right ones.
/// If the command is killed, the same command continues: only unfinished pairs are
/// played again. The page in the folder is written again every minute. At the end the
/// values and the --rules that set them are printed; test these with `jamboree lab match`.
///
/// Example:
///   jamboree lab spsa --parameters futility_margin,see_quiet_margin --pairs 10000 --nodes 5000 --rate 0.006 --out tuning1
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The parameters to tune
    #[arg(long, value_name = "NAME,...")]
    parameters: String,
    /// How many pairs of games
    #[arg(long, default_value_t = 30_000)]
    pairs: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    /// By how many steps a pair won by one point moves the values at the end: more for shorter tunings
    #[arg(long, default_value_t = 0.002)]
    rate: f64,
    /// Rules and first values of the parameters, as in `bench --rules`
    #[arg(long, default_value = "modern", allow_hyphen_values = true)]
    rules: String,
    /// Size of each engine's transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 4)]
    hash: usize,
    /// Seed of directions and openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Pairs played at the same time [default: the number of processors]
    #[arg(long, value_parser = threads::parse)]
    threads: Option<usize>,
    /// The folder for page, rows and journal
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Time between two versions of the page.
const PAGE_INTERVAL: Duration = Duration::from_secs(60);

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { pairs, nodes, rate, hash, seed, .. } = *arguments;
    if pairs == 0 || nodes == 0 || !(rate > 0.0 && rate <= 10.0) {
        return Err("--pairs and --nodes must be 1 or more, --rate more than 0 and at most 10".into());
    }
    let parameters = Tuned::list(&arguments.parameters, &RuleSet::parse(&arguments.rules)?)?;
    let names: Vec<String> = parameters.iter().map(|tuned| tuned.name.clone()).collect();
    let games = SelfPlayGames { rules: arguments.rules.clone(), nodes, hash, seed };
    let identity = serde_json::json!({ "parameters": parameters, "pairs": pairs, "rate": rate, "games": games });
    let contest = || SelfPlay::new(games.clone(), names.clone());
    contest()?;
    let folder = Folder::open(&arguments.out, VERSION)?;
    let threads = threads::or_all(arguments.threads);
    let settings = SpsaSettings { parameters, pairs, rate, seed };
    let report = |state: &State| write(state, &rules(arguments, state), &folder, Origin::here(VERSION));
    let meter = Mutex::new(None::<(Meter, Instant)>);
    let watch = |state: &State| {
        let mut meter = meter.lock();
        let (bar, written) = meter.get_or_insert_with(|| (Meter::new("pairs", state.played(), pairs), Instant::now()));
        bar.show(state.played(), &shown(state));
        if written.elapsed() > PAGE_INTERVAL {
            *written = Instant::now();
            // A failure is ignored: the page is written once more at the end.
            let _ = report(state);
        }
    };
    let state = tune(&settings, &identity, &folder, threads, &contest, &watch);
    if let Some((bar, _)) = meter.lock().as_ref() {
        bar.finish();
    }
    let state = state?;
    report(&state)?;
    out!("{}", table(&state))?;
    outln!("--rules {}", rules(arguments, &state))?;
    outln!("{}", arguments.out.join("index.html").display())?;
    Ok(())
}

/// The rules that set the present values.
fn rules(arguments: &Arguments, state: &State) -> String {
    let numbers = state.settings().parameters.iter().zip(state.rounded());
    let settings = numbers.map(|(tuned, value)| format!(",{}={value}", tuned.name));
    [arguments.rules.clone()].into_iter().chain(settings).collect()
}

/// The first few values, as many as fit beside a bar.
fn shown(state: &State) -> String {
    let named = state.settings().parameters.iter().zip(state.values());
    named.take(3).map(|(tuned, value)| format!("{} {value:.1}", tuned.name)).collect::<Vec<_>>().join(", ")
}
