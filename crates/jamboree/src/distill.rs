//! `jamboree distill`: data for the network, with scores of Stockfish.

use crate::{Failure, threads};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use jamboree_io::refuse_overwriting;
use lab::distill::{BATCH, Teacher, stray};
use lab::train::each_line;
use lab::tune::parse_line;
use parking_lot::Mutex;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

/// Make data for `train` with scores of Stockfish
/// Makes some random moves from each position of the data, captures more often than other
/// moves, and writes the position with its static evaluation by Stockfish (`eval`). With
/// --go, Stockfish's captures and evasions follow the random moves until the position is
/// quiet, and the score of a search is written. The result that is written is derived from
/// the score, so train with --trust 0.
///
///     jamboree distill --engine stockfish --data games.txt --out static.txt
///     jamboree distill --engine stockfish --data games.txt --out searched.txt --go "depth 1"
///     jamboree train --data static.txt searched.txt --out net.jnet --trust 0 --scale 200
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Stockfish
    #[arg(long)]
    engine: String,
    /// Search quiet positions with this limit, as after UCI's `go`, for example "depth 1"
    #[arg(long)]
    go: Option<String>,
    /// Files of positions, as `datagen` writes them
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// The file to append to
    #[arg(long)]
    out: PathBuf,
    /// The largest number of random moves
    #[arg(long, default_value_t = 3)]
    random_plies: usize,
    /// Seed of the random moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Engines that run at the same time [default: the number of processors]
    #[arg(long, value_parser = threads::parse)]
    threads: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut lines: Vec<String> = Vec::new();
    refuse_overwriting(&arguments.out, &arguments.data)?;
    for path in &arguments.data {
        each_line(path, |line| lines.extend(line.map(str::to_owned)))?;
    }
    let file = File::options().create(true).append(true).open(&arguments.out);
    let file = Mutex::new(file.map_err(|error| format!("cannot write '{}': {error}", arguments.out.display()))?);
    let threads = threads::or_all(arguments.threads);
    let bar = ProgressBar::new(lines.len() as u64)
        .with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} positions, {per_sec}, {eta} left")?);
    let work = Mutex::new(lines.chunks(BATCH).enumerate());
    let teach = || -> Result<(), String> {
        let cant = |error: std::io::Error| format!("{}: {error}", arguments.engine);
        let mut teacher = Teacher::start(&arguments.engine).map_err(cant)?;
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
            file.write_all(text.as_bytes())
                .map_err(|error| format!("cannot write '{}': {error}", arguments.out.display()))?;
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
