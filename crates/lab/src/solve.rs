//! Solves test suites: does the search find the right move, and when?

use crate::engine_settings::{EngineSettings, SettingsError};
use crate::epd::EpdRecord;
use chess::{FenError, Move, MoveError, Position, parse_san, san};
use engine::{EngineCore, Event, GoLimits, SearchRequest, Signals};
use game::Score;
use serde::Serialize;
use std::fmt;
use std::time::{Duration, Instant};

/// How to solve a suite.
#[derive(Clone)]
pub struct SolveSettings {
    /// The limits of each search.
    pub limits: GoLimits,
    /// The engine that searches.
    pub engine: EngineSettings,
}

/// A position with moves to find or to avoid.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its name in the suite, or else its number, from 1.
    pub id: String,
    /// The position.
    pub position: Position,
    fen: String,
    /// The moves that solve it. If empty, all moves solve it except those to avoid.
    best: Vec<Move>,
    avoid: Vec<Move>,
}

/// Why a record of a suite is not a problem that can be solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemError {
    /// Its name in the suite, or else its number, from 1.
    pub id: String,
    /// What is wrong with it.
    pub reason: Reason,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The position is not legal.
    Fen(FenError),
    /// A move of `bm`, `am` or `pm` is not legal.
    Move(MoveError),
    /// It names no move at all.
    NoMove,
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position {} skipped: ", self.id)?;
        match &self.reason {
            Reason::Fen(error) => write!(f, "{error}"),
            Reason::Move(error) => write!(f, "{error}"),
            Reason::NoMove => write!(f, "it has no 'bm', 'am' or 'pm' move to find or to avoid"),
        }
    }
}

impl std::error::Error for ProblemError {}

impl Problem {
    /// The problem of a record, the `number`th of its suite. `pm` counts as `bm` where there is neither `bm` nor `am`.
    ///
    /// # Errors
    /// If the position or one of the moves is not legal, or there is no move.
    pub fn new(record: &EpdRecord, number: usize) -> Result<Problem, ProblemError> {
        let id = record.id.clone().unwrap_or_else(|| number.to_string());
        let failed = |reason| ProblemError { id: id.clone(), reason };
        let position: Position = record.fen.parse().map_err(|error| failed(Reason::Fen(error)))?;
        let read = |moves: &[String]| {
            let moves: Result<Vec<Move>, MoveError> = moves.iter().map(|text| parse_san(&position, text)).collect();
            moves.map_err(|error| failed(Reason::Move(error)))
        };
        let (mut best, avoid) = (read(&record.best)?, read(&record.avoid)?);
        if best.is_empty() && avoid.is_empty() {
            best = read(&record.played)?;
        }
        if best.is_empty() && avoid.is_empty() {
            return Err(failed(Reason::NoMove));
        }
        Ok(Problem { id, position, fen: record.fen.clone(), best, avoid })
    }

    /// The problems of all records, and the records that are not problems.
    pub fn all(records: &[EpdRecord]) -> (Vec<Problem>, Vec<ProblemError>) {
        let (mut problems, mut errors) = (Vec::new(), Vec::new());
        for (record, number) in records.iter().zip(1..) {
            match Problem::new(record, number) {
                Ok(problem) => problems.push(problem),
                Err(error) => errors.push(error),
            }
        }
        (problems, errors)
    }

    /// Does the move solve it?
    pub fn is_solved_by(&self, mv: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&mv)) && !self.avoid.contains(&mv)
    }

    /// The moves to find, and those to avoid, in algebraic notation: `Nd5 a4`, `not Rd1`.
    pub fn expected(&self) -> String {
        expected(&self.names(&self.best), &self.names(&self.avoid))
    }

    fn names(&self, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|&mv| san(&self.position, mv)).collect()
    }
}

