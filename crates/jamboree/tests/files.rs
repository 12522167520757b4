//! Commands with unusable files, full disks or wrong numbers: they say so in one line, exit with code 1, and lose
//! nothing.

mod common;

use common::Scratch;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn jamboree(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jamboree"));
    command.args(words.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(words: &str) -> Output {
    jamboree(words).output().expect("it runs")
}

/// The command fails and says why in one line.
fn refused(words: &str) -> String {
    let output = run(words);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(1 | 2)), "{words}: {:?} {text}", output.status);
    assert!(text.starts_with("jamboree: ") && text.lines().count() == 1, "{words}: {text}");
    text
}

fn full() -> File {
    File::options().write(true).open("/dev/full").expect("/dev/full")
}

const LINE: &str = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1;120;1\n";

#[test]
fn a_full_disk_on_standard_output_is_told() {
    for words in [
        "bench --depth 1",
        "bench --depth 1 --json",
        "perft --depth 2",
        "perft --suite standard --max-nodes 100",
        "solve --suite dts --nodes 1",
        "rate --max-time 1ms --json",
        "analyze startpos --nodes 10",
        "analyze startpos --nodes 10 --json",
        "--help",
        "--version",
    ] {
        let output = jamboree(words).stdout(full()).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words}: {text}");
        assert!(text.starts_with("jamboree: cannot write to standard output: No space left"), "{words}: {text}");
    }
}

#[test]
fn a_reader_who_has_gone_ends_the_program_quietly() {
    for words in ["bench --depth 3", "perft --depth 3", "analyze startpos --nodes 10", "--help"] {
        let mut process = jamboree(words).spawn().expect("it runs");
        drop(process.stdout.take());
        let output = process.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*text), (Some(0), ""), "{words}");
    }
}

#[test]
fn a_full_disk_on_standard_error_is_no_reason_to_crash() {
    for (words, expected) in [("analyze x", 1), ("bench --depth deep", 2), ("perft --fen x", 1)] {
        let status = jamboree(words).stderr(full()).status().expect("it runs");
        assert_eq!(status.code(), Some(expected), "{words}: {status}");
    }
}

#[test]
fn nothing_is_written_over_what_is_read() {
    let scratch = Scratch::new("over");
    let (data, link) = (scratch.file("data.txt"), scratch.file("link.txt"));
    std::fs::write(&data, LINE).expect("written");
    std::os::unix::fs::symlink(&data, &link).expect("a link");
    let game = scratch.file("game.pgn");
    std::fs::write(&game, "1. e4 e5 *\n").expect("written");
    let suite = scratch.file("suite.epd");
    std::fs::write(&suite, "4k3/8/8/8/8/8/8/4K2R w - - id \"one\";\n").expect("written");
    let (data, link, pgn, suite) = (data.display(), link.display(), game.display(), suite.display());
    for words in [
        format!("train --data {data} --convert {data}"),
        format!("train --data {data} --convert {link}"),
        format!("train --data {link} --out {data}"),
        format!("tune {data} --out {link}"),
        format!("distill --engine cat --data {data} --out {link}"),
        format!("analyze --pgn {pgn} --nodes 1 --out {pgn}"),
        format!("bench --suite {suite} --depth 1 --trace {suite}"),
    ] {
        assert!(refused(&words).contains("the command reads this file"), "{words}");
    }
    assert_eq!(std::fs::read_to_string(scratch.file("data.txt")).expect("there"), LINE);
    assert_eq!(std::fs::read_to_string(&game).expect("there"), "1. e4 e5 *\n");
}

#[test]
fn a_full_disk_leaves_no_empty_file() {
    let scratch = Scratch::new("full");
    let data = scratch.file("data.txt");
    std::fs::write(&data, LINE.repeat(100)).expect("written");
    let data = data.display();
    for words in [
        format!("tune {data} --out /dev/full --epochs 1"),
        format!("train --data {data} --convert /dev/full"),
        format!("train --data {data} --out /dev/full --epochs 1 --threads 1"),
        "lab spsa --parameters null_depth --out /dev/full".to_owned(),
        "bench --json --depth 2 --suite kaufman --trace /dev/full".to_owned(),
    ] {
        assert!(refused(&words).contains("cannot write '/dev/full'"), "{words}");
    }
    // A limit on the size of files is like a full disk: no incomplete file may be left.
    let out = scratch.file("weights.rs");
    let command = format!(
        "trap '' XFSZ; ulimit -f 1; exec {} tune {data} --epochs 1 --out {}",
        env!("CARGO_BIN_EXE_jamboree"),
        out.display()
    );
    let output = Command::new("sh").args(["-c", &command]).output().expect("a shell");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains(&format!("cannot write '{}'", out.display())), "{text}");
    let left: Vec<_> =
        std::fs::read_dir(scratch.file("")).expect("a folder").flatten().map(|file| file.file_name()).collect();
    assert_eq!(left, ["data.txt"]);
}

