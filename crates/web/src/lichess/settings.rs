//! Where Lichess is, and what the engine is called there.

use hyper::Uri;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

/// How this engine is offered on Lichess.
#[derive(Clone)]
pub struct Lichess {
    /// A token of the user's, with the scopes `engine:read` and `engine:write`.
    pub token: String,
    /// A random text that proves to Lichess that analyses come from this program.
    pub secret: String,
    /// Where engines are registered, for example `https://lichess.org`.
    pub api: String,
    /// Where work is handed out, for example `https://engine.lichess.ovh`.
    pub engine: String,
    /// The name of the engine in the menu of the analysis board.
    pub name: String,
    /// Is told what happens, a line at a time.
    pub tell: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Lichess {
    /// Can it be used?
    ///
    /// # Errors
    /// If the token can't be one, or would be sent where others can read it: one line for the user.
    pub fn check(&self) -> Result<(), String> {
        if self.token.is_empty() || !self.token.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(
                "LICHESS_API_TOKEN is no token: copy it again from https://lichess.org/account/oauth/token".into()
            );
        }
        [&self.api, &self.engine].into_iter().try_for_each(|address| check_address(address))
    }
}

/// The token and the secret are not shown.
impl fmt::Debug for Lichess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lichess { api, engine, name, .. } = self;
        f.debug_struct("Lichess").field("api", api).field("engine", engine).field("name", name).finish_non_exhaustive()
    }
}

/// Plain HTTP is for servers on this computer.
fn check_address(address: &str) -> Result<(), String> {
    let uri = address.parse::<Uri>().ok();
    let is_loopback = |host: &str| {
        host == "localhost" || host.trim_matches(['[', ']']).parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    };
    let is_good = uri.is_some_and(|uri| match (uri.scheme_str(), uri.host()) {
        (Some("https"), Some(_)) => uri.query().is_none(),
        (Some("http"), Some(host)) => is_loopback(host) && uri.query().is_none(),
        _ => false,
    });
    if is_good { Ok(()) } else { Err(format!("'{address}' can't be used: give an address like https://lichess.org")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_over_secure_connections_only() {
        for good in [
            "https://lichess.org",
            "https://lichess.dev/",
            "http://127.0.0.1:9663",
            "http://[::1]:80",
            "http://localhost",
        ] {
            assert_eq!(check_address(good), Ok(()));
        }
        for bad in ["http://lichess.org", "http://localhost.example", "lichess.org", "ftp://127.0.0.1", "", "https://"]
        {
            assert!(check_address(bad).is_err_and(|error| !error.contains('\n')), "{bad}");
        }
    }

    #[test]
    fn a_token_is_checked_and_never_shown() {
        let lichess = |token: &str| Lichess {
            token: token.into(),
            secret: "secret-text".into(),
            api: "https://lichess.org".into(),
            engine: "https://engine.lichess.ovh".into(),
            name: "test".into(),
            tell: Arc::new(|_| ()),
        };
        assert_eq!(lichess("lip_abc1").check(), Ok(()));
        assert!(lichess("").check().is_err() && lichess("a\nb").check().is_err());
        let shown = format!("{:?}", lichess("lip_abc1"));
        assert!(!shown.contains("lip_") && !shown.contains("secret-text"), "{shown}");
    }
}
