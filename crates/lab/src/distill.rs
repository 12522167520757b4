//! Positions with the static evaluation of Stockfish: a teacher without noise.
//!
//! What a search says about a position depends on tactics that no static evaluation can see, and a network has to
//! average that out over millions of positions; another static evaluation can be learned from far fewer. From a position
//! of a game some moves are made at random, captures more often than others, so that one side is often behind, and pieces
//! hang: as in most positions that a search evaluates.

use crate::random::Random;
use chess::Position;
use game::Game;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Positions asked about at a time: the questions fit into a pipe, so that nobody waits for the other.
pub const BATCH: usize = 256;
/// A side this far ahead is taken for the winner, in hundredths of a pawn.
const WON: i32 = 200;
/// Where Stockfish's answer stands.
const ANSWER: &str = "Final evaluation";

/// Stockfish, spoken to through pipes.
pub struct Teacher {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Teacher {
    fn drop(&mut self) {
        let _ = self.input.write_all(b"quit\n");
        let _ = self.process.wait();
    }
}

impl Teacher {
    /// Starts Stockfish.
    ///
    /// # Errors
    /// If it can't be started.
    pub fn start(engine: &str) -> std::io::Result<Teacher> {
        let mut process = Command::new(engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(std::io::Error::other("no pipe to the engine"));
        };
        Ok(Teacher { process, input, output: BufReader::new(output) })
    }

    /// The lines for a data file of some positions, at most [`BATCH`], none of them with a check.
    ///
    /// # Errors
    /// If the engine does not answer as Stockfish does.
    pub fn label(&mut self, positions: &[Position]) -> std::io::Result<String> {
        let mut questions = String::new();
        for position in positions {
            let _ = writeln!(questions, "position fen {}\neval", without_clock(position));
        }
        self.input.write_all(questions.as_bytes())?;
        let mut text = String::new();
        for position in positions {
            if let Some(score) = self.hear()? {
                let result = if score.abs() < WON { 0.5 } else { f64::from(u8::from(score > 0)) };
                let _ = writeln!(text, "{};{score};{result}", without_clock(position));
            }
        }
        Ok(text)
    }

    /// The next answer, in hundredths of a pawn, seen by White; none if there is no evaluation.
    fn hear(&mut self) -> std::io::Result<Option<i32>> {
        let mut line = String::new();
        while !line.starts_with(ANSWER) {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err(std::io::Error::other("the engine has gone; is it Stockfish?"));
            }
        }
        let pawns = line[ANSWER.len()..].split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
        Ok(pawns.map(|pawns| (100.0 * pawns).round() as i32))
    }
}

/// The FEN as if the last move could not be taken back: the network does not see the clock of the fifty-move rule.
fn without_clock(position: &Position) -> String {
    let fen = position.board().to_string();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    format!("{} 0 1", fields.join(" "))
}

/// A position some random moves away from another; none if the game is over or there is a check.
pub fn stray(position: &Position, plies: usize, seed: u64) -> Option<Position> {
    let (mut position, mut random) = (position.clone(), Random(seed));
    let (mut moves, mut captures) = (Vec::new(), Vec::new());
    for _ in 0..plies {
        moves.clear();
        position.moves(&mut moves);
        captures.clear();
        captures.extend(moves.iter().copied().filter(|&mv| position.is_capture(mv)));
        let choice = if captures.is_empty() || random.below(2) == 0 { &moves } else { &captures };
        if choice.is_empty() {
            return None;
        }
        position = position.play(choice[random.below(choice.len())]);
    }
    (!position.in_check() && position.has_moves() && !position.is_dead()).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_stray_as_the_seed_says() {
        let start = Position::default();
        assert_eq!(stray(&start, 0, 1), Some(start.clone()));
        assert_eq!(stray(&start, 4, 1), stray(&start, 4, 1));
        let different = (0..50).filter_map(|seed| stray(&start, 4, seed)).filter(|other| *other != start).count();
        assert!(different > 40);
        assert_eq!(without_clock(&start), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    }
}
