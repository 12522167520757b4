//! Plays the games of a match with fastchess.

use super::clock::Limit;
use super::contender::Contender;
use super::journal::Journal;
use super::match_page::MatchPage;
use super::openings::Opening;
use super::pgn;
use super::record::{EndKind, GameResult, PlayedGame};
use super::report::{Fault, MatchReport, MatchTally, SprtResult};
use super::settings::{MatchSettings, identity};
use super::spec::{Spec, find_program};
use super::sprt::SprtVerdict;
use super::statistics::Counts;
use jamboree_io::{LineReader, read_file, write_file};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A fastchess on the PATH, if there is one.
pub fn on_path() -> Option<PathBuf> {
    find_program("fastchess")
}

/// The fastchess with this path or name.
///
/// # Errors
/// If there is none.
pub fn at(name: &str) -> Result<PathBuf, String> {
    find_program(name).ok_or_else(|| format!("there is no fastchess '{name}': give its path, or --own to do without"))
}

/// Longest line of fastchess, in bytes.
const LONGEST_LINE: usize = 1 << 20;
/// The least number of lines of fastchess that are kept.
const LAST_LINES: usize = 1000;

/// Plays the match with fastchess and reports every finished game.
///
/// # Errors
/// If fastchess or the folder of the match can't be used.
pub(super) fn run(
    settings: &MatchSettings,
    program: &Path,
    each: &mut dyn FnMut(&MatchTally),
) -> Result<MatchReport, String> {
    const NAME: &str = "fastchess";
    let names = settings.names();
    let programs = [program_of(&settings.a)?, program_of(&settings.b)?];
    let mut journal = match &settings.out {
        Some(folder) => Some(Journal::open_for_other(folder, &identity(settings, NAME))?),
        None => None,
    };
    let scratch = Scratch::new()?;
    let pairs = (settings.games / 2).min(settings.openings.count().unwrap_or(usize::MAX));
    let openings: Vec<Opening> = (0..pairs).map(|pair| settings.openings.of_pair(pair)).collect();
    let book = scratch.write_openings(&openings)?;
    let mut arguments = arguments(settings, programs, &names, &book, openings.iter().any(Opening::is_chess960));
    if let Some(journal) = &journal {
        let path = std::path::absolute(journal.pgn_path()).map_err(|error| error.to_string())?;
        arguments.extend(["-pgnout".into(), format!("file={}", path.display())]);
    }
    let mut process = scratch.start(program, &arguments)?;
    let mut tally = MatchTally::new(settings.sprt);
    let mut page = MatchPage::new(settings, NAME);
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    each(&tally);
    let stdout = process.0.stdout.take().into_iter();
    for line in stdout.flat_map(|stdout| LineReader::new(BufReader::new(stdout), LONGEST_LINE)) {
        let line = line.map_err(|error| format!("fastchess can't be read: {error}"))?;
        if let Some(mut record) = finished(&line, &names) {
            record.start = openings[record.pair() % openings.len()].start.to_string();
            if let Some(journal) = &mut journal {
                journal.add(&record)?;
            }
            faults.extend(Fault::of(&record));
            tally.add(&record);
            page.iter_mut().try_for_each(|page| page.add(&record))?;
            each(&tally);
        } else {
            // Only the last lines matter: the results, or an error.
            if lines.len() == 2 * LAST_LINES {
                lines.drain(..LAST_LINES);
            }
            lines.push(line);
        }
    }
    page.iter_mut().try_for_each(MatchPage::write)?;
    let Some(results) = Results::read(&lines) else {
        return Err(format!("fastchess failed: {}; add --own to do without it", scratch.last_words(&lines)));
    };
    faults.sort_by_key(|fault: &Fault| fault.game);
    let mut report = MatchReport::new(&names, settings.rules.limit.to_string(), NAME.into(), results.counts);
    report.sprt =
        settings.sprt.map(|sprt| SprtResult { sprt, llr: results.llr.unwrap_or(0.0), verdict: results.verdict });
    (report.faults, report.fastchess) = (faults, Some(results.elo));
    Ok(report)
}

/// The UCI program that a contender is.
fn program_of(contender: &Contender) -> Result<&Spec, String> {
    match contender {
        Contender::Program(spec) => Ok(spec),
        Contender::Virtual(spec) => {
            Err(format!("fastchess can't play '{}', an engine in virtual time: add --own", spec.name))
        }
    }
}

