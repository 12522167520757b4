//! Frames: what a strand keeps for each node on its path.
//!
//! Everything that another processor would need to help at a node lies in its frame, not in local variables of the
//! recursion: position, window, depth, moves left, best so far.

use crate::Kind;
use crate::algorithms::FrameView;
use game::{Bound, Depth, Game, MAX_PLY, Score, Window};
use table::Entry;

/// What rules keep in the frames.
pub trait FrameMemory {
    /// How many plies back the rules look at the frames of the path.
    const LOOK_BACK: usize = 0;
    /// What the rules remember in each frame.
    type Note: Clone + Default + Send + Sync;
    /// Where a frame is in producing its moves.
    type Picker: Clone + Default + Send + Sync;
}

/// What a node is searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose<M> {
    /// Its value.
    #[default]
    Value,
    /// The value of all moves but this one: does it stand alone (singular extension)?
    Excluding(M),
    /// To verify a cutoff that was found by passing.
    Verification,
}

impl<M: Copy> Purpose<M> {
    /// The move that must not be searched.
    #[inline]
    pub fn excluded(&self) -> Option<M> {
        match *self {
            Purpose::Excluding(mv) => Some(mv),
            Purpose::Value | Purpose::Verification => None,
        }
    }

    /// Must a move not be searched?
    #[inline]
    pub fn excludes_a_move(&self) -> bool {
        matches!(self, Purpose::Excluding(_))
    }
}

/// The best that was found at a node so far.
#[derive(Clone, Debug)]
pub struct Best<M> {
    /// The best score; fail-soft, so it may lie outside the window. Minus infinity before the first move is searched.
    pub score: Score,
    /// The move that raised alpha last.
    pub mv: Option<M>,
    /// Its index among the moves that were searched.
    pub(crate) index: usize,
    /// The principal variation below the node.
    pub line: Vec<M>,
}

impl<M> Default for Best<M> {
    fn default() -> Self {
        Best { score: -Score::INFINITE, mv: None, index: 0, line: Vec::new() }
    }
}

impl<M: Copy> Best<M> {
    /// The node has no best move yet; one that needs no search never gets one.
    #[inline]
    pub(crate) fn forget_move(&mut self) {
        self.mv = None;
        self.line.clear();
    }

    /// The principal variation becomes `mv` and the line below it.
    pub(crate) fn set_line(&mut self, mv: M, below: &[M]) {
        self.line.clear();
        self.line.push(mv);
        self.line.extend_from_slice(below);
    }
}

/// What a frame knows about being shared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    /// The node's type by its place in the tree: type 1 on the leftmost path only, unlike the kind, which is what the node
    /// is searched as.
    pub(crate) node_type: Kind,
    /// May the moves that are left be searched in parallel?
    pub(crate) sharable: bool,
    /// Is the frame a split point?
    pub(crate) shared: bool,
    /// Is what is left known to be too little for another rank?
    pub(crate) too_small: bool,
    /// Is the current move searched for its value, not only tested?
    pub(crate) valuing: bool,
    /// The index of the move that this strand has taken, at a split point.
    pub(crate) index: usize,
    /// The strand's effort when it began to search the current move.
    pub(crate) since: u64,
    /// The strand's effort when it began to search the moves, less the surplus before.
    pub(crate) begun: u64,
    /// Nodes so far that the best order of moves would have saved.
    pub(crate) surplus: u64,
    #[cfg(test)]
    pub(crate) traced: crate::lost::trace::Traced,
    pub(crate) times: Times,
}

/// When an ideal machine would begin and end the moves of a node (see `work.rs`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    /// The stamp from which the moves may be searched.
    pub(crate) ready: u64,
    /// The latest stamp that was reached.
    pub(crate) reach: u64,
}

/// Where a frame is in its moves, besides what the rules' picker knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoveState<M> {
    /// Where its moves end in the path's list.
    pub(crate) extent: usize,
    /// Moves that other processors were searching when it was their turn (ABDADA).
    pub(crate) deferred: Vec<M>,
    /// Are only deferred moves left?
    pub(crate) second_pass: bool,
}

