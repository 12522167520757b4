//! The engine without a thread of its own: table, options, book, endgame tables and the search over them.
//!
//! [`EngineCore`] does one thing at a time, on the caller's thread. The lab uses it directly; [`crate::Engine`] gives it a
//! thread and a queue. How a search runs is in `run_search`.

use crate::book::Book;
use crate::hash_file;
use crate::options::Options;
use crate::rank_group::RankGroup;
use crate::tablebase::{SearchTables, Tablebases};
use chess::evaluation::network::{Network, Numbers};
use chess::{ChessRules, EndgameTables, EvaluationObserver, Position, RuleSet};
use game::{Depth, Game, Score};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use search::algorithms::Algorithm;
use search::{Machine, RecorderLimits, Searcher, Threads};
use std::path::Path;
use std::sync::Arc;
use table::{Table, TableError, TableLayout};

/// The name of the network that is built in, in place of a file.
pub(crate) const EMBEDDED_NETWORK: &str = "<embedded>";
/// Largest file of a network in bytes: several times what the largest network takes.
const LARGEST_NETWORK: u64 = 16 << 20;

/// Two networks that give all of these the same value are taken for the same.
const FINGERPRINT_POSITIONS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqk2r/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R b KQkq - 3 8",
    "2r2rk1/1b3ppp/p3pn2/1p6/3P4/P2B1N2/1P3PPP/R2R2K1 w - - 2 19",
    "8/5pk1/4p1p1/1p1pP2p/1P1P1P1P/4K1P1/8/8 b - - 5 47",
];

/// What setting an option came to: what was loaded, if anything, or why it was refused.
pub(crate) type Applied = Result<Option<String>, String>;

