//! Frames: what a strand keeps for each node on its path.
//!
//! Everything that another processor would need to help at a node lies in its frame, not in local variables of the
//! recursion: position, window, depth, moves left, best so far.

use crate::Rules;
use crate::algorithms::FrameView;
use game::{Depth, Game, MAX_PLY, Score, Window};
use table::Entry;

/// What a node is expected to turn out as (Knuth & Moore 1975, types 1 to 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Type 1: on the principal variation; its exact value is wanted.
    Pv,
    /// Type 2: one move is expected to refute it.
    Cut,
    /// Type 3: every move is expected to fail.
    All,
}

impl Kind {
    /// The kind of a child that is searched first, or with the parent's own window.
    pub fn first_child(self) -> Kind {
        match self {
            Kind::Pv => Kind::Pv,
            Kind::Cut => Kind::All,
            Kind::All => Kind::Cut,
        }
    }

    /// The kind of a child that is only tested.
    pub fn tested_child(self) -> Kind {
        match self {
            Kind::Pv | Kind::All => Kind::Cut,
            Kind::Cut => Kind::All,
        }
    }
}

/// One node of a strand's path.
pub struct Frame<G: Game, R: Rules<G>> {
    /// The position itself.
    pub position: G,
    /// Its key, for repetitions and the table.
    pub key: u64,
    /// What still matters here; alpha rises as moves are searched.
    pub window: Window,
    /// Plies left to search.
    pub depth: Depth,
    /// What the node is expected to be.
    pub kind: Kind,
    /// What the table knew, its score seen from the root.
    pub hit: Option<Entry>,
    /// The table's move, checked to be legal.
    pub table_move: Option<G::Move>,
    /// A move that must not be searched (singular extension).
    pub excluded: Option<G::Move>,
    /// The best score so far; fail-soft, so it may lie outside the window.
    pub best: Score,
    /// The move that raised alpha last.
    pub best_move: Option<G::Move>,
    /// The move being searched now; none when passing.
    pub current: Option<G::Move>,
    /// How many moves have been searched or are being searched.
    pub tried: usize,
    /// Is it on the leftmost path?
    pub(crate) leftmost: bool,
    /// Moves that others were searching when it was their turn.
    pub(crate) put_off: Vec<G::Move>,
    /// Is it their turn now?
    pub(crate) second_pass: bool,
    /// May the moves that are left be searched in parallel?
    pub(crate) open: bool,
    /// Is the frame a split point?
    pub(crate) shared: bool,
    /// Is what is left known to be too little for another machine?
    pub(crate) slight: bool,
    /// Is the move being searched now searched for its value, or only tested?
    pub(crate) valuing: bool,
    /// Does the search of this node only verify another one?
    pub(crate) verifying: bool,
    /// Where this frame's moves end in the path's list.
    pub(crate) extent: usize,
    /// The stamp from which the moves may be searched, and the latest one reached.
    pub(crate) ready: u64,
    pub(crate) reach: u64,
    /// What the rules remember here.
    pub note: R::Note,
    /// Where the rules are in producing the moves.
    pub picker: R::Picker,
    /// The principal variation below this node.
    pub line: Vec<G::Move>,
}

impl<G: Game, R: Rules<G>> Frame<G, R> {
    /// The next of the moves that were put off; all others have been searched.
    #[inline]
    pub(crate) fn next_put_off(&mut self) -> Option<G::Move> {
        self.second_pass = true;
        self.put_off.pop()
    }

    /// What algorithms may know about the frame at `ply`.
    pub(crate) fn view(&self, ply: usize) -> FrameView {
        FrameView {
            ply,
            kind: self.kind,
            tried: self.tried,
            finished: self.best > -Score::INFINITE,
            is_side_search: self.excluded.is_some() || self.verifying,
        }
    }

    fn as_above(&self) -> FrameAbove<G::Move> {
        FrameAbove {
            key: self.key,
            current: self.current,
            kind: self.kind,
            tried: self.tried,
            best: self.best,
            excluded: self.excluded,
            verifying: self.verifying,
        }
    }

    fn follow_above(&mut self, other: &FrameAbove<G::Move>) {
        (self.key, self.current, self.kind, self.tried) = (other.key, other.current, other.kind, other.tried);
        (self.best, self.excluded, self.verifying) = (other.best, other.excluded, other.verifying);
        (self.open, self.shared) = (false, false);
    }

    /// A copy without the principal variation, for another strand, which has shared nothing yet.
    fn copy(&self) -> Self {
        Frame {
            position: self.position.clone(),
            note: self.note.clone(),
            picker: self.picker.clone(),
            line: Vec::new(),
            put_off: Vec::new(),
            open: false,
            shared: false,
            slight: false,
            ..*self
        }
    }
}

/// A move and how promising it is.
#[derive(Clone, Copy, Debug)]
pub struct Scored<M> {
    /// The move.
    pub mv: M,
    /// Higher is searched earlier.
    pub priority: i32,
}

/// The frames of a strand from the root to where it is, and the moves that its open frames still have to search.
pub struct Path<G: Game, R: Rules<G>> {
    frames: Box<[Frame<G, R>]>,
    /// Moves of all open frames, each frame's above its parent's. Pickers hold indices into it.
    pub moves: Vec<Scored<G::Move>>,
}

/// What a helper needs of a path to go on from its end: the last frames, and a little of those above.
pub(crate) struct PathCopy<G: Game, R: Rules<G>> {
    above: Vec<FrameAbove<G::Move>>,
    frames: Vec<Frame<G, R>>,
}

