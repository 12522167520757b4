//! The engine as an object: it is told what to do and tells what happens.
//!
//! [`Engine`] owns a thread that does what it is told, in order: options, searches, counts of paths. The caller never
//! waits; everything comes back as an [`Event`]. Only [`Engine::stop`] and [`Engine::ponder_hit`] do not wait for their
//! turn: they concern all work that was asked for before them. The object knows no protocol and prints nothing.

use crate::evaluation::EvaluationReport;
use crate::options::{OptionError, Options, Setting};
use crate::{
    Answer, EngineCore, EngineError, Event, GameRecord, GoLimits, PositionError, SearchRequest, Signals, perft,
};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The benchmark: runs until it ends or is stopped, and gives each line of its result away.
pub type Benchmark = Box<dyn Fn(&Signals, &mut dyn FnMut(String)) + Send>;

/// Something for the engine's thread to do.
enum Order {
    Search { search: u64, game: Option<GameRecord>, limits: GoLimits, background: bool, signals: Arc<Signals> },
    Perft { game: Option<GameRecord>, depth: u32, signals: Arc<Signals> },
    Benchmark { signals: Arc<Signals> },
    SetOption { name: String, value: Option<String> },
    Evaluate(Option<GameRecord>),
    NewGame,
    Prepare,
}

/// Work that takes a while and has not ended: it can be stopped.
#[derive(Default)]
struct Pending {
    work: Mutex<VecDeque<PendingWork>>,
    changed: Condvar,
}

struct PendingWork {
    signals: Arc<Signals>,
    /// Does it end only when it is stopped?
    is_endless: bool,
}

/// A chess engine with a thread of its own.
pub struct Engine {
    orders: Option<Sender<Order>>,
    pending: Arc<Pending>,
    thread: Option<JoinHandle<()>>,
    /// The position to search; none after one that was refused.
    game: Option<GameRecord>,
    /// The plain options as they will be when the engine's thread has come to them.
    options: Options,
    searches: u64,
}

impl Engine {
    /// Starts the engine's thread, which begins with what would otherwise hold up the first search. `listener` is told
    /// everything; it is called on threads of the engine, one call at a time.
    pub fn start(core: EngineCore, listener: impl FnMut(Event) + Send + 'static) -> Engine {
        Engine::start_with_benchmark(core, Box::new(|_, _| ()), listener)
    }

    /// As [`Engine::start`], with what [`Engine::benchmark`] runs.
    pub fn start_with_benchmark(
        core: EngineCore,
        benchmark: Benchmark,
        listener: impl FnMut(Event) + Send + 'static,
    ) -> Engine {
        let (orders, to_do) = channel();
        let pending = Arc::<Pending>::default();
        let options = core.options().clone();
        let worker = Worker { core, benchmark, listener: Box::new(listener), pending: Arc::clone(&pending) };
        let thread = std::thread::spawn(move || worker.run(&to_do));
        let game = Some(GameRecord::default());
        Engine { orders: Some(orders), pending, thread: Some(thread), game, options, searches: 0 }
    }

    /// Sets up the position after these moves from `fen`, or from the usual start. A refused position leaves none: a
    /// search of the one before would answer a question that was not asked.
    ///
    /// # Errors
    /// If the FEN or a move is not legal.
    pub fn set_position<M: AsRef<str>>(&mut self, fen: Option<&str>, moves: &[M]) -> Result<(), PositionError> {
        let game = GameRecord::new(fen, moves);
        self.game = game.as_ref().ok().cloned();
        game.map(drop)
    }

    /// There is no position until another one is set up: what was said could not be read.
    pub fn refuse_position(&mut self) {
        self.game = None;
    }

    /// The position that was set up; none if it was refused.
    pub fn game(&self) -> Option<&GameRecord> {
        self.game.as_ref()
    }

