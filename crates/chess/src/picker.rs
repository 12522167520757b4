//! Moves in the order in which they are searched, generated only as far as they are needed:
//! table move, good captures, killers, quiet moves by history, bad captures. Counted killers come before the captures.

use crate::checks::CheckSquares;
use crate::histories::{Arrival, Histories};
use crate::learned::Learned;
use crate::see::{exchange_value, wins_at_least};
use crate::{Move, Parameters, Position};
use cozy_chess::{Board, Piece, Rank};
use search::{Scored, Wanted};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    TableMove,
    MakeNoisy,
    GoodNoisy,
    FirstKiller,
    SecondKiller,
    MakeQuiet,
    Quiet,
    BadNoisy,
    Done,
}

/// Room for the moves of most nodes.
const USUAL_MOVES: usize = 48;

/// How far a node has come in generating its moves. The moves are in the path's list, from `start` on: first the bad
/// captures, then, from `cursor` on, the moves of the current stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Picker {
    stage: Stage,
    start: usize,
    bad_end: usize,
    cursor: usize,
    /// Captures must win this much to be searched early, or at all.
    gain: i32,
    only_noisy: bool,
    table_move: Option<Move>,
    killers: [Option<Move>; 2],
    /// Do killers, which may be captures then, come right after the table move?
    killers_first: bool,
    before: [Arrival; 2],
}

impl Picker {
    /// Begins with an empty list above `start`.
    pub(crate) fn new(
        wanted: Wanted,
        start: usize,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        before: [Arrival; 2],
    ) -> Picker {
        let (only_noisy, gain) = match wanted {
            Wanted::All => (false, 0),
            Wanted::Noisy => (true, 0),
            Wanted::Winning(gain) => (true, gain),
        };
        Picker {
            stage: Stage::TableMove,
            start,
            bad_end: start,
            cursor: start,
            gain,
            only_noisy,
            table_move,
            killers,
            killers_first: false,
            before,
        }
    }

    /// Killers, captures or not, come right after the table move.
    pub(crate) fn with_killers_first(self) -> Picker {
        Picker { killers_first: true, ..self }
    }

    /// The index in the path's list at which this node's moves begin.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Skips the quiet moves that are left.
    pub(crate) fn skip_quiets(&mut self) {
        self.only_noisy = true;
    }

    /// Are quiet moves skipped?
    pub(crate) fn skips_quiets(&self) -> bool {
        self.only_noisy
    }

    /// The moves that are left, in order; `list` is this node's part of the path's list.
    pub(crate) fn rest(
        &self,
        position: &Position,
        learned: &Learned,
        parameters: &Parameters,
        list: &[Scored<Move>],
    ) -> Vec<Move> {
        let mut moves = Vec::with_capacity(USUAL_MOVES);
        let mut copy = Vec::with_capacity(list.len() + USUAL_MOVES);
        copy.extend_from_slice(list);
        let mut picker = *self;
        picker.bad_end -= self.start;
        picker.cursor -= self.start;
        picker.start = 0;
        moves.extend(std::iter::from_fn(|| picker.next(position, learned, parameters, &mut copy)));
        moves
    }

    /// The next move.
    #[inline(always)]
    pub(crate) fn next(
        &mut self,
        position: &Position,
        learned: &Learned,
        parameters: &Parameters,
        list: &mut Vec<Scored<Move>>,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = if self.killers_first { Stage::FirstKiller } else { Stage::MakeNoisy };
                    if let Some(mv) = self.table_move {
                        let noisy = || position.is_noisy(mv) && wins_at_least(position, mv, self.gain);
                        if !self.only_noisy || noisy() {
                            return Some(mv);
                        }
                        self.table_move = None;
                    }
                }
                Stage::MakeNoisy => {
                    make_noisy(position, &learned.histories, parameters, list);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.best(list) {
                    None if self.only_noisy => self.stage = Stage::BadNoisy,
                    None => self.stage = if self.killers_first { Stage::MakeQuiet } else { Stage::FirstKiller },
                    Some(mv) if Some(mv.mv) == self.table_move => {}
                    Some(mv) if self.killers_first && self.killers.contains(&Some(mv.mv)) => {}
                    Some(mv) if wins_at_least(position, mv.mv, self.gain) => return Some(mv.mv),
                    Some(bad) => {
                        list[self.bad_end] = bad;
                        self.bad_end += 1;
                    }
                },
                Stage::FirstKiller | Stage::SecondKiller => {
                    let index = usize::from(self.stage == Stage::SecondKiller);
                    self.stage = match (index, self.killers_first) {
                        (0, _) => Stage::SecondKiller,
                        (_, true) => Stage::MakeNoisy,
                        (_, false) => Stage::MakeQuiet,
                    };
                    if let Some(mv) = self.killers[index] {
                        let wanted = !self.only_noisy && Some(mv) != self.table_move;
                        let fits = self.killers_first || !position.is_noisy(mv);
                        if wanted && fits && position.board().is_legal(mv.into()) {
                            return Some(mv);
                        }
                        self.killers[index] = None;
                    }
                }
                Stage::MakeQuiet => {
                    if !self.only_noisy {
                        let histories = &learned.histories;
                        match &learned.counts {
                            None => make_quiet(position, parameters.order.check_rank, list, |mv, piece| {
                                histories.quiet(position, mv, piece, self.before)
                            }),
                            Some(counts) => {
                                let count = |mv, _| counts.get(position, mv).min(MOST_COUNTED) as i32;
                                make_quiet(position, 0, list, count);
                            }
                        }
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match if self.only_noisy { None } else { self.best(list) } {
                    None => {
                        self.stage = Stage::BadNoisy;
                        self.cursor = self.start;
                    }
                    Some(mv) if Some(mv.mv) == self.table_move || self.killers.contains(&Some(mv.mv)) => {}
                    Some(mv) => return Some(mv.mv),
                },
                Stage::BadNoisy => {
                    // If only good captures are wanted, the bad ones are dropped.
                    if self.cursor >= self.bad_end {
                        self.stage = Stage::Done;
                        continue;
                    }
                    self.cursor += 1;
                    return Some(list[self.cursor - 1].mv);
                }
                Stage::Done => return None,
            }
        }
    }

