//! Iterative deepening with aspiration windows, and several best lines.

use crate::limits::Limits;
use crate::root::{Root, RootMove};
use crate::strand::{Cut, Strand, Surroundings};
use crate::{Kind, NoWatch, Rules, Watch};
use game::{Bound, Depth, Game, Score, Window};
use std::ops::ControlFlow;
use std::sync::Arc;
use table::Table;

/// What a search has to say while it runs.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a, M> {
    /// The depth of this iteration.
    pub depth: Depth,
    /// The longest path looked at.
    pub reach: usize,
    /// Which of the best lines this is, from 0.
    pub rank: usize,
    /// The score of the line.
    pub score: Score,
    /// What the score says: exact, or outside an aspiration window and being searched again.
    pub bound: Bound,
    /// The line.
    pub line: &'a [M],
    /// Nodes visited so far.
    pub nodes: u64,
    /// Positions answered by tables outside the search.
    pub known_hits: u64,
    /// Nodes spent below the first root move.
    pub best_nodes: u64,
    /// Is this the last line of a finished iteration?
    pub complete: bool,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub struct Outcome<M> {
    /// The root moves, best first.
    pub moves: Vec<RootMove<M>>,
    /// The last iteration that was finished.
    pub depth: Depth,
    /// Nodes visited.
    pub nodes: u64,
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

/// First half-width of the aspiration window.
const ASPIRATION: i32 = 12;
/// Depth from which the last score is trusted to be near the next.
const ASPIRATION_DEPTH: Depth = 4;
/// Past this half-width a side of the window is opened altogether.
const ASPIRATION_MAX: i32 = 600;

/// A search on one processor: rules, and a table if one is given.
pub struct Searcher<R> {
    /// What the game knows of its tree, and has learned.
    pub rules: R,
    table: Option<Arc<Table>>,
}

impl<R> Searcher<R> {
    /// A search without a transposition table.
    pub fn new(rules: R) -> Self {
        Searcher { rules, table: None }
    }

    /// A search with a transposition table.
    pub fn with_table(rules: R, table: Arc<Table>) -> Self {
        Searcher { rules, table: Some(table) }
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

    /// As [`Searcher::run`], with somebody watching from outside and a listener who may end the search at each report.
    pub fn run_watched<G: Game>(
        &mut self,
        position: &G,
        history: &[u64],
        limits: &Limits<G::Move>,
        watch: &dyn Watch,
        listener: &mut dyn FnMut(Report<'_, G::Move>) -> ControlFlow<()>,
    ) -> Outcome<G::Move>
    where
        R: Rules<G>,
    {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if !limits.only.is_empty() {
            moves.retain(|mv| limits.only.contains(mv));
        }
        let root = Root { moves: moves.into_iter().map(RootMove::new).collect(), settled: 0 };
        self.rules.new_search();
        let around = Surroundings { table: self.table.as_deref(), watch };
        let mut strand = Strand::new(around, &mut self.rules, position, history, root, limits.nodes);
        let depth = strand.deepen(limits, listener);
        Outcome { moves: strand.root.moves, depth, nodes: strand.nodes }
    }
}

impl<G: Game, R: Rules<G>> Strand<'_, G, R> {
    /// Searches deeper and deeper until a limit is met; the depth of the last finished iteration.
    fn deepen(
        &mut self,
        limits: &Limits<G::Move>,
        listener: &mut dyn FnMut(Report<'_, G::Move>) -> ControlFlow<()>,
    ) -> Depth {
        if self.root.moves.is_empty() {
            return 0;
        }
        let lines = limits.lines.clamp(1, self.root.moves.len());
        for depth in 1..=limits.depth {
            self.root.next_iteration();
            self.reach = 0;
            for rank in 0..lines {
                self.root.settled = rank;
                let finished = self.aspire(depth, lines == 1, listener);
                self.root.sort();
                if finished.is_err() {
                    self.abandon_iteration(depth, lines, listener);
                    return depth - 1;
                }
            }
            self.root.settled = 0;
            self.root.sort();
            for rank in 0..lines {
                let report = self.report(depth, rank, Bound::Exact, rank + 1 == lines);
                if listener(report).is_break() {
                    return depth;
                }
            }
            let end = self.root.moves[0].score.plies_to_end();
            if let (Some(wanted), Some(plies)) = (limits.win_in, end)
                && plies > 0
                && plies as usize <= wanted
            {
                return depth;
            }
        }
        limits.depth
    }

    /// The search was stopped in the middle of an iteration.
    fn abandon_iteration(
        &mut self,
        depth: Depth,
        lines: usize,
        listener: &mut dyn FnMut(Report<'_, G::Move>) -> ControlFlow<()>,
    ) {
        self.root.settled = 0;
        if lines > 1 {
            // Lines of two iterations can't be compared: the last finished one counts.
            self.root.restore_scores();
        }
        self.root.sort();
        // The last word: what will be answered may have been found since the last report.
        if lines == 1 && self.root.moves[0].known_score().is_some() {
            let _ = listener(self.report(depth, 0, Bound::Exact, false));
        }
    }

    /// One line of one iteration: a narrow window around the last score, widened on the side where it fails.
    fn aspire(
        &mut self,
        depth: Depth,
        announce: bool,
        listener: &mut dyn FnMut(Report<'_, G::Move>) -> ControlFlow<()>,
    ) -> Result<(), Cut> {
        let centre = self.root.moves[self.root.settled].previous;
        let mut width = ASPIRATION;
        let mut window = Window::FULL;
        if depth >= ASPIRATION_DEPTH && !centre.is_known() {
            window = Window::new(centre - width, centre + width);
        }
        let mut failed_high = 0;
        loop {
            self.root.forget_scores();
            let relaxed = depth - self.rules.relaxation(failed_high).min(depth / 4);
            let score = self.search(0, window, relaxed, Kind::Pv)?;
            self.root.sort();
            let bound = window.bound(score);
            match bound {
                Bound::Exact => return Ok(()),
                Bound::Upper => {
                    window.beta = window.alpha + ((window.beta - window.alpha) / 2).max(1);
                    window.alpha = if width > ASPIRATION_MAX { -Score::INFINITE } else { score.max(lowest()) - width };
                    failed_high = 0;
                }
                Bound::Lower => {
                    window.beta = if width > ASPIRATION_MAX { Score::INFINITE } else { score.min(-lowest()) + width };
                    failed_high += 1;
                }
            }
            if announce && listener(self.report(depth, self.root.settled, bound, false)).is_break() {
                return Err(Cut);
            }
            width += width / 2;
        }
    }

    fn report(&self, depth: Depth, rank: usize, bound: Bound, complete: bool) -> Report<'_, G::Move> {
        let root = &self.root.moves[rank];
        Report {
            depth,
            reach: self.reach + 1,
            rank,
            score: root.known_score().unwrap_or_default(),
            bound,
            line: &root.line,
            nodes: self.nodes,
            known_hits: self.known_hits,
            best_nodes: self.root.moves[0].nodes,
            complete,
        }
    }
}

/// Windows stay this far inside the range of scores, so that widening them cannot overflow it.
fn lowest() -> Score {
    -Score::KNOWN
}
