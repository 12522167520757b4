//! The program as a user interface sees it: a process that speaks UCI.

mod common;

use common::process::UciProcess;
use std::io::Write;
use std::time::{Duration, Instant};

fn best_move(lines: &[String]) -> String {
    lines.last().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_string()
}

#[test]
fn it_introduces_itself() {
    let mut engine = UciProcess::start(&[]);
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
        "Hash File",
        "Save Hash",
        "Load Hash",
        "UCI_Chess960",
        "UCI_ShowWDL",
        "UCI_LimitStrength",
        "UCI_Elo",
        "SyzygyPath",
        "Syzygy50MoveRule",
        "SyzygyProbeLimit",
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
    let mut engine = UciProcess::start(&[]);
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
    let mut engine = UciProcess::start(&[]);
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
    let mut engine = UciProcess::start(&[]);
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
    let mut engine = UciProcess::start(&[]);
    engine.ready();
    for (go, least, most) in [
        ("go movetime 100", 50, 160),
        ("go wtime 200 btime 100", 0, 160),
        ("go wtime 1 btime 1", 0, 100),
        ("go wtime 0", 0, 100),
    ] {
        let mut times = [(); 9].map(|()| {
            let asked = Instant::now();
            engine.say(go);
            engine.until("bestmove");
            asked.elapsed()
        });
        times.sort();
        assert!(times[0] >= Duration::from_millis(least), "{go}: {times:?}");
        // Other programs may take the processor for a while, so a few tries may be late.
        assert!(times[4] < Duration::from_millis(most), "{go}: {times:?}");
    }
}

#[test]
fn bad_input_gets_an_error_and_loses_nothing() {
    let mut engine = UciProcess::start(&[]);
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
}

#[test]
fn after_a_refused_position_there_is_no_move_until_a_legal_one_arrives() {
    let mut engine = UciProcess::start(&[]);
    for line in [
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position startpos moves e2e4 e2e4",
        "position",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e5",
    ] {
        engine.say("position startpos moves e2e4");
        engine.say(line);
        let error = engine.until("info string error: ");
        engine.say("go depth 3");
        let lines = engine.until("bestmove");
        assert_eq!(lines.len(), 2, "{line}: {error:?} {lines:?}");
        assert!(lines[0].starts_with("info string error: there is no position to search"), "{lines:?}");
        assert_eq!(lines[1], "bestmove (none)");
        engine.say("d");
        engine.until("info string error: there is no position");
        engine.say("position startpos moves e2e4");
        engine.say("go depth 3");
        assert_ne!(best_move(&engine.until("bestmove")), "(none)");
    }
}

#[test]
fn counts_and_benchmarks_do_not_make_it_deaf() {
    for long in ["go perft 9", "bench"] {
        let mut engine = UciProcess::start(&[]);
        engine.say(long);
        engine.say("isready");
        engine.until("readyok");
        engine.say("go depth 2");
        engine.until("bestmove");
        engine.say(long);
        engine.say("stop");
        engine.say("isready");
        engine.until("readyok");
        engine.say(long);
        engine.say("quit");
        engine.ends();
        let mut engine = UciProcess::start(&[]);
        engine.say("go perft 3");
        assert_eq!(engine.until("Nodes searched").last().map(String::as_str), Some("Nodes searched: 8902"));
        // A count that takes hours: only `stop` ends it.
        engine.say("go perft 12");
        engine.say("stop");
        engine.until("stopped: the count is not complete");
    }
}

#[test]
fn a_finished_game_has_a_score() {
    let mut engine = UciProcess::start(&[]);
    for (fen, score) in [("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "mate 0"), ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", "cp 0")] {
        engine.say(&format!("position fen {fen}"));
        engine.say("go depth 5");
        assert_eq!(engine.until("bestmove"), [format!("info depth 0 score {score}"), "bestmove (none)".to_string()]);
    }
}

