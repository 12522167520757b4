//! Games between engines of this process: random openings, moves by a fixed number of nodes, and adjudication.

use crate::random::Random;
use chess::{Move, Position};
use engine::{EngineCore, GoLimits, SearchRequest, Signals};
use game::{Game, Score};
use std::ops::RangeInclusive;

/// A side that is this far ahead for some plies has won.
const WON: i32 = 1200;
const WON_PLIES: usize = 5;
/// A game is drawn when the score is this close to even for `EVEN_PLIES` plies, after ply `EVEN_AFTER`.
const EVEN: i32 = 8;
const EVEN_PLIES: usize = 12;
const EVEN_AFTER: usize = 80;
/// The longest game, in plies.
const LONGEST: usize = 400;

/// A game that is being played.
#[derive(Clone, Default)]
pub(crate) struct Play {
    /// The current position.
    pub(crate) position: Position,
    /// The keys of the positions before, oldest first.
    history: Vec<u64>,
    ahead: usize,
    even: usize,
}

impl Play {
    /// A game after some random moves; none if they end it, or if a search of `nodes` nodes finds one side further
    /// ahead than `balanced`.
    pub(crate) fn opening(
        random: &mut Random,
        plies: RangeInclusive<usize>,
        engine: &mut EngineCore,
        nodes: u64,
        balanced: i32,
    ) -> Option<Play> {
        let mut play = Play::default();
        let mut moves = Vec::new();
        for _ in 0..plies.start() + random.below(plies.end() - plies.start() + 1) {
            moves.clear();
            play.position.moves(&mut moves);
            if moves.is_empty() {
                return None;
            }
            play.make(moves[random.below(moves.len())]);
        }
        if play.finished().is_some() {
            return None;
        }
        engine.new_game();
        let (_, score) = play.search(engine, nodes)?;
        (score.value().abs() <= balanced).then_some(play)
    }

    /// The engine's move and its score for the side to move; none only if there is no legal move.
    pub(crate) fn search(&self, engine: &mut EngineCore, nodes: u64) -> Option<(Move, Score)> {
        let mut ask = |limits| {
            let request = SearchRequest { position: self.position.clone(), history: self.history.clone(), limits };
            let answer = engine.search(&request, &Signals::new(), &mut |_| {});
            answer.best.zip(answer.score)
        };
        // Very few nodes may not be enough for one iteration.
        let least = GoLimits { depth: Some(1), ..GoLimits::default() };
        ask(GoLimits { nodes: Some(nodes), ..GoLimits::default() }).or_else(|| ask(least))
    }

    /// Is White to move?
    pub(crate) fn is_white(&self) -> bool {
        self.position.is_white_to_move()
    }

    /// Plays a move.
    pub(crate) fn make(&mut self, mv: Move) {
        self.history.push(self.position.key());
        self.position = self.position.play(mv);
    }

    /// How the game has ended by the rules of chess, in half points of White.
    pub(crate) fn finished(&self) -> Option<u8> {
        let (position, history) = (&self.position, &self.history);
        if !position.has_moves() {
            return Some(match (position.in_check(), self.is_white()) {
                (true, true) => 0,
                (true, false) => 2,
                (false, _) => 1,
            });
        }
        let recent = history.iter().rev().take(position.reversible_plies());
        let repeated = recent.filter(|&&key| key == position.key()).count();
        (position.ending().is_some() || repeated >= 2).then_some(1)
    }

    /// Takes the score of the side to move, for White. The half points of White, if the game is adjudicated.
    pub(crate) fn adjudicated(&mut self, white: i32) -> Option<u8> {
        self.ahead = if white.abs() >= WON { self.ahead + 1 } else { 0 };
        self.even = if white.abs() <= EVEN && self.history.len() >= EVEN_AFTER { self.even + 1 } else { 0 };
        if self.ahead >= WON_PLIES {
            return Some(if white > 0 { 2 } else { 0 });
        }
        (self.even >= EVEN_PLIES || self.history.len() >= LONGEST).then_some(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_end_as_chess_says() {
        for (fen, half_points) in [
            ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", Some(2)),
            ("6k1/8/8/8/8/8/5PPP/r5K1 w - - 0 1", Some(0)),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Some(1)),
            ("7k/8/6K1/8/8/8/8/8 b - - 0 1", Some(1)),
            ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", None),
        ] {
            let play = Play { position: fen.parse().unwrap(), ..Play::default() };
            assert_eq!(play.finished(), half_points, "{fen}");
        }
    }

    #[test]
    fn every_position_with_a_move_is_scored_however_few_the_nodes() {
        let mut engine = EngineCore::with(chess::RuleSet::modern(), 1).unwrap();
        let mut random = Random::new(1);
        let mut play = Play::default();
        for _ in 0..200 {
            assert!(play.finished().is_some() || play.search(&mut engine, 1).is_some());
            let mut moves = Vec::new();
            play.position.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            play.make(moves[random.below(moves.len())]);
        }
    }

    #[test]
    fn what_is_decided_is_not_played_on() {
        let mut play = Play::default();
        assert!((0..WON_PLIES - 1).all(|_| play.adjudicated(-WON).is_none()));
        assert_eq!(play.adjudicated(0), None);
        assert!((0..WON_PLIES - 1).all(|_| play.adjudicated(-WON).is_none()));
        assert_eq!(play.adjudicated(-WON), Some(0));
        play.history = vec![0; LONGEST];
        assert_eq!(play.adjudicated(100), Some(1));
    }
}
