//! The provider against a stand-in for Lichess on loopback, which speaks the external engine API and checks what it is sent.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use common::{Page, settings, start};
use hyper::body::Body as _;
use jamboree_web::{Lichess, Settings};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);
const TOKEN: &str = "lip_test";
const SECRET: &str = "0123456789abcdef";
const NAME: &str = "Test engine";

/// What the stand-in says to a request for a list or for work.
enum Say {
    Json(Value),
    Status(StatusCode),
    Garbage,
}

/// What it has seen.
#[derive(Debug, PartialEq)]
enum Seen {
    Created(Value),
    Updated(String, Value),
    Asked,
    /// The lines of an analysis.
    Answer(String, Vec<String>),
}

struct Site {
    lists: Mutex<VecDeque<Say>>,
    work: Mutex<VecDeque<Say>>,
    seen: Sender<Seen>,
}

impl Site {
    /// After the end of the test there is no receiver.
    fn tell(&self, seen: Seen) {
        let _ = self.seen.send(seen);
    }

    fn has_token(headers: &HeaderMap) -> bool {
        headers.get(header::AUTHORIZATION).is_some_and(|value| value.as_bytes() == format!("Bearer {TOKEN}").as_bytes())
    }

    fn work(&self, id: &str, work: &Value) {
        let mut whole = json!({"sessionId": "s", "threads": 64, "hash": 4096, "multiPv": 1, "variant": "chess",
            "initialFen": chess::Position::default().to_string(), "moves": ["e2e4"]});
        whole.as_object_mut().unwrap().extend(work.as_object().unwrap().clone());
        self.work.lock().unwrap().push_back(Say::Json(json!({"id": id, "work": whole, "engine": {"id": "eei_1"}})));
    }
}

impl IntoResponse for Say {
    fn into_response(self) -> Response {
        match self {
            Say::Json(value) => ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response(),
            Say::Status(status) => status.into_response(),
            Say::Garbage => "<html>no JSON".into_response(),
        }
    }
}

async fn list(State(site): State<Arc<Site>>, headers: HeaderMap) -> Say {
    if !Site::has_token(&headers) {
        return Say::Status(StatusCode::UNAUTHORIZED);
    }
    site.lists.lock().unwrap().pop_front().unwrap_or(Say::Json(json!([])))
}

async fn create(State(site): State<Arc<Site>>, headers: HeaderMap, engine: String) -> StatusCode {
    assert!(Site::has_token(&headers));
    site.tell(Seen::Created(engine.parse().unwrap()));
    StatusCode::CREATED
}

async fn update(
    State(site): State<Arc<Site>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    engine: String,
) -> StatusCode {
    assert!(Site::has_token(&headers));
    site.tell(Seen::Updated(id, engine.parse().unwrap()));
    StatusCode::OK
}

/// Hands out work, or waits a little and has none.
async fn acquire(State(site): State<Arc<Site>>, headers: HeaderMap, request: String) -> Say {
    let request: Value = request.parse().unwrap();
    // The token is not this host's business.
    if request["providerSecret"] != SECRET || headers.contains_key(header::AUTHORIZATION) {
        return Say::Status(StatusCode::FORBIDDEN);
    }
    site.tell(Seen::Asked);
    for _ in 0..100 {
        if let Some(say) = site.work.lock().unwrap().pop_front() {
            return say;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Say::Status(StatusCode::NO_CONTENT)
}

/// Reads an analysis to its best move. One called `enough` is answered after the first line, as Lichess does when a user goes
/// on; of one called `gone` the connection is lost.
async fn submit(State(site): State<Arc<Site>>, Path(id): Path<String>, mut body: Body) -> StatusCode {
    let mut text = String::new();
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let Ok(Ok(data)) = frame.map(|frame| frame.into_data()) else { break };
        text.push_str(std::str::from_utf8(&data).unwrap());
        let is_cut = id == "enough" || id == "gone";
        if is_cut || text.lines().any(|line| line.starts_with("bestmove")) {
            break;
        }
    }
    site.tell(Seen::Answer(id.clone(), text.lines().map(str::to_string).collect()));
    if id == "gone" {
        // Ends the task that owns the connection, without a message.
        std::panic::resume_unwind(Box::new(()));
    }
    StatusCode::OK
}

/// The stand-in, the server of the page, and what both tell.
struct Stage {
    site: Arc<Site>,
    seen: Receiver<Seen>,
    notes: Receiver<String>,
    page: String,
}

impl Stage {
    fn new(token: &str, lists: Vec<Say>) -> Stage {
        let (seen, seeing) = channel();
        let site = Arc::new(Site { lists: Mutex::new(lists.into()), work: Mutex::default(), seen });
        let address = stand_in(Arc::clone(&site));
        let (told, notes) = channel();
        let lichess = Lichess {
            token: token.into(),
            secret: SECRET.into(),
            api: address.clone(),
            engine: address + "/",
            name: NAME.into(),
            tell: Arc::new(move |note| drop(told.send(note.to_string()))),
        };
        lichess.check().unwrap();
        let page = start(Settings { lichess: Some(lichess), ..settings() });
        Stage { site, seen: seeing, notes, page }
    }

    /// The next thing seen that is no request for work.
    fn next(&self) -> Seen {
        loop {
            match self.seen.recv_timeout(PATIENCE).unwrap() {
                Seen::Asked => {}
                seen => return seen,
            }
        }
    }

    fn answer(&self, wanted: &str) -> Vec<String> {
        match self.next() {
            Seen::Answer(id, lines) if id == wanted => lines,
            seen => panic!("{seen:?}, not the answer {wanted}"),
        }
    }

    /// Waits for a note that begins like this.
    fn note(&self, beginning: &str) -> String {
        loop {
            let note = self.notes.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("not told: {beginning}"));
            assert!(!note.contains('\n') && !note.contains(TOKEN) && !note.contains(SECRET), "{note}");
            if note.starts_with(beginning) {
                return note;
            }
        }
    }
}

