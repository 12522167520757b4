//! The engine: one chess search with everything around it.

use crate::book::Book;
use crate::clock::{TimeControl, Timer};
use crate::options::{EMBEDDED, OptionError, Options, Value, check};
use crate::ranks::RankGroup;
use crate::tablebase::{Tablebases, Wdl as TableWdl};
use crate::{Signals, strength};
use chess::evaluation::network::Network;
use chess::{ChessRules, EndgameTables, Move, Position, RuleSet, Wdl};
use game::{Bound, Depth, Game, Score};
use search::algorithms::Algorithm;
use search::{Accounts, Machine, Outcome, RemoteTable, Report, Searcher, SplitRecord, Threads, Work};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use table::{Table, TableError};

/// What a search is asked to keep to. The default is no limit at all.
#[derive(Clone, Debug, Default)]
pub struct GoLimits {
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
pub struct SearchRequest {
    /// The position.
    pub position: Position,
    /// Keys of the positions of the game before it, oldest first.
    pub history: Vec<u64>,
    /// What to keep to.
    pub limits: GoLimits,
}

impl SearchRequest {
    /// A request to search a position without a past.
    pub fn new(position: Position, limits: GoLimits) -> SearchRequest {
        SearchRequest { position, history: Vec::new(), limits }
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
    pub line_number: usize,
    /// The score, seen by the side to move.
    pub score: Score,
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
    /// Work and span.
    pub work: Work,
    /// Where the time of each processor went.
    pub accounts: Accounts,
    /// Every split point, if [`EngineCore::log_splits`] asked for them.
    pub splits: Vec<SplitRecord<Move>>,
}

/// A chess engine.
pub struct EngineCore {
    options: Options,
    pub(crate) searcher: Searcher<ChessRules>,
    /// The other ranks of a cluster.
    pub(crate) ranks: Option<RankGroup>,
    table: Arc<Table>,
    tables: Option<Arc<Tablebases>>,
    book: Option<Book>,
    profile: RuleSet,
    network: Arc<Network>,
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

impl EngineCore {
    /// An engine with default options.
    ///
    /// # Errors
    /// If there is no memory for the default table.
    pub fn new() -> Result<EngineCore, TableError> {
        EngineCore::with(RuleSet::default(), Options::default().hash_mib)
    }

    /// An engine with a profile and a size of the table.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn with(profile: RuleSet, hash_mib: usize) -> Result<EngineCore, TableError> {
        let table = Arc::new(Table::new(hash_mib)?);
        let options = Options { hash_mib, ..Options::default() };
        let searcher = Searcher::with_table(ChessRules::new(profile.clone()), Arc::clone(&table));
        let network = Network::embedded();
        let random = std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64 | 1);
        Ok(EngineCore {
            options,
            searcher,
            ranks: None,
            table,
            tables: None,
            book: None,
            profile,
            network,
            random,
            prepared: false,
        })
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
        check(name, value)?;
        let own = match &mut self.ranks {
            Some(ranks) => ranks.distribute(name, value),
            None => value.map(str::to_string),
        };
        let (name, value) = check(name, own.as_deref())?;
        let refused = |reason: String| OptionError::Refused { name, reason };
        match (name, value) {
            ("Hash", Value::Number(mib)) => self.resize(mib as usize).map_err(|error| refused(error.to_string()))?,
            ("Threads", Value::Number(1)) if self.ranks.is_none() => self.set_machine(Machine::Alone),
            ("Threads", Value::Number(threads)) => self.set_machine(Machine::Threads(Threads::new(threads as usize))),
            ("Algorithm", Value::Text(algorithm)) => {
                let Some(algorithm) = search::algorithms::by_name(&algorithm) else { unreachable!("it was checked") };
                self.set_algorithm(algorithm);
            }
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
                self.profile.tables_depth = depth as Depth;
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
            ("EvalFile", Value::Text(path)) => {
                self.network = if path.is_empty() || path == EMBEDDED {
                    Network::embedded()
                } else {
                    Arc::new(Network::open(&path).map_err(|error| refused(error.to_string()))?)
                };
                self.rebuild();
                // The table holds evaluations of the old network.
                self.clear_table();
            }
            ("Rules", Value::Text(text)) => {
                let tables_depth = self.profile.tables_depth;
                self.set_profile(RuleSet { tables_depth, ..RuleSet::parse(&text).map_err(refused)? });
            }
            // What only concerns the protocol, or the user interface.
            _ => {}
        }
        Ok(())
    }

