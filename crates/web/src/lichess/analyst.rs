//! The engine that does the work: one analysis at a time, told in lines of UCI.

use super::work::Work;
use crate::shared::Settings;
use axum::body::Bytes;
use chess::RuleSet;
use engine::uci::EventWriter;
use engine::{Engine, EngineCore, Event};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Lines that wait to be sent. If there are more, some are left out, but never the last.
const WAITING_LINES: usize = 256;
/// The most lines of an analysis that Lichess reads.
const MOST_LINES: u64 = 5;

/// Where the lines of each search go, by the engine's number.
type Streams = Arc<Mutex<HashMap<u64, Sender<Bytes>>>>;

/// An engine that works for Lichess.
pub(super) struct Analyst {
    engine: Engine,
    streams: Streams,
    /// What the table belongs to.
    session: Option<String>,
    most_threads: u64,
    most_hash: u64,
}

impl Analyst {
    /// Starts an engine within the limits of the server.
    ///
    /// # Errors
    /// If there is no memory for the table: one line for the user.
    pub(super) fn start(settings: &Settings) -> Result<Analyst, String> {
        let core = EngineCore::with(RuleSet::default(), settings.hash_mib);
        let mut core = core.map_err(|error| error.to_string())?;
        settings.lookup.equip(&mut core);
        let streams = Streams::default();
        let mut listener = Listener { streams: Arc::clone(&streams), writer: EventWriter::default(), out: None };
        let mut engine = Engine::start(core, move |event| listener.hear(&event));
        // Lichess writes castling as king takes rook, in all games.
        engine.set_option("UCI_Chess960", Some("true")).map_err(|error| error.to_string())?;
        Ok(Analyst {
            engine,
            streams,
            session: None,
            most_threads: settings.threads as u64,
            most_hash: settings.hash_mib as u64,
        })
    }

    /// Begins an analysis in place of the one before; its lines, up to the best move.
    ///
    /// # Errors
    /// If the position is refused: one line.
    pub(super) fn begin(&mut self, work: &Work) -> Result<Receiver<Bytes>, String> {
        self.engine.stop();
        if !work.is_chess() {
            return Err("only chess and Chess960 are offered".into());
        }
        self.engine.set_position(Some(&work.initial_fen), &work.moves).map_err(|error| error.to_string())?;
        if self.session.as_ref() != Some(&work.session_id) {
            self.engine.new_game();
            self.session = Some(work.session_id.clone());
        }
        for (name, value, most) in [
            ("Threads", work.threads, self.most_threads),
            ("Hash", work.hash, self.most_hash),
            ("MultiPV", work.multi_pv, MOST_LINES),
        ] {
            let value = value.clamp(1, most).to_string();
            self.engine.set_option(name, Some(&value)).map_err(|error| error.to_string())?;
        }
        let (out, lines) = channel(WAITING_LINES);
        // Held until the number is known: the engine may tell of the search before that.
        let mut streams = self.streams.lock();
        let search = self.engine.go(work.limits(), false, Instant::now());
        streams.insert(search, out);
        Ok(lines)
    }

    /// Ends the analysis. It still tells its best move.
    pub(super) fn stop(&self) {
        self.engine.stop();
    }

    /// Waits until no analysis runs, at most this long. Is it so?
    pub(super) fn wait_until_idle(&self, time: Duration) -> bool {
        self.engine.wait_until_idle(time)
    }
}

/// A stream that says why there is no analysis.
pub(super) fn refusal(reason: &str) -> Receiver<Bytes> {
    let reason: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let (out, lines) = channel(1);
    // There is room for one.
    let _ = out.try_send(Bytes::from(format!("info string error: {reason}\nbestmove (none)\n")));
    lines
}

/// Makes lines of what the engine tells.
struct Listener {
    streams: Streams,
    writer: EventWriter,
    out: Option<Sender<Bytes>>,
}

