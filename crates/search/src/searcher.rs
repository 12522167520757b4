//! The searcher: a search with its rules, its table, its machine and its algorithm, run on one strand or by the scheduler.

use crate::algorithms::{Algorithm, Together};
use crate::context::{Checks, SearchContext, StrandState};
use crate::listener::Listener;
use crate::lost_stack::LostStack;
use crate::machine::Machine;
use crate::remote_task::{RemoteResult, RemoteTask};
use crate::root::{Root, RootMove};
use crate::split_point::{SplitPath, SplitState};
use crate::split_record::{SplitLog, SplitRecord};
use crate::strand::{ControlIn, Strand};
use crate::tables::{RemoteTable, TableAccess, TableMap};
use crate::trace::{TimeUnit, Trace};
use crate::verifier::{Oracle, Verification, Verifier};
use crate::work::{ParallelismProfile, Work};
use crate::{Limits, LiveTrace, NoWatch, Path, Rules, TimeLimit, Watch};
use game::{Depth, Game, Score};
use parking_lot::Mutex;
use scheduler::{
    Accounts, Application, ApplicationTypes, Asking, MessagePump, ProcessorContext, Recorder, RecorderLimits,
    SplitMark, SplitPointOf, Threads, Waiting,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use table::Table;

/// How a search ended.
#[derive(Clone, Debug)]
pub struct Outcome<M> {
    /// The root moves, best first.
    pub moves: Vec<RootMove<M>>,
    /// The last iteration that was finished.
    pub depth: Depth,
    /// Nodes visited.
    pub nodes: u64,
    /// Work and span, and what was done in vain.
    pub work: Work,
    /// Where the time of each processor went; empty where the search ran without a scheduler.
    pub accounts: Accounts,
    /// Every split point in the order they were made, if that was wanted.
    pub splits: Vec<SplitRecord<M>>,
    /// What each processor did when, if that was wanted.
    pub trace: Option<Box<Trace<M>>>,
    /// What was compared with an oracle, if that was wanted.
    pub verification: Option<Verification>,
}

impl<M: Copy> Outcome<M> {
    /// The best move; none where there is no legal move.
    pub fn best_move(&self) -> Option<M> {
        self.moves.first().map(|root| root.mv)
    }

    /// The score of the best move; none where there is no legal move, or not even one iteration was finished.
    pub fn score(&self) -> Option<Score> {
        self.moves.first().and_then(RootMove::known_score)
    }

    /// The principal variation.
    pub fn line(&self) -> &[M] {
        self.moves.first().map_or(&[], |root| &root.line)
    }
}

/// The other ranks, where this machine is one of several that search together.
pub struct Ranks<'a> {
    /// Exchanges messages with them.
    pub messages: &'a mut dyn MessagePump<RemoteTask, RemoteResult>,
    /// The part of the transposition table that lies on other ranks, if the table is distributed.
    pub table: Option<&'a dyn RemoteTable>,
    /// Does the search begin on this rank? All others are to run it with the same position and history.
    pub leads: bool,
}

/// A search: rules, a table if one is given, a machine and an algorithm.
pub struct Searcher<R> {
    /// What the game knows of its tree, and has learned.
    pub rules: R,
    /// What the search runs on.
    pub machine: Machine,
    /// Which frames may be shared, and what happens at split points.
    pub algorithm: Algorithm,
    /// Compare the result of every node with an oracle, and stop where they differ (*Socrates section 5.3). Very slow.
    pub verify: Option<Oracle>,
    /// Keep a record of every split point.
    pub log_splits: bool,
    /// Record what each processor does when, up to these limits. A search on one processor then runs on the scheduler.
    pub record_trace: Option<RecorderLimits>,
    table: Option<Arc<Table>>,
    #[cfg(test)]
    pub(crate) trace: Option<Arc<Mutex<crate::lost::trace::Trace>>>,
}

