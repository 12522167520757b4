//! The benchmark: a fixed search of fixed positions, the same number of nodes on every machine.

use crate::suite::{Builtin, Suite};
use crate::trace_file::TraceFile;
use crate::tree_row::{OrderRow, TreeRow};
use chess::{Notation, Position, RuleSet};
use engine::{EngineCore, GoLimits, SearchRequest, Signals};
use jamboree_io::WriteError;
use search::algorithms::Algorithm;
use search::{Accounts, LostNodes, Machine, Work};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Instant;
use table::{TableError, TableLayout};

/// How to run the benchmark.
#[derive(Clone, Debug)]
pub struct BenchSettings {
    /// The depth of each search.
    pub depth: i32,
    /// The size of the table in MiB.
    pub hash_mib: usize,
    /// A table with entries as a paper's program had them, instead of one of `hash_mib` MiB.
    pub table: Option<TableLayout>,
    /// Which rules are on.
    pub profile: RuleSet,
    /// The positions; none: the Bratko-Kopec and Kaufman positions.
    pub suite: Option<Suite>,
    /// What to search on.
    pub machine: Machine,
    /// By which algorithm.
    pub algorithm: Algorithm,
    /// Is the result of every node compared with a serial search?
    pub verify: bool,
}

impl BenchSettings {
    /// The default benchmark: one processor, the usual positions.
    pub fn usual(profile: RuleSet, depth: i32) -> BenchSettings {
        let algorithm = search::algorithms::default();
        let (machine, hash_mib) = (Machine::Alone, DEFAULT_HASH_MIB);
        BenchSettings { depth, hash_mib, table: None, profile, suite: None, machine, algorithm, verify: false }
    }
}

/// The default depth: it takes some seconds.
pub const DEFAULT_DEPTH: i32 = 14;
/// The default depth of the classic profile: it takes about as long.
pub const DEFAULT_CLASSIC_DEPTH: i32 = 6;
/// The table of the benchmark, in MiB.
pub const DEFAULT_HASH_MIB: usize = 16;

/// One position's result.
#[derive(Clone, Debug, Serialize)]
pub struct BenchRow {
    /// The position's name.
    pub id: String,
    /// The position.
    pub fen: String,
    /// Nodes visited.
    pub nodes: u64,
    /// Seconds taken, or ticks of virtual time.
    pub time: f64,
    /// Real seconds taken.
    pub seconds: f64,
    /// Work: the nodes of all strands.
    pub work: u64,
    /// The critical path, in nodes.
    pub span: u64,
    /// How many nodes an ideal machine would search at the same time, in each interval of ideal time.
    pub ideal: IdealRow,
    /// Where the work went, and the time of the processors.
    pub accounts: AccountRow,
    /// How often the first move was right, by type of node and depth.
    pub order: Vec<OrderRow>,
    /// The best move, as UCI writes it.
    pub best_move: String,
    /// Its score in hundredths of a pawn.
    pub score: i32,
    /// Nodes whose result was compared with that of a serial search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<u64>,
}

/// The parallelism profile: nodes in each interval of ideal time.
#[derive(Clone, Debug, Default, Serialize)]
pub struct IdealRow {
    /// Ideal time of each interval, in nodes of one processor.
    pub width: u64,
    /// Nodes searched in each interval.
    pub nodes: Vec<u64>,
}

/// Where the work went, and the time of all processors together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountRow {
    /// Wasted nodes.
    #[serde(flatten)]
    pub lost: LostWork,
    /// What the processors' time was spent on.
    #[serde(flatten)]
    pub time: TimeRow,
    /// Requests between processors.
    #[serde(flatten)]
    pub sharing: SharingRow,
    /// Table lookups and stores.
    #[serde(flatten)]
    pub table: TableRow,
    /// What the tree was like.
    #[serde(flatten)]
    pub tree: TreeRow,
}

/// Nodes that brought nothing. Failed and cutoff work have no node in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostWork {
    /// Nodes of tests that failed, so that the move had to be valued.
    pub failed_work: u64,
    /// Nodes below moves after the one that cut their parent off.
    pub cutoff_work: u64,
    /// Nodes of searches that were cut before they had an answer.
    pub aborted_work: u64,
    /// Failed work at nodes of type 2.
    pub failed_type_2: u64,
    /// Failed work at nodes of type 3.
    pub failed_type_3: u64,
    /// Cutoff work at nodes of type 2.
    pub cutoff_type_2: u64,
    /// Cutoff work at nodes of type 3.
    pub cutoff_type_3: u64,
}

impl LostWork {
    fn new(lost: &LostNodes) -> LostWork {
        let ([_, failed_type_2, failed_type_3], [_, cutoff_type_2, cutoff_type_3]) = (lost.failed, lost.cut_off);
        LostWork {
            failed_work: lost.failed.iter().sum(),
            cutoff_work: lost.cut_off.iter().sum(),
            aborted_work: lost.aborted,
            failed_type_2,
            failed_type_3,
            cutoff_type_2,
            cutoff_type_3,
        }
    }
}

