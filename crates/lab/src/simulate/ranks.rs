//! The search of a case by several ranks inside this process, whose messages are delayed, damaged or lost, and one of which
//! may stop. Ranks have threads, so runs of a case differ: value and answer are checked, and nothing else.

use super::answer;
use super::case::Case;
use super::claims::{Claims, Failure};
use super::subject::{Seen, StopAt, limits, listen, searcher, table, unusable};
use cluster::{DistributedTable, Homes, Link, Loopback, Message, Rank, StatisticsExchange, Transport};
use game::Game;
use scheduler::Doorbell;
use search::{Machine, NoWatch, Plain, Ranks, Report, Threads};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use table::Table;

/// Tasks are taken back after this time, so that lost messages do not cost a second each.
const TAKE_BACK_AFTER: Duration = Duration::from_millis(50);
/// How long a rank waits for the first one.
const LONGEST: Duration = Duration::from_secs(30);
/// How often the end is told, for transports that lose messages.
const FAREWELLS: usize = 20;
/// The searches of a case.
const SEARCHES: usize = 2;

/// A transport whose rank stops: it neither sends nor receives any more, until the job is over.
struct Stopping {
    inner: Loopback,
    left: u64,
    is_over: Arc<AtomicBool>,
}

impl Stopping {
    fn is_stopped(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0 && !self.is_over.load(Ordering::Relaxed)
    }
}

impl Transport for Stopping {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn ranks(&self) -> usize {
        self.inner.ranks()
    }

    fn send(&mut self, to: usize, message: &[u8]) -> bool {
        // What a stopped rank would send is not sent, and no rank learns that.
        self.is_stopped() || self.inner.send(to, message)
    }

    fn doorbell(&self) -> Option<Doorbell> {
        self.inner.doorbell()
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        if self.is_stopped() { None } else { self.inner.receive() }
    }
}

/// Searches with the ranks of the case and checks every answer.
pub(super) fn check<G: Game>(case: &Case, root: &G, claims: &mut Claims) -> Result<(), Failure> {
    let is_over = Arc::new(AtomicBool::new(false));
    let seen = std::thread::scope(|scope| {
        let mut ends = Loopback::ranks(case.faults.ranks as usize, case.faults.conditions(case.seed)).into_iter();
        let first = ends.next();
        let last = case.faults.ranks as usize - 1;
        let others: Vec<_> = ends
            .map(|inner| {
                let left = if inner.rank() == last && case.faults.stops > 0 { case.faults.stops } else { u64::MAX };
                let end = Stopping { inner, left, is_over: Arc::clone(&is_over) };
                scope.spawn(move || follow(case, root, end))
            })
            .collect();
        let seen = first.map_or(Ok(Vec::new()), |end| lead(case, root, end, &is_over));
        for other in others {
            other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        seen
    })?;
    for seen in &seen {
        claims.nodes += seen.outcome.nodes;
        answer::check_answer(case, root, seen, claims)?;
        answer::check_values(case, root, seen, claims)?;
    }
    claims.check("every search has one answer", seen.len() == SEARCHES, || format!("{} answers", seen.len()))
}

/// What a rank keeps from one search to the next.
struct Member {
    rank: Rank,
    table: Option<Arc<Table>>,
}

impl Member {
    fn new(case: &Case, end: Box<dyn Transport>) -> Result<Member, Failure> {
        let mut rank = Rank::new(Link::new(end));
        rank.fix_grain(4);
        rank.take_back_after(TAKE_BACK_AFTER);
        Ok(Member { rank, table: table(case)? })
    }

    fn search<G: Game>(&mut self, case: &Case, root: &G, leads: bool) -> Result<Seen<G::Move>, Failure> {
        let mut searcher = searcher(case, Plain::default())?;
        searcher.machine = Machine::Threads(Threads::new(case.processors).with_grain(0));
        let own = match &self.table {
            Some(table) => Arc::clone(table),
            None => Arc::new(Table::new(1).map_err(unusable)?),
        };
        let homes = if self.table.is_some() { Homes::Even } else { Homes::Local };
        if self.table.is_some() {
            searcher.set_table(Arc::clone(&own));
        }
        let link = &self.rank.link;
        let far = DistributedTable::new(link.rank(), link.ranks(), homes, Arc::clone(&own));
        let mut pump = self.rank.pump(&far, &own, case.processors, StatisticsExchange::none());
        let ranks = Ranks { messages: &mut pump, table: Some(&far), leads };
        let (limits, mut told) = (limits(case), Vec::new());
        let outcome = if leads {
            let (watch, mut listener) = (StopAt::new(case.stop), listen(&mut told, case.reports));
            searcher.run_among(root, &[], &limits, &watch, &mut listener, Some(ranks))
        } else {
            let mut deaf = |_: Report<'_, _>| ControlFlow::Continue(());
            searcher.run_among(root, &[], &limits, &NoWatch, &mut deaf, Some(ranks))
        };
        Ok(Seen { outcome, told })
    }
}

/// The searches of the first rank.
fn lead<G: Game>(case: &Case, root: &G, end: Loopback, is_over: &AtomicBool) -> Result<Vec<Seen<G::Move>>, Failure> {
    let mut first = Member::new(case, Box::new(end))?;
    let seen = (0..SEARCHES).map(|_| {
        first.rank.start(vec![1]);
        first.search(case, root, true)
    });
    let seen = seen.collect();
    is_over.store(true, Ordering::Relaxed);
    (0..FAREWELLS).for_each(|_| first.rank.link.send_to_all(&Message::Quit));
    seen
}

/// The life of any other rank.
fn follow<G: Game>(case: &Case, root: &G, end: Stopping) -> Result<(), Failure> {
    let mut member = Member::new(case, Box::new(end))?;
    let since = Instant::now();
    while since.elapsed() < LONGEST {
        match member.rank.listen() {
            Some((_, Message::Start { search, .. })) => {
                member.rank.join(search);
                member.search(case, root, false)?;
            }
            Some((_, Message::Quit)) => break,
            _ => std::thread::sleep(Duration::from_micros(50)),
        }
    }
    Ok(())
}
