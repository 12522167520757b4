//! The course of a match: what was known after each pair of games.

use super::record::{EndKind, GameResult, PlayedGame};
use super::sprt::Sprt;
use super::statistics::{Counts, Estimate};
use serde::Serialize;
use std::collections::BTreeMap;

/// What the page of a match needs of a game.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GameEnd {
    pub(super) a_is_white: bool,
    pub(super) half_points: u8,
    pub(super) kind: EndKind,
    pub(super) reason: String,
    /// How many half-moves it had; zero if another program played it and kept them for itself.
    pub(super) plies: usize,
}

impl GameEnd {
    pub(super) fn of(record: &PlayedGame) -> GameEnd {
        let reason = match (record.kind, record.result) {
            // A mate is named without its colour; the words of a fault are those of one game.
            (EndKind::Board, GameResult::White | GameResult::Black) => "mate".to_owned(),
            (EndKind::Board, GameResult::Draw) => record.reason.clone(),
            (EndKind::Adjudicated, _) => format!("adjudicated: {}", record.reason),
            (fault, _) => format!("lost {fault}"),
        };
        let (a_is_white, half_points) = (record.a_is_white, record.half_points());
        GameEnd { a_is_white, half_points, kind: record.kind, reason, plies: record.moves.len() }
    }
}

/// The state of a match after a pair of games.
#[derive(Clone, Debug)]
pub(super) struct CourseRow {
    /// Games so far.
    pub(super) games: u64,
    pub(super) counts: Counts,
    pub(super) elo: Option<Estimate>,
    /// The log-likelihood ratio of the sequential test.
    pub(super) llr: Option<f64>,
}

/// A line of `course.csv`.
#[derive(Serialize)]
pub(super) struct CourseLine {
    games: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    elo: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    llr: Option<f64>,
}

impl CourseRow {
    /// The row as a line of `course.csv`.
    pub(super) fn line(&self) -> CourseLine {
        let CourseRow { games, counts: Counts { wins, draws, losses, .. }, elo, llr } = *self;
        let (low, high) = (elo.map(|elo| elo.low), elo.map(|elo| elo.high));
        CourseLine { games, won: wins, drawn: draws, lost: losses, elo: elo.map(|elo| elo.value), low, high, llr }
    }
}

/// The pairs that count, as in [`MatchTally`](super::MatchTally): complete, after complete ones, and before the verdict.
pub(super) struct Course<'a> {
    /// A row for each pair.
    pub(super) rows: Vec<CourseRow>,
    /// The games of these pairs, by number.
    pub(super) games: Vec<(usize, &'a GameEnd)>,
}

impl Course<'_> {
    /// The course of games that are known by their numbers, from 1.
    pub(super) fn of(games: &BTreeMap<usize, GameEnd>, sprt: Option<Sprt>) -> Course<'_> {
        let mut course = Course { rows: Vec::new(), games: Vec::new() };
        let mut counts = Counts::default();
        for pair in 0.. {
            let numbers = [2 * pair + 1, 2 * pair + 2];
            let [Some(first), Some(second)] = numbers.map(|number| games.get(&number)) else { break };
            counts.add_pair([first.half_points, second.half_points]);
            course.games.extend(numbers.into_iter().zip([first, second]));
            let llr = sprt.map(|sprt| sprt.llr(&counts));
            course.rows.push(CourseRow { games: counts.games(), counts, elo: counts.elo(), llr });
            if sprt.is_some_and(|sprt| sprt.verdict(&counts).is_some()) {
                break;
            }
        }
        course
    }

    /// A limited number of rows, the last included.
    pub(super) fn thinned(&self, most: usize) -> impl Iterator<Item = &CourseRow> {
        let (last, every) = (self.rows.len().saturating_sub(1), self.rows.len().div_ceil(most).max(1));
        let is_shown = move |index: usize| index.is_multiple_of(every) || index == last;
        self.rows.iter().enumerate().filter(move |&(index, _)| is_shown(index)).map(|(_, row)| row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(half_points: u8) -> GameEnd {
        GameEnd { a_is_white: true, half_points, kind: EndKind::Board, reason: "mate".into(), plies: 80 }
    }

    #[test]
    fn only_complete_pairs_after_complete_ones_count() {
        let games: BTreeMap<_, _> =
            [(1, end(2)), (2, end(0)), (3, end(2)), (4, end(1)), (6, end(0)), (7, end(0))].into();
        let course = Course::of(&games, None);
        assert_eq!(course.games.iter().map(|&(number, _)| number).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(
            course.rows.iter().map(|row| row.counts.pairs).collect::<Vec<_>>(),
            [[0, 0, 1, 0, 0], [0, 0, 1, 1, 0]]
        );
    }

    #[test]
    fn nothing_counts_after_the_verdict_and_few_rows_are_shown() {
        let games: BTreeMap<_, _> = (1..=2000).map(|number| (number, end(2))).collect();
        let course = Course::of(&games, Some("0,300".parse().unwrap()));
        assert!(course.rows.len() < 100 && course.rows.last().unwrap().llr.unwrap() > 2.9);
        let course = Course::of(&games, None);
        assert_eq!((course.rows.len(), course.thinned(300).count()), (1000, 251));
        assert_eq!(course.thinned(300).last().unwrap().games, 2000);
    }
}
