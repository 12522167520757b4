//! A real server, and clients that connect to it as a browser does.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Page, settings, start};
use engine::book::polyglot_key;
use jamboree_web::{Lookup, Settings};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

#[test]
fn a_page_plays_and_analyses() {
    let address = start(settings());
    let mut page = Page::visit(&address);
    let shown = page.ask(&json!({"type": "position", "id": 1, "moves": ["e2e4"]}), &["position", "error"]);
    assert_eq!((&shown["id"], &shown["turn"]), (&json!(1), &json!("black")));
    let mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let played = page.ask(&json!({"type": "play", "id": 2, "start": mate, "time": 200}), &["played", "error"]);
    assert_eq!((&played["move"], &played["san"]), (&json!("a1a8"), &json!("Ra8#")));
    let info = page.ask(&json!({"type": "analyse", "id": 3, "moves": ["e2e4"], "lines": 2}), &["info", "error"]);
    assert!(info["depth"].as_i64().unwrap() >= 1 && !info["san"].as_array().unwrap().is_empty(), "{info}");
    // Another analysis takes the place of the first, which ends.
    page.say(&json!({"type": "analyse", "id": 4, "moves": []}).to_string());
    let mut ended = page.ask(&json!({"type": "stop", "id": 5}), &["done"]);
    if ended["id"] == 3 {
        ended = loop {
            let answer = page.hear();
            if answer["type"] == "done" {
                break answer;
            }
        };
    }
    assert_eq!(ended["id"], 4);
    let over = page.ask(&json!({"type": "play", "id": 6, "start": mate, "moves": ["a1a8"]}), &["played", "error"]);
    assert!(over["message"].as_str().unwrap().contains("the game is over"), "{over}");
}

#[test]
fn a_page_watches_a_search() {
    let address = start(settings());
    let mut page = Page::visit(&address);
    let wanted = json!({"type": "watch", "id": 1, "algorithm": "ybw", "processors": 4, "nodes": 2000, "seed": 3});
    let mut run = || {
        let begin = page.ask(&wanted, &["trace_begins", "error"]);
        (begin, page.hear(), page.hear())
    };
    let (begin, part, end) = run();
    assert_eq!((&begin["processors"], &begin["unit"]), (&json!(4), &json!("ticks")), "{begin}");
    assert!(part["type"] == "trace_part" && end["type"] == "trace_ends" && end["complete"] == true, "{end}");
    assert_eq!((begin, part, end), run(), "the same seed, the same run");
    let unknown = json!({"type": "watch", "id": 2, "algorithm": "none", "processors": 4, "nodes": 2000});
    assert_eq!(page.ask(&unknown, &["trace_begins", "error"])["type"], "error");
    let threads =
        json!({"type": "watch", "id": 3, "machine": "threads", "algorithm": "ybw", "processors": 9, "nodes": 2000});
    let begin = page.ask(&threads, &["trace_begins", "error"]);
    assert_eq!((&begin["processors"], &begin["unit"]), (&json!(1), &json!("nanoseconds")), "{begin}");
    assert_eq!(page.ask(&json!({"type": "position", "id": 4}), &["trace_ends", "error"])["complete"], true);
}

#[test]
fn pages_of_others_can_not_connect() {
    let address = start(settings());
    assert_eq!(Page::open(&address, "", "http://evil.example").err(), Some(403));
    assert_eq!(Page::open(&address, "", "null").err(), Some(403));
    let guarded = start(Settings { token: Some("secret".into()), ..settings() });
    assert_eq!(Page::open(&guarded, "", &format!("http://{guarded}")).err(), Some(403));
    assert_eq!(Page::open(&guarded, "?token=secreT", &format!("http://{guarded}")).err(), Some(403));
    assert!(Page::open(&guarded, "?token=secret", &format!("http://{guarded}")).is_ok());
}

/// The answer to a request for an address, head and body.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// What an answer says that a browser may do.
fn policy(answer: &str) -> String {
    let lines = answer.lines().map(str::to_lowercase);
    lines.filter_map(|line| line.strip_prefix("content-security-policy: ").map(str::to_string)).collect()
}