/// A chess engine that works on the caller's thread.
pub struct EngineCore {
    pub(crate) options: Options,
    pub(crate) searcher: Searcher<ChessRules>,
    /// The other ranks of a cluster.
    pub(crate) ranks: Option<RankGroup>,
    pub(crate) table: Arc<Table>,
    pub(crate) tables: Option<Arc<Tablebases>>,
    pub(crate) book: Option<Arc<Book>>,
    profile: RuleSet,
    network: Arc<Network>,
    /// For the choice among book moves and weak moves.
    pub(crate) random: Xoshiro256PlusPlus,
    /// Has the table's memory been touched? The system hands out pages when they are first written to, and a search
    /// should not wait for that.
    is_prepared: bool,
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
        let clock = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64);
        Ok(EngineCore {
            options,
            searcher,
            ranks: None,
            table,
            tables: None,
            book: None,
            profile,
            network,
            random: Xoshiro256PlusPlus::seed_from_u64(clock),
            is_prepared: false,
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

    /// Gives the table another size; on an error the old one stays.
    pub(crate) fn resize_table(&mut self, mib: usize) -> Applied {
        self.resize(mib).map_err(|error| error.to_string())?;
        Ok(None)
    }

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

    /// Uses a table with entries as a paper's program had them from now on, for the machine as it is.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn set_table_layout(&mut self, layout: TableLayout) -> Result<(), TableError> {
        self.use_table(Table::with_layout(layout, self.searcher.machine.processors())?, self.options.hash_mib);
        Ok(())
    }

    fn use_table(&mut self, table: Table, mib: usize) {
        self.table = Arc::new(table);
        self.searcher.set_table(Arc::clone(&self.table));
        if let Some(ranks) = &mut self.ranks {
            ranks.use_table(&self.table);
        }
        self.options.hash_mib = mib;
        self.is_prepared = false;
    }

    /// Searches on this number of threads from now on.
    pub fn set_threads(&mut self, threads: usize) {
        let alone = threads == 1 && self.ranks.is_none();
        self.set_machine(if alone { Machine::Alone } else { Machine::Threads(Threads::new(threads)) });
    }

    pub(crate) fn set_algorithm_by_name(&mut self, name: &str) -> Applied {
        let algorithm = search::algorithms::by_name(name).ok_or_else(|| format!("no algorithm '{name}'"))?;
        self.set_algorithm(algorithm);
        Ok(None)
    }

    pub(crate) fn load_tablebases(&mut self, folders: &str) -> Applied {
        let (mut tables, mut note) = (None, None);
        if !folders.is_empty() {
            let found = Tablebases::open(folders).map_err(|error| error.to_string())?;
            note = Some(format!("found {} endgame tables of up to {} pieces", found.count(), found.largest()));
            tables = Some(Arc::new(found));
        }
        self.use_tablebases(tables);
        Ok(note)
    }

    /// Asks these endgame tables from now on. Engines of one process may share them.
    pub fn use_tablebases(&mut self, tables: Option<Arc<Tablebases>>) {
        self.tables = tables;
        self.hand_over_tables();
    }

    pub(crate) fn set_probe_depth(&mut self, depth: Depth) -> Applied {
        self.profile.tables_depth = depth;
        self.rebuild();
        Ok(None)
    }

    pub(crate) fn set_fifty_move_rule(&mut self, on: bool) -> Applied {
        if self.options.fifty_move_rule != on {
            self.options.fifty_move_rule = on;
            self.change_values();
        }
        Ok(None)
    }

    pub(crate) fn set_probe_limit(&mut self, pieces: usize) -> Applied {
        if self.options.probe_limit != pieces {
            self.options.probe_limit = pieces;
            self.change_values();
        }
        Ok(None)
    }

    /// Endgame tables give other values from now on.
    fn change_values(&mut self) {
        self.hand_over_tables();
        self.clear_table();
    }

    pub(crate) fn load_book(&mut self, path: &str) -> Applied {
        if path.is_empty() {
            self.use_book(None);
            return Ok(None);
        }
        let book = Book::open(path).map_err(|error| error.to_string())?;
        let note = format!("read an opening book of {} entries from {path}", book.entry_count());
        self.use_book(Some(Arc::new(book)));
        Ok(Some(note))
    }

    /// Has this opening book from now on; the option `OwnBook` says whether it is used. Engines of one process may share it.
    pub fn use_book(&mut self, book: Option<Arc<Book>>) {
        self.book = book;
    }

    pub(crate) fn load_network(&mut self, path: &str) -> Applied {
        let mut note = None;
        self.network = if path.is_empty() || path == EMBEDDED_NETWORK {
            Network::embedded()
        } else {
            let bytes = jamboree_io::read_file(Path::new(path), LARGEST_NETWORK).map_err(|error| error.to_string())?;
            let numbers = Numbers::from_bytes(&bytes).map_err(|error| format!("{path}: {error}"))?;
            note = Some(format!("read a network of {} neurons from {path}", numbers.hidden));
            Arc::new(Network::from(&numbers))
        };
        self.change_rules();
        Ok(note)
    }

    pub(crate) fn set_rules(&mut self, text: &str) -> Applied {
        let tables_depth = self.profile.tables_depth;
        self.set_profile(RuleSet { tables_depth, ..RuleSet::parse(text)? });
        Ok(None)
    }

    /// Searches by other rules or numbers from now on.
    pub fn set_profile(&mut self, profile: RuleSet) {
        self.profile = profile;
        self.change_rules();
    }

    /// Evaluations and results may be others from now on, so those in the table go away.
    fn change_rules(&mut self) {
        self.rebuild();
        if self.is_prepared {
            self.clear_table();
        }
    }

    /// Makes the rules anew after a change of profile.
    fn rebuild(&mut self) {
        self.searcher.rules = ChessRules::new(self.profile.clone());
        self.searcher.rules.set_network(Arc::clone(&self.network));
        self.hand_over_tables();
    }

    fn hand_over_tables(&mut self) {
        let tables = self.search_tables().map(|tables| Arc::new(tables) as Arc<dyn EndgameTables>);
        self.searcher.rules.set_tables(tables);
    }

    /// The endgame tables as the options want them to be asked.
    pub(crate) fn search_tables(&self) -> Option<SearchTables> {
        let Options { fifty_move_rule, probe_limit, .. } = self.options;
        Some(SearchTables::new(Arc::clone(self.tables.as_ref()?), fifty_move_rule, probe_limit))
    }

    /// What a position is worth at first sight, seen by the side to move.
    pub fn evaluate(&self, position: &Position) -> Score {
        self.searcher.rules.static_evaluation(position)
    }

    /// What computes the evaluation.
    pub(crate) fn evaluation_name(&self) -> &'static str {
        if self.profile.switches.general.network { "the network" } else { "weighted terms" }
    }

    /// Searches on another machine from now on.
    pub fn set_machine(&mut self, machine: Machine) {
        self.searcher.machine = machine;
    }

    /// Searches by another algorithm from now on.
    pub fn set_algorithm(&mut self, algorithm: Algorithm) {
        self.searcher.algorithm = algorithm;
    }

    /// Shows every position that searches evaluate to an observer, until the profile changes.
    pub fn observe_evaluations(&mut self, observer: Arc<dyn EvaluationObserver>) {
        self.searcher.rules.set_observer(Some(observer));
    }

    /// Keeps a record of every split point from now on.
    pub fn log_splits(&mut self) {
        self.searcher.log_splits = true;
    }

    /// Records from now on what each processor does when, up to these limits; none: no longer.
    pub fn record_trace(&mut self, limits: Option<RecorderLimits>) {
        self.searcher.record_trace = limits;
    }

    /// From now on compares the result of every node with a serial search, and searches without a table.
    ///
    /// # Errors
    /// If the rules prune: then the value of a node depends on more than its position, depth and path.
    pub fn verify_nodes(&mut self) -> Result<(), String> {
        if !self.profile.is_full_width() {
            return Err(
                "these rules prune, and what they prune depends on the order of the search: take classic,-skip_evasions".into()
            );
        }
        let none = TableLayout { format: table::EntryFormat::Zugzwang, entries: 0, for_each: false };
        self.set_table_layout(none).map_err(|error| error.to_string())?;
        self.searcher.verify = Some(search::Oracle::SerialSearch);
        Ok(())
    }

    /// Forgets everything about earlier games.
    pub fn new_game(&mut self) {
        if let Some(ranks) = &mut self.ranks {
            ranks.new_game();
        }
        self.clear_table();
        self.searcher.rules.forget();
    }

    /// How many threads search in this process.
    pub(crate) fn threads(&self) -> usize {
        match &self.searcher.machine {
            Machine::Threads(threads) => threads.processors(),
            _ => 1,
        }
    }

    /// Writes the table to the file that the option names.
    pub(crate) fn save_table(&mut self) -> Applied {
        let path = self.hash_file()?;
        self.prepare_table();
        hash_file::save(Path::new(&path), &self.table, self.fingerprint())?;
        Ok(Some(format!("wrote the table of {} MiB to {path}", self.table.mib())))
    }

    /// Reads the table from the file that the option names.
    pub(crate) fn load_table(&mut self) -> Applied {
        let path = self.hash_file()?;
        hash_file::load(Path::new(&path), &self.table, self.fingerprint())?;
        self.is_prepared = true;
        Ok(Some(format!("read a table of {} MiB from {path}", self.table.mib())))
    }

    fn hash_file(&self) -> Result<String, String> {
        if self.ranks.is_some() {
            return Err("the table of a cluster is in parts on its hosts and can't be kept in a file".into());
        }
        let path = self.options.hash_file.clone();
        if path.is_empty() { Err("set the option 'Hash File' first".into()) } else { Ok(path) }
    }

    /// Stands for everything that the results in a table depend on, besides their positions: the rules, the network, how
    /// endgame tables are asked, and how positions are numbered.
    fn fingerprint(&self) -> u32 {
        let Options { fifty_move_rule, probe_limit, .. } = self.options;
        let mut text = format!("{:?} {fifty_move_rule} {probe_limit}", self.profile);
        for fen in FINGERPRINT_POSITIONS {
            if let Ok(position) = fen.parse::<Position>() {
                text.push_str(&format!(" {:x} {}", position.key(), self.evaluate(&position).value()));
            }
        }
        crc32fast::hash(text.as_bytes())
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
        if !self.is_prepared {
            self.clear_table();
        }
    }

    fn clear_table(&mut self) {
        self.table.clear(std::thread::available_parallelism().map_or(1, usize::from));
        self.is_prepared = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Event, GoLimits, Info, SearchRequest, Signals};

    fn best(engine: &mut EngineCore, fen: &str, limits: GoLimits) -> (Answer, Vec<Info>) {
        let mut infos = Vec::new();
        let request = SearchRequest::new(fen.parse().unwrap(), limits);
        let answer = engine.search(&request, &Signals::new(), &mut |event| infos.extend(as_info(event)));
        (answer, infos)
    }

    fn as_info(event: Event) -> Option<Info> {
        if let Event::Info(info) = event { Some(info) } else { None }
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
    #[ignore = "needs JAMBOREE_SYZYGY"]
    fn endgame_tables_are_used_at_the_root_and_in_the_search() {
        let path = crate::tablebase::test_folder();
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
            assert!(infos.iter().all(|info| info.outlook.score.is_known()), "{position}");
            position = position.play(mv);
        }
        assert!(position.in_check() && !position.has_moves(), "no mate: {position}");
    }

    #[test]
    fn a_bad_network_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.jnet");
        let mut engine = EngineCore::with(RuleSet::parse("modern,network").unwrap(), 1).unwrap();
        let position: Position = "4k3/8/8/8/8/8/4P3/3RK3 w - - 0 1".parse().unwrap();
        let embedded = engine.evaluate(&position);
        let mut numbers = chess::evaluation::network::Numbers {
            hidden: 64,
            buckets: 1,
            scale: 400,
            features: vec![0; chess::evaluation::network::FEATURES * 64],
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
        assert_eq!(engine.evaluate(&position).value(), 400);
        engine.set_option("EvalFile", Some("<embedded>")).unwrap();
        assert_eq!(engine.evaluate(&position), embedded);
    }

    #[test]
    fn other_rules_forget_what_the_old_ones_evaluated() {
        let mut engine = EngineCore::with(RuleSet::modern(), 1).unwrap();
        let position = Position::default();
        best(&mut engine, &position.to_string(), GoLimits { depth: Some(5), ..GoLimits::default() });
        assert!(engine.table.probe(position.key()).is_some());
        engine.set_option("Rules", Some("modern,-network")).unwrap();
        assert!(engine.table.probe(position.key()).is_none());
    }

    #[test]
    fn a_table_is_kept_in_a_file_and_refused_where_it_does_not_fit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.hash");
        let mut engine = EngineCore::with(RuleSet::modern(), 1).unwrap();
        let error = engine.set_option("Save Hash", None).unwrap_err().to_string();
        assert_eq!(error, "option Save Hash unchanged: set the option 'Hash File' first");
        engine.set_option("Hash File", path.to_str()).unwrap();
        assert!(engine.set_option("Load Hash", None).unwrap_err().to_string().contains("no such file"));
        let position = Position::default();
        best(&mut engine, &position.to_string(), GoLimits { depth: Some(6), ..GoLimits::default() });
        let known = engine.table.probe(position.key());
        let note = engine.set_option("Save Hash", None).unwrap().unwrap();
        assert!(known.is_some() && note.starts_with("wrote the table of 1 MiB to "), "{note}");
        engine.new_game();
        assert!(engine.table.probe(position.key()).is_none());
        engine.set_option("Load Hash", None).unwrap();
        assert_eq!(engine.table.probe(position.key()), known);
        // Other rules, another size: the table stays as it is.
        for (name, value, reason) in [("Hash", "2", "set Hash to 1 first"), ("Rules", "modern,-network", "other rules")]
        {
            let mut other = EngineCore::with(RuleSet::modern(), 1).unwrap();
            other.set_option("Hash File", path.to_str()).unwrap();
            other.set_option(name, Some(value)).unwrap();
            let error = other.set_option("Load Hash", None).unwrap_err().to_string();
            assert!(error.contains(reason) && !error.contains('\n'), "{error}");
            assert!(other.table.probe(position.key()).is_none());
        }
    }

    #[test]
    fn the_shortest_search_ends_with_a_searched_move() {
        let mut engine = EngineCore::with(RuleSet::modern(), 1).unwrap();
        // The queen is attacked: any move that leaves it there is wrong.
        let fen = "rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1";
        let stopped = Signals::new();
        stopped.stop();
        for (limits, signals) in
            [(GoLimits { nodes: Some(1), ..GoLimits::default() }, Signals::new()), (GoLimits::default(), stopped)]
        {
            engine.new_game();
            let mut infos = Vec::new();
            let request = SearchRequest::new(fen.parse().unwrap(), limits);
            let answer = engine.search(&request, &signals, &mut |event| infos.extend(as_info(event)));
            assert_eq!(answer.depth, 1);
            assert!(answer.best.is_some_and(|mv| format!("{mv:?}").starts_with("g5")), "{:?}", answer.best);
            assert!(infos.last().is_some_and(|info| info.depth == 1 && Some(info.line[0]) == answer.best));
        }
    }

    #[test]
    fn a_finished_game_has_a_score_and_no_move() {
        let mut engine = EngineCore::with(RuleSet::modern(), 1).unwrap();
        for (fen, score) in
            [("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", Score::loss_in(0)), ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", Score::DRAW)]
        {
            let (answer, infos) = best(&mut engine, fen, GoLimits { depth: Some(3), ..GoLimits::default() });
            assert_eq!((answer.best, infos.len()), (None, 1));
            assert_eq!((infos[0].depth, infos[0].outlook.score), (0, score));
        }
    }

    #[test]
    fn a_book_move_is_played_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.bin");
        let start = Position::default();
        let mut bytes = crate::book::polyglot_key(start.board()).to_be_bytes().to_vec();
        // a2a4: to a4 (file 0, rank 3), from a2 (file 0, rank 1).
        let word: u16 = 3 << 3 | 1 << 9;
        bytes.extend_from_slice(&word.to_be_bytes());
        bytes.extend_from_slice(&[0, 1, 0, 0, 0, 0]);
        std::fs::write(&path, &bytes).unwrap();
        let mut engine = EngineCore::with(RuleSet::modern(), 1).unwrap();
        engine.set_option("BookFile", path.to_str()).unwrap();
        let limits = GoLimits { nodes: Some(100), ..GoLimits::default() };
        let (without, _) = best(&mut engine, &start.to_string(), limits.clone());
        assert!(without.nodes > 0);
        engine.set_option("OwnBook", Some("true")).unwrap();
        let (answer, _) = best(&mut engine, &start.to_string(), limits);
        assert_eq!((answer.nodes, answer.best.map(|mv| format!("{mv:?}"))), (0, Some("a2a4".to_string())));
    }
}