#[test]
fn options_wait_for_the_end_of_a_search() {
    let mut engine = UciProcess::start(&[]);
    engine.say("go infinite");
    engine.until("info depth 4");
    engine.say("setoption name MultiPV value 2");
    engine.say("ucinewgame");
    engine.ready();
    engine.none("bestmove", Duration::from_millis(200));
    engine.say("stop");
    let lines = engine.until("bestmove");
    assert!(lines.iter().all(|line| !line.contains("multipv 2")), "{lines:#?}");
    engine.say("go depth 3");
    assert!(engine.until("bestmove").iter().any(|line| line.contains("multipv 2")));
}

#[test]
fn the_shortest_searches_answer_with_a_searched_move() {
    // The queen on g5 is attacked: a move that leaves it there loses it.
    let position = "position fen rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1";
    for go in ["go nodes 1", "go movetime 0", "go wtime 1 btime 1", "go btime 0", "go infinite\nstop"] {
        let mut engine = UciProcess::start(&[]);
        engine.say(position);
        engine.say(go);
        let lines = engine.until("bestmove");
        assert!(best_move(&lines).starts_with("g5"), "{go}: {lines:#?}");
        assert!(lines.iter().any(|line| line.starts_with("info depth 1 ")), "{go}: {lines:#?}");
    }
}

#[test]
fn the_end_of_the_input_waits_for_a_search_with_a_limit() {
    let mut engine = UciProcess::start(&[]);
    engine.say("go depth 9");
    drop(engine.input.take());
    let lines = engine.until("bestmove");
    assert!(lines.iter().any(|line| line.starts_with("info depth 9 ")), "{lines:#?}");
    engine.ends();
}

/// The last `info` line belongs to the best move that is answered, and its variation is complete.
#[test]
fn the_last_line_of_a_stopped_search_is_whole() {
    let mut engine = UciProcess::start(&[]);
    engine.ready();
    let positions = [
        "startpos",
        "fen r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1",
        "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "fen r2q1rk1/ppp2ppp/2n1bn2/2b1p3/3pP3/3P1NPP/PPP1NPB1/R1BQ1RK1 b - - 0 9",
    ];
    let line_of = |line: &str| -> Vec<String> {
        line.split_once(" pv ").map_or(Vec::new(), |(_, line)| line.split(' ').map(str::to_string).collect())
    };
    for (index, position) in positions.iter().cycle().take(15).enumerate() {
        engine.say(&format!("position {position}"));
        engine.say(&format!("go movetime {}", 80 + 17 * index));
        let lines = engine.until("bestmove");
        let infos: Vec<_> = lines.iter().filter(|line| line.contains(" pv ")).collect();
        let last = infos.last().expect("a line");
        let best = line_of(last);
        assert_eq!(best.first().map(String::as_str), Some(best_move(&lines).as_str()), "{lines:#?}");
        // As long as the exact line before it, up to four moves: lines shorten at repetitions and mates.
        let is_exact = |line: &str| !line.contains("bound") && !line.contains("mate");
        let before = infos.iter().rev().skip(1).find(|line| is_exact(line));
        let usual = before.map_or(1, |line| line_of(line).len().min(4));
        assert!(!is_exact(last) || best.len() >= usual, "{position}: {lines:#?}");
    }
}

#[test]
fn what_is_loaded_is_confirmed_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.bin");
    std::fs::write(&book, [0; 32]).expect("a file");
    let mut engine = UciProcess::start(&[]);
    engine.say(&format!("setoption name BookFile value {}", book.display()));
    let lines = engine.ready();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("info string read an opening book of 2 entries"), "{lines:?}");
    engine.say("setoption name BookFile value <empty>");
    assert_eq!(engine.ready().len(), 1);
    for file in ["/dev/zero", "/"] {
        for option in ["BookFile", "EvalFile"] {
            engine.say(&format!("setoption name {option} value {file}"));
            let lines = engine.ready();
            assert!(lines.len() == 2 && lines[0].starts_with("info string error: option"), "{lines:?}");
        }
    }
}

