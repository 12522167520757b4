//! The program as a user interface sees it: a process that speaks UCI.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

struct Engine {
    process: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
}

impl Engine {
    fn start() -> Engine {
        let mut process = Command::new(env!("CARGO_BIN_EXE_jamboree"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (sender, output) = channel();
        let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let input = process.stdin.take();
        Engine { process, input, output }
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{line}").expect("the program listens");
    }

    /// Lines up to and including the first that begins so.
    fn until(&self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.output.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {beginning} after {lines:#?}"));
            lines.push(line);
            if lines.last().is_some_and(|line| line.starts_with(beginning)) {
                return lines;
            }
        }
    }

    /// Nothing that begins so is said within this time.
    fn none(&self, beginning: &str, time: Duration) {
        let end = Instant::now() + time;
        loop {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => assert!(!line.starts_with(beginning), "too early: {line}"),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => panic!("the program is gone"),
            }
        }
    }

    fn ready(&mut self) -> Vec<String> {
        self.say("isready");
        self.until("readyok")
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn best_move(lines: &[String]) -> String {
    lines.last().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_string()
}

#[test]
fn it_introduces_itself() {
    let mut engine = Engine::start();
    engine.say("uci");
    let lines = engine.until("uciok");
    assert!(lines.iter().any(|line| line.starts_with("id name Jamboree")));
    for option in [
        "Hash",
        "Threads",
        "MultiPV",
        "Ponder",
        "Move Overhead",
        "Clear Hash",
        "UCI_Chess960",
        "UCI_ShowWDL",
        "UCI_LimitStrength",
        "UCI_Elo",
        "SyzygyPath",
        "OwnBook",
        "BookFile",
        "EvalFile",
        "Debug Log File",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(&format!("option name {option} type"))), "{option}");
    }
}

#[test]
fn it_answers_while_searching_and_gives_one_best_move_when_stopped() {
    let mut engine = Engine::start();
    engine.say("go infinite");
    engine.until("info depth 5");
    engine.ready();
    engine.none("bestmove", Duration::from_millis(200));
    engine.say("stop");
    let asked = Instant::now();
    engine.until("bestmove");
    assert!(asked.elapsed() < Duration::from_millis(500));
    engine.say("stop");
    engine.none("bestmove", Duration::from_millis(200));
}

#[test]
fn even_a_finished_infinite_search_waits_for_stop() {
    let mut engine = Engine::start();
    engine.say("position fen 7k/5KQ1/8/8/8/8/8/8 b - - 0 1"); // mated: nothing to search at all
    engine.say("go infinite");
    engine.none("bestmove", Duration::from_millis(200));
    engine.say("stop");
    assert_eq!(best_move(&engine.until("bestmove")), "(none)");
    engine.say("position startpos");
    engine.say("go infinite depth 2");
    engine.none("bestmove", Duration::from_millis(200));
    engine.say("stop");
    engine.until("bestmove");
}

#[test]
fn it_ponders_until_the_move_is_played() {
    let mut engine = Engine::start();
    engine.say("position startpos moves e2e4 e7e5");
    engine.say("go ponder wtime 300 btime 300 winc 0 binc 0");
    engine.none("bestmove", Duration::from_millis(600));
    engine.say("ponderhit");
    engine.until("bestmove");
    engine.say("go ponder wtime 300 btime 300");
    engine.none("bestmove", Duration::from_millis(100));
    engine.say("stop");
    engine.until("bestmove");
}

#[test]
fn it_keeps_to_the_clock() {
    let mut engine = Engine::start();
    engine.ready();
    for (go, most) in
        [("go movetime 100", 160), ("go wtime 200 btime 100", 160), ("go wtime 1 btime 1", 100), ("go wtime 0", 100)]
    {
        let asked = Instant::now();
        engine.say(go);
        engine.until("bestmove");
        // Other tests run at the same time, so be generous: ten times over would be a lost game.
        assert!(asked.elapsed() < Duration::from_millis(most * 10), "{go}: {:?}", asked.elapsed());
    }
}

#[test]
fn bad_input_gets_an_error_and_loses_nothing() {
    let mut engine = Engine::start();
    engine.say("position startpos moves e2e4");
    for line in [
        "xyzzy",
        "position",
        "position fen",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 e2e4",
        "position startpos moves e2e5",
        "setoption",
        "setoption name Hash value 0",
        "setoption name Hash value 99999999999999999",
        "setoption name Hash value 33000000",
        "setoption name Hash value many",
        "setoption name Threads value 0",
        "setoption name Threads value 1025",
        "setoption name Algorithm value magic",
        "setoption name Ponder value maybe",
        "setoption name Nonsense value 1",
        "setoption name SyzygyPath value /does/not/exist",
        "setoption name BookFile value /does/not/exist.bin",
        "setoption name Debug Log File value /does/not/exist/log",
        "setoption name EvalFile value /does/not/exist.jnet",
        "setoption name EvalFile value /dev/null",
        "setoption name Rules value modern,-nonsense",
        "go depth",
        "go wtime soon",
    ] {
        engine.say(line);
        let lines = engine.ready();
        assert_eq!(lines.len(), 2, "{line}: {lines:?}");
        assert!(lines[0].starts_with("info string error: "), "{line}: {lines:?}");
    }
    engine.say("d");
    assert!(engine.until("Fen:").last().is_some_and(|line| line.contains("4P3")), "the old position is lost");
    engine.say("go depth 3");
    engine.until("bestmove");
}

#[test]
fn every_algorithm_plays_on_threads() {
    let mut engine = Engine::start();
    engine.say("uci");
    let options = engine.until("uciok");
    let combo = options.iter().find(|line| line.starts_with("option name Algorithm")).expect("the option");
    engine.say("setoption name Threads value 3");
    for algorithm in combo.split(" var ").skip(1) {
        engine.say(&format!("setoption name Algorithm value {algorithm}"));
        engine.say("position startpos moves e2e4 e7e5");
        engine.say("go depth 9");
        assert_ne!(best_move(&engine.until("bestmove")), "(none)", "{algorithm}");
        engine.say("go nodes 20000");
        let lines = engine.until("bestmove");
        let nodes = |line: &str| line.split("nodes ").nth(1)?.split(' ').next()?.parse::<u64>().ok();
        let visited = lines.iter().filter_map(|line| nodes(line)).max().unwrap_or(0);
        assert!(visited <= 20_000 + 3 * 1024, "{algorithm}: {visited} nodes");
        engine.say("setoption name MultiPV value 3");
        engine.say("go depth 7 searchmoves g1f3 f1c4 d2d4 h2h4");
        let lines = engine.until("bestmove");
        assert!(lines.iter().any(|line| line.contains("depth 7") && line.contains("multipv 3")), "{algorithm}");
        assert!(["g1f3", "f1c4", "d2d4", "h2h4"].contains(&best_move(&lines).as_str()), "{algorithm}");
        engine.say("setoption name MultiPV value 1");
        engine.say("go infinite");
        std::thread::sleep(Duration::from_millis(20));
        engine.say("stop");
        engine.until("bestmove");
        engine.say("go movetime 30");
        engine.until("bestmove");
    }
}

#[test]
fn many_threads_stop_at_once() {
    let mut engine = Engine::start();
    engine.say("setoption name Threads value 64");
    for _ in 0..3 {
        engine.say("position startpos");
        engine.say("go infinite");
        std::thread::sleep(Duration::from_millis(300));
        let asked = Instant::now();
        engine.say("stop");
        engine.until("bestmove");
        // Other tests run at the same time, so be generous: alone it takes a tenth of this.
        assert!(asked.elapsed() < Duration::from_millis(1000), "{:?}", asked.elapsed());
    }
}

#[test]
fn junk_bytes_are_survived() {
    let mut engine = Engine::start();
    let input = engine.input.as_mut().expect("open");
    let mut random = 88172645463325252u64;
    for _ in 0..200 {
        let mut junk: Vec<u8> = (0..60)
            .map(|_| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                random as u8
            })
            .collect();
        junk.push(b'\n');
        input.write_all(&junk).expect("the program listens");
    }
    engine.ready();
    engine.say("go nodes 1000");
    engine.until("bestmove");
}