    /// Sets an option by its UCI name, after the work asked for before. [`Event::OptionSet`] or [`Event::Error`] follows.
    ///
    /// # Errors
    /// If there is no such option or the value does not fit. Then nothing follows.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        Setting::parse(name, value)?.apply_value(&mut self.options);
        self.order(Order::SetOption { name: name.to_string(), value: value.map(str::to_string) });
        Ok(())
    }

    /// The plain options as set so far.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Searches the position that was set up; searches asked for before are stopped. The clock runs since `asked`, or, if
    /// `ponders`, since a ponder hit. Gives the number of the search.
    pub fn go(&mut self, limits: GoLimits, ponders: bool, asked: Instant) -> u64 {
        self.stop();
        let signals = if ponders { Signals::pondering() } else { Signals::running_since_then(asked) };
        self.search(self.game.clone(), limits, signals, false)
    }

    /// Searches a position of the caller's. A background search lowers the priority of its thread once it has found a
    /// first line.
    pub(crate) fn search(
        &mut self,
        game: Option<GameRecord>,
        limits: GoLimits,
        signals: Signals,
        background: bool,
    ) -> u64 {
        self.searches += 1;
        let search = self.searches;
        let is_endless = limits.is_endless() || signals.running_since().is_none();
        let signals = self.begin(signals, is_endless);
        self.order(Order::Search { search, game, limits, background, signals });
        search
    }

    /// Counts the paths of `depth` moves; what was asked for before is stopped.
    pub fn perft(&mut self, depth: u32) {
        self.stop();
        let signals = self.begin(Signals::new(), false);
        self.order(Order::Perft { game: self.game.clone(), depth, signals });
    }

    /// Runs the benchmark; what was asked for before is stopped.
    pub fn benchmark(&mut self) {
        self.stop();
        let signals = self.begin(Signals::new(), false);
        self.order(Order::Benchmark { signals });
    }

    /// Evaluates the position that was set up. [`Event::Evaluation`] follows.
    pub fn evaluate(&mut self) {
        self.order(Order::Evaluate(self.game.clone()));
    }

    /// Forgets everything about earlier games.
    pub fn new_game(&mut self) {
        self.order(Order::NewGame);
    }

    /// Tells with [`Event::Ready`] when everything asked for is done and a search would start at once.
    pub fn prepare(&mut self) {
        self.order(Order::Prepare);
    }

    /// Stops all searches, counts and benchmarks asked for so far. Each search still gives its answer.
    pub fn stop(&self) {
        self.pending.work.lock().iter().for_each(|work| work.signals.stop());
    }

    /// Stops what would end only when stopped: nothing more will be said to the engine.
    pub fn stop_endless(&self) {
        self.pending.work.lock().iter().filter(|work| work.is_endless).for_each(|work| work.signals.stop());
    }

    /// The opponent has made the expected move: the clocks of the searches asked for so far run.
    pub fn ponder_hit(&self) {
        self.pending.work.lock().iter_mut().for_each(|work| work.signals.ponder_hit());
    }

    /// Is there a search, a count or a benchmark that has not ended?
    pub fn is_busy(&self) -> bool {
        !self.pending.work.lock().is_empty()
    }

    /// Waits until every search, count and benchmark has ended, at most this long. Has all ended?
    pub fn wait_until_idle(&self, time: Duration) -> bool {
        let mut work = self.pending.work.lock();
        let end = Instant::now() + time;
        while !work.is_empty() {
            if self.pending.changed.wait_until(&mut work, end).timed_out() {
                return work.is_empty();
            }
        }
        true
    }

    fn begin(&self, signals: Signals, is_endless: bool) -> Arc<Signals> {
        let signals = Arc::new(signals);
        self.pending.work.lock().push_back(PendingWork { signals: Arc::clone(&signals), is_endless });
        signals
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // The thread listens until the sender is gone; if it panicked, `drop` will say so.
            let _ = orders.send(order);
        }
    }
}

/// Stops everything and waits for the answers.
impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
        drop(self.orders.take());
        if let Some(thread) = self.thread.take()
            && let Err(panic) = thread.join()
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

/// What the engine's thread owns.
struct Worker {
    core: EngineCore,
    benchmark: Benchmark,
    listener: Box<dyn FnMut(Event) + Send>,
    pending: Arc<Pending>,
}

impl Worker {
    fn run(mut self, to_do: &Receiver<Order>) {
        self.core.prepare();
        for order in to_do {
            self.obey(order);
        }
    }

