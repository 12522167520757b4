//! A search for forced mates alone: depth-first proof-number search (Nagai 2002).
//!
//! A node is worked on until its proof or disproof number passes a limit. The proof number of a position where the defender
//! moves begins with the number of the defender's moves, so lines that leave few answers come first, checks or not. Every
//! line ends after the moves that the mate may take, so there are no cycles. A number is the largest of the moves' numbers
//! plus one for each further move (Ueda et al. 2008), since a sum counts transpositions again and again.

use crate::proof_table::{Numbers, ProofTable};
use chess::{Move, Position};
use game::Game;
use std::collections::HashMap;

/// A quiet move counts as if the defender had this many more answers.
const QUIET: u32 = 4;

/// The search was stopped before it had a result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// A search for mates.
pub(crate) struct MateSearch<'a> {
    table: ProofTable,
    /// Keys of the game before: who comes back to it has not made progress.
    history: &'a [u64],
    /// Must the search stop now?
    is_over: &'a dyn Fn() -> bool,
    /// Positions that were expanded.
    nodes: u64,
    /// Expand no more.
    most_nodes: u64,
}

/// A move and the position after it.
struct Child {
    mv: Move,
    position: Position,
    numbers: Numbers,
}

/// Whose turn it is, and how many moves the attacker has left.
#[derive(Clone, Copy)]
struct Turn {
    attacks: bool,
    left: u32,
}

impl Turn {
    fn next(self) -> Turn {
        Turn { attacks: !self.attacks, left: if self.attacks { self.left - 1 } else { self.left } }
    }

    /// The key of a position at this turn.
    fn key(self, position: &Position) -> u64 {
        position.key() ^ u64::from(self.left).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl<'a> MateSearch<'a> {
    /// A search with an empty memory.
    pub(crate) fn new(history: &'a [u64], is_over: &'a dyn Fn() -> bool) -> MateSearch<'a> {
        MateSearch { table: ProofTable::new(), history, is_over, nodes: 0, most_nodes: u64::MAX }
    }

    /// Positions that were expanded so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// A whole mating line of at most `moves` moves of the side to move; none if there is no such mate. It expands at most
    /// `nodes` positions.
    ///
    /// # Errors
    /// If it is stopped, or the nodes are not enough.
    pub(crate) fn mate_in(
        &mut self,
        position: &Position,
        moves: u32,
        nodes: u64,
    ) -> Result<Option<Vec<Move>>, Stopped> {
        if moves == 0 {
            return Ok(None);
        }
        let turn = Turn { attacks: true, left: moves };
        let is_proved = self.proves(position, turn, nodes)?;
        if is_proved { self.attack_line(position, turn, &mut HashMap::new()).map(Some) } else { Ok(None) }
    }

    /// As [`MateSearch::mate_in`], if it is the mated side's move and the other side has `moves` moves left.
    ///
    /// # Errors
    /// If it is stopped, or the nodes are not enough.
    pub(crate) fn mated_in(
        &mut self,
        position: &Position,
        moves: u32,
        nodes: u64,
    ) -> Result<Option<Vec<Move>>, Stopped> {
        let turn = Turn { attacks: false, left: moves };
        let is_proved = self.proves(position, turn, nodes)?;
        if is_proved { self.defence_line(position, turn, &mut HashMap::new()).map(Some) } else { Ok(None) }
    }

    fn proves(&mut self, position: &Position, turn: Turn, nodes: u64) -> Result<bool, Stopped> {
        self.most_nodes = self.nodes.saturating_add(nodes);
        let numbers = self.search(position, turn, Numbers::SOLVED)?;
        self.most_nodes = u64::MAX;
        Ok(numbers.is_proved())
    }

    /// Works on a position until it is solved or one of its numbers reaches its limit.
    fn search(&mut self, position: &Position, turn: Turn, limit: Numbers) -> Result<Numbers, Stopped> {
        self.nodes += 1;
        if self.nodes > self.most_nodes || (self.nodes.is_multiple_of(256) && (self.is_over)()) {
            return Err(Stopped);
        }
        let before = self.nodes;
        let mut children = self.children(position, turn);
        let (limit_own, limit_other) = limit.seen(turn.attacks);
        loop {
            let summary = Summary::of(&children, turn.attacks);
            let numbers = Numbers::of(summary.own, summary.other, turn.attacks);
            if numbers.is_solved() || summary.own >= limit_own || summary.other >= limit_other {
                self.table.store(turn.key(position), numbers, self.nodes - before);
                return Ok(numbers);
            }
            // A little more than the second best, so that the search does not jump to and fro.
            let own = limit_own.min(summary.second.saturating_add(summary.second / 4).saturating_add(1));
            let other = limit_other - summary.others;
            let child = &mut children[summary.best];
            child.numbers = self.search(&child.position, turn.next(), Numbers::of(own, other, turn.attacks))?;
        }
    }

    /// The moves of a position with the numbers of the positions after them.
    fn children(&self, position: &Position, turn: Turn) -> Vec<Child> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let after = turn.next();
        let child = |mv| {
            let position = position.play(mv);
            let known = self.table.find(after.key(&position));
            let numbers = known.unwrap_or_else(|| first_numbers(&position, after, self.history));
            Child { mv, position, numbers }
        };
        moves.into_iter().map(child).collect()
    }