#[test]
fn limits_options_and_several_lines() {
    let mut engine = Engine::start();
    engine.say("setoption name MultiPV value 3");
    engine.say("setoption name UCI_ShowWDL value true");
    engine.say("go depth 6 searchmoves e2e4 d2d4 g1f3 a2a3");
    let lines = engine.until("bestmove");
    let last: Vec<_> = lines.iter().filter(|line| line.starts_with("info depth 6 ")).collect();
    assert_eq!(last.len(), 3, "{last:?}");
    for (index, line) in last.iter().enumerate() {
        let words: Vec<_> = line.split(' ').collect();
        assert!(line.contains(&format!("multipv {}", index + 1)) && line.contains(" wdl "), "{line}");
        for word in ["depth", "seldepth", "nodes", "nps", "hashfull", "tbhits", "time", "cp"] {
            let at = words.iter().position(|&other| other == word).unwrap_or_else(|| panic!("{word} in {line}"));
            assert!(words[at + 1].parse::<i64>().is_ok(), "{word} in {line}");
        }
        let first = words.iter().position(|&word| word == "pv").map(|at| words[at + 1]).unwrap_or_default();
        assert!(["e2e4", "d2d4", "g1f3", "a2a3"].contains(&first), "{line}");
        assert!(index > 0 || first == best_move(&lines));
    }
    engine.say("setoption name MultiPV value 1");
    engine.say("go nodes 5000");
    let lines = engine.until("bestmove");
    assert!(lines.iter().any(|line| line.contains(" nodes 5000 ")), "{lines:?}");
    engine.say("position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1");
    engine.say("go mate 1");
    let lines = engine.until("bestmove");
    assert!(best_move(&lines) == "d1d8" && lines.iter().any(|line| line.contains("score mate 1")), "{lines:?}");
}