    fn obey(&mut self, order: Order) {
        let core = &mut self.core;
        match order {
            Order::Search { search, game, limits, background, signals } => {
                self.search(search, game, limits, background, &signals);
                self.end_work();
            }
            Order::Perft { game, depth, signals } => {
                match game {
                    Some(game) => {
                        let notation = core.options().notation();
                        let listener = &mut self.listener;
                        perft::run(&game, depth, notation, &signals, &mut |line| listener(Event::Text(line)));
                    }
                    None => (self.listener)(Event::Error(EngineError::NoPosition)),
                }
                self.end_work();
            }
            Order::Benchmark { signals } => {
                let listener = &mut self.listener;
                (self.benchmark)(&signals, &mut |line| listener(Event::Text(line)));
                self.end_work();
            }
            Order::SetOption { name, value } => {
                let entry = Setting::parse(&name, value.as_deref()).map(|setting| setting.entry.name);
                let event = match entry.and_then(|name| Ok((name, core.set_option(name, value.as_deref())?))) {
                    Ok((name, note)) => Event::OptionSet { name, note },
                    Err(error) => Event::Error(EngineError::Option(error)),
                };
                // A new table is made ready at once, not when a clock runs.
                core.prepare_table();
                (self.listener)(event);
            }
            Order::Evaluate(Some(game)) => {
                (self.listener)(Event::Evaluation(EvaluationReport::new(core, &game.position)));
            }
            Order::Evaluate(None) => (self.listener)(Event::Error(EngineError::NoPosition)),
            Order::NewGame => core.new_game(),
            Order::Prepare => {
                core.prepare();
                (self.listener)(Event::Ready);
            }
        }
    }

    /// Runs a search and tells its answer.
    fn search(&mut self, search: u64, game: Option<GameRecord>, limits: GoLimits, background: bool, signals: &Signals) {
        let (core, listener) = (&mut self.core, &mut self.listener);
        let Some(GameRecord { position, history }) = game else {
            listener(Event::Started { search, position: chess::Position::default(), options: core.options().clone() });
            listener(Event::Error(EngineError::NoPosition));
            signals.wait(limits.infinite);
            return listener(Event::BestMove(Answer::default()));
        };
        listener(Event::Started { search, position: position.clone(), options: core.options().clone() });
        let request = SearchRequest { position, history, limits };
        let answer = if background {
            search_in_background(core, &request, signals, listener)
        } else {
            core.search(&request, signals, listener)
        };
        listener(Event::BestMove(answer));
    }

    /// The oldest work has ended.
    fn end_work(&self) {
        self.pending.work.lock().pop_front();
        self.pending.changed.notify_all();
    }
}

