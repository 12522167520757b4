//! The front's own search: a short look at every position, and the whole work where there is no job to do it.

use super::{Event, system};
use crate::uci::format;
use crate::{EngineCore, OptionError, SearchRequest, Signals};
use chess::{Move, Notation};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A short look ends after so many nodes.
pub(super) const SHORT: u64 = 20_000;

/// Options that are the job's alone: the front's search stays small and looks for one move.
const NOT_OURS: [&str; 6] = ["Hash", "Threads", "Algorithm", "MultiPV", "OwnBook", "BookFile"];

/// What the own search found.
pub(super) enum Found {
    /// A better line: its first two moves, and how to show it.
    Line(Hand, String),
    /// Its answer; it has ended.
    Answer(Hand),
}

/// A move to play, and the reply to expect.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hand {
    /// The move; none where there is no legal one.
    pub(super) best: Option<Move>,
    /// The reply.
    pub(super) ponder: Option<Move>,
}

/// How a search is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Out of the way of a job that needs the cores.
    Polite,
    /// In the job's place.
    Full,
}

/// The engine and its search.
pub(super) struct Thinker {
    engine: Arc<Mutex<EngineCore>>,
    events: SyncSender<Event>,
    signals: Arc<Signals>,
    /// The number of the search that was started last.
    search: u64,
}

impl Thinker {
    /// Nothing is searched yet.
    pub(super) fn new(mut engine: EngineCore, events: SyncSender<Event>) -> Thinker {
        engine.prepare();
        Thinker { engine: Arc::new(Mutex::new(engine)), events, signals: Arc::default(), search: 0 }
    }

    /// Ends the search under way and starts another.
    pub(super) fn start(&mut self, request: SearchRequest, signals: Signals, manner: Manner) {
        self.stop();
        self.search += 1;
        self.signals = Arc::new(signals);
        let (engine, signals, events) = (Arc::clone(&self.engine), Arc::clone(&self.signals), self.events.clone());
        let search = self.search;
        std::thread::spawn(move || {
            let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
            let (notation, show_wdl) = (notation(&engine), engine.options().show_wdl);
            let mut is_first = true;
            let answer = engine.search(&request, &signals, &mut |event| {
                let crate::Event::Info(info) = event else { return };
                // Only now: the first moves must be in hand at once, however busy the machine is.
                if std::mem::take(&mut is_first) && manner == Manner::Polite {
                    system::be_polite();
                }
                if info.line_number == 1 {
                    let hand = Hand { best: info.line.first().copied(), ponder: info.line.get(1).copied() };
                    let shown = format::info(&info, &request.position, notation, show_wdl);
                    let _ = events.send(Event::Own { search, found: Found::Line(hand, shown) });
                }
            });
            drop(engine);
            let hand = Hand { best: answer.best, ponder: answer.ponder };
            let _ = events.send(Event::Own { search, found: Found::Answer(hand) });
        });
    }

    /// Is this the search that was started last?
    pub(super) fn is_current(&self, search: u64) -> bool {
        search == self.search
    }

    /// The search under way ends with what it has.
    pub(super) fn stop(&self) {
        self.signals.stop();
    }

    /// The expected move was played.
    pub(super) fn ponder_hit(&self) {
        self.signals.ponder_hit();
    }

    /// The engine, when no search holds it any more.
    pub(super) fn engine(&self) -> MutexGuard<'_, EngineCore> {
        self.stop();
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the last game. Nobody waits for that: on a busy machine a polite search may take a while to end.
    pub(super) fn new_game(&self) {
        self.stop();
        let engine = Arc::clone(&self.engine);
        std::thread::spawn(move || engine.lock().unwrap_or_else(PoisonError::into_inner).new_game());
    }

    /// Sets an option that concerns our search, too.
    pub(super) fn set_option(&self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        if NOT_OURS.iter().any(|other| other.eq_ignore_ascii_case(name)) {
            return crate::options::check(name, value).map(drop);
        }
        self.engine().set_option(name, value)
    }
}

/// How moves are written.
pub(super) fn notation(engine: &EngineCore) -> Notation {
    if engine.options().chess960 { Notation::Chess960 } else { Notation::Standard }
}