/// One node of a strand's path.
pub struct Frame<G: Game, R: FrameMemory> {
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
    /// What the node is searched for.
    pub purpose: Purpose<G::Move>,
    /// What the table knew, its score seen from the root.
    pub hit: Option<Entry>,
    /// The table's move, checked to be legal.
    pub table_move: Option<G::Move>,
    /// The best score, move and variation so far.
    pub best: Best<G::Move>,
    /// The move being searched now; none when passing.
    pub current: Option<G::Move>,
    /// How many moves have been searched or are being searched.
    pub tried: usize,
    pub(crate) sharing: Sharing,
    pub(crate) moves: MoveState<G::Move>,
    /// What the rules remember here.
    pub note: R::Note,
    /// Where the rules are in producing the moves.
    pub picker: R::Picker,
}

impl<G: Game, R: FrameMemory> Frame<G, R> {
    /// The next of the deferred moves; all others have been searched.
    #[inline]
    pub(crate) fn next_deferred(&mut self) -> Option<G::Move> {
        self.moves.second_pass = true;
        self.moves.deferred.pop()
    }

    /// What algorithms may know about the frame at `ply`.
    pub(crate) fn view(&self, ply: usize) -> FrameView {
        FrameView {
            ply,
            kind: self.kind,
            tried: self.tried,
            finished: self.best.score > -Score::INFINITE,
            is_side_search: self.purpose != Purpose::Value,
            best: self.best.score,
            depth: self.depth,
            extensions: 0,
            moves_left: 0,
            is_forced: false,
            confidence: 0,
        }
    }

    /// Has the node dropped below alpha: did a search one ply less deep find a value above alpha, but no move so far has?
    pub(crate) fn has_dropped(&self) -> bool {
        let was_above =
            |hit: Entry| hit.depth >= self.depth - 1 && hit.bound != Bound::Upper && hit.score > self.window.alpha;
        self.tried > 0 && self.best.mv.is_none() && self.hit.is_some_and(was_above)
    }

    fn as_above(&self) -> FrameAbove<G::Move> {
        FrameAbove {
            current: self.current,
            kind: self.kind,
            tried: self.tried,
            depth: self.depth,
            best: self.best.score,
            purpose: self.purpose,
        }
    }

    fn follow_above(&mut self, other: &FrameAbove<G::Move>) {
        (self.current, self.kind, self.tried) = (other.current, other.kind, other.tried);
        (self.depth, self.best.score, self.purpose) = (other.depth, other.best, other.purpose);
        (self.sharing.sharable, self.sharing.shared) = (false, false);
    }