/// Starts the stand-in; its address.
fn stand_in(site: Arc<Site>) -> String {
    let (told, address) = channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let router = Router::new()
                .route("/api/external-engine", get(list).post(create))
                .route("/api/external-engine/{id}", put(update))
                .route("/api/external-engine/work", post(acquire))
                .route("/api/external-engine/work/{id}", post(submit))
                .with_state(site);
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            told.send(format!("http://{}", listener.local_addr().unwrap())).unwrap();
            axum::serve(listener, router).await.unwrap();
        });
    });
    address.recv_timeout(PATIENCE).unwrap()
}

#[test]
fn work_is_answered_and_ended_when_it_is_not_wanted() {
    let known = json!([{"id": "eei_0", "name": "another"}, {"id": "eei_1", "name": NAME}]);
    let stage = Stage::new(TOKEN, vec![Say::Status(StatusCode::BAD_GATEWAY), Say::Json(known)]);
    let registration =
        json!({"name": NAME, "maxThreads": 1, "maxHash": 1, "variants": ["chess"], "providerSecret": SECRET});
    assert_eq!(stage.next(), Seen::Updated("eei_1".into(), registration));
    stage.note("the request is refused (502");
    // Failures are waited out.
    stage.site.work.lock().unwrap().extend([Say::Status(StatusCode::INTERNAL_SERVER_ERROR), Say::Garbage]);
    stage.note("the request is refused (500");
    stage.note("the answer can't be read");

    stage.site.work("whole", &json!({"depth": 4, "multiPv": 2}));
    let lines = stage.answer("whole");
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("info depth 4 ") && line.contains(" multipv 2 ")), "{lines:?}");
    stage.note("the analysis whole has ended");

    // Nothing but the end of the stream stops these searches, and a note tells that they have ended.
    for id in ["enough", "gone"] {
        stage.site.work(id, &json!({"infinite": true}));
        assert!(stage.answer(id)[0].starts_with("info depth 1 "));
        stage.note(&format!("the analysis {id} has ended"));
        assert_eq!(stage.seen.recv_timeout(PATIENCE).unwrap(), Seen::Asked, "the provider asks for more");
    }

    // A newer request takes the place of the one under way, which has its end too.
    stage.site.work("first", &json!({}));
    std::thread::sleep(Duration::from_millis(300));
    stage.site.work("second", &json!({"nodes": 2000, "sessionId": "t"}));
    for id in ["first", "second"] {
        assert!(stage.answer(id).last().unwrap().starts_with("bestmove "));
    }

    stage.site.work("illegal", &json!({"moves": ["e2e5"]}));
    let lines = stage.answer("illegal");
    assert!(lines[0].starts_with("info string error: ") && lines[1] == "bestmove (none)", "{lines:?}");
    stage.site.work("last", &json!({"movetime": 50}));
    assert!(stage.answer("last").last().unwrap().starts_with("bestmove "));
}

#[test]
fn an_engine_of_a_new_name_is_created() {
    let stage = Stage::new(TOKEN, vec![Say::Json(json!([{"id": "eei_0", "name": "another"}]))]);
    let Seen::Created(engine) = stage.next() else { panic!("not created") };
    assert_eq!((&engine["name"], &engine["providerSecret"]), (&json!(NAME), &json!(SECRET)));
    assert!(stage.note("choose").contains(NAME));
}

#[test]
fn a_wrong_token_ends_the_provider_and_not_the_page() {
    let stage = Stage::new("lip_wrong", Vec::new());
    assert!(stage.note("the token is refused").contains("engine:read and engine:write"));
    let shown = Page::visit(&stage.page).ask(&json!({"type": "position", "id": 1}), &["position"]);
    assert_eq!(shown["turn"], "white");
    assert!(stage.seen.recv_timeout(Duration::from_millis(500)).is_err(), "it does not ask again");
}