/// What the time of all processors together was spent on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeRow {
    /// Running strands.
    pub working: u64,
    /// Looking for work.
    pub looking: u64,
    /// Sitting idle after refusals.
    #[serde(default)]
    pub back_off: u64,
    /// Answering requests.
    pub answering: u64,
    /// Turning frames into split points, and taking over the paths that lead to them.
    pub sharing: u64,
    /// Waiting for helpers.
    pub waiting: u64,
    /// Waiting for the table.
    pub table: u64,
    /// Serving the table for others, and passing messages on.
    #[serde(default)]
    pub serving: u64,
    /// Waiting for messages about split points, or for other hosts.
    pub network: u64,
    /// Waiting to be dismissed after a result was sent.
    #[serde(default)]
    pub dismissal: u64,
}

impl TimeRow {
    /// Time without work.
    pub fn idle(&self) -> u64 {
        self.looking + self.back_off + self.waiting + self.network + self.dismissal
    }

    /// Time with work, one's own or that of others.
    pub fn busy(&self) -> u64 {
        self.working + self.answering + self.sharing + self.table + self.serving
    }
}

/// What processors asked of each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharingRow {
    /// Requests sent.
    pub requests: u64,
    /// Requests answered with work.
    pub steals: u64,
    /// Requests refused.
    pub denials: u64,
    /// Frames shared.
    pub splits: u64,
    /// Split points that were cut off.
    pub cutoffs: u64,
    /// Parked strands carried on by another processor.
    pub carried: u64,
    /// Strands made.
    pub strands: usize,
    /// Keys of earlier positions that helpers took over, those since the last irreversible move.
    #[serde(default)]
    pub copied_keys: u64,
}

/// What was asked of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRow {
    /// Lookups.
    pub probes: u64,
    /// Lookups that found the position.
    pub hits: u64,
    /// Results stored.
    pub stores: u64,
    /// Results that the table could have given by the time they were found.
    #[serde(default)]
    pub duplicates: u64,
}

impl AccountRow {
    /// The accounts of one search.
    pub fn new(work: &Work, accounts: &Accounts) -> AccountRow {
        let total = accounts.total();
        AccountRow {
            lost: LostWork::new(&work.lost),
            time: TimeRow {
                working: total.working,
                looking: total.looking,
                back_off: total.back_off,
                answering: total.answering,
                sharing: total.sharing,
                waiting: total.waiting,
                table: total.table,
                serving: total.serving,
                network: total.network,
                dismissal: total.dismissal,
            },
            sharing: SharingRow {
                requests: total.requests,
                steals: total.steals,
                denials: total.denials,
                splits: total.splits,
                cutoffs: work.cuts,
                carried: total.carried,
                strands: accounts.strands,
                copied_keys: work.copied_keys,
            },
            table: TableRow { probes: work.probes, hits: work.hits, stores: work.stores, duplicates: work.duplicates },
            tree: TreeRow::new(work, accounts.processors.len()),
        }
    }
}

/// The whole benchmark.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bench {
    /// Position by position.
    pub positions: Vec<BenchRow>,
    /// Nodes visited in all.
    pub nodes: u64,
    /// Seconds taken in all, or ticks of virtual time.
    pub time: f64,
    /// Real seconds taken in all.
    pub seconds: f64,
    /// Work in all.
    pub work: u64,
    /// The sum of the critical paths.
    pub span: u64,
}

impl Bench {
    /// Nodes a second.
    pub fn per_second(&self) -> u64 {
        (self.nodes as f64 / self.seconds.max(1e-9)) as u64
    }

    /// The last line of every benchmark: `<N> nodes <M> nps`.
    pub fn summary(&self) -> String {
        format!("{} nodes {} nps", self.nodes, self.per_second())
    }
}

