//! Thousands of spoilt messages to a real server: each gets an error or a proper answer, and the server goes on.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Page, settings, start};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Instant;
use tungstenite::Message;

const MESSAGES: u64 = 8_000;
/// From here on, numbers are those of the questions that follow each message.
const QUESTIONS: u64 = 1 << 40;
/// Answers that others follow.
const UNDER_WAY: [&str; 3] = ["info", "trace_begins", "trace_part"];
/// What does not answer at once.
const SEARCHES: [&str; 3] = ["play", "analyse", "watch"];

struct Spoiler(SplitMix64);

impl Spoiler {
    fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }

    /// A proper message.
    fn proper(&mut self, id: u64) -> Value {
        let castling = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        let all = [
            json!({"type": "position", "id": id, "start": castling, "moves": ["e1g1"], "chess960": false}),
            json!({"type": "lookup", "id": id, "moves": ["e2e4", "e7e5"]}),
            json!({"type": "read_pgn", "id": id, "text": "[White \"A\"]\n\n1. e4 e5 2. Nf3 *"}),
            json!({"type": "write_pgn", "id": id, "moves": ["e2e4"], "tags": {"White": "A", "Result": "1-0"}}),
            json!({"type": "play", "id": id, "elo": 1500, "clock": {"white": 900, "black": 900, "increment": 10}}),
            json!({"type": "analyse", "id": id, "moves": ["d2d4"], "lines": 3, "threads": 1}),
            json!({"type": "watch", "id": id, "algorithm": "ybw", "processors": 4, "nodes": 300, "seed": 1}),
            json!({"type": "stop", "id": id}),
            json!({"type": "results", "id": id}),
            // There is no such algorithm: an experiment would start this program.
            json!({"type": "experiment", "id": id, "experiment": {
                "kind": "speedup", "algorithm": "none", "processors": [4], "positions": 1, "nodes": 1000}}),
            json!({"type": "stop_experiment", "id": id}),
        ];
        all[self.below(all.len())].clone()
    }

    /// A value that hardly fits.
    fn odd(&mut self) -> Value {
        let nested = |depth: usize| (0..depth).fold(json!(1), |inside, _| json!([inside]));
        match self.below(16) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(-1),
            3 => json!(0),
            4 => json!(u64::MAX),
            5 => json!(i64::MIN),
            6 => json!(1e308),
            7 => json!(0.5),
            8 => json!(""),
            9 => json!("e2e4"),
            10 => json!("8/8/8/8/8/8/8/8 w - - 0 1"),
            11 => json!("\u{0}\u{1f600}\"\\\n".repeat(500)),
            12 => json!([]),
            13 => json!({"": {}}),
            14 => json!(vec!["g1f3"; 2000]),
            _ => nested(10 + self.below(200)),
        }
    }

    /// Another value for a field, or no value, or another name, or a field too many.
    fn spoil_fields(&mut self, message: &mut Value) {
        let fields = message.as_object_mut().unwrap();
        let names: Vec<String> = fields.keys().cloned().collect();
        let name = &names[self.below(names.len())];
        match self.below(6) {
            0 => drop(fields.remove(name)),
            1 => {
                let value = fields.remove(name).unwrap();
                fields.insert(format!("{name}x"), value);
            }
            2 => drop(fields.insert("more".to_string(), self.odd())),
            _ => drop(fields.insert(name.clone(), self.odd())),
        }
    }

    fn spoil_text(&mut self, text: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            if text.is_empty() {
                return;
            }
            let place = self.below(text.len());
            match self.below(5) {
                0 => text[place] = 32 + self.below(95) as u8,
                1 => drop(text.remove(place)),
                2 => text.insert(place, b"\"{}[]9,:\\"[self.below(9)]),
                3 => text.truncate(place),
                _ => text.extend_from_within(place..),
            }
        }
    }

    fn message(&mut self, id: u64) -> Message {
        let mut message = self.proper(id);
        if self.below(2) > 0 {
            self.spoil_fields(&mut message);
        }
        let mut text = message.to_string().into_bytes();
        match self.below(8) {
            0 => text = (0..self.below(200)).map(|_| self.below(256) as u8).collect(),
            1 => return Message::binary(text),
            2 | 3 => self.spoil_text(&mut text),
            _ => {}
        }
        Message::text(String::from_utf8_lossy(&text).into_owned())
    }
}