#[test]
fn numbers_that_lead_nowhere_are_refused_before_the_work() {
    let scratch = Scratch::new("numbers");
    let (data, out) = (scratch.file("data.txt"), scratch.file("net.jnet"));
    std::fs::write(&data, LINE.repeat(10)).expect("written");
    let train = format!("train --data {} --out {} --epochs 1", data.display(), out.display());
    for (option, expected) in [
        ("--hidden 2048", "2048 neurons"),
        ("--hidden 0", "0 neurons"),
        ("--unit 0", "scale 0"),
        ("--scale 0", "scale 0"),
        ("--scale nan", "scale"),
        ("--scale 1e30", "scale"),
        ("--rate nan", "--rate"),
        ("--rate 0", "--rate"),
        ("--trust 7", "--trust"),
        ("--fading nan", "--fading"),
        ("--batch 0", "--batch"),
        ("--threads 0", "--threads"),
    ] {
        assert!(refused(&format!("{train} {option}")).contains(expected), "{option}");
        assert!(!out.exists());
    }
    let folder = scratch.file("folder");
    for (words, expected) in [
        ("bench --machine threads --processors 0", "--processors"),
        ("bench --machine virtual --processors 0", "--processors"),
        ("lab speedup --processors 0 --out FOLDER", "'0' is not a number of processors"),
        ("lab speedup --processors 2 --jobs 0 --out FOLDER", "--jobs"),
        ("lab cluster --hosts 0 --quick", "'0' is not a number of processors"),
        ("lab cluster --threads-per-host 0 --quick", "--threads-per-host"),
        ("lab profile startpos --processors 0 --out FOLDER", "'0' is not a number of processors"),
        ("lab predict --fit 0 --out FOLDER", "'0' is not a number of processors"),
        ("lab match --a jamboree --b jamboree --threads 0", "--threads"),
        ("lab match --a jamboree --b jamboree --concurrency 0", "--concurrency"),
        ("lab spsa --parameters null_depth --threads 0 --out FOLDER", "--threads"),
        ("datagen --threads 0 --out FOLDER", "--threads"),
        ("distill --engine cat --data FOLDER --out FOLDER --threads 0", "--threads"),
    ] {
        let words = words.replace("FOLDER", &folder.display().to_string());
        assert!(refused(&words).contains(expected), "{words}");
        assert!(!folder.exists(), "{words}");
    }
}

#[test]
fn endless_files_are_refused() {
    for words in [
        "solve --suite /dev/zero",
        "perft --suite /dev/zero",
        "train --data /dev/zero --out x.jnet",
        "tune /dev/zero --out x.rs",
    ] {
        assert!(refused(words).contains("cannot read '/dev/zero'"), "{words}");
    }
    assert!(!Path::new("x.jnet").exists() && !Path::new("x.rs").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn an_instruction_that_the_cpu_lacks_is_told_in_one_line() {
    use std::io::{BufRead, BufReader, Write};
    let mut process = jamboree("uci").stdin(Stdio::piped()).spawn().expect("it runs");
    let mut input = process.stdin.take().expect("a pipe");
    input.write_all(b"isready\n").expect("it reads");
    let mut line = String::new();
    BufReader::new(process.stdout.take().expect("a pipe")).read_line(&mut line).expect("it answers");
    let sent = Command::new("kill").args(["-ILL", &process.id().to_string()]).status().expect("kill is there");
    let output = process.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(sent.success() && output.status.code() == Some(1), "{:?}", output.status);
    assert!(text.starts_with("jamboree: this CPU lacks") && text.lines().count() == 1, "{text}");
}
