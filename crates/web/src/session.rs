//! One WebSocket: requests in, answers out.
//!
//! A visitor has an engine of its own, which is started for the first search, and one search at a time: each takes the place of
//! the one before. The engine tells on its own threads; what it tells goes through a bounded channel, so a page that does not
//! read does not delay the engines of other pages.

use crate::message::{Answer, Numbered, Reply, Request};
use crate::position::{Game, Line};
use crate::shared::Shared;
use crate::watch::{self, Seen, Wanted};
use crate::{at_once, progress};
use axum::extract::ws::{Message, WebSocket};
use chess::{Notation, Position, RuleSet};
use engine::{Clock, Engine, EngineCore, Event, GoLimits, MAX_ELO, MIN_ELO, Outlook, Signals, TimeControl};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Messages that wait to be sent. Lines of a search that find no room are left out.
const WAITING_MESSAGES: usize = 256;
/// A page that takes longer than this to take a message has gone.
const SEND_LIMIT: Duration = Duration::from_secs(30);
/// The longest analysis.
const LONGEST_ANALYSIS: Duration = Duration::from_secs(600);
/// The longest time for a move, in milliseconds.
const LONGEST_MOVE: u64 = 60_000;
/// The most lines of an analysis.
const MOST_LINES: usize = 8;

/// A search that was asked for.
#[derive(Clone, Copy)]
struct Asked {
    id: u64,
    notation: Notation,
    /// Is a move wanted, not an analysis?
    plays: bool,
}

/// The searches asked for, by the engine's number.
type Searches = Arc<Mutex<HashMap<u64, Asked>>>;

