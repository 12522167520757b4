//! What a rank knows of the others: whether they answer, what they have reported, and whether they return tasks.

use std::time::{Duration, Instant};

/// Time without a message after which a rank is pinged, and after which a pinged rank is lost.
const PING_AFTER: Duration = Duration::from_millis(300);
const LOST_AFTER: Duration = Duration::from_millis(900);
/// Consecutive searches without a last report after which a rank is lost.
const MAX_MISSED_REPORTS: u32 = 4;
/// A rank that held a task too long gets no task for this time, which doubles with every such case.
const BAR: Duration = Duration::from_secs(1);
/// Number of such cases after which a rank is lost.
const MAX_BARS: u32 = 4;

/// The ranks of a job, as one of them sees them.
pub(crate) struct Members {
    members: Vec<Member>,
}

struct Member {
    is_lost: bool,
    heard_at: Instant,
    is_pinged: bool,
    /// Consecutive searches without a last report.
    missed_reports: u32,
    /// How often tasks were taken back from this rank, and until when it gets no new one.
    bars: u32,
    barred_until: Option<Instant>,
    is_reproached: bool,
    progress: Progress,
}

/// What a rank has reported of the current search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    pub(crate) nodes: u64,
    pub(crate) permille_full: u32,
    /// Idle time and time spent on messages, in thousandths of the time of its processors.
    pub(crate) lost_permille: [u32; 2],
    /// The search has ended there.
    pub(crate) is_last: bool,
}

/// What to do about a rank that has sent no message for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contact {
    /// Nothing.
    Fine,
    /// Send a ping.
    Ping,
    /// Give it up: it did not answer.
    Silent,
}

impl Members {
    pub(crate) fn new(ranks: usize) -> Members {
        let member = |_| Member {
            is_lost: false,
            heard_at: Instant::now(),
            is_pinged: false,
            missed_reports: 0,
            bars: 0,
            barred_until: None,
            is_reproached: false,
            progress: Progress::default(),
        };
        Members { members: (0..ranks).map(member).collect() }
    }

    /// A search begins: silence before it does not count.
    pub(crate) fn start_watching(&mut self) {
        for member in &mut self.members {
            (member.heard_at, member.is_pinged) = (Instant::now(), false);
        }
    }

    /// A search begins: nothing has been reported of it.
    pub(crate) fn forget_progress(&mut self) {
        self.members.iter_mut().for_each(|member| member.progress = Progress::default());
    }

    pub(crate) fn is_lost(&self, rank: usize) -> bool {
        self.members[rank].is_lost
    }

    pub(crate) fn has_lost(&self) -> bool {
        self.members.iter().any(|member| member.is_lost)
    }

    /// A rank is lost. True if it was not before.
    pub(crate) fn lose(&mut self, rank: usize) -> bool {
        !std::mem::replace(&mut self.members[rank].is_lost, true)
    }

    /// A message of this rank has come.
    pub(crate) fn hear(&mut self, rank: usize) {
        (self.members[rank].heard_at, self.members[rank].is_pinged) = (Instant::now(), false);
    }

    /// How long a rank has been silent, and what to do about it. A ping counts as sent.
    pub(crate) fn contact(&mut self, rank: usize) -> Contact {
        let member = &mut self.members[rank];
        let silence = member.heard_at.elapsed();
        if member.is_pinged {
            return if silence > LOST_AFTER { Contact::Silent } else { Contact::Fine };
        }
        member.is_pinged = silence > PING_AFTER;
        if member.is_pinged { Contact::Ping } else { Contact::Fine }
    }

    /// A rank held a task too long: it gets none for a while. True if that has happened too often.
    pub(crate) fn bar(&mut self, rank: usize) -> bool {
        let member = &mut self.members[rank];
        member.barred_until = Some(Instant::now() + BAR * (1 << member.bars.min(6)));
        member.bars += 1;
        member.bars >= MAX_BARS
    }