fn expected(best: &[String], avoid: &[String]) -> String {
    let not = if avoid.is_empty() { None } else { Some("not") };
    best.iter().map(String::as_str).chain(not).chain(avoid.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

/// The result of the search of a problem.
#[derive(Clone, Debug, Serialize)]
pub struct Attempt {
    /// The problem's name.
    pub id: String,
    /// The position.
    pub fen: String,
    /// The moves that solve it, in algebraic notation.
    pub best: Vec<String>,
    /// The moves to avoid, in algebraic notation.
    pub avoid: Vec<String>,
    /// Was the final move a right one?
    pub solved: bool,
    /// The final move, in algebraic notation.
    pub found: String,
    /// Its score in hundredths of a pawn, seen by the side to move.
    pub score: i32,
    /// Moves to mate, negative if the side to move is mated; none if no mate was seen.
    pub mate: Option<i32>,
    /// The last finished iteration.
    pub depth: i32,
    /// Nodes visited.
    pub nodes: u64,
    /// Seconds taken.
    pub time: f64,
    /// Seconds after which the first move was right and stayed right to the end; none if it is wrong at the end.
    pub solution_time: Option<f64>,
}

impl Attempt {
    /// As [`Problem::expected`].
    pub fn expected(&self) -> String {
        expected(&self.best, &self.avoid)
    }

    /// The score as text: `+1.25`, `-0.30`, mate in three `#3`, mated in two `#-2`.
    pub fn shown_score(&self) -> String {
        match self.mate {
            Some(moves) => format!("#{moves}"),
            None => format!("{:+.2}", f64::from(self.score) / 100.0),
        }
    }
}

/// All attempts at a suite.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Solved {
    /// Problem by problem.
    pub positions: Vec<Attempt>,
    /// How many were solved.
    pub solved: usize,
    /// How many there were.
    pub total: usize,
    /// Seconds taken in all.
    pub time: f64,
}

impl Solved {
    fn add(&mut self, attempt: Attempt) {
        self.solved += usize::from(attempt.solved);
        self.total += 1;
        self.time += attempt.time;
        self.positions.push(attempt);
    }

    /// The last line: `solved 285 of 300 (95.0 %) in 300.1 s`.
    pub fn summary(&self) -> String {
        let percent = 100.0 * self.solved as f64 / self.total.max(1) as f64;
        format!("solved {} of {} ({percent:.1} %) in {:.1} s", self.solved, self.total, self.time)
    }
}

/// Searches every problem as the first position of a new game, and reports each attempt as it is finished.
///
/// # Errors
/// If the engine can't be made, for example for lack of memory.
pub fn run(
    settings: &SolveSettings,
    problems: &[Problem],
    each: &mut dyn FnMut(&Attempt),
) -> Result<Solved, SettingsError> {
    let mut engine = settings.engine.engine()?;
    let mut solved = Solved::default();
    for problem in problems {
        let attempt = attempt(&mut engine, problem, &settings.limits, &|_, _| false);
        each(&attempt);
        solved.add(attempt);
    }
    Ok(solved)
}

/// Since when the first move of the best line has been right.
struct Streak<'a> {
    problem: &'a Problem,
    since: Option<Duration>,
}

impl Streak<'_> {
    /// From this time on `mv` is the best move.
    fn see(&mut self, mv: Option<Move>, time: Duration) {
        let right = mv.is_some_and(|mv| self.problem.is_solved_by(mv));
        self.since = if right { self.since.or(Some(time)) } else { None };
    }
}

/// Searches one problem in a new game. `is_enough` may end it early: it is given the time since which the move has been
/// right, and the time now.
pub(crate) fn attempt(
    engine: &mut EngineCore,
    problem: &Problem,
    limits: &GoLimits,
    is_enough: &(dyn Fn(Duration, Duration) -> bool + Sync),
) -> Attempt {
    engine.new_game();
    let request = SearchRequest::new(problem.position.clone(), limits.clone());
    let started = Instant::now();
    let signals = Signals::new();
    let mut streak = Streak { problem, since: None };
    let answer = engine.search(&request, &signals, &mut |event| {
        let Event::Info(info) = event else { return };
        if info.line_number != 1 {
            return;
        }
        streak.see(info.line.first().copied(), info.time);
        if streak.since.is_some_and(|since| is_enough(since, info.time)) {
            signals.stop();
        }
    });
    let time = started.elapsed();
    // The answer may differ from the last report: a search that is stopped may have found another move since.
    streak.see(answer.best, time);
    let score = answer.score.unwrap_or_default();
    Attempt {
        id: problem.id.clone(),
        fen: problem.fen.clone(),
        best: problem.names(&problem.best),
        avoid: problem.names(&problem.avoid),
        solved: streak.since.is_some(),
        found: answer.best.map_or_else(String::new, |mv| san(&problem.position, mv)),
        score: score.value(),
        mate: moves_to_mate(score),
        depth: answer.depth,
        nodes: answer.nodes,
        time: time.as_secs_f64(),
        solution_time: streak.since.map(|since| since.as_secs_f64()),
    }
}