impl Listener {
    fn hear(&mut self, event: &Event) {
        if let Event::Started { search, .. } = event {
            self.out = self.streams.lock().remove(search);
        }
        let text = self.writer.write(event);
        let (Some(text), Some(out)) = (text, &self.out) else { return };
        let line = Bytes::from(format!("{text}\n"));
        match event {
            // The last place is the best move's.
            Event::Info(_) if out.capacity() > 1 => drop(out.try_send(line)),
            Event::BestMove(_) => {
                // If the stream is closed, Lichess wants no more.
                let _ = out.try_send(line);
                self.out = None;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup::Lookup;
    use serde_json::{Value, json};

    const PATIENCE: Duration = Duration::from_secs(30);

    fn analyst() -> Analyst {
        let settings = Settings {
            address: ([127, 0, 0, 1], 0).into(),
            token: None,
            threads: 2,
            hash_mib: 4,
            visitors: 1,
            results: std::path::PathBuf::new(),
            lookup: Lookup::default(),
            lichess: None,
            version: String::new(),
        };
        Analyst::start(&settings).unwrap()
    }

    fn work(change: &Value) -> Work {
        let mut work = json!({"sessionId": "a", "threads": 1, "hash": 4, "multiPv": 1, "variant": "chess",
            "initialFen": chess::Position::default().to_string(), "moves": []});
        work.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        serde_json::from_value(work).unwrap()
    }

    fn all(mut lines: Receiver<Bytes>) -> Vec<String> {
        std::iter::from_fn(|| lines.blocking_recv())
            .map(|line| String::from_utf8(line.to_vec()).unwrap().trim_end().to_string())
            .collect()
    }

    /// The nodes of a search to depth 9.
    fn nodes(analyst: &mut Analyst, session: &str) -> u64 {
        let lines = all(analyst.begin(&work(&json!({"sessionId": session, "depth": 9}))).unwrap());
        let info = lines.iter().rev().find(|line| line.starts_with("info")).unwrap();
        info.split(' ').skip_while(|word| *word != "nodes").nth(1).unwrap().parse().unwrap()
    }

    #[test]
    fn an_analysis_ends_with_its_best_move() {
        let mut analyst = analyst();
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let change =
            json!({"initialFen": castling, "moves": ["e1h1"], "depth": 3, "multiPv": 2, "threads": 500, "hash": 99999});
        let lines = all(analyst.begin(&work(&change)).unwrap());
        assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
        assert!(lines.iter().rev().skip(1).all(|line| line.starts_with("info depth ")), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains(" multipv 2 ")));
        // What Lichess can't parse must not be there.
        assert!(!lines.iter().any(|line| line.contains(" wdl ")));
    }

    #[test]
    fn the_table_is_kept_within_a_session() {
        let mut analyst = analyst();
        let first = nodes(&mut analyst, "a");
        assert!(nodes(&mut analyst, "a") < first);
        assert_eq!(nodes(&mut analyst, "b"), first);
    }

    #[test]
    fn an_analysis_without_end_is_stopped_and_replaced() {
        let mut analyst = analyst();
        let first = analyst.begin(&work(&json!({}))).unwrap();
        let second = analyst.begin(&work(&json!({"moves": ["e2e4"]}))).unwrap();
        assert!(all(first).last().unwrap().starts_with("bestmove "));
        assert!(!analyst.wait_until_idle(Duration::from_millis(100)));
        analyst.stop();
        assert!(analyst.wait_until_idle(PATIENCE));
        assert!(all(second).last().unwrap().starts_with("bestmove "));
    }

    #[test]
    fn what_can_not_be_analysed_is_refused() {
        let mut analyst = analyst();
        for change in [json!({"variant": "atomic"}), json!({"initialFen": "no\nposition"}), json!({"moves": ["e2e5"]})]
        {
            let reason = analyst.begin(&work(&change)).unwrap_err();
            let lines = all(refusal(&reason));
            let lines: Vec<&str> = lines.iter().flat_map(|line| line.split('\n')).collect();
            assert!(lines.len() == 2 && lines[1] == "bestmove (none)", "{lines:?}");
        }
    }
}
