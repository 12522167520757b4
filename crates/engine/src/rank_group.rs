//! What a rank of a cluster knows of the others, and what it tells them.

use chess::Position;
use cluster::{DistributedTable, Homes, Link, Message, Rank, RankNote, Shares, StatisticsExchange, Transport};
use search::{MessagePump, RemoteResult, RemoteTask, SharedStatistics};
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

/// How the ranks of a cluster follow an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankScope {
    /// It concerns the first rank only.
    First,
    /// Every rank is told the same value.
    Each,
    /// The value is that of all ranks together, each is told its part.
    Divided,
}

/// What a rank knows of the others.
pub(crate) struct RankGroup {
    pub(crate) rank: Rank,
    settings: ClusterSettings,
    far: DistributedTable,
    /// The part of each rank in what is that of all.
    shares: Shares,
    /// Has nothing been set since the others were prepared?
    is_prepared: bool,
}

/// Time that the first rank waits for the greetings of all others.
const GREETINGS: Duration = Duration::from_secs(20);
/// Between two looks for greetings it sleeps this long.
const GREETINGS_NAP: Duration = Duration::from_micros(500);
/// Time that it waits for them before a search.
const PREPARATION: Duration = Duration::from_secs(2);

impl RankGroup {
    pub(crate) fn new(transport: Box<dyn Transport>, settings: ClusterSettings, table: &Arc<Table>) -> RankGroup {
        let mut rank = Rank::new(Link::new(transport));
        if let Some(nodes) = settings.grain {
            rank.fix_grain(nodes);
        }
        let (own, ranks) = (rank.link.rank(), rank.link.ranks());
        let far = DistributedTable::new(own, ranks, settings.homes, Arc::clone(table));
        RankGroup { rank, settings, far, shares: Shares::equal(ranks), is_prepared: false }
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
    pub(crate) fn wait_for_greetings(&mut self) {
        let ranks = self.rank.link.ranks();
        let mut present: Vec<Option<(u32, String)>> = vec![None; ranks];
        present[0] = Some((cores(), host()));
        let since = Instant::now();
        while present.contains(&None) && since.elapsed() < GREETINGS {
            match self.rank.listen() {
                Some((from, Message::Hello { cores, host })) => present[from] = Some((cores, host)),
                Some(_) => {}
                None => std::thread::sleep(GREETINGS_NAP),
            }
        }
        let told: Vec<_> =
            present.iter().map(|rank| rank.as_ref().map(|(cores, host)| (*cores, host.as_str()))).collect();
        self.shares = Shares::new(&told);
        let missing = present.iter().filter(|rank| rank.is_none()).count();
        if missing > 0 {
            self.rank.note(RankNote::Own(format!("{missing} of {ranks} ranks did not answer")));
        }
    }

    /// The part of each rank in a number that is that of all together.
    pub(crate) fn divide(&self, total: u64) -> Vec<u64> {
        self.shares.divide(total)
    }

    /// Tells the other ranks of an option that this one has accepted; `shares` are their parts, where it is divided.
    pub(crate) fn tell_option(&mut self, name: &str, scope: RankScope, value: Option<&str>, shares: Option<&[u64]>) {
        if !self.leads() || scope == RankScope::First {
            return;
        }
        self.is_prepared = false;
        for rank in self.rank.link.others() {
            let value = shares.map_or_else(|| value.map(str::to_string), |shares| Some(shares[rank].to_string()));
            self.rank.link.send(rank, &Message::SetOption { name: name.to_string(), value });
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
    pub(crate) fn notes(&mut self) -> Vec<RankNote> {
        let mut notes = std::mem::take(&mut self.rank.notes);
        if self.settings.is_talkative {
            notes.push(RankNote::Own(format!("{}; {}", self.rank.link.traffic, self.rank.lost_time())));
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

/// A position and the keys of those before it, as bytes of a message.
fn describe(position: &Position, history: &[u64]) -> Vec<u8> {
    let mut text = position.to_string();
    for key in history {
        text.push_str(&format!("\n{key:x}"));
    }
    text.into_bytes()
}

pub(crate) fn understand(what: &[u8]) -> Option<(Position, Vec<u64>)> {
    let mut lines = std::str::from_utf8(what).ok()?.lines();
    let position = lines.next()?.parse().ok()?;
    let history = lines.map(|line| u64::from_str_radix(line, 16).ok()).collect::<Option<_>>()?;
    Some((position, history))
}

/// How many cores this process may use, by its affinity and the limits of its control group.
pub fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}

/// The name of this host; ranks on the same one share its cores.
pub fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").map_or_else(|_| "unknown".into(), |name| name.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;
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
}
