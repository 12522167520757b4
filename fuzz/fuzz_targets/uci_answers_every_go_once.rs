//! The engine behind UCI, with commands in the middle of searches: every `go` has exactly one answer, which is legal, in the order of
//! the searches; every `isready` is answered; and the session ends at the end of its input.
//!
//! A line `~5` waits five milliseconds. Lines that would only take long or write files are left out. At the end stands `quit`, so no
//! search goes on.

#![no_main]

use chess::{Position, RuleSet};
use engine::uci::command::{Command, Go, parse};
use engine::{EngineCore, Event, Signals};
use game::Game;
use libfuzzer_sys::fuzz_target;
use std::io::{BufRead, Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fuzz_target!(|input: &[u8]| {
    let lines = lines(input);
    let output = Written::default();
    let (tell, told) = channel();
    let core = EngineCore::with(RuleSet::default(), 1).unwrap_or_else(|error| panic!("{error}"));
    let benchmark = Box::new(|signals: &Signals, _: &mut dyn FnMut(String)| signals.wait(false));
    let script = Script { lines: lines.clone().into_iter(), rest: Vec::new(), at: 0 };
    let run = engine::uci::run(core, script, output.clone(), benchmark, move |event| drop(tell.send(event.clone())));
    assert!(run.is_ok(), "{run:?}");
    let text = String::from_utf8_lossy(&output.0.lock().unwrap_or_else(|error| error.into_inner())).into_owned();
    let expected = Expected::of(&lines);
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(count("bestmove"), expected.searches, "{text}");
    assert_eq!(count("readyok"), expected.ready, "{text}");
    assert_eq!(count("uciok"), expected.introductions, "{text}");
    check_answers(&told, expected.searches);
});

/// Every search begins before it is answered, and its answer is legal.
fn check_answers(told: &Receiver<Event>, expected: usize) {
    let mut under_way: Option<Position> = None;
    let mut answers = 0;
    for event in told.try_iter() {
        match event {
            Event::Started { position, .. } => assert!(under_way.replace(position).is_none()),
            Event::BestMove(answer) => {
                let Some(position) = under_way.take() else { panic!("an answer without a search") };
                answers += 1;
                let mut moves = Vec::new();
                position.moves(&mut moves);
                let Some(best) = answer.best else { continue };
                assert!(moves.contains(&best), "{best:?} in {position}");
                if let Some(reply) = answer.ponder {
                    moves.clear();
                    position.play(best).moves(&mut moves);
                    assert!(moves.contains(&reply), "{best:?} {reply:?} in {position}");
                }
            }
            _ => {}
        }
    }
    assert_eq!((answers, under_way), (expected, None));
}

/// What must be answered.
#[derive(Default)]
struct Expected {
    searches: usize,
    ready: usize,
    introductions: usize,
}

impl Expected {
    fn of(lines: &[Vec<u8>]) -> Expected {
        let mut expected = Expected::default();
        for line in lines {
            match command(line) {
                Some(Command::Quit) => break,
                Some(Command::Go(Go { perft: None, .. })) => expected.searches += 1,
                Some(Command::IsReady) => expected.ready += 1,
                Some(Command::Uci) => expected.introductions += 1,
                _ => {}
            }
        }
        expected
    }
}

/// A line as the session reads it.
fn command(line: &[u8]) -> Option<Command> {
    let text = String::from_utf8_lossy(line);
    parse(text.trim_end_matches('\0')).ok().flatten()
}

/// Options of the machine and not of the search, or that name files.
const LEFT_OUT: [&str; 5] = ["file", "path", "save hash", "load hash", "syzygy"];
const LARGEST: [(&str, u64); 2] = [("hash", 4), ("threads", 4)];
const MOST_LINES: usize = 64;

/// The lines of an input that are sent, and `quit`.
fn lines(input: &[u8]) -> Vec<Vec<u8>> {
    let is_sent = |line: &&[u8]| match command(line) {
        Some(Command::SetOption { name, value }) => {
            let name = name.to_ascii_lowercase();
            let number = value.unwrap_or_default().trim().parse().unwrap_or(0);
            !LEFT_OUT.iter().any(|word| name.contains(word))
                && LARGEST.iter().all(|&(known, most)| name != known || number <= most)
        }
        _ => true,
    };
    let lines = input.split(|&byte| byte == b'\n').filter(is_sent).take(MOST_LINES);
    lines.chain([&b"quit"[..]]).map(<[u8]>::to_vec).collect()
}

/// The lines as a session reads them, with the waits between them.
struct Script {
    lines: std::vec::IntoIter<Vec<u8>>,
    rest: Vec<u8>,
    at: usize,
}

impl Read for Script {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let copied = self.fill_buf()?.read(into)?;
        self.consume(copied);
        Ok(copied)
    }
}

impl BufRead for Script {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.at == self.rest.len()
            && let Some(mut line) = self.lines.next()
        {
            if let [b'~', digit @ b'0'..=b'9', ..] = line[..] {
                std::thread::sleep(Duration::from_millis(u64::from(digit - b'0')));
            }
            line.push(b'\n');
            (self.rest, self.at) = (line, 0);
        }
        Ok(&self.rest[self.at..])
    }

    fn consume(&mut self, read: usize) {
        self.at += read;
    }
}

/// What was written, in memory.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(|error| error.into_inner()).write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