/// Why there is no benchmark.
#[derive(Debug)]
pub enum BenchError {
    /// There is no memory for the table.
    Table(TableError),
    /// Nodes can't be compared with a serial search, or one of them was wrong.
    Verification(String),
    /// The file of traces can't be written.
    Trace(WriteError),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchError::Table(error) => error.fmt(f),
            BenchError::Verification(message) => f.write_str(message),
            BenchError::Trace(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BenchError {}

impl From<TableError> for BenchError {
    fn from(error: TableError) -> BenchError {
        BenchError::Table(error)
    }
}

/// Runs the benchmark and reports each row as it is finished.
///
/// # Errors
/// If there is no memory for the table, or the result of a node was compared and was wrong.
pub fn run(settings: &BenchSettings, each: &mut dyn FnMut(&BenchRow)) -> Result<Bench, BenchError> {
    run_recorded(settings, &Signals::new(), each, None)
}

/// As [`run`]; adds the trace of every search to the file.
///
/// # Errors
/// As [`run`], and if the file can't be written.
pub fn run_traced(
    settings: &BenchSettings,
    each: &mut dyn FnMut(&BenchRow),
    traces: &mut TraceFile,
) -> Result<Bench, BenchError> {
    run_recorded(settings, &Signals::new(), each, Some(traces))
}

/// As [`run`], until `signals` say stop. Then the unfinished row and those after it are missing.
///
/// # Errors
/// If there is no memory for the table, or the result of a node was compared and was wrong.
pub fn run_until_stopped(
    settings: &BenchSettings,
    signals: &Signals,
    each: &mut dyn FnMut(&BenchRow),
) -> Result<Bench, BenchError> {
    run_recorded(settings, signals, each, None)
}

fn run_recorded(
    settings: &BenchSettings,
    signals: &Signals,
    each: &mut dyn FnMut(&BenchRow),
    mut traces: Option<&mut TraceFile>,
) -> Result<Bench, BenchError> {
    let mut engine = EngineCore::with(settings.profile.clone(), settings.hash_mib)?;
    let mut bench = Bench::default();
    engine.set_machine(settings.machine.clone());
    if let Some(layout) = settings.table {
        engine.set_table_layout(layout)?;
    }
    if settings.verify {
        engine.verify_nodes().map_err(BenchError::Verification)?;
    }
    engine.set_algorithm(settings.algorithm);
    let usual = || [Builtin::BratkoKopec, Builtin::Kaufman].into_iter().flat_map(|builtin| builtin.suite().records);
    let records = settings.suite.as_ref().map_or_else(|| usual().collect(), |suite| suite.records.clone());
    for record in records {
        let Ok(position) = record.fen.parse::<Position>() else { continue };
        engine.new_game();
        engine.record_trace(traces.as_ref().map(|traces| traces.limits()));
        let limits = GoLimits { depth: Some(settings.depth), ..GoLimits::default() };
        let started = Instant::now();
        let answer = engine.search(&SearchRequest::new(position.clone(), limits), signals, &mut |_| {});
        if signals.is_stopped() {
            break;
        }
        let seconds = started.elapsed().as_secs_f64();
        let is_virtual = matches!(settings.machine, Machine::Virtual(_));
        let row = BenchRow {
            id: record.id.unwrap_or_default(),
            fen: record.fen,
            nodes: answer.nodes,
            time: if is_virtual { answer.accounts.time as f64 } else { seconds },
            seconds,
            work: answer.work.nodes,
            span: answer.work.span,
            ideal: IdealRow { width: answer.work.profile.width(), nodes: answer.work.profile.buckets().to_vec() },
            accounts: AccountRow::new(&answer.work, &answer.accounts),
            order: OrderRow::all(&answer.work.order),
            best_move: answer.best.map_or_else(String::new, |mv| Notation::Standard.show(&position, mv)),
            score: answer.score.map_or(0, game::Score::value),
            verified: answer.verification.as_ref().map(|verification| verification.nodes),
        };
        if let Some(failure) = answer.verification.and_then(|verification| verification.failure) {
            return Err(BenchError::Verification(format!("{}: {failure}", row.id)));
        }
        if let (Some(traces), Some(trace)) = (&mut traces, &answer.trace) {
            traces.add(&row.id, trace).map_err(BenchError::Trace)?;
        }
        each(&row);
        bench.nodes += row.nodes;
        bench.time += row.time;
        bench.seconds += row.seconds;
        bench.work += row.work;
        bench.span += row.span;
        bench.positions.push(row);
    }
    Ok(bench)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_agrees_with_the_serial_search_on_every_machine() {
        let suite = Suite { records: Builtin::Kaufman.suite().records[..2].to_vec(), ..Builtin::Kaufman.suite() };
        let hosts = search::Hosts::one();
        let virtual_machine = search::VirtualMachine { processors: 16, costs: search::Costs::ideal(), seed: 1, hosts };
        let threads = search::Threads::new(3).with_grain(0);
        for machine in [Machine::Alone, Machine::Virtual(virtual_machine), Machine::Threads(threads)] {
            for algorithm in ["jamboree", "dts", "ybw", "jubilee"] {
                let algorithm = search::algorithms::by_name(algorithm).unwrap();
                let usual = BenchSettings::usual(RuleSet::parse("startech").unwrap(), 2);
                let (suite, machine) = (Some(suite.clone()), machine.clone());
                let settings = BenchSettings { suite, machine, algorithm, verify: true, ..usual };
                let bench = run(&settings, &mut |_| {}).unwrap();
                let is_most = |row: &BenchRow| row.verified.is_some_and(|verified| verified > row.nodes / 20);
                assert!(bench.positions.iter().all(is_most), "{:?}", bench.positions);
            }
        }
        let prunes = BenchSettings { verify: true, ..BenchSettings::usual(RuleSet::modern(), 2) };
        assert!(run(&prunes, &mut |_| {}).unwrap_err().to_string().contains("these rules prune"));
    }

    #[test]
    fn the_same_nodes_every_time() {
        let settings = BenchSettings { hash_mib: 1, ..BenchSettings::usual(RuleSet::modern(), 5) };
        let nodes = || run(&settings, &mut |_| {}).unwrap().positions.iter().map(|row| row.nodes).collect::<Vec<_>>();
        assert_eq!(nodes(), nodes());
    }
}
