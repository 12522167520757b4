//! What the search learns about moves and evaluations. One set is shared by all strands of an engine. Entries are
//! relaxed atomics, read and written like plain numbers: an update that is lost to another strand does no harm.
//!
//! Move histories follow Schaeffer (1983) with the "gravity" of today's programs: the nearer an entry is to its limit,
//! the less an update moves it. So it never overflows, and old results fade.

use crate::{Move, Position};
use cozy_chess::{BitBoard, Color, Piece};
use game::Score;
use search::SharedStatistics;
use std::sync::atomic::AtomicI16;
use std::sync::atomic::Ordering::Relaxed;
use table::prefetch;

/// The largest value of a history. Parameters give bonuses and margins of histories in this unit. A power of two,
/// because every update divides by it.
const LIMIT: i32 = 16_384;
/// Correction histories are small numbers in 1/64 of a score unit.
const CORRECTION_LIMIT: i32 = 8_192;
const CORRECTION_SLOTS: usize = 1 << 14;

/// A piece of a colour arriving on a square: the index of a move in continuation histories.
pub(crate) type Arrival = u16;
/// The arrival of an unknown move: a pass, or a move before the root.
pub(crate) const NO_ARRIVAL: Arrival = 12 * 64;
const ARRIVALS: usize = 12 * 64 + 1;
const TARGETS: usize = 6 * 64;

/// One entry of a history.
type Entry = AtomicI16;

#[inline]
fn get(entry: &Entry) -> i32 {
    i32::from(entry.load(Relaxed))
}

fn pull(entry: &Entry, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let value = get(entry);
    entry.store((value + bonus - value * bonus.abs() / limit) as i16, Relaxed);
}

/// Histories of moves and corrections of evaluations.
pub(crate) struct Histories {
    /// By side, from and to.
    quiet: Box<[[Entry; 4096]; 2]>,
    /// By moving piece, target square and captured piece.
    noisy: Box<[[[Entry; 7]; 64]; 6]>,
    /// By the arrival of an earlier move, and the piece and target of this one.
    continuation: Box<[[Entry; TARGETS]; ARRIVALS]>,
    pawn_correction: Box<[[Entry; CORRECTION_SLOTS]; 2]>,
    piece_correction: Box<[[[Entry; CORRECTION_SLOTS]; 2]; 2]>,
    move_correction: Box<[[Entry; ARRIVALS]; 2]>,
}

/// A boxed array that is never on the stack.
fn boxed<T, const N: usize>(element: impl Fn() -> T) -> Box<[T; N]> {
    let elements: Box<[T]> = (0..N).map(|_| element()).collect();
    elements.try_into().unwrap_or_else(|_| unreachable!("the length is N"))
}

/// A row of empty entries.
fn row<const N: usize>() -> [Entry; N] {
    [const { Entry::new(0) }; N]
}

impl Default for Histories {
    fn default() -> Histories {
        Histories {
            quiet: boxed(row),
            noisy: boxed(|| std::array::from_fn(|_| row())),
            continuation: boxed(row),
            pawn_correction: boxed(row),
            piece_correction: boxed(|| std::array::from_fn(|_| row())),
            move_correction: boxed(row),
        }
    }
}

fn target(piece: Piece, mv: Move) -> usize {
    piece as usize * 64 + mv.target() as usize
}

/// The index, in continuation histories, of a move made in `position`.
pub(crate) fn arrival(position: &Position, mv: Move) -> Arrival {
    let side = position.board().side_to_move() as usize;
    (side * TARGETS + target(position.mover(mv), mv)) as Arrival
}

/// The slot of a correction history for these pieces.
fn slot(first: BitBoard, second: BitBoard) -> usize {
    let mixed = (first.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ second.0).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (mixed >> (64 - CORRECTION_SLOTS.trailing_zeros())) as usize
}

/// The slots of a position's corrections.
struct CorrectionSlots {
    side: usize,
    pawns: usize,
    pieces: [usize; 2],
    last: usize,
}