/// One visitor.
pub(crate) struct Session {
    shared: Arc<Shared>,
    engine: Option<Engine>,
    searches: Searches,
    /// Stops the search that the page watches.
    watching: Option<Arc<Signals>>,
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>) -> Session {
        Session { shared, engine: None, searches: Searches::default(), watching: None }
    }

    /// Answers until the page goes.
    pub(crate) async fn run(mut self, mut socket: WebSocket) {
        let (out, mut answers) = channel(WAITING_MESSAGES);
        let welcome = self.welcome();
        if send(&mut socket, &Answer { id: None, reply: welcome }).await.is_err() {
            return;
        }
        while let Some(turn) = next(&mut socket, &mut answers).await {
            let done = match turn {
                Turn::Say(answer) => send(&mut socket, &answer).await,
                Turn::Hear(text) => match self.hear(&text, &out).await {
                    Some(answer) => send(&mut socket, &answer).await,
                    None => Ok(()),
                },
            };
            if done.is_err() {
                break;
            }
        }
        // The engine must not wait for room in a channel that is no longer read.
        drop(answers);
        self.stop_watching();
        let engine = self.engine.take();
        let _ = tokio::task::spawn_blocking(move || drop(engine)).await;
    }

    fn welcome(&self) -> Reply {
        let settings = &self.shared.settings;
        Reply::Welcome {
            version: settings.version.clone(),
            algorithms: search::algorithms::NAMES.to_vec(),
            elo: [MIN_ELO, MAX_ELO],
            threads: settings.threads,
            most_processors: watch::MOST_PROCESSORS,
            most_nodes: watch::MOST_NODES,
            most_nodes_of_threads: watch::MOST_NODES_OF_THREADS,
            book: settings.lookup.has_book(),
            table_pieces: settings.lookup.largest_table(),
        }
    }

    /// What is said at once about a message of the page.
    async fn hear(&mut self, text: &str, out: &Sender<Answer>) -> Option<Answer> {
        let Numbered { id, request } = match at_once::read(text) {
            Ok(numbered) => numbered,
            Err(refusal) => return Some(Answer { id: None, reply: Reply::error(refusal) }),
        };
        let reply = self.answer(id, request, out).await;
        reply.unwrap_or_else(|message| Some(Reply::error(message))).map(|reply| Answer { id: Some(id), reply })
    }

    async fn answer(&mut self, id: u64, request: Request, out: &Sender<Answer>) -> Result<Option<Reply>, String> {
        match request {
            Request::Position { .. } | Request::ReadPgn { .. } | Request::WritePgn { .. } => at_once::answer(&request),
            Request::Lookup { game } => {
                let (line, lookup) = (Line::of(&game)?, self.shared.settings.lookup.clone());
                // Tables are read from files.
                let find = move || lookup.find(line.last(), line.notation);
                let found = tokio::task::spawn_blocking(find).await;
                found.map(|found| Some(Reply::Lookup(found))).map_err(|error| format!("nothing was found: {error}"))
            }
            Request::Stop => {
                if let Some(engine) = &self.engine {
                    engine.stop();
                }
                self.stop_watching();
                Ok(None)
            }
            Request::Results => Ok(Some(Reply::Results(self.shared.laboratory.results()))),
            Request::Experiment { game, experiment } => {
                self.shared.laboratory.start(&experiment, &Line::of(&game)?)?;
                Ok(Some(Reply::Results(self.shared.laboratory.results())))
            }
            Request::StopExperiment => {
                self.shared.laboratory.stop();
                Ok(Some(Reply::Results(self.shared.laboratory.results())))
            }
            Request::Watch { game, machine, algorithm, processors, nodes, seed } => {
                self.watch(id, &game, Wanted { machine, algorithm, processors, nodes, seed }, out)
            }
            Request::Play { game, elo, time, clock } => {
                let is_white = Line::of(&game)?.last().is_white_to_move();
                let time = match (time, clock) {
                    (_, Some(clock)) => TimeControl::Game(Clock {
                        remaining: Duration::from_millis(if is_white { clock.white } else { clock.black }),
                        increment: Duration::from_millis(clock.increment),
                        moves_to_go: None,
                    }),
                    (time, None) => {
                        TimeControl::PerMove(Duration::from_millis(time.unwrap_or(1000).clamp(1, LONGEST_MOVE)))
                    }
                };
                let limited = if elo.is_some() { "true" } else { "false" };
                let elo = elo.unwrap_or(MAX_ELO).clamp(MIN_ELO, MAX_ELO).to_string();
                let threads = self.shared.settings.threads;
                let options = [
                    ("UCI_LimitStrength", limited.to_string()),
                    ("UCI_Elo", elo),
                    ("MultiPV", "1".to_string()),
                    ("OwnBook", "true".to_string()),
                ];
                self.search(id, &game, GoLimits { time, ..GoLimits::default() }, threads, &options, true, out).await
            }
            Request::Analyse { game, lines, threads } => {
                let limits = GoLimits { time: TimeControl::PerMove(LONGEST_ANALYSIS), ..GoLimits::default() };
                let lines = lines.unwrap_or(1).clamp(1, MOST_LINES).to_string();
                let threads = threads.unwrap_or(1).clamp(1, self.shared.settings.threads);
                let options =
                    [("UCI_LimitStrength", "false".to_string()), ("MultiPV", lines), ("OwnBook", "false".to_string())];
                self.search(id, &game, limits, threads, &options, false, out).await
            }
        }
    }

    /// Begins a search in place of the one under way.
    #[expect(clippy::too_many_arguments, reason = "they are what a search consists of")]
    async fn search(
        &mut self,
        id: u64,
        game: &Game,
        limits: GoLimits,
        threads: usize,
        options: &[(&str, String)],
        plays: bool,
        out: &Sender<Answer>,
    ) -> Result<Option<Reply>, String> {
        let line = Line::of(game)?;
        if let Some(over) = line.over() {
            return Err(format!("the game is over ({}): take a move back or begin a new game", over.reason));
        }
        let searches = Arc::clone(&self.searches);
        let engine = self.engine(out).await?;
        engine.stop();
        let threads = [("Threads", threads.to_string())];
        for (name, value) in options.iter().chain(&threads) {
            engine.set_option(name, Some(value)).map_err(|error| error.to_string())?;
        }
        engine.set_position(game.start.as_deref(), &game.moves).map_err(|error| error.to_string())?;
        // Held until the number is known: the engine may tell of the search before that.
        let mut searches = searches.lock();
        let search = engine.go(limits, false, Instant::now());
        searches.insert(search, Asked { id, notation: line.notation, plays });
        Ok(None)
    }

    /// Begins a search that the page watches, in place of the one under way.
    fn watch(&mut self, id: u64, game: &Game, wanted: Wanted, out: &Sender<Answer>) -> Result<Option<Reply>, String> {
        let line = Line::of(game)?;
        self.stop_watching();
        let signals = Arc::new(Signals::new());
        self.watching = Some(Arc::clone(&signals));
        let (shared, out) = (Arc::clone(&self.shared), out.clone());
        tokio::spawn(async move {
            // Virtual processors take a core, threads all of them: others wait for their turn.
            let threads = shared.settings.threads;
            let cores = if wanted.machine == watch::Kind::Virtual { 1 } else { threads as u32 };
            let Ok(turn) = shared.watchers.acquire_many(cores).await else { return };
            let parts = out.clone();
            let run = tokio::task::spawn_blocking(move || {
                watch::watch(&line, &wanted, threads, &signals, &|seen| {
                    let reply = match seen {
                        Seen::Begins(beginning) => Reply::TraceBegins(beginning),
                        Seen::Part(rows) => Reply::TracePart(rows),
                    };
                    // If the channel is closed, the page has gone.
                    let _ = parts.blocking_send(Answer { id: Some(id), reply });
                })
            });
            let reply = match run.await {
                Ok(Ok(summary)) => Reply::TraceEnds(summary),
                Ok(Err(message)) => Reply::error(message),
                Err(error) => Reply::error(format!("the search failed: {error}")),
            };
            drop(turn);
            let _ = out.send(Answer { id: Some(id), reply }).await;
        });
        Ok(None)
    }

    fn stop_watching(&mut self) {
        if let Some(signals) = self.watching.take() {
            signals.stop();
        }
    }

    async fn engine(&mut self, out: &Sender<Answer>) -> Result<&mut Engine, String> {
        if self.engine.is_none() {
            let (shared, searches, out) = (Arc::clone(&self.shared), Arc::clone(&self.searches), out.clone());
            let started = tokio::task::spawn_blocking(move || {
                let core = EngineCore::with(RuleSet::default(), shared.settings.hash_mib);
                let mut core = core.map_err(|error| error.to_string())?;
                shared.settings.lookup.equip(&mut core);
                let mut listener = EngineListener { searches, out, current: None };
                Ok::<_, String>(Engine::start(core, move |event| listener.hear(&event)))
            });
            self.engine = Some(started.await.map_err(|error| error.to_string())??);
        }
        self.engine.as_mut().ok_or_else(|| "the engine could not be started".to_string())
    }
}

