//! `jamboree distill`: data for the network, with scores of Stockfish or of its network.

use crate::self_play::{SelfPlay, Unit};
use crate::{Failure, threads};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use jamboree_io::{outln, refuse_overwriting};
use lab::distill::interior::{InteriorPlayer, InteriorSettings};
use lab::distill::teacher::TeacherNetwork;
use lab::distill::{BATCH, Stockfish, compare, stray};
use lab::train::each_line;
use lab::tune::parse_line;
use parking_lot::Mutex;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Make data for `train` with scores of Stockfish or of its network
/// With --teacher, the network of Stockfish 15.1 labels positions in this process: name a
/// network file, or Stockfish's executable, which has it inside. The positions are those that
/// our own searches evaluate in games against itself; the games and the file are as those
/// of `datagen`, and after a kill the same command goes on.
/// With --engine, a running Stockfish is asked. The command makes some random moves from each
/// position of the data, captures more often than other moves, and writes the position with
/// its static evaluation by Stockfish (`eval`). With --go, Stockfish's captures and evasions
/// follow the random moves until the position is quiet, and the score of a search is written.
/// With both, the command compares what the two say of --positions positions.
/// Train with --trust 0: the results say little about positions inside a search.
///
///     jamboree distill --teacher /usr/games/stockfish --out interior.jpos --positions 200000000
///     jamboree distill --teacher /usr/games/stockfish --engine stockfish --positions 1000
///     jamboree distill --engine stockfish --data games.txt --out searched.txt --go "depth 1"
///     jamboree train --data interior.jpos --out net.jnet --trust 0 --scale 350
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// A file with a network of Stockfish 15.1's format inside
    #[arg(long, value_name = "FILE")]
    teacher: Option<PathBuf>,
    /// Stockfish
    #[arg(long, required_unless_present = "teacher")]
    engine: Option<String>,
    /// Search quiet positions with this limit, as after UCI's `go`, for example "depth 1" (--engine)
    #[arg(long, conflicts_with = "teacher")]
    go: Option<String>,
    /// Files of positions, as `datagen` writes them (--engine)
    #[arg(long, required_unless_present = "teacher", num_args = 1.., conflicts_with = "teacher")]
    data: Vec<PathBuf>,
    /// The file to add to
    #[arg(long, required_unless_present_all = ["teacher", "engine"])]
    out: Option<PathBuf>,
    /// Number of positions in the file at the end (--teacher)
    #[arg(long, default_value_t = 1_000_000)]
    positions: u64,
    /// Nodes a move (--teacher)
    #[arg(long, default_value_t = 2000)]
    nodes: u64,
    /// One of so many positions that are evaluated is kept (--teacher)
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    every: u32,
    /// The largest number of random moves; with --teacher, the least number at the beginning of a game
    #[arg(long, default_value_t = 3)]
    random_plies: usize,
    /// Seed of the random moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads, or engines that run at the same time [default: the number of processors]
    #[arg(long, value_parser = threads::parse)]
    threads: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match (&arguments.teacher, &arguments.engine, &arguments.out) {
        (Some(teacher), Some(engine), _) => compare_with(teacher, engine, arguments),
        (Some(teacher), None, Some(out)) => label_games(teacher, out, arguments),
        (None, Some(engine), Some(out)) => ask(engine, out, arguments),
        _ => Err("name --out, and --teacher or --engine".into()),
    }
}

/// Positions of our own searches, labelled by a network.
fn label_games(teacher: &Path, out: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { nodes, random_plies, seed, every, .. } = *arguments;
    if nodes == 0 || random_plies > 100 {
        return Err("--nodes must be 1 or more, --random-plies 100 or less".into());
    }
    let network = TeacherNetwork::open(teacher)?;
    let threads = threads::or_all(arguments.threads);
    let job = SelfPlay { out, total: arguments.positions, unit: Unit::Positions, threads };
    job.run(|| {
        let settings = InteriorSettings { nodes, random_plies, seed, every: every as usize };
        let mut player = InteriorPlayer::new(settings, Arc::clone(&network)).map_err(|error| error.to_string())?;
        Ok(move |number| player.play(number))
    })
}

/// Compares the network in this process with what Stockfish says.
fn compare_with(teacher: &Path, engine: &str, arguments: &Arguments) -> Result<(), Failure> {
    let network = TeacherNetwork::open(teacher)?;
    let count = usize::try_from(arguments.positions.min(1_000_000)).unwrap_or(usize::MAX);
    let comparison = compare(network, engine, count, arguments.seed)?;
    outln!("{comparison}")?;
    if comparison.different > 0 {
        Err("the network's evaluations are not those that the engine prints".into())
    } else {
        Ok(())
    }
}

/// Positions labelled by a running Stockfish.
fn ask(engine: &str, out: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let mut lines: Vec<String> = Vec::new();
    refuse_overwriting(out, &arguments.data)?;
    for path in &arguments.data {
        each_line(path, |line| lines.extend(line.map(str::to_owned)))?;
    }
    let file = File::options().create(true).append(true).open(out);
    let file = Mutex::new(file.map_err(|error| format!("cannot write '{}': {error}", out.display()))?);
    let threads = threads::or_all(arguments.threads);
    let bar = ProgressBar::new(lines.len() as u64)
        .with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} positions, {per_sec}, {eta} left")?);
    let work = Mutex::new(lines.chunks(BATCH).enumerate());
    let teach = || -> Result<(), String> {
        let cant = |error: std::io::Error| format!("{engine}: {error}");
        let mut teacher = Stockfish::start(engine).map_err(cant)?;
        loop {
            let taken = work.lock().next();
            let Some((batch, some)) = taken else { return Ok(()) };
            let far = some.iter().enumerate().filter_map(|(place, line)| {
                let number = (batch * BATCH + place) as u64;
                let plies = number as usize % (arguments.random_plies + 1);
                let position = chess::Position::new(parse_line(line).ok()?.board);
                stray(&position, plies, arguments.seed << 40 ^ number, arguments.go.is_none())
            });
            let text = match &arguments.go {
                Some(go) => {
                    let searched = far.filter_map(|position| teacher.search(&position, go).transpose());
                    searched.collect::<Result<String, _>>()
                }
                None => teacher.look_at(&far.filter(|position| !position.in_check()).collect::<Vec<_>>()),
            };
            let text = text.map_err(cant)?;
            let mut file = file.lock();
            file.write_all(text.as_bytes()).map_err(|error| format!("cannot write '{}': {error}", out.display()))?;
            bar.inc(some.len() as u64);
        }
    };
    std::thread::scope(|scope| {
        let teachers: Vec<_> = (0..threads).map(|_| scope.spawn(teach)).collect();
        teachers.into_iter().try_for_each(|one| one.join().unwrap_or_else(|_| Err("a thread failed".into())))
    })?;
    bar.finish();
    Ok(())
}
