//! The laboratory as its user sees it: commands that are killed, started again, or have wrong arguments.

mod common;

use common::Scratch;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn jamboree(arguments: &str, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jamboree"));
    command.args(arguments.split_whitespace()).arg("--out").arg(out);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

const SMALL: &str =
    "lab speedup --first 3 --nodes 4000 --algorithm jubilee,jamboree --processors 1,8 --hash 2 --baselines 2";

#[test]
fn ten_kills_change_no_byte_of_the_results() {
    let scratch = Scratch::new("kills");
    let (whole, killed) = (scratch.file("whole"), scratch.file("killed"));
    let started = std::time::Instant::now();
    assert!(jamboree(SMALL, &whole).output().expect("it runs").status.success());
    let time = started.elapsed();
    for part in 1..=10 {
        let mut process = jamboree(SMALL, &killed).spawn().expect("it runs");
        std::thread::sleep(time * (part * 7 % 10) / 20 + Duration::from_millis(1));
        process.kill().expect("a kill that can't be caught");
        process.wait().expect("it is gone");
    }
    assert!(jamboree(SMALL, &killed).output().expect("it runs").status.success());
    for name in ["rows.csv", "rows.json", "speedup.csv", "speedup.json", "means.csv", "means.json"] {
        let read = |folder: &PathBuf| std::fs::read(folder.join(name)).expect("written");
        assert_eq!(read(&whole), read(&killed), "{name}");
    }
    assert!(std::fs::read_to_string(killed.join("index.html")).expect("written").contains("How it was made"));
}

/// The command fails and says why in one line.
fn refused(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

#[test]
fn what_makes_no_sense_is_refused_in_one_line_and_nothing_is_lost() {
    let scratch = Scratch::new("refused");
    let out = scratch.file("out");
    assert!(jamboree(SMALL, &out).output().expect("it runs").status.success());
    let before = std::fs::read(out.join("rows.csv")).expect("written");
    let bad = scratch.file("bad.epd");
    std::fs::write(&bad, "4k3/8/8/8/8/8/8/4K2R w K -\nno position\n").expect("the temporary folder can be written");
    let bad_suite = format!("lab speedup --suite {}", bad.display());
    for (arguments, expected) in [
        (bad_suite.as_str(), "bad line: line 2"),
        ("lab speedup --suite none-such", "no suite or file"),
        ("lab speedup --algorithm jumboree", "no algorithm 'jumboree'"),
        ("lab speedup --algorithm serial", "serial is what the others are compared with"),
        ("lab speedup --processors 0", "'0' is not a number of processors"),
        ("lab speedup --processors 4,5000", "'5000' is not a number of processors"),
        ("lab speedup --processors four", "'four' is not a number of processors"),
        ("lab speedup --profile pentium", "no machine profile 'pentium'"),
        ("lab speedup --rules modern,-castling", "no rule 'castling'"),
        ("lab speedup --depth 0", "depth 0"),
        ("lab speedup --hosts 2", "profile 'ideal' counts nodes, not time"),
        ("lab speedup --hosts 3 --processors 4 --profile workstation", "4 processors can't be divided among 3 hosts"),
        ("lab speedup --hosts 2 --machine threads --profile workstation", "hosts are simulated"),
        ("lab cluster --latency far", "'far' is not a latency"),
        ("lab cluster --tables round", "no tables 'round'"),
        ("lab cluster --hosts 0", "'0' is not a number"),
        ("lab predict --first 1 --nodes 100", "at least two positions"),
        ("lab predict --algorithm jubilee,ybw", "one algorithm"),
        ("lab profile nonsense", "expected"),
        ("lab profile 4k3/8/8/8/8/8/8/4K2R --processors 1,2", "one number of processors"),
    ] {
        let line = refused(&jamboree(arguments, &out).output().expect("it runs"));
        assert!(line.contains(expected), "{arguments}: {line}");
    }
    let line = refused(&jamboree(SMALL, Path::new("/proc/lab")).output().expect("it runs"));
    assert!(line.contains("cannot write '/proc/lab'"), "{line}");
    let line = refused(&jamboree(SMALL, &bad).output().expect("it runs"));
    assert!(line.contains("cannot write"), "{line}");
    assert_eq!(std::fs::read(out.join("rows.csv")).expect("still there"), before);
}

#[test]
fn a_run_of_the_papers_is_checked_claim_by_claim() {
    let scratch = Scratch::new("claims");
    let (out, results) = (scratch.file("out"), scratch.file("results"));
    let small = "lab papers --quick --paper cray-blitz --nodes 200 --first 2 --jobs 2";
    assert!(jamboree(small, &out).output().expect("it runs").status.success());
    let committed = results.join("papers-quick");
    std::fs::create_dir_all(&committed).expect("the temporary folder can be written");
    std::fs::copy(out.join("papers.json"), committed.join("papers.json")).expect("copied");
    let check = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jamboree"));
        command.args(["lab", "papers", "--check"]).arg(&out).arg("--results").arg(&results);
        command.output().expect("it runs")
    };
    let same = String::from_utf8_lossy(&check().stdout).into_owned();
    assert!(same.contains("holds  deterministic"), "{same}");
    // Another number in one place.
    let text = std::fs::read_to_string(out.join("papers.json")).expect("written");
    let planted = text.replacen("\"ours\":", "\"ours\":1", 1);
    std::fs::write(out.join("papers.json"), planted).expect("written");
    let other = check();
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&other.stdout).contains("FAILS  deterministic"), "{other:?}");
}