impl<R> Searcher<R> {
    /// A search without a transposition table, on one processor.
    pub fn new(rules: R) -> Self {
        let algorithm = crate::algorithms::default();
        Searcher {
            rules,
            machine: Machine::Alone,
            algorithm,
            verify: None,
            log_splits: false,
            record_trace: None,
            table: None,
            #[cfg(test)]
            trace: None,
        }
    }

    /// A search with a transposition table, on one processor.
    pub fn with_table(rules: R, table: Arc<Table>) -> Self {
        Searcher { table: Some(table), ..Searcher::new(rules) }
    }

    /// Uses another transposition table from now on.
    pub fn set_table(&mut self, table: Arc<Table>) {
        self.table = Some(table);
    }

    /// Searches `position` within `limits`. `history` has the keys of the game's positions before it, oldest first.
    pub fn run<G: Game>(&mut self, position: &G, history: &[u64], limits: &Limits<G::Move>) -> Outcome<G::Move>
    where
        R: Rules<G>,
    {
        self.run_watched(position, history, limits, &NoWatch, &mut |_| ControlFlow::Continue(()))
    }

    /// Searches `position` for this time: a move is always found, if there is a legal one. For a listener or other limits, give a
    /// [`TimeLimit`] to [`Searcher::run_watched`].
    ///
    /// ```
    /// use game::connect_four::ConnectFour;
    /// use jamboree_search::{Plain, Searcher};
    /// use std::time::Duration;
    ///
    /// let mut searcher = Searcher::new(Plain::default());
    /// let outcome = searcher.run_for(&ConnectFour::new(), &[], Duration::from_millis(20));
    /// assert!(outcome.best_move().is_some());
    /// ```
    pub fn run_for<G: Game>(&mut self, position: &G, history: &[u64], time: Duration) -> Outcome<G::Move>
    where
        R: Rules<G>,
    {
        let watch = TimeLimit::new(time);
        self.run_watched(position, history, &Limits::default(), &watch, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`Searcher::run`], with a watch that may stop the search and a listener that may end it at each report.
    pub fn run_watched<'a, G: Game>(
        &'a mut self,
        position: &'a G,
        history: &'a [u64],
        limits: &'a Limits<G::Move>,
        watch: &'a dyn Watch<G::Move>,
        listener: &'a mut Listener<'a, G::Move>,
    ) -> Outcome<G::Move>
    where
        R: Rules<G>,
    {
        self.run_among(position, history, limits, watch, listener, None)
    }

