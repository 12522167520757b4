//! The ranks of a cluster, which search as one engine.
//!
//! The first rank has the engine that the user sees. It tells the others what to set, what to search and when to stop;
//! all of them have an engine of the same kind. `Threads` and `Hash` are those of all ranks together and are divided
//! by the cores of the hosts.

use crate::EngineCore;
use crate::options::{OptionEntry, RankScope};
use chess::Position;
use cluster::{DistributedTable, Homes, Link, Message, Rank, StatisticsExchange, Transport};
use search::{Limits, Machine, MessagePump, NoWatch, Ranks, RemoteResult, RemoteTask, SharedStatistics, Threads};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use table::Table;

/// How the ranks work together.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClusterSettings {
    /// Which rank keeps what part of the table.
    pub homes: Homes,
    /// Expected number of nodes from which work is given to other ranks; none: by what a message costs.
    pub grain: Option<u64>,
    /// Does no rank tell the others what it learns about moves?
    pub own_histories: bool,
    /// Tell after every search what was sent.
    pub is_talkative: bool,
}

/// What a rank knows of the others.
pub(crate) struct RankGroup {
    pub(crate) rank: Rank,
    settings: ClusterSettings,
    far: DistributedTable,
    /// Cores of each rank: those of its host, divided among the ranks there.
    cores: Vec<f64>,
    /// Has nothing been set since the others were prepared?
    is_prepared: bool,
}

/// Time that the first rank waits for the greetings of all others.
const GREETINGS: Duration = Duration::from_secs(20);
/// Time that it waits for them before a search.
const PREPARATION: Duration = Duration::from_secs(2);
/// A rank without a search sleeps this long between two looks for messages: at first, and after a while without any.
const IDLE: Duration = Duration::from_micros(500);
const LONG_IDLE: Duration = Duration::from_millis(2);
const A_WHILE: Duration = Duration::from_millis(100);

impl RankGroup {
    fn new(transport: Box<dyn Transport>, settings: ClusterSettings, table: &Arc<Table>) -> RankGroup {
        let mut rank = Rank::new(Link::new(transport));
        if let Some(nodes) = settings.grain {
            rank.fix_grain(nodes);
        }
        let (own, ranks) = (rank.link.rank(), rank.link.ranks());
        let far = DistributedTable::new(own, ranks, settings.homes, Arc::clone(table));
        RankGroup { rank, settings, far, cores: vec![1.0; ranks], is_prepared: false }
    }

    /// The engine has another table.
    pub(crate) fn use_table(&mut self, table: &Arc<Table>) {
        let link = &self.rank.link;
        self.far = DistributedTable::new(link.rank(), link.ranks(), self.settings.homes, Arc::clone(table));
    }

    /// Is this the first rank?
    pub(crate) fn leads(&self) -> bool {
        self.rank.link.rank() == 0
    }

    /// The first rank waits for the greetings of all others.
    fn wait_for_greetings(&mut self) {
        let ranks = self.rank.link.ranks();
        let mut present: Vec<Option<(f64, String)>> = vec![None; ranks];
        present[0] = Some((cores(), host()));
        let since = Instant::now();
        while present.contains(&None) && since.elapsed() < GREETINGS {
            match self.rank.listen() {
                Some((from, Message::Hello { cores, host })) => present[from] = Some((f64::from(cores), host)),
                Some(_) => {}
                None => std::thread::sleep(IDLE),
            }
        }
        let hosts: Vec<&str> = present.iter().flatten().map(|(_, host)| host.as_str()).collect();
        for (share, rank) in self.cores.iter_mut().zip(&present) {
            if let Some((cores, host)) = rank {
                *share = cores / hosts.iter().filter(|other| *other == host).count() as f64;
            }
        }
        let missing = present.iter().filter(|rank| rank.is_none()).count();
        if missing > 0 {
            self.rank.notes.push(format!("cluster: {missing} of {ranks} ranks did not answer"));
        }
    }

