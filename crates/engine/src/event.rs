//! What the engine tells.

use crate::evaluation::EvaluationReport;
use crate::outlook::Outlook;
use crate::{OptionError, Options};
use chess::{Move, Position};
use cluster::RankNote;
use game::{Bound, Depth, Score};
use search::{Accounts, LiveTrace, SplitRecord, Trace, Verification, Work};
use std::time::Duration;

/// What a search has found so far.
#[derive(Clone, Debug)]
pub struct Info {
    /// The depth of the iteration; 0 where the game is over.
    pub depth: Depth,
    /// The longest path looked at.
    pub reach: usize,
    /// Which of the best lines this is, from 1.
    pub line_number: usize,
    /// The score, seen by the side to move, and what it means.
    pub outlook: Outlook,
    /// What the score says about the true value.
    pub bound: Bound,
    /// Nodes visited.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// The same on the machine's own clock: ticks of a virtual machine, nanoseconds on threads, nodes on one processor.
    pub ticks: u64,
    /// The critical path so far, in nodes.
    pub span: u64,
    /// The time with work of all processors of a virtual machine so far; zero elsewhere.
    pub busy: u64,
    /// How full the table is, in thousandths.
    pub permille_full: usize,
    /// Positions answered by endgame tables.
    pub table_hits: u64,
    /// The line, beginning with the best move.
    pub line: Vec<Move>,
}

/// Something the engine tells while it works.
#[derive(Clone, Debug)]
pub enum Event {
    /// A search begins. What follows belongs to it, up to its best move.
    Started {
        /// The number that [`crate::Engine::go`] has given.
        search: u64,
        /// The position.
        position: Position,
        /// The options of the search.
        options: Options,
    },
    /// What the search has found.
    Info(Info),
    /// The root move that is being searched, in searches that take some seconds.
    CurrentMove {
        /// The depth of the iteration.
        depth: Depth,
        /// The move.
        mv: Move,
        /// Its number in the order of search, from 1.
        number: usize,
    },
    /// The trace of the search is recorded, because [`crate::EngineCore::record_trace`] asked for it. Any thread may look at it
    /// while it grows.
    Recording(LiveTrace<Move>),
    /// The end of a search.
    BestMove(Answer),
    /// An option was set.
    OptionSet {
        /// Its name.
        name: &'static str,
        /// What was loaded, where the option names a file or a folder.
        note: Option<String>,
    },
    /// Something could not be done. Everything stays as it was.
    Error(EngineError),
    /// Everything that was asked for before is done, and a search would start at once.
    Ready,
    /// The evaluation of a position.
    Evaluation(EvaluationReport),
    /// A line of a result: of a count of paths, or of the benchmark.
    Text(String),
    /// What the first rank of a cluster has to tell.
    Note(RankNote),
}

/// What the engine could not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// An option was not accepted.
    Option(OptionError),
    /// A search was asked for, but the last position was refused.
    NoPosition,
}

impl std::fmt::Display for EngineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EngineError::Option(error) => error.fmt(f),
            EngineError::NoPosition => {
                write!(f, "there is no position to search: the last one was refused; send a legal 'position'")
            }
        }
    }
}

impl std::error::Error for EngineError {}

/// The end of a search.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The move to play; none where there is no legal move.
    pub best: Option<Move>,
    /// The reply to expect.
    pub ponder: Option<Move>,
    /// The score of the best move, where it was searched.
    pub score: Option<Score>,
    /// The line behind it.
    pub line: Vec<Move>,
    /// Nodes visited.
    pub nodes: u64,
    /// The last finished iteration.
    pub depth: Depth,
    /// Work and span.
    pub work: Work,
    /// Where the time of each processor went.
    pub accounts: Accounts,
    /// Every split point, if [`crate::EngineCore::log_splits`] asked for them.
    pub splits: Vec<SplitRecord<Move>>,
    /// What each processor did when, if [`crate::EngineCore::record_trace`] asked for it.
    pub trace: Option<Box<Trace<Move>>>,
    /// What was compared with a serial search, if [`crate::EngineCore::verify_nodes`] asked for it.
    pub verification: Option<Verification>,
}
