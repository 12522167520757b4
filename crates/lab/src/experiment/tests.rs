//! Tests of whole experiments, and helpers for tests of their parts.

use super::*;
use crate::report::csv;
use crate::suite::Builtin;
use std::path::{Path, PathBuf};

/// The path of a folder that does not exist yet. It is removed at the end of the test.
pub(crate) struct Scratch {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        Scratch { _folder: folder, path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Three positions, two algorithms, some processors: a comparison that takes a moment.
pub(crate) fn small_plan() -> Plan {
    let mut suite = Builtin::Dts.suite();
    suite.records.truncate(3);
    Plan {
        suite,
        algorithms: vec!["jubilee".into(), "ybw".into()],
        processors: vec![1, 4, 16],
        machine: MachineKind::Virtual,
        profile: "ideal".into(),
        hosts: String::new(),
        rules: "modern".into(),
        goal: Goal::Nodes(2000),
        deepest: 100,
        seed: 1,
        repeats: 1,
        baselines: 2,
        hash: 1,
        table: String::new(),
        course: Course::Apart,
    }
}

/// One search that takes a moment.
pub(crate) fn small_run() -> Run {
    let plan = Plan { goal: Goal::Depth(4), ..small_plan() };
    plan.runs(&[]).into_iter().find(|run| run.processors == 4).unwrap()
}

fn rows(plan: &Plan, scratch: &Scratch, jobs: usize) -> Vec<Measurement> {
    let folder = Folder::open(scratch.path(), "v").unwrap();
    plan.perform(&folder, jobs, &|_| {}).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_rows_on_any_number_of_cores() {
    let plan = small_plan();
    let one = csv(&rows(&plan, &Scratch::new("one"), 1));
    let three = csv(&rows(&plan, &Scratch::new("three"), 3));
    assert_eq!(one, three);
    assert_eq!(one.lines().count(), 1 + 3 + 3 * (2 + 2 * 3));
    let other = csv(&rows(&Plan { seed: 2, ..plan }, &Scratch::new("other"), 2));
    assert_ne!(one, other);
}

#[test]
fn a_run_that_is_stopped_anywhere_ends_with_the_same_rows() {
    let plan = small_plan();
    let whole = Scratch::new("whole");
    let expected = csv(&rows(&plan, &whole, 2));
    let journal = std::fs::read(whole.path().join("journal.jsonl")).unwrap();
    for part in 1..10 {
        let scratch = Scratch::new("part");
        std::fs::create_dir_all(scratch.path()).unwrap();
        // What a killed process may leave: some complete lines, and a part of one.
        std::fs::write(scratch.path().join("journal.jsonl"), &journal[..journal.len() * part / 10]).unwrap();
        assert_eq!(csv(&rows(&plan, &scratch, 2)), expected, "{part}");
    }
}

#[test]
fn finished_searches_are_not_made_again() {
    let scratch = Scratch::new("again");
    let plan = small_plan();
    let all = rows(&plan, &scratch, 2).len();
    let folder = Folder::open(scratch.path(), "v").unwrap();
    let made = std::sync::atomic::AtomicUsize::new(0);
    let count = |progress: Progress<'_>| {
        made.fetch_add(usize::from(progress.last.is_some()), std::sync::atomic::Ordering::Relaxed);
    };
    assert_eq!(plan.perform(&folder, 2, &count).unwrap().len(), all);
    let more = Plan { processors: vec![1, 4, 16, 32], ..plan };
    assert_eq!(more.perform(&folder, 2, &count).unwrap().len(), all + 6);
    assert_eq!(made.into_inner(), 6);
}

#[test]
fn the_factors_multiply_to_the_speedup() {
    for profile in ["ideal", "cray-c90", "startech", "socrates", "zugzwang"] {
        let plan = Plan { profile: profile.into(), ..small_plan() };
        let comparison = Comparison::new(&rows(&plan, &Scratch::new(profile), 2), 1);
        assert_eq!((comparison.cells.len(), comparison.means.len()), (18, 6));
        for cell in &comparison.cells {
            let off = cell.factors.product / cell.speedup - 1.0;
            assert!(off.abs() < 0.01, "{profile} {}: {off}", cell.processors);
            assert!(cell.processors > 1 || (cell.factors.load - 1.0).abs() < 1e-9, "one processor is never idle");
        }
        for mean in &comparison.means {
            let product = mean.processors as f64 * mean.factors.load * mean.factors.speed / mean.factors.overhead;
            assert!((product / mean.geometric - 1.0).abs() < 0.01, "{product} {}", mean.geometric);
            assert!(mean.low <= mean.geometric && mean.geometric <= mean.high);
        }
    }
}

#[test]
fn the_tree_and_the_last_depth_are_told() {
    let plan = small_plan();
    let rows = rows(&plan, &Scratch::new("tree"), 2);
    for row in rows.iter().filter(|row| row.run.algorithm == "serial" && row.run.repeat > 0) {
        let tree = &row.accounts.tree;
        assert!(tree.minimal_nodes > 0 && tree.minimal_nodes < row.nodes && tree.stolen_positions == 0, "{tree:?}");
    }
    let comparison = Comparison::new(&rows, 1);
    for mean in &comparison.means {
        let is_of = |cell: &&SpeedupCell| (&cell.algorithm, cell.processors) == (&mean.algorithm, mean.processors);
        let sum = |of: fn(&SpeedupCell) -> f64| comparison.cells.iter().filter(is_of).map(of).sum::<f64>();
        let load = sum(|cell| cell.factors.load * cell.time) / sum(|cell| cell.time);
        assert!((mean.sums.sum_load - load).abs() < 1e-9, "{mean:?}");
        assert!((mean.sums.sum_overhead - sum(|cell| cell.nodes) / sum(|cell| cell.serial_nodes)).abs() < 1e-9);
        assert!(mean.sums.last_load > 0.0 && mean.sums.last_load <= 1.0, "{mean:?}");
        assert!(mean.processors > 1 || mean.sums.last_load > 0.99, "{mean:?}");
        let tree = mean.sharing.tree;
        assert!(tree.below_4 <= tree.below_10 && tree.below_10 <= 1.0 && tree.below_10 > 0.0, "{tree:?}");
        assert!(tree.first_best > 0.5 && tree.first_best < 1.0, "{tree:?}");
        assert_eq!(tree.stolen > 0.0, mean.processors > 1, "{tree:?}");
        assert_eq!(tree.over_minimal > 1.0, mean.processors == 1, "{tree:?}");
    }
}

#[test]
fn threads_are_compared_too() {
    let plan = Plan { machine: MachineKind::Threads, processors: vec![2], goal: Goal::Depth(9), ..small_plan() };
    let rows = rows(&plan, &Scratch::new("threads"), 4);
    let comparison = Comparison::new(&rows, 1);
    assert_eq!(comparison.cells.len(), 6);
    for cell in &comparison.cells {
        assert!(cell.speedup > 0.0 && cell.factors.load > 0.0 && cell.factors.load <= 1.0, "{cell:?}");
        // The time of setting up a search is part of its time, but of no account.
        let off = cell.factors.product / cell.speedup - 1.0;
        assert!(off.abs() < 0.05, "{off} in {} ns", cell.time);
    }
}

#[test]
fn what_makes_no_sense_is_said_in_one_line_and_nothing_is_searched() {
    let scratch = Scratch::new("nonsense");
    let folder = Folder::open(scratch.path(), "v").unwrap();
    let plan = small_plan();
    let bad = [
        (Plan { algorithms: vec!["jumboree".into()], ..plan.clone() }, "no algorithm 'jumboree'"),
        (Plan { processors: vec![0], ..plan.clone() }, "0 processors"),
        (Plan { processors: vec![5000], ..plan.clone() }, "5000 processors"),
        (Plan { profile: "cray".into(), ..plan.clone() }, "no machine profile 'cray'"),
        (Plan { rules: "modern,-castling".into(), ..plan.clone() }, "no rule 'castling'"),
    ];
    for (plan, expected) in bad {
        let Err(error) = plan.perform(&folder, 1, &|_| panic!("something was searched")) else { panic!("{expected}") };
        let line = error.to_string();
        assert!(line.contains(expected) && !line.contains('\n'), "{line}");
    }
}

#[test]
fn a_suite_with_a_bad_line_is_refused() {
    let scratch = Scratch::new("suite");
    std::fs::create_dir_all(scratch.path()).unwrap();
    let file = scratch.path().join("bad.epd");
    let load = |text: &str| {
        std::fs::write(&file, text).unwrap();
        positions(file.to_str().unwrap(), None)
    };
    let kings = "4k3/8/8/8/8/8/8/4K2R w K - id \"kings\";\n";
    assert_eq!(load(kings).unwrap().records.len(), 1);
    for (line, expected) in [
        ("nonsense\n", "line 2: expected four fields"),
        ("8/8/8/8/8/8/8/8 w - -\n", "bad line"),
        ("7k/5QQ1/8/8/8/8/8/K7 b - -\n", "the game is over"),
    ] {
        let error = load(&format!("{kings}{line}")).unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn a_game_is_searched_by_one_engine_that_forgets_nothing() {
    let apart = Plan { goal: Goal::Depth(5), algorithms: vec!["ybw".into()], processors: vec![4], ..small_plan() };
    let game = Plan { course: Course::Game, ..apart.clone() };
    let whole = Scratch::new("game");
    let (kept, apart) = (rows(&game, &whole, 2), rows(&apart, &Scratch::new("apart"), 2));
    let nodes = |rows: &[Measurement]| -> Vec<u64> {
        rows.iter().filter(|row| row.run.algorithm == "ybw").map(|row| row.nodes).collect()
    };
    assert_eq!(nodes(&kept)[0], nodes(&apart)[0], "nothing comes before the first position");
    assert_ne!(nodes(&kept)[1..], nodes(&apart)[1..], "the table of the position before is kept");
    // A game that was stopped begins again, and comes to the same.
    let journal = std::fs::read(whole.path().join("journal.jsonl")).unwrap();
    for part in 1..5 {
        let scratch = Scratch::new("part");
        std::fs::create_dir_all(scratch.path()).unwrap();
        std::fs::write(scratch.path().join("journal.jsonl"), &journal[..journal.len() * part / 5]).unwrap();
        assert_eq!(csv(&rows(&game, &scratch, 2)), csv(&kept), "{part}");
    }
}

#[test]
fn depths_of_problems_are_those_after_the_solution() {
    let suite = positions("kaufman", Some(4)).unwrap();
    let course = Course::Solution { chosen_with: "startech:2^14".into() };
    let plan = Plan { suite, algorithms: Vec::new(), goal: Goal::Nodes(20_000), course, ..small_plan() };
    let folder = Scratch::new("solution");
    let folder = Folder::open(folder.path(), "v").unwrap();
    let choices = perform_all(&plan.choices(), &folder, 2, &|_| {}).unwrap();
    assert!(
        choices.iter().all(|choice| choice.run.table == "startech:2^14"),
        "depths are chosen with a table of their own"
    );
    let (problems, _) = crate::solve::Problem::all(&plan.suite.records);
    for (problem, choice) in problems.iter().zip(&choices) {
        let run = plan.runs(&choices).into_iter().find(|run| run.id == problem.id).unwrap();
        let expected = choice.solution(problem).map_or(choice.depth, |found| (found.depth + 1).min(choice.depth));
        assert_eq!(run.goal, Goal::Depth(expected), "{}", problem.id);
        let kept = choice.iterations.iter().filter(|end| Some(end.depth) >= choice.solution(problem).map(|s| s.depth));
        for end in kept.filter(|_| choice.solution(problem).is_some()) {
            let mv = chess::parse_move(&problem.position, &end.best_move).unwrap();
            assert!(problem.is_solved_by(mv), "{} at depth {}", problem.id, end.depth);
        }
    }
    assert_eq!(plan.left(&folder).len(), 4 * plan.baselines, "only the serial searches are left");
}