    /// Gives the table another size; on an error the old one stays.
    fn resize(&mut self, mib: usize) -> Result<(), TableError> {
        let old = self.options.hash_mib;
        if mib == old {
            return Ok(());
        }
        let table = match Table::new(mib) {
            // There would be room if the old table were gone.
            Err(TableError::NotEnoughMemory { available_mib, .. }) if available_mib.saturating_add(old) >= mib => {
                self.use_table(Table::new(Table::MIN_MIB)?, Table::MIN_MIB);
                match Table::new(mib) {
                    Ok(table) => table,
                    Err(error) => {
                        self.use_table(Table::new(old)?, old);
                        return Err(error);
                    }
                }
            }
            table => table?,
        };
        self.use_table(table, mib);
        Ok(())
    }

    fn use_table(&mut self, table: Table, mib: usize) {
        self.table = Arc::new(table);
        self.searcher.set_table(Arc::clone(&self.table));
        if let Some(ranks) = &mut self.ranks {
            ranks.use_table(&self.table);
        }
        self.options.hash_mib = mib;
        self.prepared = false;
    }

    /// Searches by other rules or numbers from now on.
    pub fn set_profile(&mut self, profile: RuleSet) {
        self.profile = profile;
        self.rebuild();
    }

    /// Makes the rules anew after a change of profile.
    fn rebuild(&mut self) {
        self.searcher.rules = ChessRules::new(self.profile.clone());
        self.searcher.rules.set_network(Arc::clone(&self.network));
        self.hand_over_tables();
    }

    fn hand_over_tables(&mut self) {
        let tables = self.tables.clone().map(|tables| tables as Arc<dyn EndgameTables>);
        self.searcher.rules.set_tables(tables);
    }

    /// What a position is worth at first sight, seen by the side to move.
    pub fn evaluate(&self, position: &Position) -> Score {
        self.searcher.rules.static_evaluation(position)
    }

    /// Searches on another machine from now on.
    pub fn set_machine(&mut self, machine: Machine) {
        self.searcher.machine = machine;
    }

    /// Searches by another algorithm from now on.
    pub fn set_algorithm(&mut self, algorithm: Algorithm) {
        self.searcher.algorithm = algorithm;
    }

    /// Keeps a record of every split point from now on.
    pub fn log_splits(&mut self) {
        self.searcher.log_splits = true;
    }

    /// Forgets everything about earlier games.
    pub fn new_game(&mut self) {
        if let Some(ranks) = &mut self.ranks {
            ranks.new_game();
        }
        self.clear_table();
        self.searcher.rules.forget();
    }

    pub(crate) fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// How many threads search in this process.
    pub(crate) fn threads(&self) -> usize {
        match &self.searcher.machine {
            Machine::Threads(threads) => threads.processors(),
            _ => 1,
        }
    }

    /// Does now what would otherwise hold up the first search, here and on the other ranks of a cluster.
    pub fn prepare(&mut self) {
        if let Some(ranks) = &mut self.ranks {
            ranks.prepare();
        }
        self.prepare_table();
        if let Some(ranks) = &mut self.ranks {
            ranks.wait_until_prepared();
        }
    }

