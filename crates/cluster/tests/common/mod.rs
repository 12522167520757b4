//! Ranks of one process that search a tree together.

#![allow(dead_code, reason = "every test file uses a part of it")]

use game::Score;
use game::tree::{Branch, Order, Tree};
use jamboree_cluster::{
    DistributedTable, Homes, Link, Loopback, Message, NetworkConditions, Rank, StatisticsExchange, Traffic,
};
use search::algorithms::Algorithm;
use search::{Limits, Machine, NoWatch, Plain, Ranks, Searcher, Threads, Watch};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::Table;

/// A rank that searches the tree whenever it is told to, until it is told to quit.
pub(crate) struct SearchingRank<'a> {
    pub(crate) rank: Rank,
    pub(crate) tree: &'a Tree,
    pub(crate) algorithm: Algorithm,
    pub(crate) table: Option<Arc<Table>>,
    pub(crate) watch: &'a dyn Watch<Branch>,
}

impl<'a> SearchingRank<'a> {
    /// A rank without a table and without a clock, connected by a loopback.
    pub(crate) fn new(end: Loopback, tree: &'a Tree) -> SearchingRank<'a> {
        let mut rank = Rank::new(Link::new(Box::new(end)));
        rank.fix_grain(4);
        SearchingRank { rank, tree, algorithm: search::algorithms::default(), table: None, watch: &NoWatch }
    }

    fn search(&mut self, leads: bool) -> Option<Score> {
        let mut searcher = Searcher::new(Plain::default());
        searcher.algorithm = self.algorithm;
        searcher.machine = Machine::Threads(Threads::new(2).with_grain(0));
        let own = self.table.clone().unwrap_or_else(|| Arc::new(Table::new(1).expect("a small table")));
        if self.table.is_some() {
            searcher.set_table(Arc::clone(&own));
        }
        let link = &self.rank.link;
        let homes = if self.table.is_some() { Homes::Even } else { Homes::Local };
        let far = DistributedTable::new(link.rank(), link.ranks(), homes, Arc::clone(&own));
        let mut pump = self.rank.pump(&far, &own, 2, StatisticsExchange::none());
        let ranks = Ranks { messages: &mut pump, table: Some(&far), leads };
        let limits = Limits::depth(self.tree.height());
        let mut listener = |_: search::Report<'_, _>| ControlFlow::Continue(());
        searcher.run_among(self.tree, &[], &limits, self.watch, &mut listener, Some(ranks)).score()
    }

    /// One search as the first rank.
    pub(crate) fn lead_once(&mut self) -> Option<Score> {
        self.rank.start(vec![1, 2, 3]);
        self.search(true)
    }

    /// Several searches as the first rank.
    pub(crate) fn lead(mut self, searches: usize) -> (Vec<Option<Score>>, Rank) {
        let scores = (0..searches).map(|_| self.lead_once()).collect();
        // Sent several times, for transports that lose messages.
        (0..20).for_each(|_| self.rank.link.send_to_all(&Message::Quit));
        (scores, self.rank)
    }

    /// Works for the first rank.
    pub(crate) fn follow(mut self) -> Rank {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(60) {
            match self.rank.listen() {
                Some((_, Message::Start { search, .. })) => {
                    self.rank.join(search);
                    self.search(false);
                }
                Some((_, Message::Quit)) => break,
                _ => std::thread::sleep(Duration::from_micros(50)),
            }
        }
        self.rank
    }
}

/// The scores of several searches of a tree by several ranks, and the counters of the ranks. `adapt` changes each rank
/// before it starts.
pub(crate) fn together(
    tree: &Tree,
    ranks: usize,
    searches: usize,
    conditions: NetworkConditions,
    adapt: impl Fn(&mut SearchingRank<'_>) + Sync,
) -> (Vec<Option<Score>>, Vec<Traffic>) {
    let mut ends = Loopback::ranks(ranks, conditions).into_iter();
    let adapt = &adapt;
    let rank = |end: Loopback| {
        let mut rank = SearchingRank::new(end, tree);
        adapt(&mut rank);
        rank
    };
    std::thread::scope(|scope| {
        let first = rank(ends.next().expect("a rank"));
        let others: Vec<_> = ends.map(|end| scope.spawn(move || rank(end).follow())).collect();
        let (scores, ended) = first.lead(searches);
        let mut traffic = vec![ended.link.traffic.clone()];
        // Sends what the transport has refused so far.
        drop(ended);
        traffic.extend(others.into_iter().map(|rank| rank.join().expect("a rank").link.traffic.clone()));
        (scores, traffic)
    })
}

/// What one processor finds without a table, which is the value of negamax (tested in the search crate).
pub(crate) fn alone(tree: &Tree) -> Option<Score> {
    Searcher::new(Plain::default()).run(tree, &[], &Limits::depth(tree.height())).score()
}

/// A tree of about ten million leaves.
pub(crate) fn tree(seed: u64) -> Tree {
    let order = [Order::Random, Order::Strong { percent: 70 }, Order::Ragged][seed as usize % 3];
    Tree::new(order, 6, 9, seed).expect("a tree")
}
