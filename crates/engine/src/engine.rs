//! The engine: one chess search with everything around it.

use crate::book::Book;
use crate::clock::{TimeControl, Timer};
use crate::options::{OptionError, Options, Value, check};
use crate::tablebase::{Tablebases, Wdl as TableWdl};
use crate::{Signals, strength};
use chess::{ChessRules, EndgameTables, Move, Position, Profile, Wdl};
use game::{Bound, Depth, Game, Score};
use search::{Outcome, Report, Searcher};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use table::{Table, TableError};

/// What a search is asked to keep to. The default is no limit at all.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Iterate no deeper.
    pub depth: Option<Depth>,
    /// Visit no more nodes.
    pub nodes: Option<u64>,
    /// Stop at a mate in this many moves.
    pub mate: Option<u32>,
    /// The clock.
    pub time: TimeControl,
    /// Answer only when stopped.
    pub infinite: bool,
    /// Look only at these moves; empty for all.
    pub only: Vec<Move>,
}

/// What to search.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The position.
    pub position: Position,
    /// Keys of the positions of the game before it, oldest first.
    pub history: Vec<u64>,
    /// What to keep to.
    pub limits: Limits,
}

impl Request {
    /// A request to search a position without a past.
    pub fn new(position: Position, limits: Limits) -> Request {
        Request { position, history: Vec::new(), limits }
    }
}

/// What the engine has found so far.
#[derive(Clone, Debug)]
pub struct Info {
    /// The depth of the iteration.
    pub depth: Depth,
    /// The longest path looked at.
    pub reach: usize,
    /// Which of the best lines this is, from 1.
    pub rank: usize,
    /// The score, seen by the side to move.
    pub score: Score,
    /// What the score says about the true value.
    pub bound: Bound,
    /// Nodes visited.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// How full the table is, in thousandths.
    pub permille_full: usize,
    /// Positions answered by endgame tables.
    pub table_hits: u64,
    /// The line, beginning with the best move.
    pub line: Vec<Move>,
}

/// Something to tell while a search runs.
#[derive(Clone, Debug)]
pub enum Event {
    /// What was found.
    Info(Info),
    /// Something for people to read.
    Note(String),
}

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
}

/// A chess engine.
pub struct Engine {
    options: Options,
    searcher: Searcher<ChessRules>,
    table: Arc<Table>,
    tables: Option<Arc<Tablebases>>,
    book: Option<Book>,
    profile: Profile,
    /// For the choice among book moves and weak moves.
    random: u64,
    /// Has the table's memory been touched? The system hands out pages when they are first written to, and a search
    /// should not wait for that.
    prepared: bool,
}

impl EndgameTables for Tablebases {
    fn largest(&self) -> u32 {
        Tablebases::largest(self) as u32
    }

    fn wdl(&self, position: &Position) -> Option<Wdl> {
        Some(match Tablebases::wdl(self, position.board())? {
            TableWdl::Win => Wdl::Win,
            TableWdl::Loss => Wdl::Loss,
            TableWdl::Draw | TableWdl::CursedWin | TableWdl::BlessedLoss => Wdl::Draw,
        })
    }
}

impl Engine {
    /// An engine with default options.
    ///
    /// # Errors
    /// If there is no memory for the default table.
    pub fn new() -> Result<Engine, TableError> {
        Engine::with(Profile::default(), Options::default().hash_mib)
    }

