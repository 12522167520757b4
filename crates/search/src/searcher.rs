//! The searcher: a search with its rules, its table, its machine and its algorithm.

use crate::algorithms::Algorithm;
use crate::context::{Checks, SearchContext, StrandState};
use crate::listener::Listener;
use crate::machine::Machine;
use crate::remote_task::{RemoteResult, RemoteTask};
use crate::root::RootMove;
use crate::split_record::SplitRecord;
use crate::strand::{ControlIn, Strand};
use crate::tables::{RemoteTable, TableAccess, TableMap};
use crate::work::Work;
use crate::{Limits, NoWatch, Rules, Watch};
use game::{Depth, Game, Score};
use parking_lot::Mutex;
use scheduler::{Accounts, Application, MessagePump, Threads};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
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
    /// Compare the result of every node with [`game::negamax`], and panic where they differ: to find errors of the
    /// parallel search at the node where they happen (*Socrates, section 5.3). Very slow. Only for rules that search full
    /// width, and without a table.
    pub verify: bool,
    /// Keep a record of every split point.
    pub log_splits: bool,
    table: Option<Arc<Table>>,
}

impl<R> Searcher<R> {
    /// A search without a transposition table, on one processor.
    pub fn new(rules: R) -> Self {
        let algorithm = crate::algorithms::default();
        Searcher { rules, machine: Machine::Alone, algorithm, verify: false, log_splits: false, table: None }
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

    /// As [`Searcher::run`], with a watch that may stop the search and a listener that may end it at each report.
    pub fn run_watched<'a, G: Game>(
        &'a mut self,
        position: &'a G,
        history: &'a [u64],
        limits: &'a Limits<G::Move>,
        watch: &'a dyn Watch,
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
        watch: &'a dyn Watch,
        listener: &'a mut Listener<'a, G::Move>,
        ranks: Option<Ranks<'a>>,
    ) -> Outcome<G::Move>
    where
        R: Rules<G>,
    {
        self.rules.new_search();
        let machine = match (&self.machine, &ranks) {
            (machine @ Machine::Threads(_), _) | (machine, None) => machine.clone(),
            (_, Some(_)) => Machine::Threads(Threads::new(1)),
        };
        let mut context = SearchContext::new(position, history, limits, self.rules.clone(), self.algorithm, listener);
        context.watch = watch;
        context.grain = machine.grain();
        context.tables = TableAccess {
            local: self.table.as_deref(),
            remote: ranks.as_ref().and_then(|ranks| ranks.table),
            map: TableMap::of(&machine, self.algorithm.switches.own_tables),
        };
        context.leads = ranks.as_ref().is_none_or(|ranks| ranks.leads);
        context.checks = Checks { verify: self.verify, log: self.log_splits.then(Mutex::default) };
        let accounts = match &machine {
            Machine::Alone => alone(&context),
            Machine::Threads(machine) => match ranks {
                Some(Ranks { messages, .. }) => machine.run_with(&context, Some(&mut *messages)),
                None => machine.run(&context),
            },
            Machine::Virtual(machine) => machine.run(&context),
        };
        let depth = context.tally.depth.load(Ordering::Relaxed);
        let moves = std::mem::take(&mut context.root.lock().moves);
        let mut work = context.work.into_inner();
        work.nodes += context.tally.elsewhere.load(Ordering::Relaxed);
        let splits = context.checks.log.map(Mutex::into_inner).unwrap_or_default();
        Outcome { moves, depth, nodes: work.nodes, work, accounts, splits }
    }
}

/// One strand, on the caller's stack.
fn alone<G: Game, R: Rules<G>>(context: &SearchContext<'_, G, R>) -> Accounts {
    let control = ControlIn::<G, R>::default();
    let mut strand_state: StrandState<G, R> = context.new_strand_state();
    let mut strand = Strand::new(context, None, &control, &mut strand_state, Arc::clone(&context.root));
    strand.run_to_end();
    let path_and_rules = strand.end();
    strand_state.path_and_rules = Some(path_and_rules);
    context.retire(strand_state);
    Accounts::default()
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