    /// The part of each rank in a number that is that of all together.
    pub(crate) fn divide(&self, total: u64) -> Vec<u64> {
        share_out(total, &self.cores)
    }

    /// Tells the other ranks of an option that this one has accepted; `shares` are their parts, where it is divided.
    pub(crate) fn tell_option(&mut self, entry: &OptionEntry, value: Option<&str>, shares: Option<&[u64]>) {
        if !self.leads() || entry.ranks == RankScope::First {
            return;
        }
        self.is_prepared = false;
        for rank in self.rank.link.others() {
            let value = shares.map_or_else(|| value.map(str::to_string), |shares| Some(shares[rank].to_string()));
            self.rank.link.send(rank, &Message::SetOption { name: entry.name.to_string(), value });
        }
    }

    /// The other ranks forget what they have learned.
    pub(crate) fn new_game(&mut self) {
        if self.leads() {
            self.is_prepared = false;
            self.rank.link.send_to_all(&Message::NewGame);
        }
    }

    /// Lets the other ranks do now what would hold up a search.
    pub(crate) fn prepare(&mut self) {
        if self.leads() && !self.is_prepared {
            self.rank.link.send_to_all(&Message::Prepare);
        }
    }

    /// Waits until they have done it, and everything they were told before.
    pub(crate) fn wait_until_prepared(&mut self) {
        if self.leads() && !self.is_prepared {
            self.rank.wait_until_prepared(PREPARATION);
            self.is_prepared = true;
        }
    }

    /// Remarks to tell after a search.
    pub(crate) fn notes(&mut self) -> Vec<String> {
        let mut notes = std::mem::take(&mut self.rank.notes);
        if self.settings.is_talkative {
            notes.push(format!("cluster: {}; {}", self.rank.link.traffic, self.rank.lost_time()));
        }
        notes
    }

    /// How full the tables of all ranks are, in thousandths, if this one is that full.
    pub(crate) fn fullness(&self) -> impl Fn(usize) -> usize + Send + use<> {
        let (others, ranks) = (Arc::clone(&self.rank.fullness), self.rank.link.ranks());
        move |own| (own + others.load(Ordering::Relaxed) as usize) / ranks
    }

    /// The first rank begins a search.
    pub(crate) fn start(&mut self, position: &Position, history: &[u64]) {
        self.rank.start(describe(position, history));
    }

    /// What carries messages during one search with these threads, and this rank's view of the distributed table.
    pub(crate) fn parts<'p>(
        &'p mut self,
        own: &'p Arc<Table>,
        threads: usize,
        statistics: Arc<dyn SharedStatistics>,
    ) -> (impl MessagePump<RemoteTask, RemoteResult> + 'p, &'p DistributedTable) {
        let exchange =
            StatisticsExchange::new(Some(statistics).filter(|_| !self.settings.own_histories), self.rank.link.ranks());
        (self.rank.pump(&self.far, own, threads, exchange), &self.far)
    }
}

impl Drop for RankGroup {
    fn drop(&mut self) {
        if self.leads() {
            self.rank.link.send_to_all(&Message::Quit);
        }
    }
}

impl EngineCore {
    /// Makes this engine the first rank: it searches together with all others from now on, if there are any.
    pub fn lead(&mut self, transport: Box<dyn Transport>, settings: ClusterSettings) {
        if transport.ranks() == 1 {
            return;
        }
        let mut ranks = RankGroup::new(transport, settings, &self.table);
        ranks.wait_for_greetings();
        self.ranks = Some(ranks);
        let (hash, ranks) = (self.options().hash_mib.to_string(), self.rank_count().to_string());
        for (name, value) in [("Hash", &hash), ("Threads", &ranks)] {
            // A part of what the whole engine has can be had.
            let _ = self.set_option(name, Some(value));
        }
    }

