//! `jamboree serve`: the page.

use crate::lab::common::VERSION;
use crate::{Failure, threads};
use clap::Args;
use jamboree_io::{note, outln};
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use web::{Lichess, Lookup, Settings};

/// Play, analyse and watch parallel searches in a browser
///
/// Prints the address of a page and serves it until the program is interrupted. Everything is inside this program; nothing is
/// fetched from elsewhere, and only --lichess connects to another computer. Only this computer can connect, unless --listen
/// says otherwise.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The port
    #[arg(long, value_name = "P", default_value_t = 8064)]
    port: u16,

    /// Open the page in a browser
    #[arg(long)]
    open: bool,

    /// Listen on this address instead of loopback. Pages then need the token in the address that is printed
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<IpAddr>,

    /// The most threads of a search; default: one for each processor
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    threads: Option<usize>,

    /// Size of the transposition table of each open page in MiB
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,

    /// An opening book in the Polyglot format: Analyse shows its moves, and the engine plays them in Play
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,

    /// Folders of Syzygy endgame tables: Analyse shows their verdict, and searches use them
    #[arg(long, value_name = "FOLDERS")]
    syzygy: Option<String>,

    /// The folder for the results of experiments that are started on the page
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,

    /// Offer this engine on the analysis board of Lichess. LICHESS_API_TOKEN in the environment is a token of yours with the
    /// scopes engine:read and engine:write
    #[arg(long)]
    lichess: bool,

    /// Where engines are registered
    #[arg(long, value_name = "URL", default_value = "https://lichess.org", requires = "lichess")]
    lichess_url: String,

    /// Where work is handed out
    #[arg(long, value_name = "URL", default_value = "https://engine.lichess.ovh", requires = "lichess")]
    lichess_engine_url: String,

    /// The name of the engine on Lichess
    #[arg(long, value_name = "NAME", default_value = "Jamboree", requires = "lichess")]
    lichess_name: String,

    /// The most pages that may be open at a time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    visitors: u32,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let ip = arguments.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let address = SocketAddr::new(ip, arguments.port);
    let settings = Settings {
        address,
        token: (!ip.is_loopback()).then(random_text),
        threads: threads::or_all(arguments.threads),
        hash_mib: arguments.hash as usize,
        visitors: arguments.visitors as usize,
        results: arguments.results.clone(),
        lookup: Lookup::open(arguments.book.as_deref(), arguments.syzygy.as_deref())?,
        lichess: lichess(arguments)?,
        version: VERSION.to_string(),
    };
    let mut printed = Ok(());
    web::serve(settings, |page| {
        printed = outln!("{page}").and_then(|()| jamboree_io::flush_output());
        if arguments.open {
            open(page);
        }
    })
    .map_err(|error| format!("the page can't be served on {address}: {error}; choose another --port"))?;
    Ok(printed?)
}

/// How the engine is offered on Lichess, if that is wanted.
fn lichess(arguments: &Arguments) -> Result<Option<Lichess>, Failure> {
    if !arguments.lichess {
        return Ok(None);
    }
    let Ok(token) = std::env::var("LICHESS_API_TOKEN") else {
        let page = "https://lichess.org/account/oauth/token/create?scopes[]=engine:read&scopes[]=engine:write";
        return Err(format!("--lichess needs a token in LICHESS_API_TOKEN: make one at {page}").into());
    };
    let lichess = Lichess {
        token: token.trim().to_string(),
        secret: random_text(),
        api: arguments.lichess_url.clone(),
        engine: arguments.lichess_engine_url.clone(),
        name: arguments.lichess_name.clone(),
        tell: Arc::new(|line| note!("jamboree: Lichess: {line}")),
    };
    lichess.check()?;
    Ok(Some(lichess))
}

/// A number that can't be guessed: the keys of a hasher come from the system's source of randomness.
fn random_text() -> String {
    let half = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", half(), half())
}

/// Opens the page with the program that the system has for that.
fn open(page: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started = Command::new(opener).arg(page).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if started.is_err() {
        note!("jamboree: '{opener}' is missing: open the page yourself");
    }
}