impl CorrectionSlots {
    fn of(position: &Position, last: Arrival) -> CorrectionSlots {
        let board = position.board();
        let pieces = |color| {
            let own = board.colors(color);
            let light = own & (board.pieces(Piece::Knight) | board.pieces(Piece::Bishop) | board.pieces(Piece::King));
            let shifted = own & (board.pieces(Piece::Bishop) | board.pieces(Piece::Queen));
            let heavy = own & (board.pieces(Piece::Rook) | board.pieces(Piece::Queen) | board.pieces(Piece::King));
            slot(BitBoard(light.0 ^ heavy.0.rotate_left(21)), BitBoard(heavy.0 ^ shifted.0.rotate_left(37)))
        };
        CorrectionSlots {
            side: board.side_to_move() as usize,
            pawns: slot(
                board.colored_pieces(Color::White, Piece::Pawn),
                board.colored_pieces(Color::Black, Piece::Pawn),
            ),
            pieces: [pieces(Color::White), pieces(Color::Black)],
            last: usize::from(last),
        }
    }
}

impl Histories {
    /// How well a quiet move has done, here and after the two moves before.
    #[inline]
    pub(crate) fn quiet(&self, position: &Position, mv: Move, piece: Piece, before: [Arrival; 2]) -> i32 {
        let side = position.board().side_to_move() as usize;
        let target = target(piece, mv);
        let follow = |arrival: Arrival| get(&self.continuation[usize::from(arrival)][target]);
        get(&self.quiet[side][mv.squares()]) + follow(before[0]) + follow(before[1])
    }

    /// How well a capture has done.
    #[inline]
    pub(crate) fn noisy(&self, piece: Piece, mv: Move, victim: Option<Piece>) -> i32 {
        get(&self.noisy[piece as usize][mv.target() as usize][victim.map_or(6, |piece| piece as usize)])
    }

    pub(crate) fn learn_quiet(&self, position: &Position, mv: Move, before: [Arrival; 2], bonus: i32) {
        let side = position.board().side_to_move() as usize;
        let target = target(position.mover(mv), mv);
        pull(&self.quiet[side][mv.squares()], bonus, LIMIT);
        for arrival in before {
            if arrival != NO_ARRIVAL {
                pull(&self.continuation[usize::from(arrival)][target], bonus, LIMIT);
            }
        }
    }

    pub(crate) fn learn_noisy(&self, position: &Position, mv: Move, bonus: i32) {
        let victim = position.victim(mv).map_or(6, |piece| piece as usize);
        pull(&self.noisy[position.mover(mv) as usize][mv.target() as usize][victim], bonus, LIMIT);
    }

    /// The corrections of this position will be read soon.
    #[inline]
    pub(crate) fn expect_correction(&self, position: &Position) {
        let slots = CorrectionSlots::of(position, NO_ARRIVAL);
        prefetch(&self.pawn_correction[slots.side][slots.pawns]);
        for (color, &slot) in slots.pieces.iter().enumerate() {
            prefetch(&self.piece_correction[slots.side][color][slot]);
        }
    }

    /// By how much evaluations of similar positions have been wrong.
    #[inline]
    pub(crate) fn correction(&self, position: &Position, last: Arrival, weights: [i32; 3]) -> i32 {
        let slots = CorrectionSlots::of(position, last);
        let pawns = get(&self.pawn_correction[slots.side][slots.pawns]);
        let pieces: i32 = (0..2).map(|color| get(&self.piece_correction[slots.side][color][slots.pieces[color]])).sum();
        let last = get(&self.move_correction[slots.side][slots.last]);
        (pawns * weights[0] + pieces * weights[1] + last * weights[2]) / (64 * 64)
    }