    /// Makes this engine another rank: it works for the first one until it is told to end.
    pub fn follow(&mut self, transport: Box<dyn Transport>, settings: ClusterSettings) {
        let mut ranks = RankGroup::new(transport, settings, &self.table);
        ranks.rank.link.send(0, &Message::Hello { cores: cores() as u32, host: host() });
        self.ranks = Some(ranks);
        self.set_machine(Machine::Threads(Threads::new(1)));
        let mut idle_since = Instant::now();
        loop {
            let Some(ranks) = &mut self.ranks else { return };
            let message = ranks.rank.listen();
            if message.is_none() {
                std::thread::sleep(if idle_since.elapsed() < A_WHILE { IDLE } else { LONG_IDLE });
                continue;
            }
            let refused = match message {
                Some((_, Message::SetOption { name, value })) => self.set_option(&name, value.as_deref()).err(),
                Some((_, Message::NewGame)) => {
                    self.new_game();
                    None
                }
                Some((from, Message::Prepare)) => {
                    self.prepare_table();
                    if let Some(ranks) = &mut self.ranks {
                        ranks.rank.link.send(from, &Message::Prepared);
                    }
                    None
                }
                Some((_, Message::Start { search, what })) => {
                    ranks.rank.join(search);
                    if let Some((position, history)) = understand(&what) {
                        self.prepare_table();
                        self.work_along(&position, &history);
                    }
                    None
                }
                Some((_, Message::Quit)) => return,
                _ => None,
            };
            idle_since = Instant::now();
            if let (Some(error), Some(ranks)) = (refused, &mut self.ranks) {
                ranks.rank.link.send(0, &Message::Note { text: error.to_string() });
            }
        }
    }

    /// Works for the other ranks until the search is over.
    fn work_along(&mut self, position: &Position, history: &[u64]) {
        let (table, threads) = (Arc::clone(&self.table), self.threads());
        table.age();
        let Some(ranks) = &mut self.ranks else { return };
        let (mut pump, remote_table) = ranks.parts(&table, threads, self.searcher.rules.shared_statistics());
        let others = Ranks { messages: &mut pump, table: Some(remote_table), leads: false };
        let mut listener = |_: search::Report<'_, _>| ControlFlow::Continue(());
        let limits = Limits::default();
        self.searcher.run_among(position, history, &limits, &NoWatch, &mut listener, Some(others));
    }

    /// How many ranks search together.
    fn rank_count(&self) -> usize {
        self.ranks.as_ref().map_or(1, |ranks| ranks.rank.link.ranks())
    }
}

/// Divides a number by weights: every rank gets at least one, and together they get all of it, if it is enough.
fn share_out(total: u64, weights: &[f64]) -> Vec<u64> {
    let sum: f64 = weights.iter().sum();
    let mut given = 0;
    let mut upto = 0.0;
    weights
        .iter()
        .map(|weight| {
            upto += weight;
            let target = (total as f64 * upto / sum).round() as u64;
            let share = target.saturating_sub(given).max(1);
            given += share;
            share
        })
        .collect()
}

/// A position and the keys of those before it, as bytes of a message.
fn describe(position: &Position, history: &[u64]) -> Vec<u8> {
    let mut text = position.to_string();
    for key in history {
        text.push_str(&format!("\n{key:x}"));
    }
    text.into_bytes()
}

fn understand(what: &[u8]) -> Option<(Position, Vec<u64>)> {
    let mut lines = std::str::from_utf8(what).ok()?.lines();
    let position = lines.next()?.parse().ok()?;
    let history = lines.map(|line| u64::from_str_radix(line, 16).ok()).collect::<Option<_>>()?;
    Some((position, history))
}

fn cores() -> f64 {
    std::thread::available_parallelism().map_or(1, usize::from) as f64
}