/// Moves, not plies, to the end; negative if the side to move is mated.
fn moves_to_mate(score: Score) -> Option<i32> {
    score.plies_to_end().map(|plies| if plies > 0 { (plies + 1) / 2 } else { plies / 2 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd;
    use crate::suite::Builtin;

    fn record(line: &str) -> EpdRecord {
        epd::read(line).remove(0).expect("a valid line")
    }

    fn problem(line: &str) -> Problem {
        Problem::new(&record(line), 1).expect("a problem")
    }

    fn settings(limits: GoLimits) -> SolveSettings {
        SolveSettings { limits, engine: EngineSettings::with_hash(1) }
    }

    const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/8/K3R3 w - -";

    #[test]
    fn every_builtin_record_is_a_problem() {
        for builtin in Builtin::ALL {
            let records = builtin.suite().records;
            let (problems, errors) = Problem::all(&records);
            assert_eq!((problems.len(), errors), (records.len(), vec![]), "{}", builtin.name());
        }
    }

    #[test]
    fn moves_to_find_and_to_avoid() {
        let mv = |problem: &Problem, text| parse_san(&problem.position, text).expect("legal");
        let both = problem(&format!("{BACK_RANK} bm Re8 Kb1; am Kb1;"));
        assert_eq!(both.expected(), "Re8# Kb1 not Kb1");
        assert!(both.is_solved_by(mv(&both, "Re8")));
        assert!(!both.is_solved_by(mv(&both, "Kb1")));
        assert!(!both.is_solved_by(mv(&both, "Kb2")));
        let avoid = problem(&format!("{BACK_RANK} am Kb1; pm Kb2;"));
        assert!(avoid.is_solved_by(mv(&avoid, "Re8")));
        assert!(!avoid.is_solved_by(mv(&avoid, "Kb1")));
        let played = problem(&format!("{BACK_RANK} pm Kb2;"));
        assert_eq!(played.expected(), "Kb2");
    }

    #[test]
    fn what_is_no_problem_says_why() {
        let message = |line: &str| Problem::new(&record(line), 7).expect_err("no problem").to_string();
        let unknown = message(&format!("{BACK_RANK} bm Qe8; id \"X.1\";"));
        assert!(unknown.contains("position X.1 skipped: 'Qe8' is not a legal move"), "{unknown}");
        assert!(message(BACK_RANK).contains("position 7 skipped: it has no 'bm'"));
        assert!(message("8/8/8/8/8/8/8/8 w - - bm e4;").contains("position 7 skipped: bad FEN"));
    }

    #[test]
    fn a_mate_is_found_and_counted() {
        let problems = [problem(&format!("{BACK_RANK} bm Re8;")), problem(&format!("{BACK_RANK} am Re8;"))];
        let mut rows = 0;
        let limits = GoLimits { depth: Some(4), ..GoLimits::default() };
        let solved = run(&settings(limits), &problems, &mut |_| rows += 1).expect("memory");
        assert_eq!((solved.solved, solved.total, rows), (1, 2, 2));
        let [right, wrong] = &solved.positions[..] else { panic!("two positions") };
        assert_eq!((right.found.as_str(), right.mate, right.shown_score()), ("Re8#", Some(1), "#1".to_owned()));
        assert!(right.solution_time.is_some_and(|time| time <= right.time));
        assert!(!wrong.solved && wrong.solution_time.is_none());
        assert!(solved.summary().starts_with("solved 1 of 2 (50.0 %) in "), "{}", solved.summary());
    }

    #[test]
    fn the_time_of_solution_is_that_of_the_last_change_of_mind() {
        let problem = problem(&format!("{BACK_RANK} bm Re8 Kb1;"));
        let mv = |text| parse_san(&problem.position, text).ok();
        let mut streak = Streak { problem: &problem, since: None };
        let mut since = |text, ms| {
            streak.see(mv(text), Duration::from_millis(ms));
            streak.since.map(|since| since.as_millis())
        };
        assert_eq!(since("Re8", 1), Some(1));
        assert_eq!(since("Kb2", 2), None);
        assert_eq!(since("Kb1", 3), Some(3));
        assert_eq!(since("Re8", 4), Some(3));
        assert_eq!(since("none", 5), None);
    }

    #[test]
    fn a_search_takes_all_the_time_it_is_given() {
        let time = Duration::from_millis(60);
        let limits = GoLimits { time: engine::TimeControl::PerMove(time), ..GoLimits::default() };
        let (problems, _) = Problem::all(&Builtin::BratkoKopec.suite().records[1..2]);
        let solved = run(&settings(limits), &problems, &mut |_| {});
        let taken = solved.expect("memory").positions[0].time;
        assert!(taken > 0.055, "{taken}");
    }
}
