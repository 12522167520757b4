//! Rules for a game that gives hints about its moves: history, killers, quiescence, null move and reductions.
//!
//! The middle step between [`crate::Plain`], which knows nothing, and rules of one's own, which decide everything.

use crate::plain::Cursor;
use crate::{FrameMemory, Path, Rules, Scored, Wanted};
use game::{Depth, Hints};
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// What [`Guided`] does. The last three change which value is found; without them it is that of a full-width search.
///
/// ```
/// use game::connect_four::ConnectFour;
/// use game::negamax;
/// use jamboree_search::{Guidance, Guided, Limits, Searcher};
///
/// let mut searcher = Searcher::new(Guided::new(Guidance { killers: false, ..Guidance::ORDER_ONLY }));
/// let outcome = searcher.run(&ConnectFour::new(), &[], &Limits::depth(5));
/// assert_eq!(outcome.score(), Some(negamax(&ConnectFour::new(), 5, 0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guidance {
    /// Moves that were good elsewhere come early (history heuristic, Schaeffer 1983).
    pub history: bool,
    /// So do moves that refuted a sibling of the node.
    pub killers: bool,
    /// Noisy moves are searched past the horizon.
    pub quiescence: bool,
    /// A node is cut off if even passing keeps its score at beta.
    pub null_move: bool,
    /// Late quiet moves are tested with less depth first.
    pub reductions: bool,
}

impl Guidance {
    /// Everything.
    pub const ALL: Guidance =
        Guidance { history: true, killers: true, quiescence: true, null_move: true, reductions: true };
    /// Only the order of moves: the value is that of a full-width search.
    pub const ORDER_ONLY: Guidance =
        Guidance { quiescence: false, null_move: false, reductions: false, ..Guidance::ALL };
}

impl Default for Guidance {
    fn default() -> Guidance {
        Guidance::ALL
    }
}

/// Rules for a game that implements [`Hints`].
///
/// Strands learn together, on threads too. Between searches half of what was learned is forgotten.
///
/// ```
/// use game::connect_four::ConnectFour;
/// use jamboree_search::{Guided, Limits, Searcher};
///
/// let position: ConnectFour = "4444".parse()?;
/// let mut searcher = Searcher::new(Guided::<ConnectFour>::default());
/// assert!(searcher.run(&position, &[], &Limits::depth(8)).best_move().is_some());
/// # Ok::<(), game::connect_four::ParseError>(())
/// ```
pub struct Guided<G: Hints> {
    guidance: Guidance,
    /// How good the moves of each place were, in all nodes and strands.
    history: Arc<[AtomicI32]>,
    buffer: Vec<G::Move>,
}

/// The largest value of a history.
const MOST: i32 = 16_384;
/// What a best move gains for each ply of depth, and at most; moves tried before it lose as much.
const BONUS: [i32; 2] = [50, 800];
/// The largest promise of a move.
const MOST_PROMISE: i32 = 30_000;
/// What makes a noisy move come before quiet ones.
const NOISY: i32 = 1 << 18;
/// What being a killer adds to a move's history and promise. In Othello killers that came before all other quiet moves cost 40 %
/// more nodes than none.
const KILLER: i32 = 4_000;
/// Bits of a priority that say where a move was in the game's own order, which decides between equals.
const PLACE_BITS: u32 = 10;
/// The least depth at which passing is tried, and late moves are reduced.
const PASS_DEPTH: Depth = 3;
const REDUCTION_DEPTH: Depth = 3;
/// How many moves of a node are never reduced.
const FULL_DEPTH_MOVES: usize = 3;

/// What is remembered in a frame: moves that refuted nodes at its ply.
#[derive(Clone)]
pub struct Killers<M>([Option<M>; 2]);

impl<M> Default for Killers<M> {
    fn default() -> Self {
        Killers([None, None])
    }
}

impl<G: Hints> Guided<G> {
    /// Rules that do this much.
    pub fn new(guidance: Guidance) -> Self {
        let history = (0..G::HISTORY).map(|_| AtomicI32::new(0)).collect();
        Guided { guidance, history, buffer: Vec::new() }
    }

    /// What these rules do.
    pub fn guidance(&self) -> Guidance {
        self.guidance
    }

    fn history_of(&self, position: &G, mv: G::Move) -> i32 {
        self.history[position.history_index(mv)].load(Ordering::Relaxed)
    }

    /// Moves a history towards its largest or smallest value. What two strands add at the same time may be lost.
    fn add(&self, position: &G, mv: G::Move, bonus: i32) {
        let slot = &self.history[position.history_index(mv)];
        let old = slot.load(Ordering::Relaxed);
        slot.store(old + bonus - old * bonus.abs() / MOST, Ordering::Relaxed);
    }

    /// Higher is searched earlier.
    fn priority(&self, path: &Path<G, Self>, ply: usize, mv: G::Move) -> i32 {
        let frame = &path[ply];
        if frame.table_move == Some(mv) {
            return (i32::MAX >> PLACE_BITS) - 1;
        }
        let promise = frame.position.promise(mv, frame.depth).clamp(-MOST_PROMISE, MOST_PROMISE);
        if frame.position.is_noisy(mv) {
            return NOISY + promise;
        }
        let history = if self.guidance.history { self.history_of(&frame.position, mv) } else { 0 };
        let is_killer = self.guidance.killers && frame.note.0.contains(&Some(mv));
        history + promise + if is_killer { KILLER } else { 0 }
    }