    /// A copy without the principal variation, for another strand, which has shared nothing yet.
    fn copy(&self) -> Self {
        Frame {
            position: self.position.clone(),
            note: self.note.clone(),
            picker: self.picker.clone(),
            best: Best { line: Vec::new(), ..self.best },
            moves: MoveState { deferred: Vec::new(), ..self.moves },
            sharing: Sharing { sharable: false, shared: false, too_small: false, ..self.sharing },
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

/// The frames of a strand from the root to where it is, and the moves that these still have to search.
pub struct Path<G: Game, R: FrameMemory> {
    frames: Box<[Frame<G, R>]>,
    /// Moves of all frames that are being searched, each frame's above its parent's. Pickers hold indices into it.
    pub moves: Vec<Scored<G::Move>>,
    /// Room for the legal moves of a position, to find a wide move of the table among them.
    legal: Vec<G::Move>,
}

/// What a helper needs of a path to go on from its end: the last frames, and a little of those above.
pub(crate) struct PathCopy<G: Game, R: FrameMemory> {
    above: Vec<FrameAbove<G::Move>>,
    /// The keys of the last of them that a position below can repeat: those since the last irreversible move (StarTech
    /// section 2).
    keys: Vec<u64>,
    frames: Vec<Frame<G, R>>,
    /// How many positions of the path, above its last one, a position below can repeat.
    pub(crate) repeatable: usize,
}

/// What a helper needs of a frame that its rules do not look at: the move leads down the path, and algorithms see the rest
/// (`Frame::view`).
struct FrameAbove<M> {
    current: Option<M>,
    kind: Kind,
    tried: usize,
    depth: Depth,
    best: Score,
    purpose: Purpose<M>,
}

/// Frames beyond the deepest search: rules may reach two plies further.
const FRAMES: usize = MAX_PLY + 3;

impl<G: Game, R: FrameMemory> Path<G, R> {
    pub(crate) fn new(root: &G) -> Self {
        let frame = |_| Frame {
            position: root.clone(),
            key: root.key(),
            window: Window::FULL,
            depth: 0,
            kind: Kind::Pv,
            purpose: Purpose::Value,
            hit: None,
            table_move: None,
            best: Best { line: Vec::with_capacity(MAX_PLY), ..Best::default() },
            current: None,
            tried: 0,
            sharing: Sharing {
                node_type: Kind::Pv,
                sharable: false,
                shared: false,
                too_small: false,
                valuing: false,
                index: 0,
                since: 0,
                begun: 0,
                surplus: 0,
                #[cfg(test)]
                traced: crate::lost::trace::Traced::default(),
                times: Times::default(),
            },
            moves: MoveState { extent: 0, deferred: Vec::new(), second_pass: false },
            note: R::Note::default(),
            picker: R::Picker::default(),
        };
        // Room for a long path of wide nodes; more is allocated in the rare case, never freed during a search.
        Path { frames: (0..FRAMES).map(frame).collect(), moves: Vec::with_capacity(MAX_PLY * 64), legal: Vec::new() }
    }

    /// A frame beside the list of moves.
    #[inline]
    pub fn frame_and_moves(&mut self, ply: usize) -> (&Frame<G, R>, &mut Vec<Scored<G::Move>>) {
        (&self.frames[ply], &mut self.moves)
    }

    /// A frame beside room for the legal moves of a position.
    #[inline]
    pub(crate) fn frame_and_room(&mut self, ply: usize) -> (&mut Frame<G, R>, &mut Vec<G::Move>) {
        (&mut self.frames[ply], &mut self.legal)
    }

    /// The moves of a frame that is being searched, from `start` on.
    pub fn moves_of(&self, ply: usize, start: usize) -> &[Scored<G::Move>] {
        let end = self[ply].moves.extent;
        &self.moves[start.min(end)..end]
    }

    /// What a helper needs of the frames down to `ply`, and of two more for what was learned about its children.
    pub(crate) fn copy_to(&self, ply: usize) -> PathCopy<G, R> {
        let first = ply.saturating_sub(R::LOOK_BACK);
        let repeatable = self[ply].position.reversible_plies().min(ply);
        PathCopy {
            above: self.frames[..first].iter().map(Frame::as_above).collect(),
            keys: self.frames[first.min(ply - repeatable)..first].iter().map(|frame| frame.key).collect(),
            frames: self.frames[first..(ply + 3).min(FRAMES)].iter().map(Frame::copy).collect(),
            repeatable,
        }
    }

    /// Takes over the frames of another path.
    pub(crate) fn follow(&mut self, copy: &PathCopy<G, R>) {
        for (own, other) in self.frames.iter_mut().zip(&copy.above) {
            own.follow_above(other);
        }
        let first = copy.above.len() - copy.keys.len();
        for (own, &key) in self.frames[first..].iter_mut().zip(&copy.keys) {
            own.key = key;
        }
        for (own, other) in self.frames[copy.above.len()..].iter_mut().zip(&copy.frames) {
            // The vectors keep their memory.
            let mut line = std::mem::take(&mut own.best.line);
            line.clear();
            let deferred = std::mem::take(&mut own.moves.deferred);
            *own = other.copy();
            (own.best.line, own.moves.deferred) = (line, deferred);
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
        next.purpose = Purpose::Value;
    }

    /// The principal variation at `ply` becomes `mv` and the line below it.
    pub(crate) fn extend_line(&mut self, ply: usize, mv: G::Move) {
        let (upper, lower) = self.frames.split_at_mut(ply + 1);
        upper[ply].best.set_line(mv, &lower[0].best.line);
    }
}

impl<G: Game, R: FrameMemory> std::ops::Index<usize> for Path<G, R> {
    type Output = Frame<G, R>;
    #[inline]
    fn index(&self, ply: usize) -> &Frame<G, R> {
        &self.frames[ply]
    }
}

impl<G: Game, R: FrameMemory> std::ops::IndexMut<usize> for Path<G, R> {
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

    /// A tree whose positions repeat nothing before the last irreversible move.
    #[derive(Clone)]
    struct Reversible(Tree, usize);

    impl Game for Reversible {
        type Move = Branch;

        fn key(&self) -> u64 {
            self.0.key()
        }

        fn moves(&self, out: &mut Vec<Branch>) {
            self.0.moves(out);
        }

        fn play(&self, mv: Branch) -> Self {
            Reversible(self.0.play(mv), self.1)
        }

        fn evaluate(&self) -> Score {
            self.0.evaluate()
        }

        fn stuck(&self) -> game::Ending {
            self.0.stuck()
        }

        fn reversible_plies(&self) -> usize {
            self.1
        }

        fn pack(mv: Branch) -> u32 {
            Tree::pack(mv)
        }

        fn unpack(&self, bits: u32) -> Option<Branch> {
            self.0.unpack(bits)
        }
    }

    #[test]
    fn a_helper_gets_the_keys_since_the_last_irreversible_move_and_no_others() {
        for (plies, ply) in [(0, 6), (1, 6), (4, 6), (5, 5), (9, 6)] {
            let root = Reversible(Tree::new(Order::Random, 2, 2, 1).unwrap(), plies);
            let mut owner: Path<Reversible, Plain<Branch>> = Path::new(&root);
            let mut helper: Path<Reversible, Plain<Branch>> = Path::new(&root);
            for place in 0..=ply {
                (owner[place].key, helper[place].key) = (place as u64 + 1, 0);
            }
            let copy = owner.copy_to(ply);
            assert_eq!(copy.repeatable, plies.min(ply));
            helper.follow(&copy);
            for place in 0..=ply {
                let expected = if place + plies >= ply { place as u64 + 1 } else { 0 };
                assert_eq!(helper[place].key, expected, "{plies} reversible plies, at {place} of {ply}");
            }
        }
    }

    #[test]
    fn a_node_drops_if_a_search_one_ply_less_deep_had_more_than_its_first_move() {
        let tree = Tree::new(Order::Random, 2, 2, 1).unwrap();
        let mut path: Path<Tree, Plain<Branch>> = Path::new(&tree);
        let frame = &mut path[1];
        let score = Score::estimate;
        let entry = Entry { mv: 0, score: score(10), eval: None, depth: 4, bound: Bound::Lower, pv: false };
        (frame.window, frame.depth, frame.tried) = (Window::test_above(score(5)), 5, 1);
        let mut with = |hit: Option<Entry>| {
            frame.hit = hit;
            frame.has_dropped()
        };
        assert!(!with(None) && with(Some(entry)));
        assert!(with(Some(Entry { bound: Bound::Exact, depth: 5, ..entry })));
        assert!(!with(Some(Entry { depth: 3, ..entry })), "not deep enough");
        assert!(!with(Some(Entry { bound: Bound::Upper, ..entry })), "only an upper bound");
        assert!(!with(Some(Entry { score: score(5), ..entry })), "not above alpha");
        frame.hit = Some(entry);
        frame.tried = 0;
        assert!(!frame.has_dropped(), "no move has been searched");
        (frame.tried, frame.best.mv) = (1, tree.unpack(1));
        assert!(frame.best.mv.is_some() && !frame.has_dropped(), "a move has raised alpha");
    }

    /// DTS types a frame by all frames above it: a helper must know those of its split point's owner, not what an
    /// earlier search left in its own path.
    #[test]
    fn a_helper_knows_the_types_of_all_frames_above_its_split_point() {
        let tree = Tree::new(Order::Random, 2, 2, 1).unwrap();
        let mut owner: Path<Tree, Plain<Branch>> = Path::new(&tree);
        let mut helper: Path<Tree, Plain<Branch>> = Path::new(&tree);
        let types = [(Kind::Pv, 1), (Kind::Cut, 5), (Kind::All, 2), (Kind::Cut, 4), (Kind::All, 1)];
        for (ply, (kind, tried)) in types.into_iter().enumerate() {
            (owner[ply].kind, owner[ply].tried, owner[ply].best.score) = (kind, tried, Score::DRAW);
            (helper[ply].kind, helper[ply].tried) = (Kind::All, 7);
        }
        helper.follow(&owner.copy_to(4));
        for ply in 0..types.len() {
            let (helper, owner) = (helper[ply].view(ply), owner[ply].view(ply));
            assert_eq!((helper.kind, helper.tried, helper.best), (owner.kind, owner.tried, owner.best));
            assert_eq!((helper.finished, helper.is_side_search), (owner.finished, owner.is_side_search));
        }
    }
}
