//! Games of the engine against itself, as data for the tuner.
//!
//! A data file has one quiet position a line: `FEN;score;result`, score and result seen by White, the score in
//! hundredths of a pawn as the search found it, the result as 1, 0.5 or 0.

use crate::random::Random;
use chess::{Move, Position, Profile};
use cozy_chess::Color;
use engine::{Engine, Limits, Request, Signals};
use game::{Game, Score};
use std::fmt::Write as _;

/// How to play the games.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Nodes a move.
    pub nodes: u64,
    /// Random moves at the beginning of a game.
    pub random_plies: usize,
    /// The first game's number: it decides the random moves.
    pub seed: u64,
}

/// An opening is played on only if neither side is further ahead than this.
const BALANCED: i32 = 250;
/// A side that is this far ahead for some plies has won.
const WON: i32 = 1200;
const WON_PLIES: usize = 5;
/// A game this even for so many plies, after the opening, is drawn.
const EVEN: i32 = 8;
const EVEN_PLIES: usize = 12;
const EVEN_AFTER: usize = 80;
/// No game is longer.
const LONGEST: usize = 400;

/// Plays games one after the other.
pub struct Player {
    engine: Engine,
    settings: Settings,
    game: u64,
}

impl Player {
    /// A player with an engine of its own.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn new(settings: Settings) -> Result<Player, table::TableError> {
        let engine = Engine::with(Profile::modern(), 8)?;
        let game = settings.seed;
        Ok(Player { engine, settings, game })
    }

    /// Plays the next game: the lines of its quiet positions.
    pub fn play(&mut self) -> String {
        loop {
            self.game = self.game.wrapping_add(1);
            if let Some((position, history)) = self.opening() {
                self.engine.new_game();
                return self.play_out(position, history);
            }
        }
    }

    /// A random opening; none if it ends the game or leaves one side far ahead.
    fn opening(&mut self) -> Option<(Position, Vec<u64>)> {
        let mut random = Random(self.game);
        let (mut position, mut history) = (Position::default(), Vec::new());
        let mut moves = Vec::new();
        for _ in 0..self.settings.random_plies + random.below(2) {
            moves.clear();
            position.moves(&mut moves);
            if moves.is_empty() {
                return None;
            }
            history.push(position.key());
            position = position.play(moves[random.below(moves.len())]);
        }
        let (_, score) = self.search(&position, &history)?;
        (score.value().abs() <= BALANCED).then_some((position, history))
    }

    fn search(&mut self, position: &Position, history: &[u64]) -> Option<(Move, Score)> {
        let limits = Limits { nodes: Some(self.settings.nodes), ..Limits::default() };
        let request = Request { position: position.clone(), history: history.to_vec(), limits };
        let answer = self.engine.search(&request, &Signals::new(), &mut |_| {});
        answer.best.zip(answer.score)
    }

    /// Plays to the end and labels the quiet positions with the result.
    fn play_out(&mut self, mut position: Position, mut history: Vec<u64>) -> String {
        let mut quiet: Vec<(String, i32)> = Vec::new();
        let (mut ahead, mut even) = (0, 0);
        let result = loop {
            if let Some(result) = finished(&position, &history) {
                break result;
            }
            let Some((mv, score)) = self.search(&position, &history) else { break 0.5 };
            let white = if position.board().side_to_move() == Color::White { score.value() } else { -score.value() };
            if !position.in_check() && !position.is_noisy(mv) && !score.is_known() {
                quiet.push((position.board().to_string(), white));
            }
            ahead = if white.abs() >= WON { ahead + 1 } else { 0 };
            even = if white.abs() <= EVEN && history.len() >= EVEN_AFTER { even + 1 } else { 0 };
            if ahead >= WON_PLIES {
                break if white > 0 { 1.0 } else { 0.0 };
            }
            if even >= EVEN_PLIES || history.len() >= LONGEST {
                break 0.5;
            }
            history.push(position.key());
            position = position.play(mv);
        };
        quiet.into_iter().fold(String::new(), |mut text, (fen, score)| {
            let _ = writeln!(text, "{fen};{score};{result}");
            text
        })
    }
}

/// The result for White, if the game is over.
fn finished(position: &Position, history: &[u64]) -> Option<f64> {
    if !position.has_moves() {
        let white_to_move = position.board().side_to_move() == Color::White;
        return Some(match (position.in_check(), white_to_move) {
            (true, true) => 0.0,
            (true, false) => 1.0,
            (false, _) => 0.5,
        });
    }
    let repeated = history.iter().rev().take(position.reversible_plies()).filter(|&&key| key == position.key()).count();
    (position.ending().is_some() || repeated >= 2).then_some(0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_the_same_every_time_and_its_lines_can_be_read() {
        let play = || Player::new(Settings { nodes: 200, random_plies: 8, seed: 5 }).unwrap().play();
        let text = play();
        assert_eq!(text, play());
        for line in text.lines() {
            let sample = crate::tune::parse_line(line).unwrap();
            assert!(sample.score.abs() < 32_000 && [0.0, 0.5, 1.0].contains(&sample.result));
        }
    }
}