    /// Learns from a node that is done with its moves, while those that were tried are still in the path's list.
    fn learn_from(&self, path: &mut Path<G, Self>, ply: usize) {
        let (moves, frame) = (&path.moves, &path[ply]);
        let Some(best) = frame.best.mv.filter(|&mv| frame.depth > 0 && !frame.position.is_noisy(mv)) else { return };
        if self.guidance.history {
            let bonus = (BONUS[0] * frame.depth).min(BONUS[1]);
            self.add(&frame.position, best, bonus);
            let tried = frame.picker.start..frame.picker.next.min(moves.len());
            for scored in moves[tried].iter().filter(|scored| scored.mv != best && !frame.position.is_noisy(scored.mv))
            {
                self.add(&frame.position, scored.mv, -bonus);
            }
        }
        let killers = &mut path[ply].note.0;
        if killers[0] != Some(best) {
            *killers = [Some(best), killers[0]];
        }
    }
}

impl<G: Hints> Default for Guided<G> {
    fn default() -> Self {
        Guided::new(Guidance::ALL)
    }
}

impl<G: Hints> Clone for Guided<G> {
    fn clone(&self) -> Self {
        Guided { guidance: self.guidance, history: Arc::clone(&self.history), buffer: Vec::new() }
    }
}

impl<G: Hints> FrameMemory for Guided<G> {
    type Note = Killers<G::Move>;
    type Picker = Cursor;
}

impl<G: Hints> Rules<G> for Guided<G> {
    fn fresh(&self) -> Self {
        Guided::new(self.guidance)
    }

    fn new_search(&mut self) {
        for slot in self.history.iter() {
            slot.store(slot.load(Ordering::Relaxed) / 2, Ordering::Relaxed);
        }
    }

    fn pass_depth(&self, path: &Path<G, Self>, ply: usize) -> Option<Depth> {
        let frame = &path[ply];
        let (beta, depth) = (frame.window.beta, frame.depth);
        let has_passed = ply > 0 && path[ply - 1].current.is_none();
        if !self.guidance.null_move || depth < PASS_DEPTH || has_passed || beta.is_known() {
            return None;
        }
        let is_good = frame.position.pass().is_some() && frame.position.evaluate() >= beta;
        is_good.then_some(depth - 3 - depth / 4)
    }

    fn begin_moves(&mut self, path: &mut Path<G, Self>, ply: usize, wanted: Wanted) {
        let start = path.moves.len();
        path[ply].picker = Cursor { start, next: start };
        let is_noisy_only = wanted != Wanted::All;
        if is_noisy_only && !self.guidance.quiescence {
            return;
        }
        self.buffer.clear();
        path[ply].position.moves(&mut self.buffer);
        for (place, &mv) in self.buffer.iter().enumerate() {
            if is_noisy_only && !path[ply].position.is_noisy(mv) {
                continue;
            }
            let before_equals = (1 << PLACE_BITS) - 1 - place.min((1 << PLACE_BITS) - 1) as i32;
            let priority = self.priority(path, ply, mv) << PLACE_BITS | before_equals;
            path.moves.push(Scored { mv, priority });
        }
        path.moves[start..].sort_unstable_by_key(|scored| Reverse(scored.priority));
    }

    fn next(&mut self, path: &mut Path<G, Self>, ply: usize) -> Option<G::Move> {
        let next = path[ply].picker.next;
        let mv = path.moves.get(next)?.mv;
        path[ply].picker.next += 1;
        Some(mv)
    }

    fn moves_left(&self, path: &Path<G, Self>, ply: usize) -> Vec<G::Move> {
        path.moves_of(ply, path[ply].picker.next).iter().map(|scored| scored.mv).collect()
    }

    fn end_moves(&mut self, path: &mut Path<G, Self>, ply: usize) {
        self.learn_from(path, ply);
        let start = path[ply].picker.start;
        path.moves.truncate(start);
    }

    fn extension(&self, path: &Path<G, Self>, ply: usize, mv: G::Move) -> Depth {
        Depth::from(path[ply].position.is_free(mv))
    }

    fn reduction(&self, path: &Path<G, Self>, ply: usize, mv: G::Move, index: usize) -> Depth {
        let frame = &path[ply];
        let is_late = frame.depth >= REDUCTION_DEPTH && index >= FULL_DEPTH_MOVES;
        if !self.guidance.reductions || !is_late || frame.position.is_noisy(mv) {
            return 0;
        }
        let usual = (frame.depth.ilog2() * (index + 1).ilog2() / 3) as Depth;
        let history = if self.guidance.history { self.history_of(&frame.position, mv) } else { 0 };
        (usual - 2 * history / MOST - Depth::from(frame.kind == crate::Kind::Pv)).max(0)
    }
}
