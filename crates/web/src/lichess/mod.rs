//! This engine as an external engine of Lichess.
//!
//! The server registers the engine with the user's token, waits for requests, and sends the lines of each analysis while it
//! runs. Only the newest request is answered: it ends the analysis before it. The protocol is Lichess's external engine API.
//!
//! | file | about |
//! |---|---|
//! | `settings` | where Lichess is, and what the engine is called there |
//! | `work` | what Lichess says |
//! | `client` | the HTTP requests |
//! | `analyst` | the engine that does the work |
//! | `provider` | registration, then one request after another |

mod analyst;
mod client;
mod provider;
mod settings;
mod work;

pub(crate) use provider::provide;
pub use settings::Lichess;
