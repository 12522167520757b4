//! Counts the games of a match and reports its result.

use super::record::{EndKind, GameResult, PlayedGame};
use super::sprt::{Sprt, SprtVerdict};
use super::statistics::{Counts, Estimate};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Counts games by pairs, in the order of the pairs, so that the result does not depend on the order in which games
/// end. A pair counts when it and all pairs before it are complete.
#[derive(Clone, Debug)]
pub struct MatchTally {
    sprt: Option<Sprt>,
    waiting: BTreeMap<usize, Vec<PlayedGame>>,
    next: usize,
    /// How many games have ended, counted or not.
    pub finished: usize,
    /// The results of the complete pairs.
    pub counts: Counts,
    /// How the sequential test ended, if it has. Nothing is counted after that.
    pub verdict: Option<SprtVerdict>,
    /// The faults of the engines.
    pub faults: Vec<Fault>,
}

/// A fault of an engine, by which it lost a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The number of the game.
    pub game: usize,
    /// Was it A's fault?
    pub by_a: bool,
    /// Its kind.
    pub kind: EndKind,
    /// In words.
    pub reason: String,
}

impl MatchTally {
    /// Before the first game.
    pub fn new(sprt: Option<Sprt>) -> MatchTally {
        let (waiting, counts) = (BTreeMap::new(), Counts::default());
        MatchTally { sprt, waiting, next: 0, finished: 0, counts, verdict: None, faults: Vec::new() }
    }

    /// Adds a game.
    pub fn add(&mut self, record: &PlayedGame) {
        self.finished += 1;
        self.waiting.entry(record.pair()).or_default().push(record.clone());
        while self.verdict.is_none()
            && let Some(mut pair) = self.waiting.remove(&self.next)
        {
            pair.sort_by_key(|record| record.game);
            let [first, second] = &pair[..] else {
                self.waiting.insert(self.next, pair);
                return;
            };
            self.next += 1;
            self.counts.add_pair([first.half_points(), second.half_points()]);
            self.faults.extend(pair.iter().filter_map(Fault::of));
            self.verdict = self.sprt.and_then(|sprt| sprt.verdict(&self.counts));
        }
    }

    /// The state of the sequential test, if there is one.
    pub fn test(&self) -> Option<SprtResult> {
        self.sprt.map(|sprt| SprtResult { sprt, llr: sprt.llr(&self.counts), verdict: self.verdict })
    }
}

impl Fault {
    /// The fault by which a game was lost, if it was.
    pub(super) fn of(record: &PlayedGame) -> Option<Fault> {
        let by_a = record.a_is_white == (record.result == GameResult::Black);
        record.kind.is_fault().then(|| Fault {
            game: record.game,
            by_a,
            kind: record.kind,
            reason: record.reason.clone(),
        })
    }
}

/// The result of a match.
#[derive(Clone, Debug, Serialize)]
pub struct MatchReport {
    /// The name of A.
    pub a: String,
    /// The name of B.
    pub b: String,
    /// The limit of their searches.
    pub limit: String,
    /// Which program played the games.
    pub played_by: String,
    /// How many games count.
    pub games: u64,
    /// The results.
    #[serde(flatten)]
    pub counts: Counts,
    /// The share of the points that A got.
    pub score: f64,
    /// How much stronger A is, with 95 % limits; none without games. JSON knows no infinity: it becomes null.
    pub elo: Option<Estimate>,
    /// Normalized Elo.
    pub normalized_elo: Option<Estimate>,
    /// The likelihood that A is stronger than B.
    pub los: f64,
    /// The sequential test.
    pub sprt: Option<SprtResult>,
    /// The Elo that fastchess printed, if it played the games.
    pub fastchess: Option<String>,
    /// The faults of the engines.
    pub faults: Vec<Fault>,
}

/// The result of a sequential test.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SprtResult {
    /// The test.
    #[serde(flatten)]
    pub sprt: Sprt,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// How it ended; none if it has not.
    pub verdict: Option<SprtVerdict>,
}

impl MatchReport {
    /// From the counts of a match, still without the sequential test and the faults.
    pub(super) fn new(names: &[String; 2], limit: String, played_by: String, counts: Counts) -> MatchReport {
        MatchReport {
            a: names[0].clone(),
            b: names[1].clone(),
            limit,
            played_by,
            games: counts.games(),
            counts,
            score: counts.score(),
            elo: counts.elo(),
            normalized_elo: counts.normalized_elo(),
            los: counts.superiority(),
            sprt: None,
            fastchess: None,
            faults: Vec::new(),
        }
    }

    /// How often an engine lost by its own fault: `2 on time, 1 by an illegal move`.
    fn faults_of(&self, a: bool) -> String {
        let mut kinds: BTreeMap<EndKind, usize> = BTreeMap::new();
        for fault in self.faults.iter().filter(|fault| fault.by_a == a) {
            *kinds.entry(fault.kind).or_default() += 1;
        }
        kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
    }
}

