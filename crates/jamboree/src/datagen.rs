//! `jamboree datagen`: games of the engine against itself, for the tuner.

use crate::Failure;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use lab::datagen::{Player, Settings};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Play games of the engine against itself and keep their quiet positions, for `tune`
///
/// Each line of the file is `FEN;score;result`. A game is added to the file as a whole when it is over, so the command
/// may be interrupted at any time and started again with another seed.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The file to add to
    #[arg(long)]
    out: PathBuf,
    /// How many games to play
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    /// Random moves at the beginning of each game
    #[arg(long, default_value_t = 8)]
    random_plies: usize,
    /// Games are numbered from here; other numbers are other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played at the same time [default: the number of processors]
    #[arg(long)]
    threads: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = File::options().create(true).append(true).open(&arguments.out);
    let file = Mutex::new(file.map_err(|error| format!("can't write '{}': {error}", arguments.out.display()))?);
    let threads = arguments.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let bar = ProgressBar::new(arguments.games)
        .with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} games, {per_sec}, {eta} left, {msg}")?);
    let (started, positions) = (AtomicU64::new(0), AtomicU64::new(0));
    let play = |thread: usize| -> Result<(), String> {
        let seed = arguments.seed.wrapping_mul(1_000_003).wrapping_add(thread as u64) << 20;
        let settings = Settings { nodes: arguments.nodes, random_plies: arguments.random_plies, seed };
        let mut player = Player::new(settings).map_err(|error| error.to_string())?;
        while started.fetch_add(1, Ordering::Relaxed) < arguments.games {
            let text = player.play();
            let mut file = file.lock().map_err(|_| "another thread failed")?;
            file.write_all(text.as_bytes()).map_err(|error| format!("can't write the data: {error}"))?;
            let lines = text.lines().count() as u64;
            bar.set_message(format!("{} positions", positions.fetch_add(lines, Ordering::Relaxed) + lines));
            bar.inc(1);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let play = &play;
        let players: Vec<_> = (0..threads.max(1)).map(|thread| scope.spawn(move || play(thread))).collect();
        players.into_iter().try_for_each(|player| player.join().unwrap_or_else(|_| Err("a thread failed".into())))
    })?;
    bar.finish();
    Ok(())
}
