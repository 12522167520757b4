//! Addresses, assets, headers, and who may connect.
//!
//! The server listens on loopback unless it is told otherwise. A page of another origin can't reach it: the name in `Host` must
//! be that of this computer (so a name that an attacker points at 127.0.0.1 is refused), and the `Origin` of a WebSocket must be
//! the page's own. Where the server listens on other addresses, a WebSocket must bring the token that was printed.

use crate::lichess;
use crate::session::Session;
use crate::shared::{Settings, Shared};
use axum::Router;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path as AxumPath, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::serve::ListenerExt as _;
use rust_embed::RustEmbed;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// The longest message of a page, in bytes: a file of games.
const LONGEST_MESSAGE: usize = 1 << 20;
/// How long the server waits, at its end, for what still runs.
const FAREWELL: Duration = Duration::from_secs(2);
/// Nothing comes from elsewhere, and no script but our own runs.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                              base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A page of results runs the script that it carries inside, in an origin of its own: it reaches nothing, this server included.
/// Its files can be downloaded.
const RESULT_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
                             form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts allow-downloads";

/// The page's files, inside the program.
#[derive(RustEmbed)]
#[folder = "assets/"]
struct Assets;

/// Serves the page until the program is interrupted. `ready` gets the address of the page when it can be opened.
///
/// # Errors
/// If the address can't be listened on.
pub fn serve(settings: Settings, ready: impl FnOnce(&str)) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(settings.address).await?;
        let token = settings.token.as_ref().map_or(String::new(), |token| format!("?token={token}"));
        ready(&format!("http://{}/{token}", listener.local_addr()?));
        if let Some(lichess) = settings.lichess.clone() {
            tokio::spawn(lichess::provide(lichess, settings.clone()));
        }
        // A second small message must not wait until the browser has confirmed the first.
        let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
        axum::serve(listener, router(settings)).with_graceful_shutdown(interrupted()).await
    });
    runtime.shutdown_timeout(FAREWELL);
    served
}

fn router(settings: Settings) -> Router {
    let shared = Arc::new(Shared::new(settings));
    Router::new()
        .route("/socket", any(connect))
        .route("/results/{*path}", get(result))
        .fallback(get(asset))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

/// Until the program is asked to end.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Refuses requests that were not meant for this server, and says in every answer what a browser may do with it.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    if !is_our_name(&shared.settings, request.headers()) {
        return refuse(StatusCode::FORBIDDEN, "this server answers to its own address only");
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(CONTENT_POLICY));
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn refuse(status: StatusCode, reason: &'static str) -> Response {
    (status, format!("{reason}\n")).into_response()
}

/// Is the request addressed to this server by a name that only this server has?
fn is_our_name(settings: &Settings, headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else { return false };
    let name = host_name(host);
    ["localhost", "127.0.0.1", "[::1]"].contains(&name)
        || settings.token.is_some()
        || name.trim_matches(['[', ']']) == settings.address.ip().to_string()
}

/// A host without its port.
fn host_name(host: &str) -> &str {
    match host.rfind(':') {
        Some(colon) if !host.ends_with(']') => &host[..colon],
        _ => host,
    }
}

/// Does a WebSocket come from a page of this server? Programs that are no browsers name no origin.
fn is_our_page(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let (Ok(origin), Some(Ok(host))) = (origin.to_str(), headers.get(header::HOST).map(HeaderValue::to_str)) else {
        return false;
    };
    origin.split_once("://").is_some_and(|(_, origin)| origin.eq_ignore_ascii_case(host))
}

/// Compares all of both, so that the time taken does not tell how much was right.
fn is_same(told: &str, token: &str) -> bool {
    told.len() == token.len() && told.bytes().zip(token.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

async fn connect(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Query(query): Query<HashMap<String, String>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !is_our_page(&headers) {
        return refuse(StatusCode::FORBIDDEN, "pages of other origins may not connect");
    }
    let told = query.get("token").map_or("", String::as_str);
    if shared.settings.token.as_ref().is_some_and(|token| !is_same(told, token)) {
        return refuse(StatusCode::FORBIDDEN, "open the address with the token that the server has printed");
    }
    let Ok(place) = Arc::clone(&shared.visitors).try_acquire_owned() else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "too many pages are open: close one");
    };
    upgrade.max_message_size(LONGEST_MESSAGE).on_upgrade(move |socket| async move {
        Session::new(shared).run(socket).await;
        drop(place);
    })
}

async fn asset(request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let Some(file) = Assets::get(path) else { return refuse(StatusCode::NOT_FOUND, "there is no such page") };
    let tag: String = file.metadata.sha256_hash()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{tag}\"");
    let is_known = request.headers().get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let response = Response::builder()
        .header(header::CONTENT_TYPE, content_type(path))
        .header(header::CACHE_CONTROL, "no-cache")
        .header(header::ETAG, tag);
    let response = match is_known {
        true => response.status(StatusCode::NOT_MODIFIED).body(Body::empty()),
        false => response.body(Body::from(file.data)),
    };
    response.unwrap_or_else(|_| refuse(StatusCode::INTERNAL_SERVER_ERROR, "the answer could not be made"))
}

/// A file of an experiment. Its pages carry their styles and their script inside.
async fn result(State(shared): State<Arc<Shared>>, AxumPath(path): AxumPath<String>) -> Response {
    let found = shared.laboratory.file(&path);
    let read = tokio::task::spawn_blocking(move || found.and_then(|file| std::fs::read(file).ok())).await;
    let Ok(Some(bytes)) = read else { return refuse(StatusCode::NOT_FOUND, "there is no such result") };
    let headers = [(header::CONTENT_TYPE, content_type(&path)), (header::CONTENT_SECURITY_POLICY, RESULT_POLICY)];
    (headers, bytes).into_response()
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("csv") => "text/csv; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json" | "webmanifest") => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup::Lookup;
    use std::path::PathBuf;

    fn headers(pairs: &[(header::HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    fn settings(token: Option<&str>) -> Settings {
        let address = ([127, 0, 0, 1], 0).into();
        Settings {
            address,
            token: token.map(str::to_string),
            threads: 1,
            hash_mib: 1,
            visitors: 1,
            results: PathBuf::new(),
            lookup: Lookup::default(),
            lichess: None,
            version: String::new(),
        }
    }

    #[test]
    fn only_names_of_this_computer_are_answered() {
        let is_ours = |host| is_our_name(&settings(None), &headers(&[(header::HOST, host)]));
        assert!(is_ours("localhost:8000") && is_ours("127.0.0.1") && is_ours("[::1]:80") && is_ours("[::1]"));
        assert!(!is_ours("evil.example:8000") && !is_ours("localhost.evil.example") && !is_ours(""));
        assert!(!is_our_name(&settings(None), &HeaderMap::new()));
        assert!(is_our_name(&settings(Some("secret")), &headers(&[(header::HOST, "chess.example")])));
    }

    #[test]
    fn a_socket_comes_from_our_own_page() {
        let is_ours = |origin| is_our_page(&headers(&[(header::HOST, "localhost:8000"), (header::ORIGIN, origin)]));
        assert!(is_ours("http://localhost:8000"));
        assert!(!is_ours("http://localhost:8001") && !is_ours("http://evil.example") && !is_ours("null"));
        assert!(is_our_page(&headers(&[(header::HOST, "localhost:8000")])));
    }

    #[test]
    fn a_token_is_compared_whole() {
        assert!(is_same("abc", "abc") && !is_same("abd", "abc") && !is_same("ab", "abc") && !is_same("", "abc"));
    }
}