    pub(crate) fn prepare_table(&mut self) {
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
    pub fn search(
        &mut self,
        request: &SearchRequest,
        signals: &Signals,
        listener: &mut (dyn FnMut(Event) + Send),
    ) -> Answer {
        let answer = self.book_answer(request, signals).unwrap_or_else(|| self.find(request, signals, listener));
        signals.wait(request.limits.infinite);
        answer
    }

    /// A move from the opening book, where that is wanted and one is there.
    fn book_answer(&mut self, request: &SearchRequest, signals: &Signals) -> Option<Answer> {
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

    fn find(&mut self, request: &SearchRequest, signals: &Signals, listener: &mut (dyn FnMut(Event) + Send)) -> Answer {
        self.prepare_table();
        let Options { lines, limit_strength, elo, overhead, .. } = self.options;
        let mut limits = search::Limits { lines, ..search::Limits::default() };
        let (only, certain) = self.root_moves(request);
        limits.only = only;
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
        let whole = self.ranks.as_ref().map(RankGroup::fullness);
        let fullness = |own| whole.as_ref().map_or(own, |whole| whole(own));
        let mut report = |report: Report<'_, Move>| {
            if report.line_number < lines {
                let score = certain.map_or(report.score, |wdl| certain_score(wdl, report.score));
                listener(Event::Info(info(&report, score, timer.elapsed(), fullness(table.permille_full()))));
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
        let threads = self.threads();
        let mut post = None;
        if let Some(ranks) = &mut self.ranks {
            ranks.start(&request.position, &request.history);
            post = Some(ranks.parts(&self.table, threads, self.searcher.rules.lore()));
        }
        let others = post.as_mut().map(|(porter, far)| search::Ranks {
            messages: porter,
            table: Some(*far as &dyn RemoteTable),
            leads: true,
        });
        let (position, history) = (&request.position, &request.history);
        let outcome = self.searcher.run_among(position, history, &limits, &watch, &mut report, others);
        drop(post);
        if let Some(ranks) = &mut self.ranks {
            ranks.notes().into_iter().for_each(|note| listener(Event::Note(note)));
        }
        let chosen = limit_strength.then(|| strength::choose(&outcome.moves, elo, self.next_random())).flatten();
        self.answer(&request.position, outcome, chosen)
    }

    /// The moves to look at: those asked for; where endgame tables know the position, only those that keep its value,
    /// which is then certain.
    fn root_moves(&self, request: &SearchRequest) -> (Vec<Move>, Option<TableWdl>) {
        let only = &request.limits.only;
        let Some(mut ranked) = self.tables.as_ref().and_then(|tables| tables.root_moves(request.position.board()))
        else {
            return (only.clone(), None);
        };
        if !only.is_empty() {
            ranked.retain(|root| only.contains(&root.mv.into()));
        }
        let Some(best) = ranked.first().copied() else { return (only.clone(), None) };
        let keeps = |wdl| match best.wdl {
            TableWdl::Win | TableWdl::Loss => wdl == best.wdl,
            _ => !matches!(wdl, TableWdl::Win | TableWdl::Loss),
        };
        // A win is played by the tables' own count, so that it never fails to make progress.
        let progress = |dtz: i32| best.wdl != TableWdl::Win || dtz.abs() == best.dtz.abs();
        let kept = ranked.iter().filter(|root| keeps(root.wdl) && progress(root.dtz)).map(|root| root.mv.into());
        (kept.collect(), Some(best.wdl))
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
        let score = outcome.score();
        let Outcome { depth, nodes, work, accounts, splits, .. } = outcome;
        Answer { best, ponder, score, line, nodes, depth, work, accounts, splits }
    }
}

/// The score of a position whose value the tables know: a mate if one was found, else as certain as they are.
fn certain_score(wdl: TableWdl, found: Score) -> Score {
    match wdl {
        _ if found.plies_to_end().is_some() => found,
        TableWdl::Win => Score::known_win(0),
        TableWdl::Loss => -Score::known_win(0),
        TableWdl::Draw | TableWdl::CursedWin | TableWdl::BlessedLoss => Score::DRAW,
    }
}

fn info(report: &Report<'_, Move>, score: Score, time: Duration, permille_full: usize) -> Info {
    Info {
        depth: report.depth,
        reach: report.reach,
        line_number: report.line_number + 1,
        score,
        bound: report.bound,
        nodes: report.nodes,
        time,
        ticks: report.ticks,
        span: report.span,
        permille_full,
        table_hits: report.known_hits,
        line: report.line.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(engine: &mut EngineCore, fen: &str, limits: GoLimits) -> (Answer, Vec<Info>) {
        let mut infos = Vec::new();
        let request = SearchRequest::new(fen.parse().unwrap(), limits);
        let answer = engine.search(&request, &Signals::new(), &mut |event| {
            if let Event::Info(info) = event {
                infos.push(info);
            }
        });
        (answer, infos)
    }

    #[test]
    fn a_table_that_cannot_be_had_leaves_the_old_one() {
        let mut engine = EngineCore::with(RuleSet::modern(), 2).unwrap();
        let position = Position::default();
        best(&mut engine, &position.to_string(), GoLimits { depth: Some(5), ..GoLimits::default() });
        assert!(engine.table.probe(position.key()).is_some());
        assert!(engine.set_option("hash", Some("33000000")).is_err());
        assert!(engine.table.probe(position.key()).is_some() && engine.options().hash_mib == 2);
        engine.set_option("Hash", Some("3")).unwrap();
        assert!(engine.table.probe(position.key()).is_none() && engine.options().hash_mib == 3);
    }

    #[test]
    fn endgame_tables_are_used_at_the_root_and_in_the_search() {
        let Ok(path) = std::env::var("JAMBOREE_SYZYGY") else {
            eprintln!("not tested: set JAMBOREE_SYZYGY to a folder of tables; scripts/get-syzygy.sh gets one");
            return;
        };
        let mut engine = EngineCore::with(RuleSet::modern(), 2).unwrap();
        engine.set_option("SyzygyPath", Some(&path)).unwrap();
        let limits = GoLimits { depth: Some(8), ..GoLimits::default() };
        // Five pieces: in the tables after one capture.
        let (_, infos) = best(&mut engine, "8/8/8/3k4/1r6/3K4/1P1R4/8 w - - 0 1", limits.clone());
        assert!(infos.last().is_some_and(|info| info.table_hits > 0));
        // Four pieces: certain, and played without detours.
        let mut position: Position = "8/8/8/8/8/2k5/8/KR6 w - - 0 1".parse().unwrap();
        for _ in 0..60 {
            let (answer, infos) = best(&mut engine, &position.to_string(), limits.clone());
            let Some(mv) = answer.best else { break };
            assert!(infos.iter().all(|info| info.score.is_known()), "{position}");
            position = position.play(mv);
        }
        assert!(position.in_check() && !position.has_moves(), "no mate: {position}");
    }

    #[test]
    fn a_bad_network_leaves_the_old_one() {
        let path = std::env::temp_dir().join(format!("jamboree-network-{}.jnet", std::process::id()));
        let mut engine = EngineCore::with(RuleSet::parse("modern,network").unwrap(), 1).unwrap();
        let position: Position = "4k3/8/8/8/8/8/4P3/3RK3 w - - 0 1".parse().unwrap();
        let embedded = engine.evaluate(&position);
        let mut numbers = chess::evaluation::network::Numbers {
            hidden: 64,
            buckets: 1,
            scale: 400,
            features: vec![0; 768 * 64],
            biases: vec![0; 64],
            output: vec![0; 128],
            output_biases: vec![255 * 64],
        };
        std::fs::write(&path, numbers.to_bytes()).unwrap();
        engine.set_option("EvalFile", path.to_str()).unwrap();
        assert_eq!(engine.evaluate(&position).value(), 400);
        numbers.buckets = 2;
        std::fs::write(&path, numbers.to_bytes()).unwrap();
        let error = engine.set_option("EvalFile", path.to_str()).unwrap_err().to_string();
        assert!(error.starts_with("option EvalFile unchanged") && !error.contains('\n'), "{error}");
        assert!(engine.set_option("EvalFile", Some("/does/not/exist.jnet")).is_err());
        let _ = std::fs::remove_file(&path);
        assert_eq!(engine.evaluate(&position).value(), 400);
        engine.set_option("EvalFile", Some("<embedded>")).unwrap();
        assert_eq!(engine.evaluate(&position), embedded);
    }

    #[test]
    fn a_book_move_is_played_at_once() {
        let path = std::env::temp_dir().join(format!("jamboree-book-{}.bin", std::process::id()));
        let start = Position::default();
        let mut bytes = crate::book::polyglot_key(start.board()).to_be_bytes().to_vec();
        // a2a4: to a4 (file 0, rank 3), from a2 (file 0, rank 1).
        let word: u16 = 3 << 3 | 1 << 9;
        bytes.extend_from_slice(&word.to_be_bytes());
        bytes.extend_from_slice(&[0, 1, 0, 0, 0, 0]);
        std::fs::write(&path, &bytes).unwrap();
        let mut engine = EngineCore::with(RuleSet::modern(), 1).unwrap();
        engine.set_option("BookFile", path.to_str()).unwrap();
        let _ = std::fs::remove_file(&path);
        let limits = GoLimits { nodes: Some(100), ..GoLimits::default() };
        let (without, _) = best(&mut engine, &start.to_string(), limits.clone());
        assert!(without.nodes > 0);
        engine.set_option("OwnBook", Some("true")).unwrap();
        let (answer, _) = best(&mut engine, &start.to_string(), limits);
        assert_eq!((answer.nodes, answer.best.map(|mv| format!("{mv:?}"))), (0, Some("a2a4".to_string())));
    }
}
