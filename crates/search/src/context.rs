//! The context: everything that the strands of one search have in common, and the search as the scheduler sees it.

use crate::algorithms::{Algorithm, Scope, Together};
use crate::deepen::Listener;
use crate::marks::SearchMarks;
use crate::remote_task::{RemoteResult, RemoteTable, RemoteTask};
use crate::root::Root;
use crate::sharing::SplitPath;
use crate::split_log::SplitLog;
use crate::split_point::SplitState;
use crate::strand::Strand;
use crate::tables::TableMap;
use crate::work::{ParallelismProfile, Work};
use crate::{Kind, Limits, Path, Rules, Watch};
use game::{Depth, Game, Score};
use scheduler::{Application, ProcessorContext, SplitPointOf, Waiting};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use table::Table;

/// What the strands of one search have in common.
pub(crate) struct SearchContext<'a, G: Game, R: Rules<G>> {
    pub(crate) table: Option<&'a Table>,
    /// The part of the table that lies on other machines.
    pub(crate) far: Option<&'a dyn RemoteTable>,
    /// Does the search begin on this machine? If not, its work comes from others.
    pub(crate) leads: bool,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) algorithm: &'a dyn Algorithm,
    /// What is being searched now, where the algorithm wants to know.
    pub(crate) marks: Option<SearchMarks>,
    /// Is every node compared with negamax?
    pub(crate) verify: bool,
    /// Who finds which entries of the table.
    pub(crate) tables: TableMap,
    pub(crate) opening: Opening,
    /// Keys of the positions of the game before the root, oldest first.
    pub(crate) history: &'a [u64],
    pub(crate) limits: &'a Limits<G::Move>,
    pub(crate) position: &'a G,
    pub(crate) listener: Mutex<&'a mut Listener<'a, G::Move>>,
    pub(crate) root: Arc<Mutex<Root<G::Move>>>,
    /// The rules every strand begins with.
    pub(crate) rules: R,
    pub(crate) tally: Tally,
    /// The depth of the last finished iteration.
    pub(crate) depth: Mutex<Depth>,
    pub(crate) work: Mutex<Work>,
    /// Every split point, where somebody wants to know them.
    pub(crate) log: Option<SplitLog<G::Move>>,
}

impl<G: Game, R: Rules<G>> SearchContext<'_, G, R> {
    /// What is mixed into the keys of a processor's table entries. Tables of their own are parts of the one table that
    /// nobody else finds anything in.
    pub(crate) fn salt(&self, processor: usize) -> u64 {
        self.tables.salt(processor)
    }
}

/// When a frame may be shared: what the driver has to know of the algorithm at every node.
pub(crate) struct Opening {
    /// After how many moves, by kind.
    pub(crate) after: [usize; 3],
    pub(crate) scope: Scope,
    /// Frames less deep than this are not shared.
    pub(crate) grain: Depth,
    /// Is a second move searched alone at nodes of type 2 whose first did not cut them off?
    pub(crate) two_serial: bool,
}

impl Opening {
    pub(crate) fn of(algorithm: &dyn Algorithm, grain: Depth) -> Opening {
        let after = [Kind::Pv, Kind::Cut, Kind::All].map(|kind| algorithm.open_after(kind).unwrap_or(usize::MAX));
        Opening { after, scope: algorithm.scope(), grain, two_serial: algorithm.switches().two_serial }
    }
}

/// What all strands count together.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) nodes: AtomicU64,
    /// Those among them that other machines visited.
    pub(crate) elsewhere: AtomicU64,
    pub(crate) known_hits: AtomicU64,
    /// The longest path of this iteration.
    pub(crate) reach: AtomicUsize,
    /// The search is over: everything that still runs is of no use.
    pub(crate) stopped: AtomicBool,
}

impl Tally {
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// What a strand owns: its path, its rules, and what it measured.
pub(crate) struct StrandState<G: Game, R: Rules<G>> {
    /// Path and rules; taken out by the strand that uses the body.
    pub(crate) path_and_rules: Option<(Path<G, R>, R)>,
    pub(crate) work: Work,
    pub(crate) profile: ParallelismProfile,
}

impl<'a, G: Game, R: Rules<G>> Application for SearchContext<'a, G, R> {
    type StrandState = StrandState<G, R>;
    type SplitPath = SplitPath<G, R>;
    type State = SplitState<G::Move>;
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
            let root = Arc::new(Mutex::new(locked(&self.root).clone()));
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
        // Whoever still runs below something that was cut has nothing to look for any more.
        self.tally.stopped.store(true, Ordering::Relaxed);
    }

    fn starts_everywhere(&self) -> bool {
        self.algorithm.together() != Together::OnRequest
    }

    fn starts_here(&self) -> bool {
        self.leads
    }

    fn run_remote_task(
        &self,
        processor: &ProcessorContext<'_, Self>,
        strand_state: &mut StrandState<G, R>,
        errand: RemoteTask,
    ) -> Option<RemoteResult> {
        let mut strand = Strand::new(self, Some(processor), processor.control(), strand_state, Arc::clone(&self.root));
        let reply = strand.run_remote_task(&errand);
        let path_and_rules = strand.end();
        strand_state.path_and_rules = Some(path_and_rules);
        reply
    }

    fn bound(&self, open: &mut SplitState<G::Move>) -> i32 {
        open.window.alpha.value()
    }

    fn raise(&self, open: &mut SplitState<G::Move>, bound: i32) {
        open.raise(Score::from_value(bound));
    }

    fn stop(&self) {
        self.tally.stopped.store(true, Ordering::Relaxed);
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

    fn has_work(&self, open: &mut SplitState<G::Move>) -> bool {
        open.has_task(self.algorithm.valuing())
    }

    fn waiting(&self) -> Waiting {
        self.algorithm.waiting()
    }

    fn retire(&self, strand_state: StrandState<G, R>) {
        let mut work = locked(&self.work);
        work.add(&strand_state.work);
        work.profile.add(&strand_state.profile);
    }
}

/// A lock whose holder panicked is as good as any: the panic itself ends the program.
pub(crate) fn locked<T: ?Sized>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