    /// The mating line of a position that is proved, the attacker to move.
    fn attack_line(
        &mut self,
        position: &Position,
        turn: Turn,
        known: &mut HashMap<u64, Vec<Move>>,
    ) -> Result<Vec<Move>, Stopped> {
        let key = turn.key(position);
        if let Some(line) = known.get(&key) {
            return Ok(line.clone());
        }
        let mut children = self.children(position, turn);
        if !children.iter().any(|child| child.numbers.is_proved()) {
            // The table has lost the proof.
            for child in &mut children {
                child.numbers = self.search(&child.position, turn.next(), Numbers::SOLVED)?;
                if child.numbers.is_proved() {
                    break;
                }
            }
        }
        // A mate at once is the shortest.
        let proved = || children.iter().filter(|child| child.numbers.is_proved());
        let best = proved().find(|child| !child.position.has_moves()).or_else(|| proved().next()).ok_or(Stopped)?;
        let mut line = vec![best.mv];
        line.extend(self.defence_line(&best.position, turn.next(), known)?);
        known.insert(key, line.clone());
        Ok(line)
    }

    /// The longest of the defender's lines in a position that is proved.
    fn defence_line(
        &mut self,
        position: &Position,
        turn: Turn,
        known: &mut HashMap<u64, Vec<Move>>,
    ) -> Result<Vec<Move>, Stopped> {
        let mut longest = Vec::new();
        for child in self.children(position, turn) {
            let line = self.attack_line(&child.position, turn.next(), known)?;
            if line.len() + 1 > longest.len() {
                longest = vec![child.mv];
                longest.extend(line);
            }
        }
        Ok(longest)
    }
}

/// What the numbers of the moves come to. `own` is the number that the side to move wants to be zero.
struct Summary {
    own: u32,
    other: u32,
    /// The move with the smallest own number, and the second smallest own number.
    best: usize,
    second: u32,
    /// Moves that are not refuted, without the best.
    others: u32,
}

impl Summary {
    fn of(children: &[Child], attacks: bool) -> Summary {
        let mut summary = Summary { own: u32::MAX, other: 0, best: 0, second: u32::MAX, others: 0 };
        let mut left = 0u32;
        for (index, child) in children.iter().enumerate() {
            let (own, other) = child.numbers.seen(attacks);
            if own < summary.own {
                (summary.second, summary.own, summary.best) = (summary.own, own, index);
            } else {
                summary.second = summary.second.min(own);
            }
            summary.other = summary.other.max(other);
            left += u32::from(other > 0);
        }
        summary.others = left.saturating_sub(1);
        summary.other = if summary.own == 0 { u32::MAX } else { summary.other.saturating_add(summary.others) };
        summary
    }
}

