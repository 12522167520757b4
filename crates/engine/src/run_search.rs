//! How a search runs: the book first, then the search for mates if one is wanted, then the search itself, under its limits and with the endgame tables' moves.

use crate::clock::{TimeControl, Timer};
use crate::rank_group::RankGroup;
use crate::tablebase::TableValue;
use crate::{Answer, EngineCore, Event, Info, Outlook, SearchRequest, Signals};
use chess::{Move, Position};
use game::{Bound, Game, Score};
use parking_lot::Mutex;
use rand_xoshiro::rand_core::Rng;
use search::{LiveTrace, Machine, NoWatch, Outcome, RemoteTable, Report, Watch};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// Far more than a first iteration takes, whatever the position.
const FIRST_ITERATION_NODES: u64 = 200_000;

impl EngineCore {
    /// Searches until a limit is met or the signals say stop. Under `infinite`, and while pondering, the answer is held
    /// back until it is asked for.
    pub fn search(
        &mut self,
        request: &SearchRequest,
        signals: &Signals,
        listener: &mut (dyn FnMut(Event) + Send),
    ) -> Answer {
        let at_once = self
            .book_answer(request, signals)
            .or_else(|| self.limited_answer(request, signals, listener))
            .or_else(|| self.mate_answer(request, signals, listener));
        let answer = at_once.unwrap_or_else(|| {
            let found = self.find(request, signals, listener);
            self.complete_mate(request, signals, found, listener)
        });
        signals.wait(request.limits.infinite);
        answer
    }

    /// A move from the opening book, where that is wanted and one is there.
    fn book_answer(&mut self, request: &SearchRequest, signals: &Signals) -> Option<Answer> {
        let wanted = self.options.own_book && !request.limits.infinite && request.limits.only.is_empty();
        if !wanted || signals.running_since().is_none() {
            return None;
        }
        let random = self.random.next_u64();
        let best = self.book.as_ref()?.pick(request.position.board(), random)?;
        Some(Answer { best: Some(best.into()), line: vec![best.into()], ..Answer::default() })
    }

    fn find(&mut self, request: &SearchRequest, signals: &Signals, listener: &mut (dyn FnMut(Event) + Send)) -> Answer {
        self.prepare_table();
        let position = &request.position;
        if !position.has_moves() {
            listener(Event::Info(game_over(position)));
            return Answer::default();
        }
        let (limits, certain) = self.limits(request);
        let lines = self.options.lines;
        let forced = is_forced(request, &limits);
        self.table.age();
        let mut timer = Timer::new(signals, request.limits.time, self.options.overhead);
        let progress = Progress { listener: Mutex::new(listener), depth: AtomicI32::new(0) };
        let timer_of_watch = Timer::new(signals, request.limits.time, self.options.overhead);
        let watch = SearchWatch { timer: timer_of_watch, progress: &progress };
        let table = Arc::clone(&self.table);
        let whole = self.ranks.as_ref().map(RankGroup::fullness);
        let fullness = |own| whole.as_ref().map_or(own, |whole| whole(own));
        let mut report = |report: Report<'_, Move>| {
            if report.line_number < lines {
                let outlook = match certain {
                    Some(value) => Outlook::certain(value, report.score, position),
                    None => Outlook::of(report.score, position),
                };
                progress.tell(Event::Info(info(&report, outlook, timer.elapsed(), fullness(table.permille_full()))));
            }
            if !report.complete {
                return ControlFlow::Continue(());
            }
            progress.depth.store(report.depth, Ordering::Relaxed);
            let share = report.best_nodes as f64 / report.nodes.max(1) as f64;
            let first = report.line.first().map_or(0, |mv| mv.bits());
            let enough = timer.is_enough(first, report.score, share);
            let own_time = signals.running_since().is_some();
            if enough || (forced && own_time) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let threads = self.threads();
        let mut post = None;
        if let Some(ranks) = &mut self.ranks {
            ranks.start(position, &request.history);
            post = Some(ranks.parts(&self.table, threads, self.searcher.rules.shared_statistics()));
        }
        let others = post.as_mut().map(|(pump, remote_table)| search::Ranks {
            messages: pump,
            table: Some(*remote_table as &dyn RemoteTable),
            leads: true,
        });
        let mut outcome = self.searcher.run_among(position, &request.history, &limits, &watch, &mut report, others);
        drop(post);
        if outcome.depth == 0 {
            let visited = outcome.nodes;
            outcome = self.first_iteration(request, &limits, &mut report);
            outcome.nodes += visited;
        }
        if let Some(ranks) = &mut self.ranks {
            ranks.notes().into_iter().for_each(|note| progress.tell(Event::Note(note)));
        }
        self.answer(position, outcome)
    }

    /// The limits of the search within; and the value of the position, where endgame tables know it.
    fn limits(&self, request: &SearchRequest) -> (search::Limits<Move>, Option<TableValue>) {
        let (only, certain) = self.root_moves(request);
        let mut limits = search::Limits { lines: self.options.lines, only, ..search::Limits::default() };
        if let Some(depth) = request.limits.depth {
            limits.depth = search::Limits::<Move>::depth(depth).depth;
        }
        limits.nodes = request.limits.nodes.unwrap_or(u64::MAX).max(1);
        limits.ticks = request.limits.ticks;
        limits.win_in = request.limits.mate.map(|moves| (2 * moves as usize).saturating_sub(1));
        (limits, certain)
    }