/// The command line, without where the games go.
fn arguments(
    settings: &MatchSettings,
    programs: [&Spec; 2],
    names: &[String; 2],
    book: &Path,
    chess960: bool,
) -> Vec<String> {
    let rules = &settings.rules;
    let mut words: Vec<String> = Vec::new();
    for (spec, name) in programs.into_iter().zip(names) {
        words.extend(engine(spec, name));
    }
    words.push("-each".into());
    match rules.limit {
        Limit::Time(control) => words.push(format!("tc={control}")),
        Limit::Nodes(nodes) | Limit::Ticks(nodes) => words.extend(["tc=inf".into(), format!("nodes={nodes}")]),
    }
    words.push(format!("timemargin={}", rules.margin.as_millis()));
    let format = book.extension().unwrap_or_default().to_string_lossy();
    words.extend(["-openings".into(), format!("file={}", book.display())]);
    let mut add = |text: &str| words.extend(text.split(' ').map(str::to_owned));
    add(&format!("format={format} order=sequential"));
    add(&format!("-rounds {} -games 2 -repeat -recover -ratinginterval 0 -scoreinterval 0", settings.games / 2));
    add(&format!("-concurrency {} -force-concurrency", settings.concurrency));
    if chess960 {
        add("-variant fischerandom");
    }
    if let Some(draw) = rules.draw {
        add(&format!("-draw movenumber={} movecount={} score={}", draw.from_move, draw.moves, draw.score));
    }
    if let Some(resign) = rules.resign {
        add(&format!("-resign movecount={} score={} twosided=true", resign.moves, resign.score));
    }
    if let Some(sprt) = settings.sprt {
        let (elo0, elo1, alpha, beta) = (sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta);
        add(&format!("-sprt elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model=logistic"));
    }
    words
}

/// The part of the command line that describes an engine.
fn engine(spec: &Spec, name: &str) -> Vec<String> {
    let mut words = vec!["-engine".into(), format!("cmd={}", spec.program.display()), format!("name={name}")];
    if !spec.arguments.is_empty() {
        words.push(format!("args={}", spec.arguments.join(" ")));
    }
    if let Ok(here) = std::env::current_dir() {
        words.push(format!("dir={}", here.display()));
    }
    words.extend(spec.options.iter().chain(&spec.wishes).map(|(name, value)| format!("option.{name}={value}")));
    words
}

/// A temporary folder for fastchess, which writes a `config.json` where it runs. It is removed when dropped.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Result<Scratch, String> {
        tempfile::tempdir().map(Scratch).map_err(|error| format!("cannot make a temporary folder: {error}"))
    }

    /// Writes the openings; as EPD if none of them has moves.
    fn write_openings(&self, openings: &[Opening]) -> Result<PathBuf, String> {
        let (name, text) = if openings.iter().all(|opening| opening.moves.is_empty()) {
            ("openings.epd", openings.iter().map(|opening| format!("{}\n", opening.start)).collect())
        } else {
            ("openings.pgn", pgn::openings(openings))
        };
        let path = self.0.path().join(name);
        write_file(&path, text.as_bytes()).map_err(|error| error.to_string())?;
        Ok(path)
    }

    fn start(&self, program: &Path, arguments: &[String]) -> Result<Running, String> {
        let failed = |error| format!("fastchess can't be started ({}): {error}; add --own", program.display());
        let errors = File::create(self.0.path().join("errors")).map_err(failed)?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors);
        command.spawn().map(Running).map_err(failed)
    }

    /// The last line of fastchess.
    fn last_words(&self, lines: &[String]) -> String {
        let errors = read_file(&self.0.path().join("errors"), 1 << 24).unwrap_or_default();
        let errors = String::from_utf8_lossy(&errors);
        let said = |line: &&str| !line.trim().is_empty();
        let last = errors.lines().rfind(said).or_else(|| lines.iter().map(String::as_str).rfind(said));
        last.unwrap_or("it said nothing").trim().to_owned()
    }
}

/// A running fastchess; it is ended when dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Reads `Finished game 2 (B vs A): 0-1 {White makes an illegal move}`.
fn finished(line: &str, names: &[String; 2]) -> Option<PlayedGame> {
    let (game, rest) = line.strip_prefix("Finished game ")?.split_once(" (")?;
    let white = |white: &str, black: &str| rest.strip_prefix(&format!("{white} vs {black}): "));
    let (a_is_white, rest) = match white(&names[0], &names[1]) {
        Some(rest) => (true, rest),
        None => (false, white(&names[1], &names[0])?),
    };
    let (result, reason) = rest.split_once(" {")?;
    let result = match result {
        "1-0" => GameResult::White,
        "0-1" => GameResult::Black,
        "1/2-1/2" => GameResult::Draw,
        _ => return None,
    };
    let reason = reason.trim_end().trim_end_matches('}');
    let kinds = [
        ("loses on time", EndKind::Time),
        ("disconnect", EndKind::Crash),
        ("stalls", EndKind::Silent),
        ("illegal move", EndKind::Illegal),
        ("adjudication", EndKind::Adjudicated),
    ];
    let kind = kinds.into_iter().find(|(words, _)| reason.contains(words)).map_or(EndKind::Board, |(_, kind)| kind);
    let loser = usize::from(a_is_white == (result == GameResult::White));
    let reason = if kind.is_fault() { format!("{}: {reason}", names[loser]) } else { reason.to_owned() };
    let (game, start, moves) = (game.parse().ok()?, String::new(), Vec::new());
    Some(PlayedGame { game, a_is_white, result, kind, reason, start, moves })
}

