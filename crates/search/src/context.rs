//! The context: everything that the strands of one search have in common.

use crate::algorithms::Algorithm;
use crate::listener::Listener;
use crate::lost_stack::LostStack;
use crate::machine::Terms;
use crate::marks::Marks;
use crate::root::{Root, RootMove};
use crate::split_record::SplitLog;
use crate::tables::TableAccess;
use crate::verifier::Verifier;
use crate::work::{ParallelismProfile, Work};
use crate::{Limits, NoWatch, Path, Rules, Watch};
use game::{Depth, Game};
use parking_lot::Mutex;
use std::iter::successors;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};

/// What the strands of one search have in common.
pub(crate) struct SearchContext<'a, G: Game, R: Rules<G>> {
    pub(crate) position: &'a G,
    /// Keys of the positions of the game before the root, oldest first.
    pub(crate) history: &'a [u64],
    pub(crate) limits: &'a Limits<G::Move>,
    pub(crate) watch: &'a dyn Watch<G::Move>,
    pub(crate) listener: Mutex<&'a mut Listener<'a, G::Move>>,
    /// The rules every strand begins with.
    pub(crate) rules: R,
    pub(crate) algorithm: Algorithm,
    /// By how many plies an iteration is deeper than the one before.
    pub(crate) iteration_step: Depth,
    /// On what terms frames are shared.
    pub(crate) terms: Terms,
    /// The positions being searched, where the algorithm needs them.
    pub(crate) marks: Marks,
    pub(crate) tables: TableAccess<'a>,
    /// Does the search begin on this machine? If not, its work comes from other ranks.
    pub(crate) leads: bool,
    pub(crate) checks: Checks<G, R>,
    pub(crate) root: Arc<Mutex<Root<G::Move>>>,
    pub(crate) tally: Tally,
    pub(crate) work: Mutex<Work>,
}

/// What a search does for its developers.
pub(crate) struct Checks<G: Game, R: Rules<G>> {
    /// Compares the result of every node with an oracle, if that is wanted.
    pub(crate) verifier: Option<Verifier<G, R>>,
    /// Every split point, if a log is wanted.
    pub(crate) log: Option<Arc<SplitLog<G::Move>>>,
    #[cfg(test)]
    pub(crate) trace: Option<Arc<Mutex<crate::lost::trace::Trace>>>,
}

impl<G: Game, R: Rules<G>> Checks<G, R> {
    fn none() -> Self {
        Checks {
            verifier: None,
            log: None,
            #[cfg(test)]
            trace: None,
        }
    }
}

impl<'a, G: Game, R: Rules<G>> SearchContext<'a, G, R> {
    /// A search on one processor, without a table; what else it has is set afterwards.
    pub(crate) fn new(
        position: &'a G,
        history: &'a [u64],
        limits: &'a Limits<G::Move>,
        rules: R,
        algorithm: Algorithm,
        listener: &'a mut Listener<'a, G::Move>,
    ) -> Self {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if !limits.only.is_empty() {
            moves.retain(|mv| limits.only.contains(mv));
        }
        SearchContext {
            position,
            history,
            limits,
            watch: &NoWatch,
            listener: Mutex::new(listener),
            rules,
            algorithm,
            iteration_step: 1,
            terms: Terms::default(),
            marks: Marks::of(&algorithm),
            tables: TableAccess::NONE,
            leads: true,
            checks: Checks::none(),
            root: Arc::new(Mutex::new(Root::new(moves.into_iter().map(RootMove::new).collect()))),
            tally: Tally::default(),
            work: Mutex::new(Work::default()),
        }
    }

    /// The depths of the iterations from this one to that.
    pub(crate) fn depths(&self, first: Depth, last: Depth) -> impl Iterator<Item = Depth> {
        successors(Some(first), |&depth| Some(self.next_depth(depth))).take_while(move |&depth| depth <= last)
    }

    /// The depth of the iteration after the one to this depth. The last one is as deep as is wanted.
    pub(crate) fn next_depth(&self, depth: Depth) -> Depth {
        depth + 1 + (self.limits.depth - depth - 1).rem_euclid(self.iteration_step)
    }
}

/// What all strands count together.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) nodes: AtomicU64,
    /// Those among them that other ranks visited.
    pub(crate) elsewhere: AtomicU64,
    pub(crate) known_hits: AtomicU64,
    /// The longest path of this iteration.
    pub(crate) reach: AtomicUsize,
    /// The depth of the last finished iteration.
    pub(crate) depth: AtomicI32,
    /// The search is over: all strands stop.
    pub(crate) stopped: AtomicBool,
}

impl Tally {
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// What a strand owns: its path, its rules, and what it measured.
pub(crate) struct StrandState<G: Game, R: Rules<G>> {
    /// Path and rules; taken out by the strand that uses them.
    pub(crate) path_and_rules: Option<(Path<G, R>, R)>,
    /// Empty between two strands; kept for its memory.
    pub(crate) lost: LostStack,
    pub(crate) work: Work,
    pub(crate) profile: ParallelismProfile,
}
