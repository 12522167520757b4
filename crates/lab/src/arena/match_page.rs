//! The page of a match: Elo with its error over the games, how pairs and games ended, and how it was made.

use super::course::{Course, CourseRow, GameEnd};
use super::record::PlayedGame;
use super::settings::MatchSettings;
use super::sprt::Sprt;
use super::statistics::{Counts, Estimate};
use crate::report::{Axis, Bars, Origin, Page, Plot, ReportTable, Series, csv, fixed, percent};
use jamboree_io::write_file;
use std::collections::BTreeMap;
use std::path::Path;

/// The page is written again after this many games.
const EVERY: usize = 10;
/// The most points of a curve.
const POINTS: usize = 400;
/// Where the interval of Elo is more than this many times as wide as at the end, the curve says nothing yet.
const WIDEST: f64 = 4.0;
/// The most faults that are listed.
const FAULTS: usize = 50;

/// The page of a match that is being played.
pub(super) struct MatchPage<'a> {
    folder: &'a Path,
    settings: &'a MatchSettings,
    played_by: &'a str,
    games: BTreeMap<usize, GameEnd>,
    faults: BTreeMap<usize, String>,
    unwritten: usize,
}

impl<'a> MatchPage<'a> {
    /// Before the first game; none if the match has no folder.
    pub(super) fn new(settings: &'a MatchSettings, played_by: &'a str) -> Option<MatchPage<'a>> {
        let (games, faults) = (BTreeMap::new(), BTreeMap::new());
        let folder = settings.out.as_deref()?;
        Some(MatchPage { folder, settings, played_by, games, faults, unwritten: 0 })
    }

    /// Adds a game, and writes the page now and then.
    ///
    /// # Errors
    /// If the page can't be written.
    pub(super) fn add(&mut self, record: &PlayedGame) -> Result<(), String> {
        self.remember(record);
        self.unwritten += 1;
        if self.unwritten >= EVERY { self.write() } else { Ok(()) }
    }

    /// Adds a game of the journal.
    pub(super) fn remember(&mut self, record: &PlayedGame) {
        self.games.insert(record.game, GameEnd::of(record));
        if record.kind.is_fault() {
            self.faults.insert(record.game, record.reason.clone());
        }
    }

    /// Writes the page, and the course of the match as CSV.
    ///
    /// # Errors
    /// If they can't be written.
    pub(super) fn write(&mut self) -> Result<(), String> {
        self.unwritten = 0;
        let course = Course::of(&self.games, self.settings.sprt);
        let put = |name: &str, text: String| {
            write_file(&self.folder.join(name), text.as_bytes()).map_err(|error| error.to_string())
        };
        put("course.csv", csv(&course.rows.iter().map(CourseRow::line).collect::<Vec<_>>()))?;
        put("index.html", self.page(&course).html())
    }

    fn page(&self, course: &Course<'_>) -> Page {
        let [a, b] = self.settings.names();
        let counts = course.rows.last().map_or(Counts::default(), |row| row.counts);
        let mut page = Page::new(format!("{a} against {b}"));
        page.text(&format!(
            "A is {a}, B is {b}. Each opening is played twice with colours exchanged, and the error is computed from these pairs; \
             {} of at most {} games count.",
            counts.games(),
            self.settings.games
        ));
        let files =
            [("games.pgn", "all games"), ("course.csv", "the course of the match"), ("match.json", "its settings")];
        page.files(&files).section("Result").table(result(&counts, self.faults.len()));
        match elo_plot(course) {
            Some(plot) => page.plot(&plot),
            None => page.text("Elo has no bounds yet."),
        };
        if let Some(sprt) = self.settings.sprt {
            page.plot(&test_plot(course, sprt));
        }
        page.section("Pairs and colours").picture(&pairs(&counts).picture()).picture(&colours(&course.games).picture());
        page.section("How the games ended").table(ends(&course.games));
        if course.games.iter().any(|(_, game)| game.plies > 0) {
            page.plot(&lengths(&course.games));
        }
        if !self.faults.is_empty() {
            page.table(faults(&self.faults));
        }
        page.how_it_was_made(&self.origin());
        page
    }

    fn origin(&self) -> Origin {
        let MatchSettings { a, b, openings, rules, sprt, origin, .. } = self.settings;
        let off = || "off".to_owned();
        let facts = [
            ("A", a.described()),
            ("B", b.described()),
            ("limit", rules.limit.to_string()),
            ("openings", openings.description().to_owned()),
            ("adjudicated draws", rules.draw.map_or_else(off, |rule| rule.to_string())),
            ("adjudicated wins", rules.resign.map_or_else(off, |rule| rule.to_string())),
            ("sequential test", sprt.map_or_else(off, |sprt| sprt.to_string())),
            ("played by", self.played_by.to_owned()),
        ];
        facts.into_iter().fold(origin.clone(), |origin, (name, fact)| origin.fact(name, fact))
    }
}

