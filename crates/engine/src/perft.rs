//! Counting paths on the engine's thread, until it is stopped.

use crate::{GameRecord, Signals};
use chess::{Move, Notation, Position};
use game::Game;

/// The deepest count that is begun.
const DEEPEST: u32 = 20;
/// Counts of this depth take some milliseconds and are not interrupted.
const UNINTERRUPTED: u32 = 4;

/// Counts the paths of `depth` moves, below each move. Each line of the result goes to `say`.
pub(crate) fn run(game: &GameRecord, depth: u32, notation: Notation, signals: &Signals, say: &mut dyn FnMut(String)) {
    let depth = depth.min(DEEPEST);
    if depth == 0 {
        return say("\nNodes searched: 1".to_string());
    }
    let mut total = 0;
    for mv in moves(&game.position) {
        let Some(paths) = count(&game.position.play(mv), depth - 1, signals) else {
            return say("\nstopped: the count is not complete".to_string());
        };
        total += paths;
        say(format!("{}: {paths}", notation.show(&game.position, mv)));
    }
    say(format!("\nNodes searched: {total}"));
}

fn moves(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves
}

/// The number of paths; none if stopped.
fn count(position: &Position, depth: u32, signals: &Signals) -> Option<u64> {
    if signals.is_stopped() {
        return None;
    }
    if depth <= UNINTERRUPTED {
        return Some(chess::perft(position.board(), depth));
    }
    moves(position).into_iter().map(|mv| count(&position.play(mv), depth - 1, signals)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(depth: u32, signals: &Signals) -> Vec<String> {
        let mut lines = Vec::new();
        run(&GameRecord::default(), depth, Notation::Standard, signals, &mut |line| lines.push(line));
        lines
    }

    #[test]
    fn counts_are_those_of_the_start_position() {
        for (depth, paths) in
            [(0, 1), (1, 20), (4, 197_281), (6, 119_060_324)].iter().take(if cfg!(debug_assertions) { 3 } else { 4 })
        {
            assert_eq!(lines(*depth, &Signals::new()).last().unwrap(), &format!("\nNodes searched: {paths}"));
        }
    }

    #[test]
    fn a_count_can_be_stopped() {
        let signals = Signals::new();
        signals.stop();
        assert_eq!(lines(9, &signals), ["\nstopped: the count is not complete"]);
    }
}