#[test]
fn people_can_ask_for_help_the_board_and_the_evaluation() {
    let mut engine = UciProcess::start(&[]);
    engine.say("help");
    let lines = engine.ready();
    for command in ["setoption", "position", "go", "stop", "bench", "eval", "Syzygy50MoveRule"] {
        assert!(lines.iter().any(|line| line.trim().starts_with(command)), "{command}: {lines:#?}");
    }
    engine.say("position startpos moves e2e4");
    engine.say("d");
    let lines = engine.until("Checkers:");
    assert!(lines.contains(&" | r | n | b | q | k | b | n | r | 8".to_string()), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/")), "{lines:#?}");
    engine.say("eval");
    let lines = engine.until("info string static evaluation");
    assert!(lines.iter().filter(|line| line.contains('.')).count() > 4, "{lines:#?}");
}

#[test]
fn endless_lines_are_survived() {
    let mut engine = UciProcess::start(&[]);
    let input = engine.input.as_mut().expect("open");
    let junk = vec![b'x'; 1 << 16];
    for _ in 0..64 {
        input.write_all(&junk).expect("the program listens");
    }
    input.write_all(b"\n").expect("the program listens");
    let lines = engine.ready();
    assert!(lines.len() == 2 && lines[0].contains("longer than"), "{lines:?}");
}

#[test]
fn the_move_under_way_is_told_after_some_seconds() {
    let mut engine = UciProcess::start(&[]);
    engine.say("go infinite");
    let asked = Instant::now();
    let lines = engine.until_contains("currmove");
    assert!(asked.elapsed() > Duration::from_millis(2500), "{lines:#?}");
    let words: Vec<_> = lines.last().expect("a line").split(' ').collect();
    assert_eq!((words[0], words[1], words[3], words[5]), ("info", "depth", "currmove", "currmovenumber"));
    assert!(words[6].parse::<u32>().is_ok_and(|number| number >= 1));
}

#[test]
fn every_algorithm_plays_on_threads() {
    let mut engine = UciProcess::start(&[]);
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
    let mut engine = UciProcess::start(&[]);
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
    let mut engine = UciProcess::start(&[]);
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
    let mut engine = UciProcess::start(&[]);
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
        let mut engine = UciProcess::start(&[]);
        engine.say(&format!("setoption name UCI_Chess960 value {option}"));
        engine.say("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        engine.say(&format!("go depth 1 searchmoves {castling}"));
        assert_eq!(best_move(&engine.until("bestmove")), castling);
    }
}

#[test]
fn a_limited_engine_still_plays() {
    let mut engine = UciProcess::start(&[]);
    engine.say("setoption name UCI_LimitStrength value true");
    engine.say("setoption name UCI_Elo value 1300");
    engine.say("go wtime 10000 btime 10000");
    assert_eq!(best_move(&engine.until("bestmove")).len(), 4);
}

#[test]
fn everything_said_can_be_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let mut engine = UciProcess::start(&[]);
    engine.say(&format!("setoption name Debug Log File value {}", path.display()));
    engine.ready();
    engine.say("quit");
    engine.process.wait().expect("the program ends");
    let text = std::fs::read_to_string(&path).expect("a log");
    assert!(text.contains(">> isready") && text.contains("<< readyok"), "{text}");
}

#[test]
fn the_end_of_the_input_is_the_end() {
    for last in ["", "go infinite", "go ponder wtime 1000 btime 1000", "quit"] {
        let mut engine = UciProcess::start(&[]);
        engine.say(last);
        drop(engine.input.take());
        engine.ends();
    }
}

#[test]
fn the_searches_of_a_session_are_traced() {
    let scratch = common::Scratch::new("uci-trace");
    let path = scratch.file("trace.json");
    let mut engine = UciProcess::start(&["uci", "--trace", path.to_str().expect("a name")]);
    for threads in [1, 3] {
        engine.say(&format!("setoption name Threads value {threads}"));
        engine.say("go depth 6");
        engine.until("bestmove");
    }
    engine.say("quit");
    engine.ends();
    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).expect("a file")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let named = |name: &str| events.iter().filter(|event| event["name"] == name).count();
    assert_eq!(named("thread_name"), 1 + 3, "a track for the searches, and one for each processor");
    let searches = events.iter().filter(|event| event["ph"] == "X" && event["tid"] == 1);
    assert_eq!(
        searches.filter(|event| event["name"].as_str().is_some_and(|name| name.ends_with("depth 6"))).count(),
        2
    );
    assert!(named("working") >= 2, "at least one processor worked in each search");
}