fn result(counts: &Counts, faults: usize) -> ReportTable {
    let head = ["games", "won", "drawn", "lost", "score", "Elo, 95 %", "normalized Elo", "A is stronger", "faults"];
    let shown = |elo: Option<Estimate>| elo.map_or_else(|| "unknown".to_owned(), |elo| elo.to_string());
    let cells = [
        counts.games().to_string(),
        counts.wins.to_string(),
        counts.draws.to_string(),
        counts.losses.to_string(),
        percent(counts.score()),
        shown(counts.elo()),
        shown(counts.normalized_elo()),
        percent(counts.superiority()),
        faults.to_string(),
    ];
    ReportTable::new(head).row(cells).note(
        "From A's side. Normalized Elo is the advantage in standard deviations of a game. A is stronger: how likely that is, by \
         the normal distribution. Faults: games that an engine lost by a crash, silence, an illegal move or its time.",
    )
}

/// Elo with its interval over the games; none if there is no point with an interval.
fn elo_plot(course: &Course<'_>) -> Option<Plot> {
    let last = course.rows.last()?.elo?.error()?;
    let is_clear = |elo: &Estimate| elo.error().is_some_and(|error| error <= WIDEST * last);
    let shown = course.thinned(POINTS).filter_map(|row| Some((row.games as f64, row.elo.filter(is_clear)?)));
    let shown: Vec<(f64, Estimate)> = shown.collect();
    let (first, end) = (shown.first()?.0, shown.last()?.0);
    let points = shown.iter().map(|&(games, elo)| (games, elo.value)).collect();
    let intervals = shown.iter().map(|&(_, elo)| (elo.low, elo.high)).collect();
    Some(
        Plot::new("Elo over the games", Axis::linear("games"), Axis::narrow("Elo of A above B"))
            .with(Series::course("Elo, 95 %", points).intervals(intervals))
            .with(Series::reference("equal", vec![(first, 0.0), (end, 0.0)]))
            .note("What was known after each pair. Begins where the interval is not more than four times as wide as at the end."),
    )
}

/// The log-likelihood ratio over the games, between its bounds.
fn test_plot(course: &Course<'_>, sprt: Sprt) -> Plot {
    let known = |row: &CourseRow| row.llr.map(|llr| (row.games as f64, llr));
    let points: Vec<(f64, f64)> = [(0.0, 0.0)].into_iter().chain(course.thinned(POINTS).filter_map(known)).collect();
    let end = points.last().map_or(1.0, |&(games, _)| games.max(1.0));
    let (low, high) = sprt.bounds();
    let level = |name: String, value: f64| Series::reference(name, vec![(0.0, value), (end, value)]);
    Plot::new("Sequential test", Axis::linear("games"), Axis::narrow("log-likelihood ratio"))
        .with(Series::course("LLR", points))
        .with(level(format!("accepted: {:+} Elo", sprt.elo1), high))
        .with(level(format!("rejected: {:+} Elo", sprt.elo0), low))
        .note("The match ends when the ratio leaves the range between the two lines.")
}

fn pairs(counts: &Counts) -> Bars {
    let names = ["0", "\u{bd}", "1", "1\u{bd}", "2"].map(str::to_owned).to_vec();
    let values = counts.pairs.iter().map(|&count| count as f64).collect();
    Bars::new("Pairs by the points of A", "points of A in two games", names, Axis::linear("pairs")).with("", values)
}

fn colours(games: &[(usize, &GameEnd)]) -> Bars {
    let names = vec!["A is White".into(), "A is Black".into()];
    let bars = Bars::new("Results by colour", "", names, Axis::linear("games")).stacked();
    [("A won", 2), ("drawn", 1), ("A lost", 0)].into_iter().fold(bars, |bars, (name, half_points)| {
        let count = |a_is_white: bool| {
            let alike = |game: &GameEnd| game.a_is_white == a_is_white && game.half_points == half_points;
            games.iter().filter(|(_, game)| alike(game)).count() as f64
        };
        bars.with(name, vec![count(true), count(false)])
    })
}