    /// As [`Searcher::run_watched`], together with other machines. The machine then consists of threads.
    pub fn run_among<'a, G: Game>(
        &'a mut self,
        position: &'a G,
        history: &'a [u64],
        limits: &'a Limits<G::Move>,
        watch: &'a dyn Watch<G::Move>,
        listener: &'a mut Listener<'a, G::Move>,
        ranks: Option<Ranks<'a>>,
    ) -> Outcome<G::Move>
    where
        R: Rules<G>,
    {
        self.rules.new_search();
        let machine = match (&self.machine, &ranks) {
            (Machine::Alone, None) if self.record_trace.is_some() => Machine::Threads(Threads::new(1)),
            (machine @ Machine::Threads(_), _) | (machine, None) => machine.clone(),
            (_, Some(_)) => Machine::Threads(Threads::new(1)),
        };
        // The histories of ranks are exchanged as a whole.
        let are_threads = matches!(machine, Machine::Threads(_)) && ranks.is_none();
        self.rules.learn_on(machine.processors(), self.algorithm.switches.learning_apart(are_threads));
        let mut context = SearchContext::new(position, history, limits, self.rules.clone(), self.algorithm, listener);
        context.watch = watch;
        context.iteration_step = self.algorithm.iteration_step(machine.processors());
        context.terms = machine.terms(self.algorithm.waiting);
        context.tables = TableAccess {
            local: self.table.as_deref(),
            remote: ranks.as_ref().and_then(|ranks| ranks.table),
            map: TableMap::of(&machine, self.algorithm.switches.own_tables),
            is_far: machine.has_far_table() && !self.algorithm.switches.own_tables,
        };
        context.leads = ranks.as_ref().is_none_or(|ranks| ranks.leads);
        let recorder = self.record_trace.map(|limits| Arc::new(Recorder::new(machine.processors(), limits)));
        context.checks = Checks {
            verifier: self.verify.map(Verifier::new),
            log: (self.log_splits || recorder.is_some())
                .then(|| Arc::new(SplitLog::new(recorder.clone(), self.log_splits))),
            #[cfg(test)]
            trace: self.trace.clone(),
        };
        if let (Some(recorder), Some(log)) = (&recorder, &context.checks.log) {
            watch.recording(LiveTrace::new(Arc::clone(recorder), Arc::clone(log)));
        }
        let accounts = match &machine {
            Machine::Alone => context.run_alone(),
            Machine::Threads(machine) => match ranks {
                Some(Ranks { messages, .. }) => machine.run_with(&context, Some(&mut *messages), recorder.as_deref()),
                None => machine.run_with(&context, None, recorder.as_deref()),
            },
            Machine::Virtual(machine) => machine.run_recorded(&context, recorder.as_deref()),
        };
        let depth = context.tally.depth.load(Ordering::Relaxed);
        let moves = std::mem::take(&mut context.root.lock().moves);
        let mut work = context.work.into_inner();
        work.nodes += context.tally.elsewhere.load(Ordering::Relaxed);
        let mut splits = context.checks.log.map(SplitLog::finish).unwrap_or_default();
        let trace = recorder.map(|recorder| {
            let unit = if matches!(machine, Machine::Virtual(_)) { TimeUnit::Ticks } else { TimeUnit::Nanoseconds };
            let own = if self.log_splits { splits.clone() } else { std::mem::take(&mut splits) };
            Box::new(Trace::new(unit, accounts.time, Recorder::finish(recorder), own))
        });
        let verification = context.checks.verifier.map(Verifier::report);
        Outcome { moves, depth, nodes: work.nodes, work, accounts, splits, trace, verification }
    }
}

impl<'a, G: Game, R: Rules<G>> SearchContext<'a, G, R> {
    /// The life of a strand: `act` is what it does.
    fn on_strand<'s, T>(
        &'s self,
        processor: Option<&'s ProcessorContext<'s, Self>>,
        control: &'s ControlIn<'a, G, R>,
        strand_state: &mut StrandState<G, R>,
        root: Arc<Mutex<Root<G::Move>>>,
        act: impl FnOnce(&mut Strand<'_, 'a, G, R>) -> T,
    ) -> T {
        let mut strand = Strand::new(self, processor, control, strand_state, root);
        let result = act(&mut strand);
        let (path, rules, lost) = strand.end();
        (strand_state.path_and_rules, strand_state.lost) = (Some((path, rules)), lost);
        result
    }

    /// The same on a processor of the scheduler.
    fn on_processor<T>(
        &self,
        processor: &ProcessorContext<'_, Self>,
        strand_state: &mut StrandState<G, R>,
        root: Arc<Mutex<Root<G::Move>>>,
        act: impl FnOnce(&mut Strand<'_, 'a, G, R>) -> T,
    ) -> T {
        self.on_strand(Some(processor), processor.control(), strand_state, root, act)
    }

    /// One strand, on the caller's stack.
    fn run_alone(&self) -> Accounts {
        let control = ControlIn::<G, R>::default();
        let mut strand_state = self.new_strand_state();
        self.on_strand(None, &control, &mut strand_state, Arc::clone(&self.root), |strand| strand.run_to_end());
        self.retire(strand_state);
        Accounts::default()
    }
}

impl<'a, G: Game, R: Rules<G>> ApplicationTypes for SearchContext<'a, G, R> {
    type StrandState = StrandState<G, R>;
    type SplitPath = SplitPath<G, R>;
    type SplitState = SplitState<G::Move>;
    type RemoteTask = RemoteTask;
    type RemoteResult = RemoteResult;
}