/// What a helper needs of a frame that its rules do not look at: the key finds repetitions, the move leads down the
/// path, and algorithms see the rest (`Frame::view`).
struct FrameAbove<M> {
    key: u64,
    current: Option<M>,
    kind: Kind,
    tried: usize,
    best: Score,
    excluded: Option<M>,
    verifying: bool,
}

/// Frames beyond the deepest search: rules may reach two plies further.
const FRAMES: usize = MAX_PLY + 3;

impl<G: Game, R: Rules<G>> Path<G, R> {
    pub(crate) fn new(root: &G) -> Self {
        let frame = |_| Frame {
            position: root.clone(),
            key: root.key(),
            window: Window::FULL,
            depth: 0,
            kind: Kind::Pv,
            hit: None,
            table_move: None,
            excluded: None,
            best: -Score::INFINITE,
            best_move: None,
            current: None,
            tried: 0,
            leftmost: false,
            put_off: Vec::new(),
            second_pass: false,
            open: false,
            shared: false,
            slight: false,
            valuing: false,
            verifying: false,
            extent: 0,
            ready: 0,
            reach: 0,
            note: R::Note::default(),
            picker: R::Picker::default(),
            line: Vec::with_capacity(MAX_PLY),
        };
        // Room for a long path of wide nodes; more is allocated in the rare case, never freed during a search.
        Path { frames: (0..FRAMES).map(frame).collect(), moves: Vec::with_capacity(MAX_PLY * 64) }
    }

    /// A frame beside the list of moves.
    #[inline]
    pub fn frame_and_moves(&mut self, ply: usize) -> (&Frame<G, R>, &mut Vec<Scored<G::Move>>) {
        (&self.frames[ply], &mut self.moves)
    }

    /// The moves of an open frame from `start` on.
    pub fn moves_of(&self, ply: usize, start: usize) -> &[Scored<G::Move>] {
        let end = self[ply].extent;
        &self.moves[start.min(end)..end]
    }

    /// What a helper needs of the frames down to `ply`, and of two more for what was learned about its children.
    pub(crate) fn copy_to(&self, ply: usize) -> PathCopy<G, R> {
        let first = ply.saturating_sub(R::LOOK_BACK);
        let above = self.frames[..first].iter().map(Frame::as_above).collect();
        PathCopy { above, frames: self.frames[first..(ply + 3).min(FRAMES)].iter().map(Frame::copy).collect() }
    }

    /// Takes over the frames of another path.
    pub(crate) fn follow(&mut self, copy: &PathCopy<G, R>) {
        for (own, other) in self.frames.iter_mut().zip(&copy.above) {
            own.follow_above(other);
        }
        for (own, other) in self.frames[copy.above.len()..].iter_mut().zip(&copy.frames) {
            let mut line = std::mem::take(&mut own.line);
            line.clear();
            let put_off = std::mem::take(&mut own.put_off);
            *own = Frame { line, put_off, ..other.copy() };
        }
    }

    /// Puts the result of `mv` into the next frame.
    #[inline]
    pub(crate) fn play(&mut self, ply: usize, mv: G::Move) {
        let child = self[ply].position.play(mv);
        self[ply].current = Some(mv);
        self.descend(ply, child);
    }

    /// Puts a position into the next frame.
    #[inline]
    pub(crate) fn descend(&mut self, ply: usize, child: G) {
        let next = &mut self[ply + 1];
        next.key = child.key();
        next.position = child;
        next.excluded = None;
    }

    /// The principal variation at `ply` becomes `mv` and the line below it.
    pub(crate) fn extend_line(&mut self, ply: usize, mv: G::Move) {
        let (upper, lower) = self.frames.split_at_mut(ply + 1);
        let line = &mut upper[ply].line;
        line.clear();
        line.push(mv);
        line.extend_from_slice(&lower[0].line);
    }
}

impl<G: Game, R: Rules<G>> std::ops::Index<usize> for Path<G, R> {
    type Output = Frame<G, R>;
    #[inline]
    fn index(&self, ply: usize) -> &Frame<G, R> {
        &self.frames[ply]
    }
}

impl<G: Game, R: Rules<G>> std::ops::IndexMut<usize> for Path<G, R> {
    #[inline]
    fn index_mut(&mut self, ply: usize) -> &mut Frame<G, R> {
        &mut self.frames[ply]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plain;
    use game::tree::{Branch, Order, Tree};

    /// DTS types a frame by all frames above it: a helper must know those of its split point's owner, not what an
    /// earlier search left in its own path.
    #[test]
    fn a_helper_knows_the_types_of_all_frames_above_its_split_point() {
        let tree = Tree::new(Order::Random, 2, 2, 1).unwrap();
        let mut owner: Path<Tree, Plain<Branch>> = Path::new(&tree);
        let mut helper: Path<Tree, Plain<Branch>> = Path::new(&tree);
        let types = [(Kind::Pv, 1), (Kind::Cut, 5), (Kind::All, 2), (Kind::Cut, 4), (Kind::All, 1)];
        for (ply, (kind, tried)) in types.into_iter().enumerate() {
            (owner[ply].kind, owner[ply].tried, owner[ply].best) = (kind, tried, Score::DRAW);
            (helper[ply].kind, helper[ply].tried) = (Kind::All, 7);
        }
        helper.follow(&owner.copy_to(4));
        for ply in 0..types.len() {
            assert_eq!(helper[ply].view(ply), owner[ply].view(ply));
        }
    }
}
