//! What all connections share.

use crate::experiments::Laboratory;
use crate::lichess::Lichess;
use crate::lookup::Lookup;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// How to serve.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen.
    pub address: SocketAddr,
    /// What a page must know to connect; none if any page of this server may.
    pub token: Option<String>,
    /// The most threads of an analysis.
    pub threads: usize,
    /// The table of each visitor, in MiB.
    pub hash_mib: usize,
    /// The most pages that may be connected at a time.
    pub visitors: usize,
    /// The folder for the results of experiments.
    pub results: PathBuf,
    /// The opening book and the endgame tables.
    pub lookup: Lookup,
    /// Where this engine is offered to the user's analysis board, if that is wanted.
    pub lichess: Option<Lichess>,
    /// What the page tells its visitors.
    pub version: String,
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    /// Pages that may connect.
    pub(crate) visitors: Arc<Semaphore>,
    /// Cores for searches that are watched.
    pub(crate) watchers: Semaphore,
    pub(crate) laboratory: Laboratory,
}

impl Shared {
    pub(crate) fn new(settings: Settings) -> Shared {
        Shared {
            visitors: Arc::new(Semaphore::new(settings.visitors)),
            watchers: Semaphore::new(settings.threads),
            laboratory: Laboratory::new(settings.results.clone()),
            settings,
        }
    }
}