/// The results that fastchess prints at the end.
#[derive(Debug, PartialEq)]
struct Results {
    elo: String,
    counts: Counts,
    llr: Option<f64>,
    verdict: Option<SprtVerdict>,
}

impl Results {
    fn read(lines: &[String]) -> Option<Results> {
        let last = |start: &str| lines.iter().rev().find_map(|line| line.strip_prefix(start));
        let games = last("Games: ")?;
        let count = |name: &str| games.split(", ").find_map(|part| part.strip_prefix(name)?.trim().parse().ok());
        let pairs = last("Ptnml(0-2): [")?.split(']').next()?;
        let pairs: Vec<u64> = pairs.split(", ").filter_map(|number| number.parse().ok()).collect();
        let says = |words: &str| lines.iter().any(|line| line.starts_with("SPRT") && line.contains(words));
        let verdict = match (says("H1 was accepted"), says("H0 was accepted")) {
            (true, _) => Some(SprtVerdict::Accepted),
            (_, true) => Some(SprtVerdict::Rejected),
            _ => None,
        };
        Some(Results {
            elo: last("Elo: ")?.to_owned(),
            counts: Counts {
                wins: count("Wins:")?,
                draws: count("Draws:")?,
                losses: count("Losses:")?,
                pairs: pairs.try_into().ok()?,
            },
            llr: last("LLR: ").and_then(|line| line.split(' ').next()?.parse().ok()),
            verdict,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::settings;
    use super::*;

    fn names() -> [String; 2] {
        ["me, x=1".into(), "you".into()]
    }

    #[test]
    fn finished_games_are_read() {
        let read = |line: &str| finished(line, &names());
        let record = read("Finished game 2 (you vs me, x=1): 0-1 {White makes an illegal move}").unwrap();
        assert_eq!((record.game, record.a_is_white, record.half_points()), (2, false, 2));
        assert_eq!((record.kind, record.reason.as_str()), (EndKind::Illegal, "you: White makes an illegal move"));
        let record = read("Finished game 1 (me, x=1 vs you): 0-1 {White loses on time (101ms overrun)}").unwrap();
        assert_eq!((record.kind, record.half_points()), (EndKind::Time, 0));
        assert!(record.reason.starts_with("me, x=1: White loses"), "{}", record.reason);
        let record = read("Finished game 3 (me, x=1 vs you): 1/2-1/2 {Draw by adjudication}").unwrap();
        assert_eq!((record.kind, record.result), (EndKind::Adjudicated, GameResult::Draw));
        for line in ["", "Finished game", "Started game 1 of 2 (me vs you)", "Finished game 1 (a vs b): 1-0 {}"] {
            assert_eq!(read(line), None);
        }
    }

    #[test]
    fn final_results_are_read() {
        let text = "Results of A vs B (1+0.01, 1t, 64MB, o.pgn):\nElo: 12.50 +/- 8.20, nElo: 20.00 +/- 11.00\n\
            LOS: 99.00 %, DrawRatio: 40.00 %, PairsRatio: 1.20\n\
            Games: 12, Wins: 5, Losses: 3, Draws: 4, Points: 7.0 (58.33 %)\n\
            Ptnml(0-2): [0, 1, 3, 1, 1], WL/DD Ratio: 1.0\nLLR: 3.18 (107.9%) (-2.94, 2.94) [0.00, 300.00]\n\
            SPRT ([0.00, 300.00]) completed - H1 was accepted";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let results = Results::read(&lines).unwrap();
        assert_eq!(results.counts, Counts { wins: 5, draws: 4, losses: 3, pairs: [0, 1, 3, 1, 1] });
        assert_eq!((results.llr, results.verdict), (Some(3.18), Some(SprtVerdict::Accepted)));
        assert_eq!(results.elo, "12.50 +/- 8.20, nElo: 20.00 +/- 11.00");
        assert_eq!(Results::read(&lines[..3]), None);
    }

    #[test]
    fn the_command_line_says_what_the_settings_say() {
        let mut settings = settings();
        settings.sprt = Some("0,5".parse().unwrap());
        let programs = [&settings.a, &settings.b].map(|contender| program_of(contender).unwrap());
        let words = arguments(&settings, programs, &names(), Path::new("/tmp/openings.epd"), false).join(" ");
        for part in [
            "name=me, x=1",
            "-each tc=inf nodes=100 timemargin=50",
            "file=/tmp/openings.epd format=epd order=sequential",
            "-rounds 2 -games 2 -repeat",
            "-sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic",
            "-resign movecount=4 score=800 twosided=true",
            "option.Hash=16",
        ] {
            assert!(words.contains(part), "{part} in {words}");
        }
        assert!(!words.contains("fischerandom") && !words.contains("-draw"));
    }
}
