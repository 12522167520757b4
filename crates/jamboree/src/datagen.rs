//! `jamboree datagen`: self-play games for the tuner and the trainer.

use crate::self_play::{SelfPlay, Unit};
use crate::{Failure, threads};
use clap::Args;
use lab::datagen::{DatagenSettings, GamePlayer};
use std::path::PathBuf;

/// Play games of the engine against itself and keep their quiet positions, for `train` and `tune`
/// Each game begins with 8 to 12 random moves (see --random-plies). Openings in which one
/// side is far ahead are not used. Quiet positions are kept with the score of the search
/// and the result of the game; a position is quiet if there is no check and the best move
/// is not a capture. A file whose name ends in .jpos has 32 bytes a position, for `train`.
/// Any other file is text, with a line `FEN;score;result;game` for each position, for
/// `tune`, `distill` and `train`.
/// A game is added to the file when it has ended. If the command is interrupted or killed,
/// the same command continues: an incomplete game is cut off, and no game is played twice.
///
/// Examples:
///   jamboree datagen --out games.jpos --games 20000 --nodes 5000
///   jamboree train --data games.jpos --out net.jnet
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The file to add to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of games in the file at the end
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    /// The least number of random moves at the beginning of each game; there are up to four more
    #[arg(long, default_value_t = 8)]
    random_plies: usize,
    /// Seed of the random moves: give each computer a different one
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played at the same time [default: the number of processors]
    #[arg(long, value_parser = threads::parse)]
    threads: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { games, nodes, random_plies, seed, .. } = *arguments;
    if nodes == 0 || random_plies > 100 {
        return Err("--nodes must be 1 or more, --random-plies 100 or less".into());
    }
    let job =
        SelfPlay { out: &arguments.out, total: games, unit: Unit::Games, threads: threads::or_all(arguments.threads) };
    job.run(|| {
        let mut player =
            GamePlayer::new(DatagenSettings { nodes, random_plies, seed }).map_err(|error| error.to_string())?;
        Ok(move |number| player.play(number))
    })
}