    /// Takes the move of the highest priority from what is left of the stage.
    #[inline]
    fn best(&mut self, list: &mut [Scored<Move>]) -> Option<Scored<Move>> {
        let left = list.get_mut(self.cursor..)?;
        let (mut index, mut priority) = (0, left.first()?.priority);
        for (other, scored) in left.iter().enumerate().skip(1) {
            if scored.priority > priority {
                (index, priority) = (other, scored.priority);
            }
        }
        left.swap(0, index);
        self.cursor += 1;
        Some(left[0])
    }
}

/// Promotions to less than a queen come after all other quiet moves, by this much.
const UNDERPROMOTION: i32 = 1 << 20;
/// Counts above this are all the same.
const MOST_COUNTED: u32 = UNDERPROMOTION as u32 - 1;

/// The rank on which pawns of the side to move promote.
fn promotion_rank(board: &Board) -> Rank {
    Rank::Eighth.relative_to(board.side_to_move())
}

/// Appends captures and promotions to queen, the largest victim first, then by history.
fn make_noisy(position: &Position, histories: &Histories, parameters: &Parameters, list: &mut Vec<Scored<Move>>) {
    let board = position.board();
    let theirs = board.colors(!board.side_to_move());
    let pawn_targets = theirs
        | promotion_rank(board).bitboard()
        | position.en_passant().map_or(cozy_chess::BitBoard::EMPTY, |s| s.bitboard());
    board.generate_moves(|mut moves| {
        let pawn = moves.piece == Piece::Pawn;
        moves.to &= if pawn { pawn_targets } else { theirs };
        for mv in moves {
            let victim = board.piece_on(mv.to).or((pawn && mv.from.file() != mv.to.file()).then_some(Piece::Pawn));
            if victim.is_none() && mv.promotion.is_some_and(|piece| piece != Piece::Queen) {
                continue;
            }
            let mv = Move::from(mv);
            let promoted = if mv.promotion() == Some(Piece::Queen) { parameters.order.promotion_value } else { 0 };
            let value = victim.map_or(0, exchange_value) + promoted;
            list.push(Scored {
                mv,
                priority: parameters.order.victim_rank * value + histories.noisy(moves.piece, mv, victim),
            });
        }
        false
    });
}

/// Appends all other moves, ranked by `history`.
#[inline]
fn make_quiet(
    position: &Position,
    check_rank: i32,
    list: &mut Vec<Scored<Move>>,
    history: impl Fn(Move, Piece) -> i32,
) {
    let board = position.board();
    let theirs = board.colors(!board.side_to_move());
    let en_passant = position.en_passant().map_or(cozy_chess::BitBoard::EMPTY, |square| square.bitboard());
    let checks = CheckSquares::of(position);
    board.generate_moves(|mut moves| {
        moves.to &= !theirs;
        if moves.piece == Piece::Pawn {
            moves.to &= !en_passant;
        }
        for mv in moves {
            if mv.promotion == Some(Piece::Queen) {
                continue;
            }
            let under = mv.promotion.is_some();
            let mv = Move::from(mv);
            let mut priority = history(mv, moves.piece) - if under { UNDERPROMOTION } else { 0 };
            if checks.gives_direct_check(moves.piece, mv) {
                priority += check_rank;
            }
            list.push(Scored { mv, priority });
        }
        false
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histories::NO_ARRIVAL;
    use game::Game;

    fn all(
        position: &Position,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        killers_first: bool,
    ) -> Vec<Move> {
        let learned = Learned::default();
        let mut list = Vec::new();
        let mut picker = Picker::new(Wanted::All, 0, table_move, killers, [NO_ARRIVAL; 2]);
        picker.killers_first = killers_first;
        std::iter::from_fn(|| picker.next(position, &learned, &Parameters::default(), &mut list)).collect()
    }

    #[test]
    fn every_legal_move_comes_exactly_once() {
        let mut random = 7u64;
        let mut position = Position::default();
        for _ in 0..4000 {
            let mut legal = Vec::new();
            position.moves(&mut legal);
            if legal.is_empty() {
                position = Position::default();
                continue;
            }
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let pick = |shift: u32| legal[(random >> shift) as usize % legal.len()];
            let table_move = (random >> 60 != 0).then(|| pick(20));
            // Killers may be moves of another position.
            let killers = [Move::from_bits((random >> 7) as u16), Some(pick(13))];
            let killers_first = random >> 59 & 1 == 0;
            let mut picked = all(&position, table_move, killers, killers_first);
            assert!(table_move.is_none_or(|mv| picked[0] == mv));
            let place = picked.iter().position(|&mv| Some(mv) == killers[1]);
            assert!(!killers_first || place <= Some(2), "a killer comes after the table move and another killer");
            picked.sort_by_key(|mv| mv.bits());
            let next = pick(33);
            legal.sort_by_key(|mv| mv.bits());
            assert_eq!(picked, legal, "{}", position.board());
            position = position.play(next);
        }
    }
}
