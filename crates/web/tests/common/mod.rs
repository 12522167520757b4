//! A server for a test, and a page that connects to it.

#![allow(dead_code, reason = "each test uses a part")]

use jamboree_web::{Lookup, Settings, serve};
use serde_json::Value;
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Message, WebSocket, client};

/// A small server on loopback.
pub(crate) fn settings() -> Settings {
    Settings {
        address: ([127, 0, 0, 1], 0).into(),
        token: None,
        threads: 1,
        hash_mib: 1,
        visitors: 8,
        results: std::env::temp_dir().join("no-results-of-this-test"),
        lookup: Lookup::default(),
        lichess: None,
        version: "test".into(),
    }
}

/// Starts a server; its address, for example `127.0.0.1:12345`.
pub(crate) fn start(settings: Settings) -> String {
    let (told, address) = channel();
    std::thread::spawn(move || serve(settings, move |page| told.send(page.to_string()).unwrap()));
    let page = address.recv_timeout(Duration::from_secs(30)).unwrap();
    page.trim_start_matches("http://").split('/').next().unwrap().to_string()
}

/// A browser's side of the connection.
pub(crate) struct Page(WebSocket<TcpStream>);

impl Page {
    /// Connects as a page of the server does, and hears its welcome.
    pub(crate) fn visit(address: &str) -> Page {
        let mut page = Page::open(address, "", &format!("http://{address}")).ok().unwrap();
        assert_eq!(page.hear()["type"], "welcome");
        page
    }

    /// Connects; the status if that is refused.
    pub(crate) fn open(address: &str, query: &str, origin: &str) -> Result<Page, u16> {
        let mut request = format!("ws://{address}/socket{query}").into_client_request().unwrap();
        request.headers_mut().insert("Origin", HeaderValue::from_str(origin).unwrap());
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        match client(request, stream) {
            Ok((socket, _)) => Ok(Page(socket)),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn hear(&mut self) -> Value {
        serde_json::from_str(self.0.read().unwrap().to_text().unwrap()).unwrap()
    }

    pub(crate) fn say(&mut self, text: &str) {
        self.send(Message::text(text));
    }

    pub(crate) fn send(&mut self, message: Message) {
        self.0.send(message).unwrap();
    }

    /// Asks, and hears until one of these comes.
    pub(crate) fn ask(&mut self, request: &Value, until: &[&str]) -> Value {
        self.say(&request.to_string());
        loop {
            let answer = self.hear();
            if until.contains(&answer["type"].as_str().unwrap()) {
                return answer;
            }
        }
    }

    /// Does the server end the connection after this message?
    pub(crate) fn is_closed_after(&mut self, text: &str) -> bool {
        let sent = self.0.send(Message::text(text));
        sent.is_err() || matches!(self.0.read(), Err(_) | Ok(Message::Close(_)))
    }
}
