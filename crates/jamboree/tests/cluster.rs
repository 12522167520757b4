//! Plays games through the front of a cluster while its job is killed and stopped again and again.
#![cfg(target_os = "linux")]

mod common;

use chess::{Position, parse_move};
use common::process::{PATIENCE, PROGRAM, UciProcess};
use game::Game;
use rand_xoshiro::rand_core::Rng;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Other tests run at the same time, and a busy machine lets a process wait; a front that waits for a dead job is seen
/// anyway. `scripts/cluster-kill.py` has no such margin.
const MARGIN: Duration = Duration::from_millis(250);
const MOMENTS: u32 = 8;
const PLIES: usize = 30;

/// A front whose job is the program itself.
fn start_front() -> UciProcess {
    UciProcess::start(&["cluster", "--overhead", "10", "--job", &format!("'{PROGRAM}'")])
}

/// The processes whose parent this is.
fn children(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("Linux").filter_map(Result::ok);
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parent_of = |process: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The process name may contain any character, but nothing after it contains a bracket.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    numbers.filter(|&process| parent_of(process) == Some(parent)).collect()
}

/// Sends a signal to a process group.
fn signal_group(signal: &str, leader: u32) {
    let kill = format!("kill -{signal} -- -{leader}");
    Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status().expect("a shell");
}

/// Kills or stops the job at random moments.
fn torment(front: u32) -> u32 {
    let mut random = common::random();
    let mut done = 0;
    while done < MOMENTS {
        std::thread::sleep(Duration::from_millis(50 + random.next_u64() % 400));
        if let Some(&job) = children(front).first() {
            signal_group(if random.next_u64().is_multiple_of(2) { "KILL" } else { "STOP" }, job);
            done += 1;
        }
    }
    done
}

/// A game of both sides through the front: every move legal, in time, and the only one. Says how many plies it had.
fn play(front: &mut UciProcess) -> usize {
    let mut position = Position::default();
    let mut moves = String::new();
    let mut clocks = [Duration::from_millis(200); 2];
    front.say("ucinewgame");
    for ply in 0..PLIES {
        front.say(&format!("position startpos moves{moves}"));
        let [white, black] = clocks.map(|clock| clock.as_millis());
        let asked = Instant::now();
        front.say(&format!("go wtime {white} btime {black} winc 20 binc 20"));
        let lines = front.until("bestmove");
        let taken = asked.elapsed();
        let best = lines.last().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
        if best == "(none)" {
            assert!(!position.has_moves());
            return ply;
        }
        let mv = parse_move(&position, best).unwrap_or_else(|error| panic!("{error}: {lines:#?}"));
        let clock = &mut clocks[ply % 2];
        assert!(taken <= *clock + MARGIN, "{taken:?} of {clock:?}: {lines:#?}");
        *clock = clock.saturating_sub(taken) + Duration::from_millis(20);
        position = position.play(mv);
        moves.push_str(&format!(" {best}"));
        // A second answer would come now, or be taken for that of the next move, where it is hardly ever legal.
        if let Ok(line) = front.output.try_recv() {
            assert!(!line.starts_with("bestmove"), "{line} after {lines:#?}");
        }
    }
    PLIES
}

#[test]
fn games_go_on_whatever_happens_to_the_job() {
    let mut front = start_front();
    front.say("uci");
    let options = front.until("uciok");
    assert!(options.iter().any(|line| line.starts_with("option name Hash ")), "{options:#?}");
    front.say("setoption name Hash value 1");
    front.say("isready");
    front.until("readyok");
    let process = front.process.id();
    let over = std::sync::Arc::new(AtomicBool::new(false));
    let seen = std::sync::Arc::clone(&over);
    let tormentor = std::thread::spawn(move || {
        let done = torment(process);
        seen.store(true, Ordering::Relaxed);
        done
    });
    let mut plies = play(&mut front);
    while !over.load(Ordering::Relaxed) {
        plies += play(&mut front);
    }
    assert_eq!(tormentor.join().expect("no panic"), MOMENTS);
    assert!(plies > 0);
    // The front notices a stopped job when it asks it something; then it starts a new job, which searches.
    let end = Instant::now() + PATIENCE;
    loop {
        front.say("position startpos");
        front.say("go wtime 1000 btime 1000");
        let lines = front.until("bestmove");
        if lines.iter().all(|line| !line.starts_with("info string cluster")) && !children(process).is_empty() {
            break;
        }
        assert!(Instant::now() < end, "no job after {lines:#?}");
    }
    // No process is left.
    let job = children(process);
    front.say("quit");
    front.process.wait().expect("the front ends");
    assert!(job.iter().all(|process| !std::path::Path::new(&format!("/proc/{process}")).exists()));
}

#[test]
fn a_front_that_is_told_to_end_leaves_no_job_behind() {
    for signal in ["TERM", "INT", "KILL"] {
        let mut front = start_front();
        front.say("uci");
        front.until("uciok");
        front.say("go infinite");
        let job = children(front.process.id());
        assert!(!job.is_empty());
        let kill = format!("kill -{signal} {}", front.process.id());
        Command::new("sh").args(["-c", &kill]).status().expect("a shell");
        front.process.wait().expect("the front ends");
        let end = Instant::now() + Duration::from_secs(5);
        while job.iter().any(|process| is_alive(*process)) {
            assert!(Instant::now() < end, "{signal}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Is there such a process, other than a zombie?
fn is_alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}