#[test]
fn a_result_runs_its_script_away_from_the_server() {
    let results = tempfile::tempdir().unwrap();
    std::fs::create_dir(results.path().join("a")).unwrap();
    std::fs::write(results.path().join("a/index.html"), "<title>A</title>").unwrap();
    let address = start(Settings { results: results.path().to_owned(), ..settings() });
    let answer = get(&address, "/results/a/index.html");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("<title>A</title>"), "{answer}");
    let parts: Vec<String> = policy(&answer).split(';').map(|part| part.trim().to_string()).collect();
    for part in ["default-src 'none'", "script-src 'unsafe-inline'", "sandbox allow-scripts allow-downloads"] {
        assert!(parts.iter().any(|found| found == part), "{part} is not in {parts:?}");
    }
    assert!(!parts.iter().any(|part| part.contains("connect-src") || part.contains("allow-same-origin")), "{parts:?}");
    assert_eq!(Page::open(&address, "", "null").err(), Some(403), "a page in a sandbox has the origin null");
    let own = policy(&get(&address, "/"));
    assert!(own.contains("script-src 'self'") && !own.contains("unsafe-inline") && !own.contains("sandbox"), "{own}");
}

#[test]
fn one_page_too_many_is_refused_until_another_is_closed() {
    let address = start(Settings { visitors: 1, ..settings() });
    let origin = format!("http://{address}");
    let first = Page::open(&address, "", &origin).ok().unwrap();
    assert_eq!(Page::open(&address, "", &origin).err(), Some(503));
    drop(first);
    let is_free = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        Page::open(&address, "", &origin).is_ok()
    });
    assert!(is_free, "the place of a closed page stays taken");
}

#[test]
fn the_book_is_shown_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.bin");
    // a2a4 only: no engine would play it.
    let key = polyglot_key(chess::Position::default().board()).to_be_bytes();
    std::fs::write(&path, [&key[..], &(8_u16 << 6 | 24).to_be_bytes(), &[0, 5, 0, 0, 0, 0]].concat()).unwrap();
    let lookup = Lookup::open(Some(&path), None).unwrap();
    let mut page = Page::visit(&start(Settings { lookup, ..settings() }));
    let found = page.ask(&json!({"type": "lookup", "id": 1}), &["lookup", "error"]);
    assert_eq!(found["book"], json!([{"move": "a2a4", "san": "a4", "percent": 100.0}]), "{found}");
    assert!(found["tables"].is_null());
    let played = page.ask(&json!({"type": "play", "id": 2, "time": 100}), &["played", "error"]);
    assert_eq!(played["move"], "a2a4");
    let unknown = page.ask(&json!({"type": "lookup", "id": 3, "moves": ["e2e4"]}), &["lookup", "error"]);
    assert_eq!((&unknown["id"], &unknown["book"]), (&json!(3), &json!([])));
    // An analysis looks for itself.
    let info = page.ask(&json!({"type": "analyse", "id": 4}), &["info", "done"]);
    assert_eq!(info["type"], "info");
}

#[test]
#[ignore = "needs JAMBOREE_SYZYGY"]
fn the_endgame_tables_are_shown_and_used() {
    let folder = std::env::var("JAMBOREE_SYZYGY").unwrap();
    let lookup = Lookup::open(None, Some(&folder)).unwrap();
    let mut page = Page::visit(&start(Settings { lookup, ..settings() }));
    // Bishop and knight: far from mate, and yet the search says that it is won.
    let won = "8/8/8/4k3/8/8/8/KBN5 w - - 0 1";
    let found = page.ask(&json!({"type": "lookup", "id": 1, "start": won}), &["lookup", "error"]);
    assert_eq!(found["tables"]["value"], "win", "{found}");
    let info = page.ask(&json!({"type": "analyse", "id": 2, "start": won}), &["info", "error"]);
    assert_eq!(info["score"], json!({"proven": 1}), "{info}");
}