    /// The first iteration, whatever the limits say: a search that was stopped before it had finished one still answers
    /// with a move it has searched. It takes about a millisecond.
    fn first_iteration(
        &mut self,
        request: &SearchRequest,
        limits: &search::Limits<Move>,
        report: &mut (dyn FnMut(Report<'_, Move>) -> ControlFlow<()> + Send),
    ) -> Outcome<Move> {
        let limits = search::Limits { depth: 1, nodes: FIRST_ITERATION_NODES, ..limits.clone() };
        let machine = std::mem::replace(&mut self.searcher.machine, Machine::Alone);
        let outcome = self.searcher.run_watched(&request.position, &request.history, &limits, &NoWatch, report);
        self.searcher.machine = machine;
        outcome
    }

    /// The moves to look at: those asked for; where endgame tables know the position, only those that keep its value,
    /// which is then certain.
    fn root_moves(&self, request: &SearchRequest) -> (Vec<Move>, Option<TableValue>) {
        let only = &request.limits.only;
        let Some(mut ranked) = self.search_tables().and_then(|tables| tables.root_moves(request.position.board()))
        else {
            return (only.clone(), None);
        };
        if !only.is_empty() {
            ranked.retain(|root| only.contains(&root.mv.into()));
        }
        let Some(best) = ranked.first().copied() else { return (only.clone(), None) };
        let keeps = |wdl| match best.wdl {
            TableValue::Win | TableValue::Loss => wdl == best.wdl,
            _ => !matches!(wdl, TableValue::Win | TableValue::Loss),
        };
        // A win is played by the tables' own count, so that it never fails to make progress.
        let progress = |dtz: i32| best.wdl != TableValue::Win || dtz.abs() == best.dtz.abs();
        let kept = ranked.iter().filter(|root| keeps(root.wdl) && progress(root.dtz)).map(|root| root.mv.into());
        (kept.collect(), Some(best.wdl))
    }

    fn answer(&self, position: &Position, outcome: Outcome<Move>) -> Answer {
        let line = outcome.line().to_vec();
        let best = line.first().copied();
        let ponder = line.get(1).copied().or_else(|| {
            let next = position.play(best?);
            next.unpack(u32::from(self.table.probe(next.key())?.mv))
        });
        let score = outcome.score();
        let Outcome { depth, nodes, work, accounts, splits, trace, verification, .. } = outcome;
        Answer { best, ponder, score, line, nodes, depth, work, accounts, splits, trace, verification }
    }
}

/// Time after which root moves are told as they are searched: before it there would be too many.
const TELL_MOVES_AFTER: Duration = Duration::from_secs(3);

/// What a search tells while it runs.
struct Progress<'a> {
    listener: Mutex<&'a mut (dyn FnMut(Event) + Send)>,
    /// The last finished iteration.
    depth: AtomicI32,
}

impl Progress<'_> {
    fn tell(&self, event: Event) {
        (*self.listener.lock())(event);
    }
}

/// Watches the clock of a search, and tells which root move it is at.
struct SearchWatch<'a> {
    timer: Timer<'a>,
    progress: &'a Progress<'a>,
}

impl Watch<Move> for SearchWatch<'_> {
    fn expired(&self) -> bool {
        self.timer.expired()
    }

    fn root_move(&self, number: usize, mv: Move) {
        if self.timer.elapsed() >= TELL_MOVES_AFTER {
            let depth = self.progress.depth.load(Ordering::Relaxed) + 1;
            self.progress.tell(Event::CurrentMove { depth, mv, number });
        }
    }

    fn recording(&self, trace: LiveTrace<Move>) {
        self.progress.tell(Event::Recording(trace));
    }
}

/// Is there only one move to play, in a game with a clock?
fn is_forced(request: &SearchRequest, limits: &search::Limits<Move>) -> bool {
    let mut moves = Vec::new();
    request.position.moves(&mut moves);
    let choices = if limits.only.is_empty() { moves.len() } else { limits.only.len() };
    choices == 1 && matches!(request.limits.time, TimeControl::Game(_)) && !request.limits.infinite
}

/// What there is to say about a position without a legal move.
fn game_over(position: &Position) -> Info {
    Info {
        depth: 0,
        reach: 0,
        line_number: 1,
        outlook: if position.in_check() { Outlook::of(Score::loss_in(0), position) } else { Outlook::DRAWN },
        bound: Bound::Exact,
        nodes: 0,
        time: Duration::ZERO,
        ticks: 0,
        span: 0,
        busy: 0,
        permille_full: 0,
        table_hits: 0,
        line: Vec::new(),
    }
}

/// What a report says, for the listener.
pub(crate) fn info(report: &Report<'_, Move>, outlook: Outlook, time: Duration, permille_full: usize) -> Info {
    Info {
        depth: report.depth,
        reach: report.reach,
        line_number: report.line_number + 1,
        outlook,
        bound: report.bound,
        nodes: report.nodes,
        time,
        ticks: report.ticks,
        span: report.span,
        busy: report.busy,
        permille_full,
        table_hits: report.known_hits,
        line: report.line.to_vec(),
    }
}
