//! The context: everything that the strands of one search have in common, and the search as the scheduler sees it.

use crate::algorithms::{Algorithm, Together};
use crate::deepen::Listener;
use crate::marks::{SearchMarks, Use};
use crate::remote_task::{RemoteResult, RemoteTask};
use crate::root::{Root, RootMove};
use crate::split_log::SplitLog;
use crate::split_point::{SplitPath, SplitState};
use crate::strand::Strand;
use crate::tables::TableAccess;
use crate::work::{ParallelismProfile, Work};
use crate::{Limits, NoWatch, Path, Rules, Watch};
use game::{Depth, Game, Score};
use parking_lot::Mutex;
use scheduler::{Application, ProcessorContext, SplitPointOf, Waiting};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};

/// What the strands of one search have in common.
pub(crate) struct SearchContext<'a, G: Game, R: Rules<G>> {
    pub(crate) position: &'a G,
    /// Keys of the positions of the game before the root, oldest first.
    pub(crate) history: &'a [u64],
    pub(crate) limits: &'a Limits<G::Move>,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) listener: Mutex<&'a mut Listener<'a, G::Move>>,
    /// The rules every strand begins with.
    pub(crate) rules: R,
    pub(crate) algorithm: Algorithm,
    /// Frames less deep than this are not shared.
    pub(crate) grain: Depth,
    /// The positions being searched, where the algorithm needs them.
    pub(crate) marks: Option<SearchMarks>,
    pub(crate) tables: TableAccess<'a>,
    /// Does the search begin on this machine? If not, its work comes from other ranks.
    pub(crate) leads: bool,
    pub(crate) checks: Checks<G::Move>,
    pub(crate) root: Arc<Mutex<Root<G::Move>>>,
    pub(crate) tally: Tally,
    pub(crate) work: Mutex<Work>,
}

/// What a search does for its developers.
pub(crate) struct Checks<M> {
    /// Is every node compared with negamax?
    pub(crate) verify: bool,
    /// Every split point, if a log is wanted.
    pub(crate) log: Option<SplitLog<M>>,
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
            grain: 0,
            marks: Use::of(&algorithm).map(SearchMarks::new),
            tables: TableAccess::NONE,
            leads: true,
            checks: Checks { verify: false, log: None },
            root: Arc::new(Mutex::new(Root { moves: moves.into_iter().map(RootMove::new).collect(), settled: 0 })),
            tally: Tally::default(),
            work: Mutex::new(Work::default()),
        }
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
    pub(crate) work: Work,
    pub(crate) profile: ParallelismProfile,
}

// SAFETY: the driver keeps no lock guard, `Rc` or reference to a thread-local across the calls of `ProcessorContext` that
// suspend a strand: `tick` is called by `tell` and `wait` by `search_shared`, both with no lock held, `cross` likewise, and
// `send_away` by a remote helper that holds nothing but its own path.
unsafe impl<'a, G: Game, R: Rules<G>> Application for SearchContext<'a, G, R> {
    type StrandState = StrandState<G, R>;
    type SplitPath = SplitPath<G, R>;
    type SplitState = SplitState<G::Move>;
    type RemoteTask = RemoteTask;
    type RemoteResult = RemoteResult;

    fn new_strand_state(&self) -> StrandState<G, R> {
        let path = Path::new(self.position);
        StrandState {
            path_and_rules: Some((path, self.rules.clone())),
            work: Work::default(),
            profile: ParallelismProfile::default(),
        }
    }

    fn start(&self, processor: &ProcessorContext<'_, Self>, strand_state: &mut StrandState<G, R>) {
        if processor.index() != 0 {
            let root = Arc::new(Mutex::new(self.root.lock().clone()));
            let mut strand = Strand::new(self, Some(processor), processor.control(), strand_state, root);
            strand.run_along(processor.index());
            let path_and_rules = strand.end();
            strand_state.path_and_rules = Some(path_and_rules);
            return;
        }
        let mut strand = Strand::new(self, Some(processor), processor.control(), strand_state, Arc::clone(&self.root));
        strand.run_to_end();
        let path_and_rules = strand.end();
        strand_state.path_and_rules = Some(path_and_rules);
        // Stops strands that are still running below a cut.
        self.tally.stopped.store(true, Ordering::Relaxed);
    }

    fn starts_everywhere(&self) -> bool {
        self.algorithm.together != Together::OnRequest
    }

    fn starts_here(&self) -> bool {
        self.leads
    }

    fn run_remote_task(
        &self,
        processor: &ProcessorContext<'_, Self>,
        strand_state: &mut StrandState<G, R>,
        task: RemoteTask,
    ) -> Option<RemoteResult> {
        let mut strand = Strand::new(self, Some(processor), processor.control(), strand_state, Arc::clone(&self.root));
        let result = strand.run_remote_task(&task);
        let path_and_rules = strand.end();
        strand_state.path_and_rules = Some(path_and_rules);
        result
    }

    fn bound(&self, state: &mut SplitState<G::Move>) -> i32 {
        state.window.alpha.value()
    }

    fn raise(&self, state: &mut SplitState<G::Move>, bound: i32) {
        state.raise(Score::from_value(bound));
    }

    fn stop(&self) {
        self.tally.stopped.store(true, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.tally.is_stopped()
    }

    fn check_limits(&self) {
        if self.leads && self.watch.expired() {
            self.stop();
        }
    }

    fn progress(&self) -> u64 {
        self.tally.nodes.load(Ordering::Relaxed)
    }

    fn count(&self, nodes: u64) {
        self.tally.nodes.fetch_add(nodes, Ordering::Relaxed);
        self.tally.elsewhere.fetch_add(nodes, Ordering::Relaxed);
    }

    fn help(
        &self,
        processor: &ProcessorContext<'_, Self>,
        strand_state: &mut StrandState<G, R>,
        split: &SplitPointOf<Self>,
    ) {
        let root = Arc::clone(&split.path.root);
        let mut strand = Strand::new(self, Some(processor), processor.control(), strand_state, root);
        strand.help(split);
        let path_and_rules = strand.end();
        strand_state.path_and_rules = Some(path_and_rules);
    }

    fn has_work(&self, state: &mut SplitState<G::Move>) -> bool {
        state.has_task(self.algorithm.valuing)
    }

    fn waiting(&self) -> Waiting {
        self.algorithm.waiting
    }

    fn retire(&self, strand_state: StrandState<G, R>) {
        let mut work = self.work.lock();
        work.add(&strand_state.work);
        work.profile.add(&strand_state.profile);
    }
}
