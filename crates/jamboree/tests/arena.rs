//! `jamboree lab match` and `lab race` as a user sees them: matches of the program against itself and against engines that misbehave.

mod common;

use common::Scratch;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn path(folder: &Scratch, name: &str) -> String {
    folder.file(name).to_str().expect("UTF-8").to_owned()
}

/// `jamboree lab match --own` with these words.
fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jamboree"));
    command.args(["lab", "match", "--own"]).args(words).stdin(Stdio::null());
    command
}

fn run(words: &[&str]) -> Output {
    command(words).output().expect("the program starts")
}

fn report(words: &[&str]) -> Value {
    let output = run(&[words, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("a JSON report")
}

/// The games of a folder in their order, without times, and without checksums, which depend on the times.
fn games(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("games.jsonl")).expect("games");
    let mut games: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a game")).collect();
    for game in &mut games {
        game.as_object_mut().expect("a game").remove("check").expect("a check");
        for ply in game["moves"].as_array_mut().expect("moves") {
            ply.as_object_mut().expect("a move").remove("seconds");
        }
    }
    games.sort_by_key(|game| game["game"].as_u64());
    games
}

const SMALL: [&str; 10] =
    ["--a", "jamboree", "--b", "jamboree,Rules=classic", "--nodes", "60", "--hash", "1", "--games", "12"];

#[test]
fn an_interrupted_match_ends_like_one_that_was_not() {
    let folder = Scratch::new("resume");
    let (whole, broken) = (path(&folder, "whole"), path(&folder, "broken"));
    let expected = report(&[&SMALL[..], &["--out", &whole]].concat());
    assert_eq!(expected["games"], 12);

    let words = [&SMALL[..], &["--out", &broken]].concat();
    let mut first = command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let lines = Path::new(&broken).join("games.jsonl");
    let started = Instant::now();
    while std::fs::read_to_string(&lines).map_or(0, |text| text.lines().count()) < 3 {
        assert!(started.elapsed() < Duration::from_secs(60), "no game is over");
        std::thread::sleep(Duration::from_millis(5));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    // As if it had been interrupted while writing.
    let text = std::fs::read_to_string(&lines).unwrap();
    std::fs::write(&lines, &text[..text.len() - 20]).unwrap();

    let found = report(&words);
    assert_eq!(found, expected);
    assert_eq!(games(Path::new(&broken)), games(Path::new(&whole)));
    let pgn = std::fs::read_to_string(Path::new(&broken).join("games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event ").count(), 12);
    let read = |folder: &str, name: &str| std::fs::read_to_string(Path::new(folder).join(name)).unwrap();
    assert_eq!(read(&broken, "course.csv"), read(&whole, "course.csv"));
    assert!(read(&broken, "index.html").contains("12 of at most 12 games count"));

    let other = run(&[&SMALL[..8], &["--seed", "2", "--out", &broken]].concat());
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&other.stderr).contains("has another match"));
}

#[test]
fn a_race_in_a_folder_goes_on_with_more_repeats() {
    let folder = Scratch::new("race");
    let out = path(&folder, "race");
    let race = |repeats: &str| {
        let words = [
            "lab",
            "race",
            "jamboree",
            "jamboree,Threads=2",
            "--first",
            "2",
            "--depth",
            "3",
            "--hash",
            "1",
            "--repeats",
        ];
        let output =
            Command::new(env!("CARGO_BIN_EXE_jamboree")).args(words).args([repeats, "--out", &out]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).trim_end().ends_with("index.html"));
        let read = |name: &str| std::fs::read_to_string(Path::new(&out).join(name)).unwrap();
        (read("laps.csv").lines().map(str::to_owned).collect::<Vec<_>>(), read("index.html"))
    };
    let (first, page) = race("1");
    assert!(first.len() == 5 && page.contains("1 of 1 repeats"), "{first:?}");
    let (second, page) = race("2");
    assert!(second.len() == 9 && page.contains("2 of 2 repeats"), "{second:?}");
    assert!(first.iter().all(|line| second.contains(line)), "what was measured is kept");
}

#[test]
fn engines_that_misbehave_lose_and_are_named() {
    let folder = Scratch::new("bad");
    let script = path(&folder, "bad.sh");
    let text = "while read -r word rest; do case $word in\nuci) echo id name bad; echo uciok;;\nisready) echo readyok;;\n\
        quit) exit 0;;\ngo) case $1 in crash) exit 9;; illegal) echo bestmove a1a8;; esac;;\nesac; done\n";
    std::fs::write(&script, text).unwrap();
    for (kind, limit) in [("crash", ["--nodes", "50"]), ("illegal", ["--nodes", "50"]), ("silent", ["--tc", "0.3"])] {
        let engine = format!("sh {script} {kind}");
        let output =
            report(&[&["--a", "jamboree", "--b", &engine, "--games", "2", "--margin", "2s"][..], &limit].concat());
        let fault = &output["faults"][0];
        assert_eq!((output["wins"].as_u64(), fault["by_a"].as_bool()), (Some(2), Some(false)), "{output}");
        assert_eq!(fault["kind"], kind, "{output}");
        assert!(fault["reason"].as_str().is_some_and(|reason| reason.starts_with("sh bad.sh")), "{output}");
    }
}