/// Searches on a thread that steps back behind others once it has a line: a thread can't get its priority back, so it is
/// not the engine's.
fn search_in_background(
    core: &mut EngineCore,
    request: &SearchRequest,
    signals: &Signals,
    listener: &mut (dyn FnMut(Event) + Send),
) -> Answer {
    let run = move || {
        let mut is_first = true;
        core.search(request, signals, &mut |event| {
            if std::mem::take(&mut is_first) {
                lower_priority();
            }
            listener(event);
        })
    };
    let ended = std::thread::scope(|scope| scope.spawn(run).join());
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// This thread steps back behind others, but not far: its answer may be needed.
fn lower_priority() {
    // On Linux a priority belongs to a thread; elsewhere it would be that of the whole process, and stay.
    #[cfg(target_os = "linux")]
    // SAFETY: nice takes a number and touches no memory.
    unsafe {
        libc::nice(5);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::RuleSet;
    use std::sync::mpsc::RecvTimeoutError;

    const PATIENCE: Duration = Duration::from_secs(20);

    /// An engine and what it tells.
    fn engine() -> (Engine, Receiver<Event>) {
        let (sender, events) = channel();
        let core = EngineCore::with(RuleSet::modern(), 1).unwrap();
        let benchmark: Benchmark = Box::new(|signals, say| {
            say("one".to_string());
            signals.wait(true);
        });
        (Engine::start_with_benchmark(core, benchmark, move |event| drop(sender.send(event))), events)
    }

    fn until(events: &Receiver<Event>, wanted: impl Fn(&Event) -> bool) -> Vec<Event> {
        let mut seen = Vec::new();
        loop {
            let event = events.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("not told: {seen:?}"));
            seen.push(event);
            if seen.last().is_some_and(&wanted) {
                return seen;
            }
        }
    }

    fn is_answer(event: &Event) -> bool {
        matches!(event, Event::BestMove(_))
    }

    fn infinite() -> GoLimits {
        GoLimits { infinite: true, ..GoLimits::default() }
    }

    #[test]
    fn an_option_is_kept_for_the_end_of_a_search() {
        let (mut engine, events) = engine();
        engine.go(infinite(), false, Instant::now());
        engine.set_option("Hash", Some("2")).unwrap();
        until(&events, |event| matches!(event, Event::Info(info) if info.depth >= 3));
        assert!(engine.is_busy());
        engine.stop();
        let seen = until(&events, |event| matches!(event, Event::OptionSet { name: "Hash", .. }));
        assert_eq!(seen.iter().filter(|event| is_answer(event)).count(), 1);
        assert!(engine.set_option("Hash", Some("none")).is_err());
        engine.set_option("EvalFile", Some("/does/not/exist")).unwrap();
        until(&events, |event| matches!(event, Event::Error(EngineError::Option(OptionError::Refused { .. }))));
    }

    #[test]
    fn every_search_has_its_answer_and_stop_concerns_those_before_it() {
        let (mut engine, events) = engine();
        for _ in 0..20 {
            engine.go(infinite(), false, Instant::now());
            engine.stop();
        }
        let last = engine.go(GoLimits { depth: Some(3), ..GoLimits::default() }, false, Instant::now());
        let mut answers = 0;
        let seen = until(&events, |event| matches!(event, Event::Started { search, .. } if *search == last));
        answers += seen.iter().filter(|event| is_answer(event)).count();
        assert_eq!(answers, 20);
        let Some(Event::BestMove(answer)) = until(&events, is_answer).pop() else { panic!() };
        assert_eq!(answer.depth, 3);
        assert!(engine.wait_until_idle(PATIENCE) && !engine.is_busy());
    }

    #[test]
    fn counts_and_benchmarks_can_be_stopped() {
        let (mut engine, events) = engine();
        engine.perft(12);
        engine.benchmark();
        until(&events, |event| matches!(event, Event::Text(line) if line.contains("not complete")));
        until(&events, |event| matches!(event, Event::Text(line) if line == "one"));
        engine.stop();
        engine.prepare();
        until(&events, |event| matches!(event, Event::Ready));
    }

    #[test]
    fn without_a_position_there_is_no_move() {
        let (mut engine, events) = engine();
        assert!(engine.set_position::<&str>(Some("8/8/8/8/8/8/8/8 w - - 0 1"), &[]).is_err());
        engine.go(infinite(), false, Instant::now());
        until(&events, |event| matches!(event, Event::Error(EngineError::NoPosition)));
        assert_eq!(events.recv_timeout(Duration::from_millis(50)).err(), Some(RecvTimeoutError::Timeout));
        engine.stop();
        let Some(Event::BestMove(answer)) = until(&events, is_answer).pop() else { panic!() };
        assert_eq!(answer.best, None);
        engine.set_position(None, &["e2e4"]).unwrap();
        engine.go(GoLimits { depth: Some(2), ..GoLimits::default() }, false, Instant::now());
        let Some(Event::BestMove(answer)) = until(&events, is_answer).pop() else { panic!() };
        assert!(answer.best.is_some());
    }

    #[test]
    fn a_ponder_hit_starts_the_clock_and_the_end_waits_for_the_answers() {
        let (mut engine, events) = engine();
        let time = crate::TimeControl::PerMove(Duration::from_millis(20));
        engine.go(GoLimits { time, ..GoLimits::default() }, true, Instant::now());
        assert!(!engine.wait_until_idle(Duration::from_millis(100)));
        engine.ponder_hit();
        assert!(engine.wait_until_idle(PATIENCE));
        engine.go(infinite(), true, Instant::now());
        engine.go(infinite(), false, Instant::now());
        drop(engine);
        assert_eq!(events.iter().filter(is_answer).count(), 3);
    }
}