/// The searches that have not ended: how many with each number.
#[derive(Default)]
struct Pending(HashMap<u64, usize>);

impl Pending {
    fn begin(&mut self, id: u64) {
        *self.0.entry(id).or_default() += 1;
    }

    /// An answer that nothing follows.
    fn end(&mut self, answer: &Value) {
        let id = answer["id"].as_u64().unwrap();
        let count = self.0.get_mut(&id).unwrap_or_else(|| panic!("not asked for: {answer}"));
        *count -= 1;
        if *count == 0 {
            self.0.remove(&id);
        }
    }
}

/// Does no other answer to the same message follow this one?
fn is_last(answer: &Value) -> bool {
    !answer["type"].as_str().is_some_and(|kind| UNDER_WAY.contains(&kind))
}

#[test]
fn spoilt_messages_get_an_error_or_an_answer() {
    let address = start(settings());
    let mut page = Page::visit(&address);
    let mut spoiler = Spoiler(SplitMix64::seed_from_u64(1));
    let mut pending = Pending::default();
    let (mut refused, began) = (0, Instant::now());
    for round in 0..MESSAGES {
        let message = spoiler.message(round);
        let sent: Value = message.to_text().map_or(Value::Null, |text| serde_json::from_str(text).unwrap_or_default());
        page.send(message.clone());
        page.say(&json!({"type": "position", "id": QUESTIONS + round}).to_string());
        let mut answers = Vec::new();
        loop {
            let answer = page.hear();
            if answer["id"] == QUESTIONS + round {
                assert_eq!(answer["type"], "position", "{answer}");
                break;
            }
            let told = answer["message"].as_str().unwrap_or_default();
            assert!(!told.contains('\n') && told.len() < 2000, "{told}");
            if is_last(&answer) {
                answers.push(answer);
            }
        }
        let unread = answers.iter().filter(|answer| answer["id"].is_null()).count();
        refused += unread;
        let kind = sent["type"].as_str().unwrap_or_default();
        match unread {
            0 if kind == "stop" => {}
            0 => {
                let id = sent["id"].as_u64().unwrap_or_else(|| panic!("no answer to {message}"));
                pending.begin(id);
                let is_answered = answers.iter().any(|answer| answer["id"] == id);
                assert!(is_answered || SEARCHES.contains(&kind), "no answer to {message}");
            }
            _ => assert_eq!(unread, 1, "{answers:?}"),
        }
        answers.iter().filter(|answer| !answer["id"].is_null()).for_each(|answer| pending.end(answer));
    }
    page.say(&json!({"type": "stop", "id": 0}).to_string());
    while !pending.0.is_empty() {
        let answer = page.hear();
        if is_last(&answer) {
            pending.end(&answer);
        }
    }
    let rate = MESSAGES as f64 / began.elapsed().as_secs_f64();
    eprintln!("{MESSAGES} messages, {refused} of them refused, {rate:.0} a second");
    let shown = page.ask(&json!({"type": "position", "id": 1, "moves": ["e2e4"]}), &["position", "error"]);
    assert_eq!(shown["turn"], "black");
    let mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let played = Page::visit(&address).ask(&json!({"type": "play", "id": 2, "start": mate}), &["played", "error"]);
    assert_eq!(played["san"], "Ra8#");
}

/// A message that is too long ends its own connection and no other.
#[test]
fn a_message_that_is_too_long_ends_its_connection_only() {
    let address = start(settings());
    let (mut first, mut second) = (Page::visit(&address), Page::visit(&address));
    let long = " ".repeat(2 << 20);
    assert!(first.is_closed_after(&long));
    let shown = second.ask(&json!({"type": "position", "id": 1}), &["position"]);
    assert_eq!(shown["turn"], "white");
}
