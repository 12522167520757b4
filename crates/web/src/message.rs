//! What the page and the server say to each other: JSON objects with a `type`, one a message.
//!
//! A request carries a number that the page chooses; what answers it carries the same number.

use crate::experiments::{Experiment, Results};
use crate::lookup::Found;
use crate::position::{Game, Shown};
use crate::trace_rows::TraceRows;
use crate::watch::{self, Beginning, Summary};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The clocks of a game, in milliseconds.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Clocks {
    pub(crate) white: u64,
    pub(crate) black: u64,
    #[serde(default)]
    pub(crate) increment: u64,
}

/// A message of the page, with the number that its answers carry.
#[derive(Debug, Deserialize)]
pub(crate) struct Numbered {
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) request: Request,
}

/// What the page asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Request {
    /// What the board looks like, and which moves are legal.
    Position {
        #[serde(flatten)]
        game: Game,
    },
    /// What the opening book and the endgame tables say.
    Lookup {
        #[serde(flatten)]
        game: Game,
    },
    /// A move of the engine.
    Play {
        #[serde(flatten)]
        game: Game,
        /// The strength; none for the full one.
        elo: Option<u32>,
        /// Time for the move in milliseconds, or the clocks.
        time: Option<u64>,
        clock: Option<Clocks>,
    },
    /// The best lines, until something else is asked for.
    Analyse {
        #[serde(flatten)]
        game: Game,
        lines: Option<usize>,
        threads: Option<usize>,
    },
    /// End of the search that is under way.
    Stop,
    /// A search on virtual processors or threads, to look at.
    Watch {
        #[serde(flatten)]
        game: Game,
        #[serde(default)]
        machine: watch::Kind,
        algorithm: String,
        processors: usize,
        nodes: u64,
        #[serde(default)]
        seed: u64,
    },
    /// The results that there are.
    Results,
    /// An experiment of the lab.
    Experiment {
        #[serde(flatten)]
        game: Game,
        experiment: Experiment,
    },
    /// End of the experiment that is running.
    StopExperiment,
    /// A game from text.
    ReadPgn { text: String },
    /// A game as text.
    WritePgn {
        #[serde(flatten)]
        game: Game,
        #[serde(default)]
        tags: BTreeMap<String, String>,
    },
}

/// A score in hundredths of a pawn or moves to mate, or a win (1) or loss (-1) that endgame tables prove; seen by White.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Score {
    Cp(i32),
    Mate(i32),
    Proven(i32),
}

/// What a search has found so far.
#[derive(Debug, Serialize)]
pub(crate) struct Info {
    /// Which of the best lines it is, from 1.
    pub(crate) line: usize,
    pub(crate) depth: i32,
    pub(crate) reach: usize,
    pub(crate) score: Score,
    /// What the score says about the true value.
    pub(crate) bound: &'static str,
    /// Chances of White to win, draw and lose, in thousandths.
    pub(crate) wdl: [i32; 3],
    pub(crate) nodes: u64,
    pub(crate) nps: u64,
    /// Milliseconds.
    pub(crate) time: u64,
    pub(crate) moves: Vec<String>,
    pub(crate) san: Vec<String>,
}

/// A game that was read from text.
#[derive(Debug, Serialize)]
pub(crate) struct ReadGame {
    pub(crate) start: Option<String>,
    pub(crate) chess960: bool,
    pub(crate) moves: Vec<String>,
    pub(crate) san: Vec<String>,
    pub(crate) tags: BTreeMap<String, String>,
    /// How many games the text has; this is the first.
    pub(crate) games: usize,
}

/// What the server tells.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Reply {
    /// The first message: what there is to choose from.
    Welcome {
        version: String,
        algorithms: Vec<&'static str>,
        elo: [u32; 2],
        threads: usize,
        most_processors: usize,
        most_nodes: u64,
        most_nodes_of_threads: u64,
        /// Is there an opening book?
        book: bool,
        /// The number of pieces of the largest endgame table; 0 without tables.
        table_pieces: usize,
    },
    Position(Shown),
    Lookup(Found),
    Info(Info),
    /// The engine's move; none where there is no legal one.
    Played {
        #[serde(rename = "move")]
        mv: Option<String>,
        san: Option<String>,
        score: Option<Score>,
    },
    /// The end of an analysis.
    Done,
    Game(ReadGame),
    /// A search to look at begins.
    TraceBegins(Beginning),
    /// The next part of what its processors did. Virtual processors are told of at the end.
    TracePart(TraceRows),
    /// The end of it.
    TraceEnds(Summary),
    Results(Results),
    Pgn {
        text: String,
    },
    Error {
        message: String,
    },
}

/// The longest text of an error, in characters.
const LONGEST_ERROR: usize = 300;

impl Reply {
    /// An error in one line. It may repeat what a page has sent.
    pub(crate) fn error(message: impl std::fmt::Display) -> Reply {
        let message = message.to_string();
        let one_line = message.chars().map(|c| if c.is_control() { ' ' } else { c });
        Reply::Error { message: one_line.take(LONGEST_ERROR).collect() }
    }
}

/// A message of the server, with the number of what it answers.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    pub(crate) id: Option<u64>,
    #[serde(flatten)]
    pub(crate) reply: Reply,
}

impl Answer {
    /// The message as it is sent.
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self)
            .unwrap_or_else(|error| format!(r#"{{"type":"error","id":null,"message":"{error}"}}"#))
    }
}
