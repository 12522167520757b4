//! The rules the driver calls: what chess knows about its own tree.
//!
//! Each rule is a small function with its source cited, in the file that says what it is about: [`prune`] whole nodes,
//! [`skip`] single moves, [`depth`] extensions and reductions, [`effort`] the work that moves need, [`learn`] what is
//! learned from a node. This file only connects them to the hooks of the driver.

mod depth;
mod effort;
mod learn;
mod prune;
mod skip;
mod tables;

pub use tables::{EndgameTables, Wdl};

use crate::checks::CheckSquares;
use crate::evaluation::network::{Accumulators, Network};
use crate::evaluation::{PawnCache, evaluate, evaluate_cached};
use crate::histories::{Arrival, Histories, NO_ARRIVAL, arrival};
use crate::picker::Picker;
use crate::{Move, Position, RuleSet};
use depth::ReductionTable;
use game::{Bound, Depth, Score};
use search::{Aspiration, Frame, Kind, Path, ProbCut, Rules, SharedStatistics, Singular, Wanted};
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
    histories: Arc<Histories>,
    pawns: Arc<PawnCache>,
    /// Each strand's own accumulators, if the network evaluates.
    accumulators: Option<Accumulators>,
    tables: Option<Arc<dyn EndgameTables>>,
}

/// The path of a strand in chess.
type ChessPath = Path<Position, ChessRules>;
type ChessFrame = Frame<Position, ChessRules>;

impl ChessRules {
    /// Rules that have learned nothing yet.
    pub fn new(rule_set: RuleSet) -> ChessRules {
        let reductions = Arc::new(ReductionTable::new(&rule_set.parameters));
        let (histories, pawns) = (Arc::default(), Arc::default());
        let accumulators = rule_set.switches.network.then(|| Accumulators::new(Network::embedded()));
        ChessRules { rule_set: Arc::new(rule_set), reductions, histories, pawns, accumulators, tables: None }
    }

    /// Evaluates with this network from now on, if the rules use a network.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.accumulators = self.rule_set.switches.network.then(|| Accumulators::new(network));
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

    /// Forgets everything learned: a new game begins.
    pub fn forget(&mut self) {
        self.histories = Arc::default();
    }

    /// What was learned, to be sent to other ranks.
    pub fn shared_statistics(&self) -> Arc<dyn SharedStatistics> {
        Arc::clone(&self.histories) as Arc<dyn SharedStatistics>
    }

    /// The evaluation, corrected by what was learned about similar positions.
    fn corrected(&self, path: &ChessPath, ply: usize, raw: Score) -> Score {
        let position = &path[ply].position;
        // The nearer the fifty-move rule, the less an advantage is worth.
        let clock = i32::from(position.board().halfmove_clock());
        let p = &self.rule_set.parameters;
        let faded = raw.value() * (p.fading - clock) / p.fading;
        if !self.rule_set.switches.correction_history {
            return Score::estimate(faded);
        }
        Score::estimate(faded + self.histories.correction(position, before(path, ply, 1), p.correction_weights))
    }