#[test]
fn games_of_a_file_are_openings_and_the_report_is_readable() {
    let folder = Scratch::new("openings");
    let file = path(&folder, "book.pgn");
    std::fs::write(&file, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n[Event \"x\"]\n\n1. d4 d5 *\n").unwrap();
    let words =
        ["--a", "jamboree", "--b", "self", "--nodes", "30", "--games", "4", "--openings", &file, "--plies", "3"];
    let out = path(&folder, "out");
    let output = run(&[&words[..], &["--out", &out]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.starts_with("jamboree against self, 30 nodes a move, played by ourselves\ngames        4: "),
        "{text}"
    );
    for word in ["score ", "pairs        0 0 2 0 0", "Elo ", "LOS ", "faults       none"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let mut beginnings: Vec<String> = games(Path::new(&out))
        .iter()
        .map(|game| {
            let book = game["moves"].as_array().unwrap().iter().take_while(|ply| ply["depth"].is_null());
            book.filter_map(|ply| ply["move"].as_str()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    beginnings.sort();
    assert_eq!(beginnings, ["d2d4 d7d5", "d2d4 d7d5", "e2e4 e7e5 g1f3", "e2e4 e7e5 g1f3"]);
}

#[test]
fn bad_input_is_told_in_one_line() {
    for (words, expected) in [
        (&["--a", "no-such-engine", "--b", "jamboree"][..], "no engine 'no-such-engine'"),
        (&["--a", "jamboree", "--b", "jamboree,Skill=3"], "has no option 'Skill'"),
        (&["--a", "jamboree", "--b", "jamboree,Rules=nonsense"], "no rule 'nonsense'"),
        (&["--a", "jamboree", "--b", "jamboree", "--tc", "soon"], "'soon' is not a time control"),
        (&["--a", "jamboree", "--b", "jamboree", "--openings", "/no/such.epd"], "cannot read '/no/such.epd'"),
        (&["--a", "jamboree", "--b", "jamboree", "--games", "7"], "an even number"),
        (&["--a", "jamboree", "--b", "jamboree", "--sprt", "5,0"], "not a sequential test"),
        (&["--a", "jamboree", "--b", "jamboree", "--draw", "maybe"], "not a draw rule"),
        (&["--a", "jamboree", "--b", "jamboree", "--margin", "-1"], "--margin '-1'"),
        (&["--a", "jamboree", "--b", "jamboree", "--nodes", "9", "--out", "/dev/null/x"], "cannot write"),
    ] {
        let output = run(words);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {text}");
        assert!(text.starts_with("jamboree: ") && text.contains(expected) && text.lines().count() == 1, "{text}");
    }
}

#[test]
fn an_engine_that_floods_loses_and_takes_no_memory() {
    let folder = Scratch::new("flood");
    let script = path(&folder, "flood.sh");
    let text = "while read -r word rest; do case $word in\nuci) echo id name flood; echo uciok;;\nisready) echo readyok;;\n\
        quit) exit 0;;\ngo) exec yes info;;\nesac; done\n";
    std::fs::write(&script, text).unwrap();
    let started = Instant::now();
    // Memory is limited, so that a program that keeps the flood fails the test and does not harm the computer.
    let program = env!("CARGO_BIN_EXE_jamboree");
    for (engine, expected) in [("yes info", Err("was given up")), (&format!("sh {script}"), Ok(2))] {
        let words = format!(
            "ulimit -v 4000000; exec {program} lab match --own --a jamboree --b '{engine}' --games 2 --nodes 50 --hash 1 --json"
        );
        let output = Command::new("sh").args(["-c", &words]).stdin(Stdio::null()).output().expect("a shell");
        let errors = String::from_utf8_lossy(&output.stderr);
        match expected {
            Err(message) => {
                assert_eq!(output.status.code(), Some(1), "{errors}");
                assert!(errors.contains(message) && errors.lines().count() == 1, "{errors}");
            }
            Ok(wins) => {
                let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{errors}"));
                assert_eq!(report["wins"], wins, "{report}");
                let reason = report["faults"][0]["reason"].as_str().unwrap_or_default();
                assert!(reason.contains("it prints more than 32 MiB a second"), "{report}");
            }
        }
    }
    assert!(started.elapsed() < Duration::from_secs(50), "a flood is not waited for");
}