    /// Does this rank get no task at the moment?
    pub(crate) fn is_barred(&self, rank: usize) -> bool {
        self.members[rank].barred_until.is_some_and(|until| Instant::now() < until)
    }

    /// The user is told only once that a rank sends what it may not send. True if this is the first time.
    pub(crate) fn reproach(&mut self, rank: usize) -> bool {
        !std::mem::replace(&mut self.members[rank].is_reproached, true)
    }

    pub(crate) fn progress(&self, rank: usize) -> Progress {
        self.members[rank].progress
    }

    /// What this rank itself would report of its time.
    pub(crate) fn set_lost_time(&mut self, rank: usize, lost_permille: [u32; 2]) {
        self.members[rank].progress.lost_permille = lost_permille;
    }

    /// A report of a rank; the nodes that it visited since its last one.
    pub(crate) fn report(&mut self, rank: usize, report: Progress) -> u64 {
        let progress = &mut self.members[rank].progress;
        let more = report.nodes.saturating_sub(progress.nodes);
        let (nodes, is_last) = (report.nodes.max(progress.nodes), report.is_last || progress.is_last);
        *progress = Progress { nodes, is_last, ..report };
        more
    }

    /// A search is over. True if the last report of a rank was missing too often.
    pub(crate) fn end_search(&mut self, rank: usize) -> bool {
        let member = &mut self.members[rank];
        member.missed_reports = if member.progress.is_last { 0 } else { member.missed_reports + 1 };
        member.missed_reports >= MAX_MISSED_REPORTS
    }

    /// The sum of how full the tables are, in thousandths.
    pub(crate) fn permille_full(&self) -> u32 {
        self.members.iter().map(|member| member.progress.permille_full).sum()
    }

    /// The share of the last search in which each rank was idle, and the share it spent on messages.
    pub(crate) fn lost_time(&self) -> String {
        let percent = |part: usize| {
            let ranks = self.members.iter().map(|member| ((member.progress.lost_permille[part] + 5) / 10).to_string());
            ranks.collect::<Vec<_>>().join(" ")
        };
        format!("idle {} %, on messages {} % of the time of each rank", percent(0), percent(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_that_overtake_each_other_count_once() {
        let mut members = Members::new(2);
        let report = |nodes, is_last| Progress { nodes, is_last, ..Progress::default() };
        assert_eq!([members.report(1, report(70, true)), members.report(1, report(50, false))], [70, 0]);
        assert_eq!((members.progress(1).nodes, members.progress(1).is_last), (70, true));
        members.forget_progress();
        assert_eq!(members.report(1, report(5, false)), 5);
    }

    #[test]
    fn a_rank_without_last_reports_is_lost() {
        let mut members = Members::new(2);
        let ends: Vec<bool> = (0..4).map(|_| members.end_search(1)).collect();
        assert_eq!(ends, [false, false, false, true]);
        members.report(1, Progress { is_last: true, ..Progress::default() });
        assert!(!members.end_search(1));
        assert!(members.lose(1) && !members.lose(1) && members.has_lost() && !members.is_lost(0));
    }

    #[test]
    fn a_rank_that_keeps_tasks_is_barred_and_lost_in_the_end() {
        let mut members = Members::new(2);
        assert!(!members.is_barred(1));
        let lost: Vec<bool> = (0..4).map(|_| members.bar(1)).collect();
        assert_eq!((lost, members.is_barred(1)), (vec![false, false, false, true], true));
    }

    #[test]
    fn a_silent_rank_is_pinged_before_it_is_given_up() {
        let mut members = Members::new(1);
        assert_eq!(members.contact(0), Contact::Fine);
        members.members[0].heard_at -= LOST_AFTER + PING_AFTER;
        assert_eq!([members.contact(0), members.contact(0)], [Contact::Ping, Contact::Silent]);
        members.hear(0);
        assert_eq!(members.contact(0), Contact::Fine);
    }
}