/// The numbers of a position that was not looked at before.
fn first_numbers(position: &Position, turn: Turn, history: &[u64]) -> Numbers {
    let mut moves = 0;
    position.board().generate_moves(|some| {
        moves += some.len() as u32;
        false
    });
    let is_mate = !turn.attacks && moves == 0 && position.in_check();
    if is_mate {
        return Numbers::PROVED;
    }
    if moves == 0 || turn.left == 0 || history.contains(&position.key()) {
        return Numbers::DISPROVED;
    }
    match turn {
        Turn { attacks: true, left: 1 } => mate_in_one(position),
        Turn { attacks: true, .. } => Numbers { proof: 1, disproof: 1 },
        Turn { attacks: false, .. } => {
            let quiet = if position.in_check() { 0 } else { QUIET };
            Numbers { proof: moves + quiet, disproof: 1 }
        }
    }
}

fn mate_in_one(position: &Position) -> Numbers {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mates = moves.into_iter().any(|mv| {
        let after = position.play(mv);
        after.in_check() && !after.has_moves()
    });
    if mates { Numbers::PROVED } else { Numbers::DISPROVED }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mate(fen: &str, moves: u32) -> Option<Vec<Move>> {
        let position: Position = fen.parse().unwrap();
        MateSearch::new(&[], &|| false).mate_in(&position, moves, u64::MAX).unwrap()
    }

    /// Is the line legal, and does it end with mate?
    fn is_whole(fen: &str, line: &[Move]) -> bool {
        let mut position: Position = fen.parse().unwrap();
        for &mv in line {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            assert!(moves.contains(&mv));
            position = position.play(mv);
        }
        position.in_check() && !position.has_moves()
    }

    /// Positions and the number of moves of their shortest mates.
    const MATES: [(&str, u32); 4] = [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1),
        ("8/8/8/8/8/k1K5/8/7R w - - 0 1", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
        ("r2qk2r/pb4pp/1n2Pb2/2B2Q2/p1p5/2P5/2B2PPP/RN2R1K1 w kq - 1 1", 2),
    ];

    #[test]
    fn the_shortest_mate_is_found_and_its_line_is_whole() {
        for (fen, moves) in MATES {
            let line = mate(fen, moves).unwrap_or_else(|| panic!("no mate in {moves}: {fen}"));
            assert_eq!(line.len(), 2 * moves as usize - 1, "{fen}");
            assert!(is_whole(fen, &line), "{fen}");
            assert_eq!(mate(fen, moves - 1), None, "{fen}");
            let longer = mate(fen, moves + 1).unwrap();
            assert!(is_whole(fen, &longer) && longer.len() <= 2 * moves as usize + 1, "{fen}");
        }
    }

    #[test]
    fn the_line_of_the_mated_side_is_whole() {
        let fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
        let first = mate(fen, 2).unwrap()[0];
        let after = fen.parse::<Position>().unwrap().play(first);
        let mut search = MateSearch::new(&[], &|| false);
        let line = search.mated_in(&after, 1, 1000).unwrap().unwrap();
        assert!(line.len() == 2 && is_whole(&after.to_string(), &line));
        assert_eq!(search.mated_in(&Position::default(), 1, 1000), Ok(None));
    }

    #[test]
    fn a_position_without_a_mate_is_refuted() {
        for fen in ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "7k/8/5K2/8/8/8/8/6Q1 b - - 0 1"] {
            assert_eq!(mate(fen, 2), None, "{fen}");
        }
    }

    #[test]
    fn a_position_of_the_game_is_no_progress() {
        let position: Position = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse().unwrap();
        let mated = position.play(mate("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1).unwrap()[0]).key();
        let history = [mated];
        let found = MateSearch::new(&history, &|| false).mate_in(&position, 1, u64::MAX).unwrap();
        assert!(found.is_some(), "mate ends the game whatever was before");
        let position: Position = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1".parse().unwrap();
        let key = position.play(mate("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2).unwrap()[0]).key();
        let history = [key];
        let found = MateSearch::new(&history, &|| false).mate_in(&position, 2, u64::MAX).unwrap();
        assert_eq!(found, None);
    }

    #[test]
    fn it_stops_when_it_must() {
        let position = Position::default();
        assert_eq!(MateSearch::new(&[], &|| true).mate_in(&position, 9, u64::MAX), Err(Stopped));
        let mut search = MateSearch::new(&[], &|| false);
        assert_eq!(search.mate_in(&position, 9, 1000), Err(Stopped));
        assert_eq!(search.nodes(), 1001);
    }
}