// SAFETY: the driver keeps no lock guard, `Rc` or reference to a thread-local across the calls of `ProcessorContext` that
// suspend a strand: `tick` is called by `tell` and `wait` by `search_shared`, both with no lock held, `cross` likewise, and
// `send_away` by a remote helper that holds nothing but its own path.
unsafe impl<'a, G: Game, R: Rules<G>> Application for SearchContext<'a, G, R> {
    fn new_strand_state(&self) -> StrandState<G, R> {
        let path = Path::new(self.position);
        StrandState {
            path_and_rules: Some((path, self.rules.clone())),
            lost: LostStack::new(),
            work: Work::default(),
            profile: ParallelismProfile::default(),
        }
    }

    fn start(&self, processor: &ProcessorContext<'_, Self>, strand_state: &mut StrandState<G, R>) {
        if processor.index() != 0 {
            let root = Arc::new(Mutex::new(self.root.lock().clone()));
            return self.on_processor(processor, strand_state, root, |strand| strand.run_along(processor.index()));
        }
        self.on_processor(processor, strand_state, Arc::clone(&self.root), |strand| strand.run_to_end());
        // Stops strands that are still running below a cut.
        self.stop();
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
        let root = Arc::clone(&self.root);
        self.on_processor(processor, strand_state, root, |strand| strand.run_remote_task(&task))
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
        self.on_processor(processor, strand_state, root, |strand| strand.help(split));
    }

    fn has_work(&self, state: &mut SplitState<G::Move>) -> bool {
        state.has_task(self.algorithm.valuing)
    }

    fn room(&self, state: &mut SplitState<G::Move>) -> usize {
        state.room(self.algorithm.valuing)
    }

    fn priority(&self, state: &mut SplitState<G::Move>) -> i64 {
        state.priority
    }

    fn work_left(&self, state: &mut SplitState<G::Move>) -> u64 {
        state.work_left(self.algorithm.valuing)
    }

    fn asking(&self) -> Option<Asking> {
        self.algorithm.asking()
    }

    fn waiting(&self) -> Waiting {
        self.algorithm.waiting
    }

    fn mark(&self, split: &SplitPointOf<Self>) -> Option<SplitMark> {
        let number = split.with(|at| at.state.record)?;
        Some(SplitMark { number, processor: split.path.home })
    }

    fn retire(&self, strand_state: StrandState<G, R>) {
        let mut work = self.work.lock();
        work.add(&strand_state.work);
        work.profile.add(&strand_state.profile);
    }
}

/// Work of one full-width search of `position` to `depth`, without a table and without iterative deepening, on one
/// processor; the critical path is that of Jamboree search. For uniform trees this is what the theorems of the papers are
/// about.
pub fn work_of_one_search<G: Game>(position: &G, depth: Depth) -> Work {
    on_strand(position, |strand| {
        // The node is searched at ply 1: the root's moves come from a list of their own.
        strand.path.descend(0, position.clone());
        // A strand that is alone cannot be cut.
        let _ = strand.search(1, game::Window::FULL, depth, crate::Kind::Pv);
        Work { nodes: strand.clock.nodes(), span: strand.clock.stamp(), ..Work::default() }
    })
}

/// Lets a strand act, alone, without a table, at the root of `position`.
pub(crate) fn on_strand<G: Game, T>(
    position: &G,
    act: impl FnOnce(&mut Strand<'_, '_, G, crate::Plain<G::Move>>) -> T,
) -> T {
    let mut deaf = |_: crate::Report<'_, G::Move>| ControlFlow::Continue(());
    let (limits, rules) = (Limits::default(), crate::Plain::default());
    let context = SearchContext::new(position, &[], &limits, rules, crate::algorithms::JAMBOREE, &mut deaf);
    let control = ControlIn::<G, crate::Plain<G::Move>>::default();
    let mut strand_state = context.new_strand_state();
    act(&mut Strand::new(&context, None, &control, &mut strand_state, Arc::clone(&context.root)))
}