    /// The evaluation of a frame's position.
    #[inline]
    fn evaluate_frame(&mut self, frame: &ChessFrame, ply: usize) -> Score {
        let board = frame.position.board();
        let Some(accumulators) = &mut self.accumulators else { return evaluate_cached(board, &self.pawns) };
        let score = accumulators.evaluate(board, ply);
        #[cfg(test)]
        assert_eq!(score, accumulators.network().evaluate(board), "at ply {ply}: {board}");
        score
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

impl Rules<Position> for ChessRules {
    const LOOK_BACK: usize = 4;
    type Note = Note;
    type Picker = Picker;

    fn relaxation(&self, times: i32) -> Depth {
        if self.rule_set.switches.relaxation { times } else { 0 }
    }

    fn aspiration(&self) -> Aspiration {
        let p = &self.rule_set.parameters;
        Aspiration {
            depth: p.aspiration_depth,
            width: p.aspiration_width,
            growth: p.aspiration_growth,
            widest: p.aspiration_widest,
        }
    }

    fn enter(&mut self, path: &mut ChessPath, ply: usize) {
        self.look(path, ply);
        let improving = match (path[ply].note.eval, ply >= 2) {
            (Some(now), true) => match path[ply - 2].note.eval {
                Some(then) => now > then,
                None => ply < 4 || path[ply - 4].note.eval.is_none_or(|then| now > then),
            },
            (Some(_), false) => true,
            (None, _) => false,
        };
        path[ply].note.improving = improving && self.rule_set.switches.improving;
        path[ply + 2].note.killers = [None; 2];
        let before = if self.rule_set.switches.continuation_history {
            [before(path, ply, 1), before(path, ply, 2)]
        } else {
            [NO_ARRIVAL; 2]
        };
        let note = &mut path[ply].note;
        note.before = before;
        note.checks = None;
        note.quiets.clear();
        note.noisies.clear();
    }

    fn evaluate(&mut self, path: &mut ChessPath, ply: usize) -> Score {
        let raw = self.evaluate_frame(&path[ply], ply);
        self.corrected(path, ply, raw)
    }

    fn stored_evaluation(&self, frame: &ChessFrame) -> Option<Score> {
        frame.note.raw
    }

    fn known(&self, path: &ChessPath, ply: usize) -> Option<(Score, Bound)> {
        let tables = self.tables.as_deref()?;
        tables::probe(tables, &path[ply], ply, self.rule_set.tables_depth)
    }

    fn trusts_table(&self, frame: &ChessFrame) -> bool {
        // Near the fifty-move rule, a result from another path may be wrong here.
        i32::from(frame.position.board().halfmove_clock()) < self.rule_set.parameters.trusted_plies
    }

    fn trimmed_depth(&self, path: &ChessPath, ply: usize) -> Depth {
        depth::trimmed(&self.rule_set, &path[ply])
    }

    fn recursive_deepening(&self, _frame: &ChessFrame) -> bool {
        self.rule_set.switches.recursive_deepening
    }

    fn prunes_high(&self, path: &ChessPath, ply: usize) -> Option<Score> {
        prune::reverse_futility(&self.rule_set, &path[ply])
    }

    fn razors(&self, path: &ChessPath, ply: usize) -> bool {
        prune::razoring(&self.rule_set, &path[ply])
    }

    fn pass_depth(&self, path: &ChessPath, ply: usize) -> Option<Depth> {
        prune::null_move(&self.rule_set, path, ply)
    }

    fn verify_pass(&self, path: &ChessPath, ply: usize) -> Option<Depth> {
        prune::null_move_verification(&self.rule_set, &path[ply])
    }

    fn probcut(&self, path: &ChessPath, ply: usize) -> Option<ProbCut> {
        prune::probcut(&self.rule_set, &path[ply])
    }

    fn singular(&self, path: &ChessPath, ply: usize) -> Option<Singular> {
        depth::singular(&self.rule_set, path, ply)
    }

    fn singular_extension(&self, path: &ChessPath, ply: usize, singular: Singular, others: Score) -> Depth {
        depth::singular_extension(&self.rule_set, &path[ply], singular, others)
    }

    fn begin_moves(&mut self, path: &mut ChessPath, ply: usize, wanted: Wanted) {
        let start = path.moves.len();
        let frame = &mut path[ply];
        frame.picker = Picker::new(wanted, start, frame.table_move, frame.note.killers, frame.note.before);
    }

    #[inline(always)]
    fn next(&mut self, path: &mut ChessPath, ply: usize) -> Option<Move> {
        let mut picker = path[ply].picker;
        let (frame, moves) = path.frame_and_moves(ply);
        let mv = picker.next(&frame.position, &self.histories, &self.rule_set.parameters, moves);
        path[ply].picker = picker;
        mv
    }

    fn moves_left(&self, path: &ChessPath, ply: usize) -> Vec<Move> {
        let frame = &path[ply];
        let list = path.moves_of(ply, frame.picker.start());
        frame.picker.rest(&frame.position, &self.histories, &self.rule_set.parameters, list)
    }

    fn expected_nodes(&self, frame: &ChessFrame, moves: usize, index: usize) -> f64 {
        effort::expected_nodes(frame.depth, frame.kind, moves, index)
    }

    fn passes_over(&self, frame: &ChessFrame, mv: Move) -> bool {
        frame.picker.skips_quiets() && !frame.position.is_noisy(mv)
    }

    fn searched_by_another(&mut self, path: &mut ChessPath, ply: usize, mv: Move) {
        let frame = &mut path[ply];
        let noisy = frame.position.is_noisy(mv);
        let tried = if noisy { &mut frame.note.noisies } else { &mut frame.note.quiets };
        tried.push(mv);
    }

    fn end_moves(&mut self, path: &mut ChessPath, ply: usize) {
        let start = path[ply].picker.start();
        path.moves.truncate(start);
    }

    #[inline(always)]
    fn skips(&mut self, path: &mut ChessPath, ply: usize, mv: Move) -> bool {
        let frame = &mut path[ply];
        let noisy = frame.position.is_noisy(mv);
        let piece = frame.position.mover(mv);
        frame.note.history = if noisy {
            self.histories.noisy(piece, mv, frame.position.victim(mv))
        } else {
            self.histories.quiet(&frame.position, mv, piece, frame.note.before)
        };
        if skip::skips(&self.rule_set, &self.reductions, frame, mv, noisy) {
            return true;
        }
        let tried = if noisy { &mut frame.note.noisies } else { &mut frame.note.quiets };
        tried.push(mv);
        false
    }

    fn extension(&self, path: &ChessPath, ply: usize, _mv: Move) -> Depth {
        Depth::from(self.rule_set.switches.check_extension && path[ply + 1].position.in_check())
    }

    fn reduction(&self, path: &ChessPath, ply: usize, mv: Move, index: usize) -> Depth {
        depth::reduction(&self.rule_set, &self.reductions, path, ply, mv, index)
    }

    fn stand_pat(&mut self, path: &mut ChessPath, ply: usize) -> Option<Score> {
        self.look(path, ply);
        let frame = &mut path[ply];
        frame.note.before = [NO_ARRIVAL; 2];
        let eval = frame.note.eval?;
        // A stored score whose bound agrees is a better estimate.
        match frame.hit {
            Some(hit) if !hit.score.is_known() => match hit.bound {
                Bound::Lower if hit.score > eval => Some(hit.score),
                Bound::Upper if hit.score < eval => Some(hit.score),
                _ => Some(eval),
            },
            _ => Some(eval),
        }
    }

    fn skips_noisy(&mut self, path: &mut ChessPath, ply: usize, mv: Move) -> bool {
        skip::skips_in_quiescence(&self.rule_set, &mut path[ply], mv)
    }

    fn learn(&mut self, path: &mut ChessPath, ply: usize, bound: Bound) {
        let last = before(path, ply, 1);
        learn::correction(&self.rule_set, &self.histories, &path[ply], last, bound);
        learn::moves(&self.rule_set, &self.histories, &mut path[ply]);
    }
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

    /// In tests every evaluation of a search is compared with a fresh one (`evaluate_frame`). This test covers strands
    /// that go on from the frames of other strands.
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