    /// An engine with a profile and a size of the table.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn with(profile: Profile, hash_mib: usize) -> Result<Engine, TableError> {
        let table = Arc::new(Table::new(hash_mib)?);
        let options = Options { hash_mib, ..Options::default() };
        let searcher = Searcher::with_table(ChessRules::new(profile.clone()), Arc::clone(&table));
        let random = std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64 | 1);
        Ok(Engine { options, searcher, table, tables: None, book: None, profile, random, prepared: false })
    }

    /// The options as they are.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// How many lines to find from now on.
    pub fn set_lines(&mut self, lines: usize) {
        self.options.lines = lines.max(1);
    }

    /// Sets an option by its UCI name. On an error everything stays as it was.
    ///
    /// # Errors
    /// If there is no such option, the value does not fit, or what it stands for can't be had.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let (name, value) = check(name, value)?;
        let refused = |reason: String| OptionError::Refused { name, reason };
        match (name, value) {
            ("Hash", Value::Number(mib)) => self.resize(mib as usize).map_err(|error| refused(error.to_string()))?,
            ("MultiPV", Value::Number(lines)) => self.options.lines = lines as usize,
            ("Move Overhead", Value::Number(ms)) => self.options.overhead = Duration::from_millis(ms),
            ("Clear Hash", _) => self.new_game(),
            ("UCI_Chess960", Value::Switch(on)) => self.options.chess960 = on,
            ("UCI_ShowWDL", Value::Switch(on)) => self.options.show_wdl = on,
            ("UCI_LimitStrength", Value::Switch(on)) => self.options.limit_strength = on,
            ("UCI_Elo", Value::Number(elo)) => self.options.elo = elo as u32,
            ("SyzygyPath", Value::Text(path)) => {
                self.tables = if path.is_empty() {
                    None
                } else {
                    Some(Arc::new(Tablebases::open(&path).map_err(|error| refused(error.to_string()))?))
                };
                self.hand_over_tables();
            }
            ("SyzygyProbeDepth", Value::Number(depth)) => {
                self.profile.parameters.tables_depth = depth as Depth;
                self.rebuild();
            }
            ("OwnBook", Value::Switch(on)) => self.options.own_book = on,
            ("BookFile", Value::Text(path)) => {
                self.book = if path.is_empty() {
                    None
                } else {
                    Some(Book::open(&path).map_err(|error| refused(error.to_string()))?)
                };
            }
            ("Rules", Value::Text(text)) => {
                self.profile.switches = Profile::parse(&text).map_err(refused)?.switches;
                self.rebuild();
            }
            // What only concerns the protocol, or the user interface.
            _ => {}
        }
        Ok(())
    }

    /// Gives the table another size; on an error the old one stays.
    fn resize(&mut self, mib: usize) -> Result<(), TableError> {
        if mib != self.options.hash_mib {
            self.table = Arc::new(Table::new(mib)?);
            self.options.hash_mib = mib;
            self.prepared = false;
            self.searcher.set_table(Arc::clone(&self.table));
        }
        Ok(())
    }

    /// Makes the rules anew after a change of profile.
    fn rebuild(&mut self) {
        self.searcher.rules = ChessRules::new(self.profile.clone());
        self.hand_over_tables();
    }

    fn hand_over_tables(&mut self) {
        let tables = self.tables.clone().map(|tables| tables as Arc<dyn EndgameTables>);
        self.searcher.rules.set_tables(tables);
    }

    /// Forgets everything about earlier games.
    pub fn new_game(&mut self) {
        self.clear_table();
        self.searcher.rules.forget();
    }

    /// Does now what would otherwise hold up the first search.
    pub fn prepare(&mut self) {
        if !self.prepared {
            self.clear_table();
        }
    }

    fn clear_table(&mut self) {
        self.table.clear(std::thread::available_parallelism().map_or(1, usize::from));
        self.prepared = true;
    }

    /// Searches until a limit is met or the signals say stop. Under `infinite`, and while pondering, the answer is held
    /// back until it is asked for.
    pub fn search(&mut self, request: &Request, signals: &Signals, listener: &mut dyn FnMut(Event)) -> Answer {
        let answer = self.book_answer(request, signals).unwrap_or_else(|| self.find(request, signals, listener));
        signals.wait(request.limits.infinite);
        answer
    }

    /// A move from the opening book, where that is wanted and one is there.
    fn book_answer(&mut self, request: &Request, signals: &Signals) -> Option<Answer> {
        let wanted = self.options.own_book && !request.limits.infinite && request.limits.only.is_empty();
        if !wanted || signals.running_since().is_none() {
            return None;
        }
        let random = self.next_random();
        let best = self.book.as_ref()?.pick(request.position.board(), random)?;
        Some(Answer { best: Some(best.into()), line: vec![best.into()], ..Answer::default() })
    }

    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn find(&mut self, request: &Request, signals: &Signals, listener: &mut dyn FnMut(Event)) -> Answer {
        self.prepare();
        let Options { lines, limit_strength, elo, overhead, .. } = self.options;
        let mut limits = search::Limits { lines, ..search::Limits::default() };
        limits.only = self.root_moves(request);
        if let Some(depth) = request.limits.depth {
            limits.depth = search::Limits::<Move>::depth(depth).depth;
        }
        limits.nodes = request.limits.nodes.unwrap_or(u64::MAX).max(1);
        limits.win_in = request.limits.mate.map(|moves| (2 * moves as usize).saturating_sub(1));
        if limit_strength {
            limits.nodes = limits.nodes.min(strength::nodes(elo));
            limits.lines = lines.max(strength::LINES);
        }
        let mut moves = Vec::new();
        request.position.moves(&mut moves);
        let choices = if limits.only.is_empty() { moves.len() } else { limits.only.len() };
        let forced = choices == 1 && matches!(request.limits.time, TimeControl::Game(_)) && !request.limits.infinite;

        self.table.age();
        let mut timer = Timer::new(signals, request.limits.time, overhead);
        let watch = Timer::new(signals, request.limits.time, overhead);
        let table = Arc::clone(&self.table);
        let mut report = |report: Report<'_, Move>| {
            if report.rank < lines {
                listener(Event::Info(info(&report, timer.elapsed(), table.permille_full())));
            }
            if !report.complete {
                return ControlFlow::Continue(());
            }
            let share = report.best_nodes as f64 / report.nodes.max(1) as f64;
            let first = report.line.first().map_or(0, |mv| mv.bits());
            let enough = timer.is_enough(first, report.score, share);
            let own_time = signals.running_since().is_some();
            if enough || (forced && own_time) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let outcome = self.searcher.run_watched(&request.position, &request.history, &limits, &watch, &mut report);
        let chosen = limit_strength.then(|| strength::choose(&outcome.moves, elo, self.next_random())).flatten();
        self.answer(&request.position, outcome, chosen)
    }

    /// The moves to look at: those asked for; where endgame tables know the position, only those that keep its value.
    fn root_moves(&self, request: &Request) -> Vec<Move> {
        let only = &request.limits.only;
        let Some(mut ranked) = self.tables.as_ref().and_then(|tables| tables.root_moves(request.position.board()))
        else {
            return only.clone();
        };
        if !only.is_empty() {
            ranked.retain(|root| only.contains(&root.mv.into()));
        }
        let Some(best) = ranked.first().copied() else { return only.clone() };
        let keeps = |wdl| match best.wdl {
            TableWdl::Win | TableWdl::Loss => wdl == best.wdl,
            _ => !matches!(wdl, TableWdl::Win | TableWdl::Loss),
        };
        // A win is played by the tables' own count, so that it never fails to make progress.
        let progress = |dtz: i32| best.wdl != TableWdl::Win || dtz.abs() == best.dtz.abs();
        ranked.iter().filter(|root| keeps(root.wdl) && progress(root.dtz)).map(|root| root.mv.into()).collect()
    }

    fn answer(&self, position: &Position, outcome: Outcome<Move>, chosen: Option<Move>) -> Answer {
        let line = match chosen {
            Some(mv) => outcome.moves.iter().find(|root| root.mv == mv).map_or(vec![mv], |root| root.line.clone()),
            None => outcome.line().to_vec(),
        };
        let best = line.first().copied();
        let ponder = line.get(1).copied().or_else(|| {
            let next = position.play(best?);
            next.unpack(self.table.probe(next.key())?.mv)
        });
        Answer { best, ponder, score: outcome.score(), line, nodes: outcome.nodes, depth: outcome.depth }
    }
}

fn info(report: &Report<'_, Move>, time: Duration, permille_full: usize) -> Info {
    Info {
        depth: report.depth,
        reach: report.reach,
        rank: report.rank + 1,
        score: report.score,
        bound: report.bound,
        nodes: report.nodes,
        time,
        permille_full,
        table_hits: report.known_hits,
        line: report.line.to_vec(),
    }
}
