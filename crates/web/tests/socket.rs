//! A real server, and clients that connect to it as a browser does.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Message, WebSocket, client};
use web::{Settings, serve};

/// Starts a server; its address, for example `127.0.0.1:12345`.
fn start(token: Option<&str>, visitors: usize) -> String {
    start_with(token, visitors, std::env::temp_dir().join("no-results-of-this-test"))
}

/// As `start`, with a folder of results.
fn start_with(token: Option<&str>, visitors: usize, results: PathBuf) -> String {
    let settings = Settings {
        address: ([127, 0, 0, 1], 0).into(),
        token: token.map(str::to_string),
        threads: 1,
        hash_mib: 1,
        visitors,
        results,
        version: "test".into(),
    };
    let (told, address) = channel();
    std::thread::spawn(move || serve(settings, move |page| told.send(page.to_string()).unwrap()));
    let page = address.recv_timeout(Duration::from_secs(30)).unwrap();
    page.trim_start_matches("http://").split('/').next().unwrap().to_string()
}

struct Page(WebSocket<TcpStream>);

impl Page {
    /// Connects; the status if that is refused.
    fn open(address: &str, query: &str, origin: &str) -> Result<Page, u16> {
        let mut request = format!("ws://{address}/socket{query}").into_client_request().unwrap();
        request.headers_mut().insert("Origin", HeaderValue::from_str(origin).unwrap());
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        match client(request, stream) {
            Ok((socket, _)) => Ok(Page(socket)),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn hear(&mut self) -> Value {
        serde_json::from_str(self.0.read().unwrap().to_text().unwrap()).unwrap()
    }

    fn say(&mut self, text: &str) {
        self.0.send(Message::text(text)).unwrap();
    }

    /// Asks, and hears until one of these comes.
    fn ask(&mut self, request: &Value, until: &[&str]) -> Value {
        self.say(&request.to_string());
        loop {
            let answer = self.hear();
            if until.contains(&answer["type"].as_str().unwrap()) {
                return answer;
            }
        }
    }
}

#[test]
fn a_page_plays_and_analyses() {
    let address = start(None, 8);
    let mut page = Page::open(&address, "", &format!("http://{address}")).ok().unwrap();
    assert_eq!(page.hear()["type"], "welcome");
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
    let address = start(None, 8);
    let mut page = Page::open(&address, "", &format!("http://{address}")).ok().unwrap();
    page.hear();
    let wanted = json!({"type": "watch", "id": 1, "algorithm": "ybw", "processors": 4, "nodes": 2000, "seed": 3});
    let (first, second) = (page.ask(&wanted, &["trace", "error"]), page.ask(&wanted, &["trace", "error"]));
    assert_eq!(first["processors"], 4, "{first}");
    assert_eq!(first, second, "the same seed, the same run");
    let unknown = json!({"type": "watch", "id": 2, "algorithm": "none", "processors": 4, "nodes": 2000});
    assert_eq!(page.ask(&unknown, &["trace", "error"])["type"], "error");
}

#[test]
fn pages_of_others_can_not_connect() {
    let address = start(None, 8);
    assert_eq!(Page::open(&address, "", "http://evil.example").err(), Some(403));
    assert_eq!(Page::open(&address, "", "null").err(), Some(403));
    let guarded = start(Some("secret"), 8);
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
    let address = start_with(None, 8, results.path().to_owned());
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
    let address = start(None, 1);
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

/// Each message that is no request gets an error in one line, and the page goes on.
#[test]
fn spoilt_messages_get_an_error_and_nothing_else() {
    let address = start(None, 8);
    let mut page = Page::open(&address, "", &format!("http://{address}")).ok().unwrap();
    page.hear();
    let good = [
        r#"{"type":"position","id":1,"start":"4k3/8/8/8/8/8/8/4K2R w K - 0 1","moves":["e1g1"],"chess960":false}"#,
        r#"{"type":"read_pgn","id":2,"text":"[White \"A\"]\n\n1. e4 e5 2. Nf3 *"}"#,
        r#"{"type":"write_pgn","id":3,"moves":["e2e4"],"tags":{"White":"A"}}"#,
        r#"{"type":"analyse","id":4,"lines":3,"threads":1}"#,
    ];
    let mut random = SplitMix64::seed_from_u64(1);
    for round in 0..400 {
        let mut bytes = good[round % good.len()].as_bytes().to_vec();
        for _ in 0..=random.next_u64() % 4 {
            let place = random.next_u64() as usize % bytes.len();
            match random.next_u64() % 3 {
                0 => bytes[place] = 32 + (random.next_u64() % 95) as u8,
                1 => drop(bytes.remove(place)),
                _ => bytes.insert(place, b"\"{}[]9,:"[random.next_u64() as usize % 8]),
            }
        }
        page.say(&String::from_utf8_lossy(&bytes));
    }
    let after = page.ask(&json!({"type": "position", "id": 1_000_000, "moves": []}), &["position"]);
    let mut last = after;
    while last["id"] != 1_000_000 {
        last = page.hear();
        let message = last["message"].as_str().unwrap_or_default();
        assert!(!message.contains('\n'), "{message}");
    }
    assert_eq!(last["turn"], "white");
}