fn ends(games: &[(usize, &GameEnd)]) -> ReportTable {
    let mut reasons: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (_, game) in games {
        reasons.entry(&game.reason).or_default()[usize::from(game.half_points.min(2))] += 1;
    }
    let mut reasons: Vec<(&str, [usize; 3])> = reasons.into_iter().collect();
    reasons.sort_by_key(|&(name, counts)| (std::cmp::Reverse(counts.iter().sum::<usize>()), name));
    let mut table = ReportTable::new(["end", "games", "share", "A won", "drawn", "A lost"]);
    for (name, counts) in reasons {
        let sum: usize = counts.iter().sum();
        let [lost, drawn, won] = counts.map(|count| count.to_string());
        table.push([name.to_owned(), sum.to_string(), percent(sum as f64 / games.len() as f64), won, drawn, lost]);
    }
    table
}

/// How many games had how many moves.
fn lengths(games: &[(usize, &GameEnd)]) -> Plot {
    let moves = || games.iter().map(|(_, game)| game.plies.div_ceil(2));
    let longest = moves().max().unwrap_or(0);
    let width = [1, 2, 5, 10, 20, 50].into_iter().find(|width| longest / width <= 24).unwrap_or(100);
    let mut counts = vec![0.0; longest / width + 1];
    moves().for_each(|moves| counts[moves / width] += 1.0);
    let mut points: Vec<(f64, f64)> =
        counts.iter().enumerate().map(|(index, &count)| ((index * width) as f64, count)).collect();
    points.push(((counts.len() * width) as f64, 0.0));
    let mean = moves().sum::<usize>() as f64 / games.len().max(1) as f64;
    Plot::new("Length of the games", Axis::linear("moves"), Axis::linear("games"))
        .with(Series::area("", points))
        .note(format!("{width} moves in a step, the opening included; {} on average.", fixed(mean, 1)))
}

fn faults(faults: &BTreeMap<usize, String>) -> ReportTable {
    let mut table = ReportTable::new(["game", "what happened"]).title("Faults");
    for (game, reason) in faults.iter().take(FAULTS) {
        table.push([game.to_string(), reason.clone()]);
    }
    match faults.len().saturating_sub(FAULTS) {
        0 => table,
        more => table.note(format!("And {more} more, in games.pgn.")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{EndKind, GameResult, Ply};
    use super::super::tests::settings;
    use super::*;

    fn record(game: usize, result: GameResult, kind: EndKind) -> PlayedGame {
        let reason = if kind == EndKind::Time { "sh (B) lost on time".into() } else { "White mates".into() };
        let ply = Ply { mv: "e2e4".into(), score: None, depth: None, seconds: None };
        let moves = vec![ply; 40 + game % 60];
        PlayedGame { game, a_is_white: game % 2 == 1, result, kind, reason, start: String::new(), moves }
    }

    #[test]
    fn the_page_has_everything_at_any_time() {
        let scratch = tempfile::tempdir().unwrap();
        let mut settings = settings();
        (settings.out, settings.sprt) = (Some(scratch.path().to_owned()), Some("0,5".parse().unwrap()));
        let mut page = MatchPage::new(&settings, "ourselves").unwrap();
        page.write().unwrap();
        let read = |name: &str| std::fs::read_to_string(scratch.path().join(name)).unwrap();
        assert!(read("index.html").contains("Elo has no bounds yet") && !read("index.html").contains("NaN"));
        for game in 1..=200 {
            let kind = if game == 7 { EndKind::Time } else { EndKind::Board };
            let result = [GameResult::White, GameResult::Draw, GameResult::Black][game * game % 3];
            page.add(&record(game, result, kind)).unwrap();
        }
        let html = read("index.html");
        for part in [
            "Elo over the games",
            "Sequential test",
            "accepted: +5 Elo",
            "Results by colour",
            "lost on time",
            "games.pgn",
        ] {
            assert!(html.contains(part), "{part}");
        }
        assert!(!html.contains("NaN") && !html.contains("inf,"), "only numbers");
        assert_eq!(html.matches("<svg").count(), 5);
        assert_eq!(read("course.csv").lines().count(), 101);
        page.write().unwrap();
        assert_eq!(read("index.html"), html);
    }

    #[test]
    fn a_match_without_a_folder_has_no_page() {
        assert!(MatchPage::new(&settings(), "ourselves").is_none());
    }
}