/// The name of this host; ranks on the same one share its cores.
fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").map_or_else(|_| "unknown".into(), |name| name.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, GoLimits, SearchRequest, Signals};
    use chess::RuleSet;
    use cluster::{Loopback, NetworkConditions};
    use game::Game;

    #[test]
    fn a_position_travels_with_its_past() {
        let mut position = Position::default();
        let mut history = Vec::new();
        for text in ["g1f3", "g8f6", "f3g1", "f6g8", "e2e4"] {
            history.push(position.key());
            position = position.play(chess::parse_move(&position, text).unwrap());
        }
        assert_eq!(understand(&describe(&position, &history)), Some((position, history)));
        assert_eq!(understand(b"8/8/8/8 w - -"), None);
        assert_eq!(understand(&[0xff, 0xfe]), None);
    }

    #[test]
    fn everything_is_divided_and_every_rank_gets_something() {
        assert_eq!(share_out(64, &[2.0, 2.0, 4.0]), [16, 16, 32]);
        assert_eq!(share_out(7, &[1.0; 3]).iter().sum::<u64>(), 7);
        assert_eq!(share_out(1, &[1.0; 4]), [1; 4]);
    }

    #[test]
    fn what_the_first_rank_refuses_no_other_rank_is_told() {
        let mut ends = Loopback::ranks(2, NetworkConditions::default()).into_iter();
        let first = ends.next().unwrap();
        let mut other = Rank::new(Link::new(Box::new(ends.next().unwrap())));
        other.link.send(0, &Message::Hello { cores: 1, host: "another".to_string() });
        let mut engine = EngineCore::with(RuleSet::modern(), 8).unwrap();
        engine.lead(Box::new(first), ClusterSettings::default());
        assert!(engine.set_option("EvalFile", Some("/does/not/exist")).is_err());
        assert!(engine.set_option("Rules", Some("modern,-nonsense")).is_err());
        engine.set_option("Rules", Some("modern,-network")).unwrap();
        let mut told = Vec::new();
        while let Some((_, message)) = other.listen() {
            if let Message::SetOption { name, .. } = message {
                told.push(name);
            }
        }
        assert_eq!(told, ["Hash", "Threads", "Rules"]);
    }

    /// An engine of three ranks in one process answers as an engine does.
    #[test]
    fn three_ranks_play() {
        let mut ends = Loopback::ranks(3, NetworkConditions::default()).into_iter();
        let first = ends.next().unwrap();
        std::thread::scope(|scope| {
            for end in ends {
                scope.spawn(move || {
                    let mut engine = EngineCore::with(RuleSet::modern(), 2).unwrap();
                    engine.follow(Box::new(end), ClusterSettings::default());
                });
            }
            let mut engine = EngineCore::with(RuleSet::modern(), 8).unwrap();
            engine.lead(
                Box::new(first),
                ClusterSettings { grain: Some(1), is_talkative: true, ..ClusterSettings::default() },
            );
            engine.set_option("Threads", Some("4")).unwrap();
            let mut notes = String::new();
            let mut last = 0;
            let mate: Position = "7k/8/6K1/8/8/8/8/R7 w - - 0 1".parse().unwrap();
            for (position, depth) in [(Position::default(), 9), (mate, 6)] {
                let request =
                    SearchRequest::new(position.clone(), GoLimits { depth: Some(depth), ..GoLimits::default() });
                let answer = engine.search(&request, &Signals::new(), &mut |event| match event {
                    Event::Note(text) => notes = text,
                    Event::Info(info) => last = info.nodes,
                    _ => {}
                });
                let mut legal = Vec::new();
                position.moves(&mut legal);
                assert!(answer.best.is_some_and(|best| legal.contains(&best)));
                assert!(answer.nodes >= last, "{} of {last} nodes", answer.nodes);
                if depth == 6 {
                    assert_eq!(answer.score.and_then(game::Score::plies_to_end), Some(1));
                }
            }
            assert!(notes.contains("tasks given"), "{notes}");
            engine.new_game();
        });
    }
}
