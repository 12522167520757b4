//! Iterative deepening with aspiration windows, and several best lines.

use crate::algorithms::{RootOrder, Together};
use crate::limits::MAX_DEPTH;
use crate::listener::Report;
use crate::strand::{Cut, Strand};
use crate::{Kind, Rules, Wait};
use game::{Bound, Depth, Game, Score, Window};
use scheduler::ProcessorContext;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

impl<G: Game, R: Rules<G>> Strand<'_, '_, G, R> {
    /// The life of a first strand.
    pub(crate) fn run_to_end(&mut self) {
        let depth = self.deepen();
        self.context.tally.depth.store(depth, Ordering::Relaxed);
        self.context.work.lock().span = self.clock.stamp();
    }

    /// The life of a first strand on another processor than the first, where every processor searches the root: it goes on
    /// until it is stopped, and what it finds is in the table.
    pub(crate) fn run_along(&mut self, processor: usize) {
        let staggered = matches!(self.context.algorithm.together, Together::Everyone { staggered: true, .. });
        let ahead = if staggered { processor as Depth % 2 } else { 0 };
        let choices = self.root.lock().moves.len();
        let context = self.context;
        for depth in context.depths(1 + ahead, MAX_DEPTH) {
            self.root.lock().next_iteration();
            if choices == 0 || self.aspire(depth, false).is_err() {
                break;
            }
            self.root.lock().sort();
        }
    }

    /// Searches deeper and deeper until a limit is met; the depth of the last finished iteration.
    fn deepen(&mut self) -> Depth {
        let limits = self.context.limits;
        let choices = self.root.lock().moves.len();
        if choices == 0 {
            return 0;
        }
        let lines = limits.lines.clamp(1, choices);
        let mut finished_depth = 0;
        let context = self.context;
        for depth in context.depths(1, limits.depth) {
            debug_assert!(self.links.speculation.is_none(), "an iteration that is certainly wanted begins");
            let lasts_to = self.clock.overlap(Wait::Iteration, 0);
            self.root.lock().next_iteration();
            self.order_root(lines);
            self.context.tally.reach.store(0, Ordering::Relaxed);
            self.ahead.depth = depth;
            self.ahead.is_wanted = lines == 1 && self.context.algorithm.switches.overlap;
            self.ahead.is_told = false;
            for line_number in 0..lines {
                self.root.lock().settled = line_number;
                let finished = self.aspire(depth, lines == 1);
                self.root.lock().sort();
                if finished.is_err() && self.ahead.is_told {
                    return depth;
                }
                if finished.is_err() {
                    self.abandon_iteration(depth, finished_depth, lines);
                    return finished_depth;
                }
            }
            self.clock.not_before(lasts_to);
            finished_depth = depth;
            {
                let mut root = self.root.lock();
                root.settled = 0;
                root.sort();
            }
            let untold = if self.ahead.is_told { 0 } else { lines };
            for line_number in 0..untold {
                if self.announce(depth, line_number, Bound::Exact, line_number + 1 == lines).is_break() {
                    return depth;
                }
            }
            let end = self.root.lock().moves[0].score.plies_to_end();
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
    fn abandon_iteration(&mut self, depth: Depth, finished_depth: Depth, lines: usize) {
        let (went_back, best) = {
            let mut root = self.root.lock();
            root.settled = 0;
            if lines > 1 {
                // Lines of two iterations can't be compared: the last finished one counts.
                root.restore_scores();
            }
            root.sort();
            (root.restore_best(), root.moves[0].clone())
        };
        // The last report is of the move that will be answered, which may have been found since the one before.
        if lines == 1 && best.known_score().is_some() {
            let depth = if went_back { finished_depth } else { depth };
            let _ = self.announce(depth, 0, best.bound, false);
        }
    }

    /// The window in which an iteration begins around the score of the one before.
    pub(crate) fn first_window(&self, depth: Depth, centre: Score) -> Window {
        let aspiration = self.rules.aspiration();
        if depth >= aspiration.depth && !centre.is_known() {
            Window::new(centre - aspiration.width, centre + aspiration.width)
        } else {
            Window::FULL
        }
    }

    /// One line of one iteration: a narrow window around the last score, widened on the side where it fails.
    fn aspire(&mut self, depth: Depth, announce: bool) -> Result<(), Cut> {
        let (settled, centre) = {
            let root = self.root.lock();
            (root.settled, root.moves[root.settled].previous)
        };
        let aspiration = self.rules.aspiration();
        let mut width = aspiration.width;
        let mut window = self.first_window(depth, centre);
        let mut failed_high = 0;
        loop {
            let relaxed = depth - self.rules.relaxation(failed_high).min(depth / 4);
            {
                let mut root = self.root.lock();
                root.forget_scores();
                (root.window, root.depth) = (window, relaxed);
            }
            let score = self.search(0, window, relaxed, Kind::Pv)?;
            self.work.surplus += self.path[0].sharing.surplus;
            self.root.lock().sort();
            if window.bound(score) != Bound::Exact {
                self.order_root(if announce { 1 } else { 2 });
            }
            let bound = window.bound(score);
            match bound {
                Bound::Exact => return Ok(()),
                Bound::Upper => {
                    window.beta = window.alpha + ((window.beta - window.alpha) / 2).max(1);
                    window.alpha =
                        if width > aspiration.widest { -Score::INFINITE } else { score.max(lowest()) - width };
                    failed_high = 0;
                }
                Bound::Lower => {
                    window.beta =
                        if width > aspiration.widest { Score::INFINITE } else { score.min(-lowest()) + width };
                    failed_high += 1;
                }
            }
            if announce && self.announce(depth, settled, bound, false).is_break() {
                return Err(Cut);
            }
            width += (width * aspiration.growth / 100).max(1);
        }
    }

    /// Puts the root's moves into the algorithm's own order. The order by scores is the one they have; where several lines
    /// are wanted, it stays.
    fn order_root(&self, lines: usize) {
        if self.context.algorithm.root_order == RootOrder::Nodes && lines == 1 {
            self.root.lock().sort_by_nodes();
        }
    }

    /// Tells the listener what is known.
    pub(crate) fn announce(
        &mut self,
        depth: Depth,
        line_number: usize,
        bound: Bound,
        complete: bool,
    ) -> ControlFlow<()> {
        self.tell();
        let tally = &self.context.tally;
        let root = self.root.lock();
        let best = &root.moves[line_number];
        let report = Report {
            depth,
            reach: tally.reach.load(Ordering::Relaxed) + 1,
            line_number,
            score: best.known_score().unwrap_or_default(),
            bound,
            line: &best.line,
            nodes: tally.nodes.load(Ordering::Relaxed),
            ticks: self.processor.map_or(self.clock.nodes(), ProcessorContext::now),
            span: self.clock.stamp(),
            busy: self.processor.map_or(0, ProcessorContext::busy),
            known_hits: tally.known_hits.load(Ordering::Relaxed) + self.news.known_hits,
            best_nodes: root.moves[0].nodes,
            complete,
        };
        (self.context.listener.lock())(report)
    }
}

/// Windows stay this far inside the range of scores, so that widening them cannot overflow it.
fn lowest() -> Score {
    -Score::KNOWN
}
