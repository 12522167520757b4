//! Positions with scores of Stockfish, static or searched.
//!
//! Some random moves are made from a position of a game, so that one side is often behind, as in most positions that a
//! search evaluates. The score of a search depends on tactics that no static evaluation can see, and a network has to
//! average that out over many positions. A static evaluation has no such noise.

use crate::random::Random;
use chess::{Position, parse_move};
use game::Game;
use jamboree_io::{ChildError, ChildLimits, ChildLines};
use std::fmt::Write as _;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// Positions asked about at a time: few enough that the questions fit into a pipe, so that neither side blocks.
pub const BATCH: usize = 256;
/// A side this far ahead is taken for the winner, in hundredths of a pawn.
const WON: i32 = 200;
/// The most moves made until a position is quiet.
const LONGEST: usize = 8;
/// Longest time the engine may take to answer.
const PATIENCE: Duration = Duration::from_secs(600);
/// The line of Stockfish's static evaluation begins with this.
const ANSWER: &str = "Final evaluation";

/// A running Stockfish.
pub struct Stockfish {
    process: Child,
    input: ChildStdin,
    output: ChildLines,
}

impl Drop for Stockfish {
    fn drop(&mut self) {
        let _ = self.input.write_all(b"quit\n");
        if self.output.receive_until(Instant::now() + Duration::from_secs(2)) != Err(ChildError::Closed) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

impl Stockfish {
    /// Starts Stockfish.
    ///
    /// # Errors
    /// If it can't be started.
    pub fn start(engine: &str) -> std::io::Result<Stockfish> {
        let mut process = Command::new(engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(std::io::Error::other("no pipe to the engine"));
        };
        Ok(Stockfish { process, input, output: ChildLines::new(output, ChildLimits::default()) })
    }

    /// Lines of a data file for at most [`BATCH`] positions, with their static evaluations. Positions in check have
    /// none.
    ///
    /// # Errors
    /// If the engine does not answer as Stockfish does.
    pub fn look_at(&mut self, positions: &[Position]) -> std::io::Result<String> {
        let mut questions = String::new();
        for position in positions {
            let _ = writeln!(questions, "position fen {}\neval", without_clock(position));
        }
        self.input.write_all(questions.as_bytes())?;
        let mut text = String::new();
        for position in positions {
            if let Some(score) = self.hear_evaluation()? {
                text.push_str(&line(&without_clock(position), score));
            }
        }
        Ok(text)
    }

    /// The next line that begins with `start`, and those before it.
    fn hear(&mut self, start: &str, mut before: impl FnMut(&str)) -> std::io::Result<String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.output.receive_until(deadline) {
                Ok(line) if line.text.starts_with(start) => return Ok(line.text),
                Ok(line) => before(&line.text),
                Err(ChildError::LineTooLong { .. }) => {}
                Err(ChildError::Closed) => return Err(std::io::Error::other("the engine has ended; is it Stockfish?")),
                Err(error) => return Err(std::io::Error::other(error)),
            }
        }
    }

    /// What the network alone says of a position, in pawns for White; none for a position in check.
    pub(super) fn network_evaluation(&mut self, position: &Position) -> std::io::Result<Option<f64>> {
        self.input.write_all(format!("position fen {}\neval\n", without_clock(position)).as_bytes())?;
        let mut value = None;
        let of_network = |line: &str| line.strip_prefix("NNUE evaluation")?.split_whitespace().next()?.parse().ok();
        self.hear(ANSWER, |line| value = of_network(line).or(value))?;
        Ok(value)
    }

    /// The next static evaluation, in hundredths of a pawn, for White; none for a position in check.
    fn hear_evaluation(&mut self) -> std::io::Result<Option<i32>> {
        let line = self.hear(ANSWER, |_| {})?;
        let pawns = line[ANSWER.len()..].split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
        Ok(pawns.map(|pawns| (100.0 * pawns).round() as i32))
    }

    /// Plays the engine's captures and evasions from a position until it is quiet: the line for a data file with its
    /// searched score. `go` is how to search, for example `depth 1`. None if the game ends before.
    ///
    /// # Errors
    /// If the engine does not answer.
    pub fn search(&mut self, position: &Position, go: &str) -> std::io::Result<Option<String>> {
        let mut position = position.clone();
        for _ in 0..LONGEST {
            if !position.has_moves() || position.is_dead() {
                return Ok(None);
            }
            self.input.write_all(format!("position fen {}\ngo {go}\n", position.board()).as_bytes())?;
            let mut score = None;
            let answer = self.hear("bestmove", |line| score = estimate(line).or(score))?;
            let best = answer.split_whitespace().nth(1).and_then(|text| parse_move(&position, text).ok());
            let (Some(score), Some(best)) = (score, best) else { return Ok(None) };
            if !position.in_check() && !position.is_noisy(best) {
                let white = if position.is_white_to_move() { score } else { -score };
                return Ok(Some(line(&position.board().to_string(), white)));
            }
            position = position.play(best);
        }
        Ok(None)
    }
}

/// The score in an `info` line of UCI, if it is not a mate.
fn estimate(line: &str) -> Option<i32> {
    line.split_once(" score cp ")?.1.split_whitespace().next()?.parse().ok()
}

/// The line of a data file.
fn line(fen: &str, score: i32) -> String {
    let result = if score.abs() < WON { 0.5 } else { f64::from(u8::from(score > 0)) };
    format!("{fen};{score};{result}\n")
}

/// The FEN with the fifty-move clock at zero, because the network does not see that clock.
fn without_clock(position: &Position) -> String {
    let fen = position.board().to_string();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    format!("{} 0 1", fields.join(" "))
}

/// A position some random moves after another; none if the game ends before. All moves are equally likely, or, if
/// `greedily`, about half of the moves are chosen among the captures.
pub fn stray(position: &Position, plies: usize, seed: u64, greedily: bool) -> Option<Position> {
    let (mut position, mut random) = (position.clone(), Random::new(seed));
    let (mut moves, mut captures) = (Vec::new(), Vec::new());
    for _ in 0..plies {
        moves.clear();
        position.moves(&mut moves);
        captures.clear();
        captures.extend(moves.iter().copied().filter(|&mv| greedily && position.is_capture(mv)));
        let choice = if captures.is_empty() || random.below(2) == 0 { &moves } else { &captures };
        if choice.is_empty() {
            return None;
        }
        position = position.play(choice[random.below(choice.len())]);
    }
    (position.has_moves() && !position.is_dead()).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_stray_as_the_seed_says() {
        let start = Position::default();
        assert_eq!(stray(&start, 0, 1, true), Some(start.clone()));
        assert_eq!(stray(&start, 4, 1, true), stray(&start, 4, 1, true));
        let different =
            (0..50).filter_map(|seed| stray(&start, 4, seed, false)).filter(|other| *other != start).count();
        assert!(different > 40);
        assert_eq!(estimate("info depth 1 seldepth 2 score cp -31 nodes 20"), Some(-31));
        assert_eq!(estimate("info depth 1 seldepth 2 score mate 3 nodes 20"), None);
        assert_eq!(without_clock(&start), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    }
}
