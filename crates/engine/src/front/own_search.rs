//! The front's own search: a short look at every position, and the whole work where there is no job to do it.

use super::event::{Found, FrontEvent, OwnMove};
use crate::options::Setting;
use crate::uci::format::EventWriter;
use crate::{Engine, EngineCore, EngineError, Event, GameRecord, GoLimits, OptionError, Signals};
use std::sync::mpsc::SyncSender;

/// Nodes of a short look.
pub(super) const SHORT: u64 = 20_000;

/// What the own search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// To have a move at hand; the job needs the cores.
    Spare,
    /// The answer: there is no job that would give one.
    Main,
}

/// A search for the front's own engine.
pub(super) struct OwnRequest {
    pub(super) game: Option<GameRecord>,
    pub(super) limits: GoLimits,
    pub(super) signals: Signals,
}

/// The front's engine and the search it is at.
pub(super) struct OwnSearch {
    pub(super) engine: Engine,
    /// The number of the search that was started last.
    current: u64,
}

impl OwnSearch {
    /// Nothing is searched yet. What is found goes to `events`.
    pub(super) fn new(core: EngineCore, events: SyncSender<FrontEvent>) -> OwnSearch {
        let mut writer = EventWriter::default();
        let mut search = 0;
        let listener = move |event: Event| {
            let shown = writer.write(&event);
            let told = match event {
                Event::Started { search: number, .. } => {
                    search = number;
                    return;
                }
                Event::Info(info) if info.line_number == 1 => {
                    let own = OwnMove { best: info.line.first().copied(), ponder: info.line.get(1).copied() };
                    FrontEvent::Own { search, found: Found::Line(own, shown.unwrap_or_default()) }
                }
                Event::BestMove(answer) => {
                    let own = OwnMove { best: answer.best, ponder: answer.ponder };
                    FrontEvent::Own { search, found: Found::Answer(own) }
                }
                // The job may have what this machine has not.
                Event::Error(EngineError::Option(error)) => {
                    FrontEvent::OwnText(format!("info string cluster: the front's own search: {error}"))
                }
                Event::Error(_) | Event::Text(_) | Event::Evaluation(_) => {
                    FrontEvent::OwnText(shown.unwrap_or_default())
                }
                _ => return,
            };
            // A front that has ended does not listen any more.
            let _ = events.send(told);
        };
        OwnSearch { engine: Engine::start(core, listener), current: 0 }
    }

    /// Ends the search under way and starts another.
    pub(super) fn start(&mut self, request: OwnRequest, role: Role) {
        self.engine.stop();
        let OwnRequest { game, limits, signals } = request;
        self.current = self.engine.search(game, limits, signals, role == Role::Spare);
    }

    /// Is this the search that was started last?
    pub(super) fn is_current(&self, search: u64) -> bool {
        search == self.current
    }

    /// Checks an option, and sets it if the own search follows it: it stays small, and looks for one move.
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        if Setting::parse(name, value)?.entry.front {
            self.engine.set_option(name, value)?;
        }
        Ok(())
    }
}