#[test]
fn castling_is_written_as_the_option_says() {
    for (option, castling) in [("false", "e1g1"), ("true", "e1h1")] {
        let mut engine = Engine::start();
        engine.say(&format!("setoption name UCI_Chess960 value {option}"));
        engine.say("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        engine.say(&format!("go depth 1 searchmoves {castling}"));
        assert_eq!(best_move(&engine.until("bestmove")), castling);
    }
}

#[test]
fn a_limited_engine_still_plays() {
    let mut engine = Engine::start();
    engine.say("setoption name UCI_LimitStrength value true");
    engine.say("setoption name UCI_Elo value 1300");
    engine.say("go wtime 10000 btime 10000");
    assert_eq!(best_move(&engine.until("bestmove")).len(), 4);
}

#[test]
fn everything_said_can_be_recorded() {
    let path = std::env::temp_dir().join(format!("jamboree-log-{}", std::process::id()));
    let mut engine = Engine::start();
    engine.say(&format!("setoption name Debug Log File value {}", path.display()));
    engine.ready();
    engine.say("quit");
    engine.process.wait().expect("the program ends");
    let text = std::fs::read_to_string(&path).expect("a log");
    let _ = std::fs::remove_file(&path);
    assert!(text.contains(">> isready") && text.contains("<< readyok"), "{text}");
}

#[test]
fn the_end_of_the_input_is_the_end() {
    for last in ["", "go infinite", "go ponder wtime 1000 btime 1000", "quit"] {
        let mut engine = Engine::start();
        engine.say(last);
        drop(engine.input.take());
        let started = Instant::now();
        while engine.process.try_wait().expect("a process").is_none() {
            assert!(started.elapsed() < PATIENCE, "still there after {last:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
