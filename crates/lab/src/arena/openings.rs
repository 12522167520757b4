//! The openings of a match: positions of a file, first moves of games, or openings made here.

use crate::epd;
use crate::random::Random;
use chess::{Move, Notation, Position, RuleSet};
use engine::{EngineCore, GoLimits, SearchRequest, Signals};
use game::Game;
use parking_lot::Mutex;
use std::collections::HashSet;

/// A position and the moves that are played from it before the engines begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The position.
    pub start: Position,
    /// The moves.
    pub moves: Vec<Move>,
}

impl Opening {
    /// Every position of the opening, the last included.
    pub(super) fn positions(&self) -> Vec<Position> {
        let mut positions = vec![self.start.clone()];
        for &mv in &self.moves {
            positions.extend(positions.last().map(|position| position.play(mv)));
        }
        positions
    }

    /// The moves as UCI writes them.
    pub(super) fn moves_shown(&self) -> Vec<String> {
        let notation = Notation::of(&self.start);
        self.positions().iter().zip(&self.moves).map(|(position, &mv)| notation.show(position, mv)).collect()
    }

    /// The position, as UCI writes it.
    pub(super) fn start_shown(&self) -> String {
        if self.start == Position::default() { "startpos".into() } else { format!("fen {}", self.start) }
    }

    /// Does castling have to be written as in Chess960?
    pub(super) fn is_chess960(&self) -> bool {
        Notation::of(&self.start) == Notation::Chess960
    }

    /// Does the final position have a legal move?
    fn is_playable(&self) -> bool {
        self.positions().last().is_some_and(|position| position.has_moves() && position.ending().is_none())
    }
}

/// The openings of an EPD or FEN file, one position a line. Lines that can't be used are reported and left out.
pub fn from_epd(text: &str, warn: &mut dyn FnMut(String)) -> Vec<Opening> {
    let mut openings = Vec::new();
    for record in epd::read(text) {
        match record
            .map_err(|error| error.to_string())
            .and_then(|record| record.fen.parse::<Position>().map_err(|error| error.to_string()))
        {
            Ok(start) => openings.push(Opening { start, moves: Vec::new() }),
            Err(error) => warn(error),
        }
    }
    openings
}

/// The openings of a match, one for each pair of games.
pub struct Openings {
    list: Mutex<List>,
    description: String,
}

/// Openings from a file, or made when they are needed.
enum List {
    Given(Vec<Opening>),
    Made(Box<Maker>),
}

impl Openings {
    /// These openings in an order that depends on the seed. When all have been used, they are used again.
    ///
    /// # Errors
    /// If no opening has a legal move at its end.
    pub fn given(mut openings: Vec<Opening>, seed: u64) -> Result<Openings, String> {
        openings.retain(Opening::is_playable);
        if openings.is_empty() {
            return Err("there is no opening with a game left to play".into());
        }
        Random::new(seed).shuffle(&mut openings);
        let keys = openings.iter().filter_map(|opening| opening.positions().last().map(Game::key));
        let sum = keys.fold(0u64, |sum, key| sum.wrapping_mul(31).wrapping_add(key));
        let description = format!("{} openings, checksum {sum:016x}", openings.len());
        Ok(Openings { list: Mutex::new(List::Given(openings)), description })
    }

    /// Balanced openings from the start position, a different one for every pair; they depend on the seed.
    ///
    /// # Errors
    /// If there is no memory for the engine that checks whether they are balanced.
    pub fn made(seed: u64) -> Result<Openings, String> {
        let engine = EngineCore::with(RuleSet::modern(), 1).map_err(|error| error.to_string())?;
        let maker = Maker { engine, random: Random::new(seed), seen: HashSet::new(), made: Vec::new() };
        let description = format!("made from seed {seed} by xoshiro256++");
        Ok(Openings { list: Mutex::new(List::Made(Box::new(maker))), description })
    }

    /// How many there are; none if there is no limit.
    pub fn count(&self) -> Option<usize> {
        match &*self.list.lock() {
            List::Given(openings) => Some(openings.len()),
            List::Made(_) => None,
        }
    }