/// What happens next.
enum Turn {
    Say(Answer),
    Hear(String),
}

/// The next message of the page or of the engine; none if the page has gone.
async fn next(socket: &mut WebSocket, answers: &mut Receiver<Answer>) -> Option<Turn> {
    loop {
        tokio::select! {
            answer = answers.recv() => return answer.map(Turn::Say),
            message = socket.recv() => match message?.ok()? {
                Message::Text(text) => return Some(Turn::Hear(text.to_string())),
                Message::Binary(_) => return Some(Turn::Hear(String::new())),
                Message::Close(_) => return None,
                Message::Ping(_) | Message::Pong(_) => {}
            },
        }
    }
}

async fn send(socket: &mut WebSocket, answer: &Answer) -> Result<(), ()> {
    let sent = tokio::time::timeout(SEND_LIMIT, socket.send(Message::text(answer.to_text()))).await;
    sent.map_err(drop)?.map_err(drop)
}

/// Makes answers of what the engine tells.
struct EngineListener {
    searches: Searches,
    out: Sender<Answer>,
    current: Option<(Asked, Position)>,
}

impl EngineListener {
    fn hear(&mut self, event: &Event) {
        if let Event::Started { search, position, .. } = event {
            self.current = self.searches.lock().remove(search).map(|asked| (asked, position.clone()));
            return;
        }
        let Some((Asked { id, notation, plays }, position)) = &self.current else { return };
        match event {
            Event::Info(found) if !found.line.is_empty() => {
                let reply = Reply::Info(progress::info(position, *notation, found));
                // A page that is slow gets the next one.
                let _ = self.out.try_send(Answer { id: Some(*id), reply });
            }
            Event::BestMove(answer) => {
                let reply = if *plays {
                    Reply::Played {
                        mv: answer.best.map(|mv| notation.show(position, mv)),
                        san: answer.best.map(|mv| chess::san(position, mv)),
                        score: answer
                            .score
                            .map(|score| progress::seen_by_white(position, &Outlook::of(score, position))),
                    }
                } else {
                    Reply::Done
                };
                // If the channel is closed, the page has gone.
                let _ = self.out.blocking_send(Answer { id: Some(*id), reply });
            }
            Event::Error(error) => {
                let reply = Reply::error(error);
                let _ = self.out.blocking_send(Answer { id: Some(*id), reply });
            }
            _ => {}
        }
    }
}
