//! `jamboree datagen` and `jamboree lab spsa` as their user sees them: killed at any moment, started again, or with
//! wrong arguments.

mod common;

use common::Scratch;
use lab::datagen::{DatagenSettings, GamePlayer, read_mark};
use lab::train::record::{MAGIC, PackedPosition, SIZE};
use rand_xoshiro::rand_core::Rng;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn jamboree(arguments: &str, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jamboree"));
    command.args(arguments.split_whitespace()).arg("--out").arg(out);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The complete games of a `.jpos` file: numbers and records. Everything up to the last of them must be valid.
fn games(bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let mut games = Vec::new();
    let mut records: Vec<u8> = Vec::new();
    let mut open = None;
    for bytes in bytes.get(MAGIC.len()..).unwrap_or_default().as_chunks::<SIZE>().0 {
        assert!(PackedPosition::from_bytes(bytes).is_some(), "a record that can't be read");
        let (number, last) = read_mark(bytes).expect("a mark");
        assert!(open.is_none_or(|open| open == number), "games are mixed");
        records.extend_from_slice(&bytes[..SIZE - 4]);
        open = Some(number);
        if last {
            games.push((number, std::mem::take(&mut records)));
            open = None;
        }
    }
    games
}

const NODES: u64 = 20;
const THREADS: usize = 2;
const KILLS: u64 = 10;

#[test]
fn ten_kills_lose_at_most_the_games_in_flight() {
    let scratch = Scratch::new("kills");
    let out = scratch.file("games.jpos");
    let play = |games: usize| jamboree(&format!("datagen --nodes {NODES} --threads {THREADS} --games {games}"), &out);
    let mut kept: Vec<(u32, Vec<u8>)> = Vec::new();
    let mut random = common::random();
    for _ in 0..KILLS {
        let mut process = play(1_000_000).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(20 + random.next_u64() % 600));
        process.kill().expect("a kill that can't be caught");
        process.wait().expect("it is gone");
        let now = games(&std::fs::read(&out).unwrap_or_default());
        assert_eq!(now.get(..kept.len()), Some(kept.as_slice()), "games that were there are there");
        kept = now;
    }
    let wanted = kept.len() + 3;
    let output = play(wanted).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&out).expect("written");
    assert_eq!(bytes.len() % SIZE, MAGIC.len(), "whole records only");
    let all = games(&bytes);
    assert_eq!((all.len(), all.get(..kept.len())), (wanted, Some(kept.as_slice())));
    let numbers: HashSet<u32> = all.iter().map(|&(number, _)| number).collect();
    let contents: HashSet<&[u8]> = all.iter().map(|(_, records)| records.as_slice()).collect();
    assert_eq!((numbers.len(), contents.len()), (wanted, wanted), "no game twice");
    // The openings of missing numbers were not balanced, or their games were unfinished.
    let mut player = GamePlayer::new(DatagenSettings { nodes: NODES, random_plies: 8, seed: 1 }).expect("memory");
    let largest = numbers.iter().copied().max().unwrap_or(0);
    let missing = (1..=largest).filter(|number| !numbers.contains(number));
    let lost = missing.filter(|&number| player.play(number).is_some()).count() as u64;
    assert!(lost <= KILLS * THREADS as u64, "{lost} games were lost");
}

/// The command fails and says why in one line.
fn refused(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("jamboree: ") && text.lines().count() == 1, "{text}");
    text
}

#[test]
fn datagen_writes_text_goes_on_and_leaves_other_files_alone() {
    let scratch = Scratch::new("text");
    let out = scratch.file("games.txt");
    let play = |games| jamboree(&format!("datagen --nodes 20 --threads 1 --games {games}"), &out).output();
    assert!(play(2).expect("it runs").status.success());
    let first = std::fs::read_to_string(&out).expect("written");
    assert_eq!(first.matches(";end\n").count(), 2);
    assert!(play(2).expect("it runs").status.success());
    assert_eq!(std::fs::read_to_string(&out).expect("written"), first);
    assert!(play(3).expect("it runs").status.success());
    let more = std::fs::read_to_string(&out).expect("written");
    assert!(more.starts_with(&first) && more.matches(";end\n").count() == 3);
    assert!(more.lines().all(|line| lab::tune::parse_line(line).is_ok()));
    let notes = scratch.file("notes.txt");
    std::fs::write(&notes, "Things to do\n").expect("written");
    for (arguments, out, expected) in [
        ("datagen", notes.as_path(), "did not write"),
        ("datagen", Path::new("/proc/games.jpos"), "can't write '/proc/games.jpos'"),
        ("datagen --nodes 0", out.as_path(), "--nodes must be 1 or more"),
        ("lab spsa --parameters null_dept", out.as_path(), "no parameter 'null_dept'"),
        ("lab spsa --parameters null_depth --rules nonsense", out.as_path(), "no rule 'nonsense'"),
        ("lab spsa --parameters null_depth --pairs 0", out.as_path(), "--pairs"),
        ("lab spsa --parameters null_depth --rate nan", out.as_path(), "--rate"),
        ("lab spsa --parameters null_depth", out.as_path(), "cannot write"),
    ] {
        let line = refused(&jamboree(arguments, out).output().expect("it runs"));
        assert!(line.contains(expected), "{arguments}: {line}");
    }
    assert_eq!(std::fs::read(&notes).expect("still there"), b"Things to do\n");
}

#[test]
fn a_killed_tuning_ends_as_one_that_was_not() {
    let scratch = Scratch::new("spsa");
    let small =
        "lab spsa --parameters razor_depth,futility_margin --pairs 12 --nodes 30 --hash 1 --threads 1 --rate 0.5";
    let (whole, killed) = (scratch.file("whole"), scratch.file("killed"));
    let started = std::time::Instant::now();
    let output = jamboree(small, &whole).output().expect("it runs");
    let time = started.elapsed();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("--rules modern,razor_depth="), "{text}");
    for part in [2, 5, 3, 7] {
        let mut process = jamboree(small, &killed).spawn().expect("it runs");
        std::thread::sleep(time * part / 10);
        process.kill().expect("a kill that can't be caught");
        process.wait().expect("it is gone");
    }
    assert!(jamboree(small, &killed).output().expect("it runs").status.success());
    for name in ["journal.jsonl", "course.csv", "course.json"] {
        let read = |folder: &PathBuf| std::fs::read(folder.join(name)).expect("written");
        assert_eq!(read(&whole), read(&killed), "{name}");
    }
    let page = std::fs::read_to_string(killed.join("index.html")).expect("written");
    assert!(page.contains("futility_margin.1") && page.matches("<svg").count() == 3);
    let other = small.replace("--pairs 12", "--pairs 13");
    assert!(refused(&jamboree(&other, &killed).output().expect("it runs")).contains("another tuning"));
}
