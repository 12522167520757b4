//! Connects the rules to the hooks of the driver.

use super::{ChessFrame, ChessPath, ChessRules, before, depth, effort, learn, prune, skip, tables};
use crate::histories::NO_ARRIVAL;
use crate::learned::Learned;
use crate::picker::Picker;
use crate::{Move, Position};
use game::{Bound, Depth, Score};
use search::{Aspiration, Exchange, Preliminary, ProbCut, Rules, Singular, Wanted};

impl Rules<Position> for ChessRules {
    fn fresh(&self) -> ChessRules {
        ChessRules { learned: Learned::new(&self.rule_set.switches), ..self.clone() }
    }

    fn describe(&self, position: &Position) -> String {
        position.to_string()
    }

    fn new_search(&mut self) {
        self.learned.clear_killers();
    }

    fn learn_on(&mut self, processors: usize, apart: Option<Exchange>) {
        self.learned = self.learned.on(&self.rule_set, processors, apart);
    }

    fn move_to(&mut self, processor: usize) {
        self.learned.move_to(processor);
    }

    fn relaxation(&self, times: i32) -> Depth {
        if self.rule_set.switches.general.relaxation { times } else { 0 }
    }

    fn aspiration(&self) -> Aspiration {
        let p = &self.rule_set.parameters;
        Aspiration {
            depth: p.aspiration.aspiration_depth,
            width: p.aspiration.aspiration_width,
            growth: p.aspiration.aspiration_growth,
            widest: p.aspiration.aspiration_widest,
        }
    }

    #[inline]
    fn expect(&self, path: &ChessPath, ply: usize) {
        self.learned.histories.expect_correction(&path[ply].position);
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
        path[ply].note.improving = improving && self.rule_set.switches.general.improving;
        match &self.learned.killers {
            None => path[ply + 2].note.killers = [None; 2],
            Some(killers) => path[ply].note.killers = killers.get(ply),
        }
        let before = if self.rule_set.switches.general.continuation_history {
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
        let frame = &path[ply];
        tables::probe(tables, (&frame.position, frame.depth), ply, self.rule_set.tables_depth)
    }

    fn trusts_table(&self, frame: &ChessFrame) -> bool {
        // Near the fifty-move rule a result of another path may be an illusion.
        i32::from(frame.position.board().halfmove_clock()) < self.rule_set.parameters.evaluation.trusted_plies
    }

    fn trimmed_depth(&self, path: &ChessPath, ply: usize) -> Depth {
        depth::trimmed(&self.rule_set, &path[ply])
    }

    fn recursive_deepening(&self, _frame: &ChessFrame) -> bool {
        self.rule_set.switches.depth.recursive_deepening
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

    fn preliminary(&self, path: &ChessPath, ply: usize) -> Option<Preliminary> {
        prune::preliminary(&self.rule_set, &path[ply])
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
        let picker = Picker::new(wanted, start, frame.table_move, frame.note.killers, frame.note.before);
        frame.picker = if self.learned.killers.is_some() { picker.with_killers_first() } else { picker };
    }

    #[inline(always)]
    fn next(&mut self, path: &mut ChessPath, ply: usize) -> Option<Move> {
        let mut picker = path[ply].picker;
        let (frame, moves) = path.frame_and_moves(ply);
        let mv = picker.next(&frame.position, &self.learned, &self.rule_set.parameters, moves);
        path[ply].picker = picker;
        mv
    }

    fn moves_left(&self, path: &ChessPath, ply: usize) -> Vec<Move> {
        let frame = &path[ply];
        let list = path.moves_of(ply, frame.picker.start());
        frame.picker.rest(&frame.position, &self.learned, &self.rule_set.parameters, list)
    }

    fn expected_nodes(&self, frame: &ChessFrame, moves: usize, index: usize) -> f64 {
        effort::expected_nodes(frame.depth, frame.kind, moves, index)
    }

    fn is_forced(&self, frame: &ChessFrame) -> bool {
        frame.note.in_check
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
            self.learned.histories.noisy(piece, mv, frame.position.victim(mv))
        } else {
            self.learned.histories.quiet(&frame.position, mv, piece, frame.note.before)
        };
        if skip::skips(&self.rule_set, &self.reductions, frame, mv, noisy) {
            return true;
        }
        let tried = if noisy { &mut frame.note.noisies } else { &mut frame.note.quiets };
        tried.push(mv);
        false
    }

    fn extension(&self, path: &ChessPath, ply: usize, _mv: Move) -> Depth {
        Depth::from(self.rule_set.switches.depth.check_extension && path[ply + 1].position.in_check())
    }

    fn reduction(&self, path: &ChessPath, ply: usize, mv: Move, index: usize) -> Depth {
        depth::reduction(&self.rule_set, &self.reductions, path, ply, mv, index)
    }

    fn stand_pat(&mut self, path: &mut ChessPath, ply: usize) -> Option<Score> {
        self.look(path, ply);
        let frame = &mut path[ply];
        frame.note.before = [NO_ARRIVAL; 2];
        let eval = frame.note.eval?;
        // A stored score that bounds the value on the right side is the better estimate.
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
        learn::correction(&self.rule_set, &self.learned, &path[ply], last, bound);
        learn::moves(&self.rule_set, &self.learned, &mut path[ply], ply);
    }
}
