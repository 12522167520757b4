//! The rules the driver calls: what chess knows about its own tree.
//!
//! Each rule is a small function with its source cited, in the file that says what it is about: [`prune`] whole nodes,
//! [`skip`] single moves, [`depth`] extensions and reductions, [`effort`] how much work moves
//! are, [`learn`] what is remembered. [`hooks`] connects them to the driver. This file has what they work with.

mod depth;
mod effort;
mod hooks;
mod learn;
mod prune;
mod reduction_table;
mod skip;
mod tables;

pub use tables::{EndgameTables, Wdl};

use crate::checks::CheckSquares;
use crate::evaluation::network::{Accumulators, Network};
use crate::evaluation::{PawnCache, evaluate, evaluate_cached};
use crate::histories::{Arrival, NO_ARRIVAL, arrival};
use crate::learned::Learned;
use crate::picker::Picker;
use crate::{Move, Position, RuleSet};
use cozy_chess::Board;
use game::Score;
use reduction_table::ReductionTable;
use search::{Frame, FrameMemory, Kind, Path, SharedStatistics};
use std::sync::Arc;

/// The moves searched at a node, for the histories. Moves that do not fit get no malus.
#[derive(Clone, Default)]
struct Tried {
    moves: [Option<Move>; 32],
    count: usize,
}

impl Tried {
    fn clear(&mut self) {
        self.count = 0;
    }

    fn push(&mut self, mv: Move) {
        if self.count < self.moves.len() {
            self.moves[self.count] = Some(mv);
            self.count += 1;
        }
    }

    /// Are all moves different?
    fn is_distinct(&self) -> bool {
        self.iter().enumerate().all(|(place, mv)| self.iter().skip(place + 1).all(|other| other != mv))
    }

    fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.count].iter().copied().flatten()
    }
}

/// What chess remembers in each frame.
#[derive(Clone, Default)]
pub struct Note {
    in_check: bool,
    /// The evaluation as the table stores it.
    raw: Option<Score>,
    /// The evaluation, corrected by what was learned; none in check.
    eval: Option<Score>,
    /// Is the evaluation better than two plies ago?
    improving: bool,
    /// Killers: quiet moves that cut off siblings of this node.
    killers: [Option<Move>; 2],
    /// The moves that led here.
    before: [Arrival; 2],
    quiets: Tried,
    noisies: Tried,
    /// The squares from which pieces give check; computed at the first use.
    checks: Option<CheckSquares>,
    /// The history of the move being searched, for its reduction.
    history: i32,
}

/// The rules of chess for the search, and what all strands of an engine have learned, which clones share.
#[derive(Clone)]
pub struct ChessRules {
    rule_set: Arc<RuleSet>,
    reductions: Arc<ReductionTable>,
    learned: Learned,
    pawns: Arc<PawnCache>,
    /// Each strand's own accumulators, if the network evaluates.
    accumulators: Option<Accumulators>,
    tables: Option<Arc<dyn EndgameTables>>,
    observer: Option<Arc<dyn EvaluationObserver>>,
}

/// Is shown every position that a search evaluates, for example to make training data of some of them.
pub trait EvaluationObserver: Send + Sync {
    /// This position is being evaluated; its evaluation was not in the table.
    fn evaluated(&self, board: &Board);
}

impl FrameMemory for ChessRules {
    const LOOK_BACK: usize = 4;
    type Note = Note;
    type Picker = Picker;
}

/// The path of a strand in chess.
type ChessPath = Path<Position, ChessRules>;
type ChessFrame = Frame<Position, ChessRules>;

impl ChessRules {
    /// Rules that have learned nothing yet.
    pub fn new(rule_set: RuleSet) -> ChessRules {
        let reductions = Arc::new(ReductionTable::new(&rule_set.parameters));
        let learned = Learned::new(&rule_set.switches);
        let accumulators = rule_set.switches.general.network.then(|| Accumulators::new(Network::embedded()));
        let (rule_set, pawns) = (Arc::new(rule_set), Arc::default());
        ChessRules { rule_set, reductions, learned, pawns, accumulators, tables: None, observer: None }
    }