/// The largest number of faults that are listed.
const FAULTS_TOLD: usize = 10;

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MatchReport { a, b, limit, played_by, counts, .. } = self;
        let [zero, half, one, more, two] = counts.pairs;
        writeln!(f, "{a} against {b}, {limit}, played by {played_by}")?;
        writeln!(
            f,
            "games        {}: {} won, {} drawn, {} lost",
            self.games, counts.wins, counts.draws, counts.losses
        )?;
        writeln!(f, "score        {} of {} ({:.1} %)", counts.points(), self.games, 100.0 * self.score)?;
        writeln!(f, "pairs        {zero} {half} {one} {more} {two} (that brought 0, 0.5, 1, 1.5 and 2 points)")?;
        match &self.elo {
            Some(elo) if self.normalized_elo.is_some() => writeln!(f, "Elo          {elo} (95 %)")?,
            Some(elo) => {
                writeln!(f, "Elo          {:+.1}, but every pair had the same result: the error is unknown", elo.value)?
            }
            None => writeln!(f, "Elo          unknown: no pair is complete")?,
        }
        if let Some(elo) = &self.normalized_elo {
            writeln!(f, "normalized   {elo}")?;
        }
        writeln!(f, "LOS          {:.1} % (how likely A is the stronger one)", 100.0 * self.los)?;
        if let Some(SprtResult { sprt, llr, verdict }) = &self.sprt {
            let (low, high) = sprt.bounds();
            let verdict = match verdict {
                Some(SprtVerdict::Accepted) => format!("accepted, rather {:+} Elo than {:+}", sprt.elo1, sprt.elo0),
                Some(SprtVerdict::Rejected) => format!("rejected, rather {:+} Elo than {:+}", sprt.elo0, sprt.elo1),
                None => format!("undecided between {:+} and {:+} Elo", sprt.elo0, sprt.elo1),
            };
            writeln!(f, "SPRT         {verdict}: LLR {llr:.2} in [{low:.2}, {high:.2}]")?;
        }
        if let Some(elo) = &self.fastchess {
            writeln!(f, "fastchess    Elo: {elo}")?;
        }
        if self.faults.is_empty() {
            return write!(f, "faults       none");
        }
        for (name, faults) in [(a, self.faults_of(true)), (b, self.faults_of(false))] {
            if !faults.is_empty() {
                writeln!(f, "faults       {name} lost {faults}")?;
            }
        }
        let told: Vec<_> = self
            .faults
            .iter()
            .take(FAULTS_TOLD)
            .map(|fault| format!("  game {}: {}", fault.game, fault.reason))
            .collect();
        write!(f, "{}", told.join("\n"))?;
        if let more @ 1.. = self.faults.len().saturating_sub(FAULTS_TOLD) {
            write!(f, "\n  and {more} more")?;
        }
        let late = |a: bool| self.faults.iter().any(|fault| fault.kind == EndKind::Time && fault.by_a == a);
        if late(true) && late(false) {
            write!(f, "\nBoth lost on time: if the computer was busy, try a lower --concurrency, or --nodes.")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(game: usize, result: GameResult, kind: EndKind) -> PlayedGame {
        let (a_is_white, reason, start) = (game % 2 == 1, "B did it".to_owned(), String::new());
        PlayedGame { game, a_is_white, result, kind, reason, start, moves: Vec::new() }
    }

    #[test]
    fn pairs_count_in_their_order_whenever_they_end() {
        let games: Vec<_> = [
            GameResult::White,
            GameResult::Black,
            GameResult::Draw,
            GameResult::Draw,
            GameResult::Black,
            GameResult::Draw,
        ]
        .into_iter()
        .enumerate()
        .map(|(index, result)| record(index + 1, result, EndKind::Board))
        .collect();
        let mut tally = MatchTally::new(None);
        for index in [5, 2, 3, 0] {
            tally.add(&games[index]);
            assert_eq!(tally.counts.games(), 0);
        }
        tally.add(&games[1]);
        assert_eq!((tally.counts.pairs, tally.finished), ([0, 0, 1, 0, 1], 5));
        tally.add(&games[4]);
        assert_eq!(tally.counts.pairs, [0, 1, 1, 0, 1]);
    }

    #[test]
    fn nothing_counts_after_the_verdict() {
        let mut tally = MatchTally::new(Some("0,300".parse().unwrap()));
        for game in 1..=40 {
            let won = if game % 2 == 1 { GameResult::White } else { GameResult::Black };
            tally.add(&record(game, won, EndKind::Board));
        }
        assert_eq!((tally.verdict, tally.finished), (Some(SprtVerdict::Accepted), 40));
        assert!(tally.counts.games() < 40, "{:?}", tally.counts);
    }

    #[test]
    fn a_report_tells_everything() {
        let mut tally = MatchTally::new(Some("0,10".parse().unwrap()));
        for game in [1, 2, 3, 4] {
            let kind = if game == 1 { EndKind::Illegal } else { EndKind::Board };
            tally.add(&record(game, if game == 4 { GameResult::Draw } else { GameResult::White }, kind));
        }
        let mut report = MatchReport::new(&["me".into(), "you".into()], "3+0.03".into(), "nobody".into(), tally.counts);
        (report.sprt, report.faults) = (tally.test(), tally.faults.clone());
        let text = report.to_string();
        for line in [
            "me against you, 3+0.03, played by nobody",
            "games        4: 2 won, 1 drawn, 1 lost",
            "score        2.5 of 4 (62.5 %)",
            "pairs        0 0 1 1 0 (that brought 0, 0.5, 1, 1.5 and 2 points)",
            "faults       you lost 1 by an illegal move",
            "  game 1: B did it",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        assert!(text.contains("SPRT         undecided between +0 and +10 Elo: LLR 0."), "{text}");
        let json = serde_json::to_value(&report).unwrap();
        assert!(json["wins"] == 2 && json["pairs"][3] == 1 && json["sprt"]["elo1"] == 10.0, "{json}");
    }
}
