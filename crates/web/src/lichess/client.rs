//! The HTTP requests to Lichess.

use super::settings::Lichess;
use super::work::{Job, Registered, Registration, WorkRequest};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::{Frame, Incoming};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::de::DeserializeOwned;
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::Receiver;

/// The longest wait for an answer. Lichess holds a request for work for about 10 seconds.
const PATIENCE: Duration = Duration::from_secs(30);
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// How often a silent connection is tested.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 1 << 20;
/// How much of an error is shown, in characters.
const SHOWN: usize = 200;

/// Why a request failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// Lichess said no.
    Refused(StatusCode, String),
    /// There was no answer.
    Unreachable(String),
    /// The answer makes no sense.
    Unreadable(String),
}

impl Failure {
    /// Would the same request fail again?
    pub(super) fn is_final(&self) -> bool {
        let passing = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];
        matches!(self, Failure::Refused(status, _) if status.is_client_error() && !passing.contains(status))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Failure::Refused(status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN), _) => {
                format!("the token is refused ({status}): make one with the scopes engine:read and engine:write")
            }
            Failure::Refused(status, text) => format!("the request is refused ({status}): {text}"),
            Failure::Unreachable(reason) => format!("no answer: {reason}"),
            Failure::Unreadable(reason) => format!("the answer can't be read: {reason}"),
        };
        f.write_str(&text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN).collect::<String>())
    }
}

/// Speaks with Lichess.
#[derive(Clone)]
pub(super) struct Client {
    http: HttpClient<HttpsConnector<HttpConnector>, Body>,
    lichess: Lichess,
}

impl Client {
    pub(super) fn new(lichess: Lichess) -> Client {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(KEEP_ALIVE));
        tcp.set_connect_timeout(Some(CONNECT_LIMIT));
        let connector =
            HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().wrap_connector(tcp);
        Client { http: HttpClient::builder(TokioExecutor::new()).build(connector), lichess }
    }

    /// The engines that the user has registered.
    ///
    /// # Errors
    /// If there is no proper answer.
    pub(super) async fn engines(&self) -> Result<Vec<Registered>, Failure> {
        parse(&self.ask_api(Method::GET, None, Body::empty()).await?)
    }

    /// Registers an engine, or changes the one with this number.
    ///
    /// # Errors
    /// If there is no proper answer.
    pub(super) async fn register(&self, id: Option<&str>, registration: &Registration) -> Result<(), Failure> {
        let method = if id.is_some() { Method::PUT } else { Method::POST };
        self.ask_api(method, id, json(registration)?).await.map(drop)
    }

    /// Waits for work. None if there was none for a while.
    ///
    /// # Errors
    /// If there is no proper answer.
    pub(super) async fn work(&self) -> Result<Option<Job>, Failure> {
        let body = json(&WorkRequest { provider_secret: &self.lichess.secret })?;
        let request = self.request(Method::POST, &self.lichess.engine, "/work", body)?;
        let response = in_time(self.send(request)).await?;
        if response.status() == StatusCode::NO_CONTENT {
            return Ok(None);
        }
        parse(&in_time(read(response)).await?).map(Some)
    }

    /// Sends the lines of an analysis as they come. Ends when Lichess has all, or wants no more.
    ///
    /// # Errors
    /// If Lichess refuses the answer or closes the connection.
    pub(super) async fn answer(&self, id: &str, lines: Receiver<Bytes>) -> Result<(), Failure> {
        let path = format!("/work/{}", segment(id)?);
        let request = self.request(Method::POST, &self.lichess.engine, &path, Body::new(Lines(lines)))?;
        let response = self.send(request).await?;
        if response.status().is_success() { Ok(()) } else { in_time(read(response)).await.map(drop) }
    }

    /// A request with the user's token.
    async fn ask_api(&self, method: Method, id: Option<&str>, body: Body) -> Result<Bytes, Failure> {
        let path = id.map_or(Ok(String::new()), |id| segment(id).map(|id| format!("/{id}")))?;
        let mut request = self.request(method, &self.lichess.api, &path, body)?;
        let token = HeaderValue::from_str(&format!("Bearer {}", self.lichess.token));
        let mut token = token.map_err(|error| Failure::Unreachable(error.to_string()))?;
        token.set_sensitive(true);
        request.headers_mut().insert(header::AUTHORIZATION, token);
        in_time(async { read(self.send(request).await?).await }).await
    }

    fn request(&self, method: Method, host: &str, path: &str, body: Body) -> Result<Request<Body>, Failure> {
        let is_text = path.starts_with("/work/");
        Request::builder()
            .method(method)
            .uri(format!("{}/api/external-engine{path}", host.trim_end_matches('/')))
            .header(header::USER_AGENT, concat!("jamboree/", env!("CARGO_PKG_VERSION")))
            .header(header::CONTENT_TYPE, if is_text { "text/plain" } else { "application/json" })
            .body(body)
            .map_err(|error| Failure::Unreachable(error.to_string()))
    }

    async fn send(&self, request: Request<Body>) -> Result<Response<Incoming>, Failure> {
        self.http.request(request).await.map_err(|error| Failure::Unreachable(whole(&error)))
    }
}

/// The lines of an analysis as the body of a request.
struct Lines(Receiver<Bytes>);

impl hyper::body::Body for Lines {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.get_mut().0.poll_recv(cx).map(|line| line.map(|line| Ok(Frame::data(line))))
    }
}

/// The body of an answer, if it is one of success.
async fn read(response: Response<Incoming>) -> Result<Bytes, Failure> {
    let status = response.status();
    let body = to_bytes(Body::new(response.into_body()), LONGEST_ANSWER).await;
    let body = body.map_err(|error| Failure::Unreadable(whole(&error)))?;
    if status.is_success() {
        Ok(body)
    } else {
        Err(Failure::Refused(status, String::from_utf8_lossy(&body).into_owned()))
    }
}

async fn in_time<T>(answer: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let in_time = tokio::time::timeout(PATIENCE, answer).await;
    in_time.unwrap_or_else(|_| Err(Failure::Unreachable(format!("nothing came for {} s", PATIENCE.as_secs()))))
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| Failure::Unreadable(error.to_string()))
}

fn json(message: &impl serde::Serialize) -> Result<Body, Failure> {
    serde_json::to_vec(message).map(Body::from).map_err(|error| Failure::Unreadable(error.to_string()))
}

/// A number of Lichess's as a part of an address.
fn segment(id: &str) -> Result<&str, Failure> {
    let is_plain = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    if is_plain { Ok(id) } else { Err(Failure::Unreadable(format!("'{id}' is no number of an engine or of work"))) }
}

/// An error with its causes.
fn whole(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_one_line_and_some_are_final() {
        let refused = |status| Failure::Refused(status, "no\nsuch\tthing".repeat(100));
        for (failure, is_final) in [
            (refused(StatusCode::UNAUTHORIZED), true),
            (refused(StatusCode::BAD_REQUEST), true),
            (refused(StatusCode::TOO_MANY_REQUESTS), false),
            (refused(StatusCode::BAD_GATEWAY), false),
            (Failure::Unreachable("gone".into()), false),
        ] {
            assert_eq!(failure.is_final(), is_final, "{failure}");
            let text = failure.to_string();
            assert!(!text.contains(char::is_control) && text.len() <= SHOWN, "{text}");
        }
    }

    #[test]
    fn numbers_that_lead_elsewhere_are_refused() {
        assert!(segment("eei_aTKImBJOnv6j").is_ok());
        for bad in ["", "../account", "a/b", "a?b", "a b", "a%2f"] {
            assert!(segment(bad).is_err(), "{bad}");
        }
    }
}