    /// The score of the search differs from the evaluation: moves the corrections of similar positions towards the
    /// difference.
    pub(crate) fn learn_correction(&self, position: &Position, last: Arrival, bonus: i32) {
        let slots = CorrectionSlots::of(position, last);
        pull(&self.pawn_correction[slots.side][slots.pawns], bonus, CORRECTION_LIMIT);
        for color in 0..2 {
            pull(&self.piece_correction[slots.side][color][slots.pieces[color]], bonus, CORRECTION_LIMIT);
        }
        if slots.last != usize::from(NO_ARRIVAL) {
            pull(&self.move_correction[slots.side][slots.last], bonus, CORRECTION_LIMIT);
        }
    }
}

impl Histories {
    /// Knows what the other one knows.
    pub(crate) fn copy_from(&self, other: &Histories) {
        for ((own, _), (others, _)) in self.rows().into_iter().zip(other.rows()) {
            own.iter().zip(others).for_each(|(own, other)| own.store(other.load(Relaxed), Relaxed));
        }
    }

    /// All entries row by row, and the limit of each row.
    fn rows(&self) -> [(&[Entry], i32); 6] {
        [
            (self.quiet.as_flattened(), LIMIT),
            (self.noisy.as_flattened().as_flattened(), LIMIT),
            (self.continuation.as_flattened(), LIMIT),
            (self.pawn_correction.as_flattened(), CORRECTION_LIMIT),
            (self.piece_correction.as_flattened().as_flattened(), CORRECTION_LIMIT),
            (self.move_correction.as_flattened(), CORRECTION_LIMIT),
        ]
    }
}

/// Lets the ranks of a cluster exchange what they learn (an idea Zugzwang's authors left for later).
impl SharedStatistics for Histories {
    fn len(&self) -> usize {
        self.rows().iter().map(|(row, _)| row.len()).sum()
    }

    fn read(&self, mut place: usize, mut into: &mut [i16]) {
        for (row, _) in self.rows() {
            let count = row.len().saturating_sub(place).min(into.len());
            let (now, later) = into.split_at_mut(count);
            for (value, entry) in now.iter_mut().zip(&row[place.min(row.len())..]) {
                *value = entry.load(Relaxed);
            }
            into = later;
            place = place.saturating_sub(row.len());
        }
    }

    fn add(&self, mut place: usize, change: i16) -> i16 {
        for (row, limit) in self.rows() {
            if let Some(entry) = row.get(place) {
                let before = get(entry);
                let after = (before + i32::from(change)).clamp(-limit, limit);
                entry.store(after as i16, Relaxed);
                return (after - before) as i16;
            }
            place -= row.len();
        }
        0
    }
}

/// The difference between two scores, in the unit of corrections.
pub(crate) fn error(score: Score, eval: Score) -> i32 {
    score - eval
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_its_place() {
        let histories = Histories::default();
        let places = histories.len();
        let rows: Vec<usize> = histories.rows().iter().map(|(row, _)| row.len()).collect();
        let mut expected = vec![0; places];
        let mut first = 0;
        for row in rows {
            for (place, change) in [(first, 300), (first + row - 1, -77)] {
                assert_eq!(histories.add(place, change), change);
                expected[place] = change;
            }
            first += row;
        }
        let mut known = vec![0; places];
        // In blocks that do not end where rows end.
        known.chunks_mut(1000).enumerate().for_each(|(piece, into)| histories.read(piece * 1000, into));
        assert!(known == expected);
        assert_eq!(histories.add(0, i16::MAX), (LIMIT - 300) as i16, "not beyond the limit");
        assert_eq!(histories.add(places, 5), 0, "no such place");
    }

    #[test]
    fn histories_stay_within_their_limit() {
        let entry = Entry::new(0);
        for _ in 0..10_000 {
            pull(&entry, 3000, LIMIT);
        }
        assert!(get(&entry) <= LIMIT && get(&entry) > LIMIT * 9 / 10);
        for _ in 0..10_000 {
            pull(&entry, -3000, LIMIT);
        }
        assert!(get(&entry) >= -LIMIT && get(&entry) < -LIMIT * 9 / 10);
    }
}