    /// The opening of a pair.
    pub fn of_pair(&self, pair: usize) -> Opening {
        match &mut *self.list.lock() {
            List::Given(openings) => openings[pair % openings.len()].clone(),
            List::Made(maker) => maker.of_pair(pair),
        }
    }

    /// What distinguishes these openings from others.
    pub(super) fn description(&self) -> &str {
        &self.description
    }
}

/// Random moves at the beginning.
const PLIES: usize = 6;
/// Nodes of the search that decides whether an opening is balanced, and the largest score of a balanced one, in
/// hundredths of a pawn.
const NODES: u64 = 1000;
const BALANCED: i32 = 40;

/// Makes openings.
struct Maker {
    engine: EngineCore,
    random: Random,
    seen: HashSet<u64>,
    made: Vec<Opening>,
}

impl Maker {
    fn of_pair(&mut self, pair: usize) -> Opening {
        while self.made.len() <= pair {
            if let Some(opening) = self.attempt() {
                self.made.push(opening);
            }
        }
        self.made[pair].clone()
    }

    /// Some random moves; none if the position was reached before, is in check or without moves, or is not balanced.
    fn attempt(&mut self) -> Option<Opening> {
        let mut opening = Opening::default();
        let mut position = opening.start.clone();
        for _ in 0..PLIES {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            let mv = *moves.get(self.random.below(moves.len().max(1)))?;
            opening.moves.push(mv);
            position = position.play(mv);
        }
        let is_new = !position.in_check() && opening.is_playable() && self.seen.insert(position.key());
        (is_new && self.is_balanced(position)).then_some(opening)
    }

    fn is_balanced(&mut self, position: Position) -> bool {
        let limits = GoLimits { nodes: Some(NODES), ..GoLimits::default() };
        self.engine.new_game();
        let answer = self.engine.search(&SearchRequest::new(position, limits), &Signals::new(), &mut |_| {});
        answer.score.is_some_and(|score| score.value().abs() <= BALANCED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_positions_is_read_and_its_errors_are_told() {
        let text = "# start\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n\
            rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1;\nnonsense\n8/8/8/8/8/8/8/8 w - -\n";
        let mut warnings = Vec::new();
        let openings = from_epd(text, &mut |warning| warnings.push(warning));
        assert_eq!((openings.len(), warnings.len()), (2, 2));
        assert!(warnings[0].starts_with("line 4:"), "{warnings:?}");
    }

    #[test]
    fn given_openings_are_shuffled_by_the_seed_and_used_again() {
        let text = "4k3/8/8/8/8/8/8/4KQ2 w - -\n4k3/8/8/8/8/8/8/4KR2 w - -\n4k3/8/8/8/8/8/4P3/4K3 w - -\n7k/5KQ1/8/8/8/8/8/8 b - -";
        let order = |seed| {
            let openings = Openings::given(from_epd(text, &mut |_| {}), seed).unwrap();
            assert_eq!(openings.count(), Some(3));
            assert_eq!(openings.of_pair(1), openings.of_pair(4));
            (0..3).map(|pair| openings.of_pair(pair).start.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(order(1), order(1));
        assert!((2..20).any(|seed| order(seed) != order(1)));
        assert!(Openings::given(Vec::new(), 1).is_err());
    }

    #[test]
    fn made_openings_are_new_balanced_and_the_same_every_time() {
        let (first, again) = (Openings::made(7).unwrap(), Openings::made(7).unwrap());
        let later = again.of_pair(4);
        let keys: HashSet<u64> = (0..5)
            .map(|pair| {
                let opening = first.of_pair(pair);
                assert_eq!(opening.moves.len(), PLIES);
                opening.positions()[PLIES].key()
            })
            .collect();
        assert_eq!((keys.len(), first.of_pair(4)), (5, later));
    }

    #[test]
    fn chess960_is_noticed() {
        let fen = "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1";
        assert!(from_epd(fen, &mut |_| {})[0].is_chess960());
        assert!(!Opening::default().is_chess960());
    }
}