    /// Evaluates with this network from now on, if the rules use a network.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.accumulators = self.rule_set.switches.general.network.then(|| Accumulators::new(network));
    }

    /// The evaluation of a position, without corrections.
    pub fn static_evaluation(&self, position: &Position) -> Score {
        match &self.accumulators {
            Some(accumulators) => accumulators.network().evaluate(position.board()),
            None => evaluate(position.board()),
        }
    }

    /// Uses these endgame tables from now on.
    pub fn set_tables(&mut self, tables: Option<Arc<dyn EndgameTables>>) {
        self.tables = tables;
    }

    /// Shows every position that is evaluated from now on to an observer.
    pub fn set_observer(&mut self, observer: Option<Arc<dyn EvaluationObserver>>) {
        self.observer = observer;
    }

    /// Forgets everything learned: a new game begins.
    pub fn forget(&mut self) {
        self.learned = Learned::new(&self.rule_set.switches);
    }

    /// What was learned, to be sent to other ranks.
    pub fn shared_statistics(&self) -> Arc<dyn SharedStatistics> {
        Arc::clone(&self.learned.histories) as Arc<dyn SharedStatistics>
    }

    /// The evaluation, corrected by what was learned about similar positions.
    fn corrected(&self, path: &ChessPath, ply: usize, raw: Score) -> Score {
        let position = &path[ply].position;
        // The nearer the fifty-move rule, the less an advantage is worth.
        let clock = i32::from(position.board().halfmove_clock());
        let p = &self.rule_set.parameters;
        let faded = raw.value() * (p.evaluation.fading - clock) / p.evaluation.fading;
        if !self.rule_set.switches.general.correction_history {
            return Score::estimate(faded);
        }
        Score::estimate(
            faded + self.learned.histories.correction(position, before(path, ply, 1), p.evaluation.correction_weights),
        )
    }

    /// The evaluation of a frame's position.
    #[inline]
    fn evaluate_frame(&mut self, frame: &ChessFrame, ply: usize) -> Score {
        let board = frame.position.board();
        if let Some(observer) = &self.observer {
            observer.evaluated(board);
        }
        let Some(accumulators) = &mut self.accumulators else { return evaluate_cached(board, &self.pawns) };
        accumulators.evaluate(board, ply)
    }

    /// Fills in what is known of a frame's position: check, evaluation.
    fn look(&mut self, path: &mut ChessPath, ply: usize) {
        let frame = &path[ply];
        let in_check = frame.position.in_check();
        let mut raw = None;
        if !in_check {
            let stored = frame.hit.and_then(|hit| hit.eval);
            raw = Some(stored.unwrap_or_else(|| self.evaluate_frame(frame, ply)));
        }
        let eval = raw.map(|raw| self.corrected(path, ply, raw));
        let note = &mut path[ply].note;
        (note.in_check, note.raw, note.eval) = (in_check, raw, eval);
    }
}

/// The index, in continuation histories, of the move made `back` plies ago.
fn before(path: &ChessPath, ply: usize, back: usize) -> Arrival {
    if ply < back {
        return NO_ARRIVAL;
    }
    let frame = &path[ply - back];
    frame.current.map_or(NO_ARRIVAL, |mv| arrival(&frame.position, mv))
}

/// Is the node off the principal variation?
fn is_tested(frame: &ChessFrame) -> bool {
    frame.kind != Kind::Pv
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::{Costs, Limits, Machine, Searcher, Threads, VirtualMachine};
    use table::Table;

    /// Debug builds compare every evaluation with a fresh one (`Accumulators::evaluate`): here those of strands that go on
    /// from the frames of others.
    #[test]
    fn every_strand_evaluates_a_shared_frame_alike() {
        let position: Position =
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse().unwrap();
        let hosts = search::Hosts::one();
        let virtual_machine =
            VirtualMachine { processors: 32, costs: Costs::by_name("ideal").unwrap(), seed: 1, hosts };
        for machine in [Machine::Alone, Machine::Threads(Threads::new(3)), Machine::Virtual(virtual_machine)] {
            for algorithm in search::algorithms::all() {
                let table = Arc::new(Table::new(4).unwrap());
                let profile = RuleSet::parse("modern,network").unwrap();
                let mut searcher = Searcher::with_table(ChessRules::new(profile), table);
                searcher.machine = machine.clone();
                searcher.algorithm = algorithm;
                assert!(searcher.run(&position, &[], &Limits::nodes(4000)).nodes >= 4000);
            }
        }
    }
}
