//! Self-play games, as data for the tuner and the trainer.
//!
//! A [`GamePlayer`] plays games by number: the same number and settings give the same game. Only quiet positions are
//! kept: not in check, the best move not a capture, the score not a mate. A [`GameFile`] holds complete games and loses
//! none.

mod file;
mod format;

pub use file::GameFile;
pub use format::{Format, LARGEST_NUMBER, read_mark};

use crate::random::Random;
use crate::selfplay::Play;
use crate::tune::Sample;
use chess::RuleSet;
use engine::EngineCore;

/// How to play the games.
#[derive(Clone, Debug)]
pub struct DatagenSettings {
    /// Nodes a move.
    pub nodes: u64,
    /// The least number of random moves at the beginning of a game; there are up to [`MORE_PLIES`] more.
    pub random_plies: usize,
    /// Decides the random moves, together with the game's number.
    pub seed: u64,
}

/// Random openings are up to this many plies longer than the least.
pub const MORE_PLIES: usize = 4;
/// An opening is used only if neither side is further ahead than this.
pub(crate) const BALANCED: i32 = 250;

/// The quiet positions of a game; at least one.
pub struct SelfGame {
    /// Its number, from 1 to [`LARGEST_NUMBER`].
    pub number: u32,
    /// The positions in their order, each with the result of the game.
    pub samples: Vec<Sample>,
}

/// Plays games.
pub struct GamePlayer {
    engine: EngineCore,
    settings: DatagenSettings,
}

impl GamePlayer {
    /// A player with an engine of its own.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn new(settings: DatagenSettings) -> Result<GamePlayer, table::TableError> {
        Ok(GamePlayer { engine: EngineCore::with(RuleSet::modern(), 8)?, settings })
    }

    /// Plays the game of a number; none if its opening leaves one side far ahead, or it has no quiet position.
    pub fn play(&mut self, number: u32) -> Option<SelfGame> {
        let DatagenSettings { nodes, random_plies, seed } = self.settings;
        let mut random = Random::for_item(seed, u64::from(number));
        let plies = random_plies..=random_plies + MORE_PLIES;
        let play = Play::opening(&mut random, plies, &mut self.engine, nodes, BALANCED)?;
        self.engine.new_game();
        let samples = self.play_out(play);
        (!samples.is_empty()).then_some(SelfGame { number, samples })
    }

    /// Plays to the end and labels the quiet positions with the result.
    fn play_out(&mut self, mut play: Play) -> Vec<Sample> {
        let mut samples: Vec<Sample> = Vec::new();
        let half_points = loop {
            if let Some(half_points) = play.finished() {
                break half_points;
            }
            let Some((mv, score)) = play.search(&mut self.engine, self.settings.nodes) else { break 1 };
            let white = if play.is_white() { score.value() } else { -score.value() };
            let position = &play.position;
            if !position.in_check() && !position.is_noisy(mv) && !score.is_known() {
                samples.push(Sample { board: position.board().clone(), score: white, result: 0.0 });
            }
            if let Some(half_points) = play.adjudicated(white) {
                break half_points;
            }
            play.make(mv);
        };
        for sample in &mut samples {
            sample.result = f64::from(half_points) / 2.0;
        }
        samples
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn player(seed: u64) -> GamePlayer {
        GamePlayer::new(DatagenSettings { nodes: 60, random_plies: 8, seed }).unwrap()
    }

    #[test]
    fn a_number_is_the_same_game_every_time_and_another_number_or_seed_another() {
        let play = |seed| -> Vec<_> {
            let mut player = player(seed);
            (1..=6).filter_map(|number| player.play(number).map(|game| Format::Text.encode(&game))).collect()
        };
        let games = play(5);
        assert_eq!(games, play(5));
        assert!(games.len() > 1 && games.iter().zip(&games[1..]).all(|(one, next)| one != next));
        assert_ne!(games, play(6));
    }

    #[test]
    fn a_game_does_not_depend_on_those_before() {
        let (mut one, mut other) = (player(5), player(5));
        let alone: Vec<_> =
            (1..=8).rev().filter_map(|number| one.play(number)).map(|game| game.samples.len()).collect();
        let mut after: Vec<_> =
            (1..=8).filter_map(|number| other.play(number)).map(|game| game.samples.len()).collect();
        after.reverse();
        assert_eq!(alone, after);
    }

    #[test]
    fn only_quiet_positions_are_kept() {
        let mut player = player(1);
        for game in (1..=6).filter_map(|number| player.play(number)) {
            for sample in &game.samples {
                assert!(sample.board.checkers().is_empty() && sample.score.abs() < 32_000);
                assert_eq!(sample.result, game.samples[0].result);
            }
        }
    }
}
