//! `jamboree lab match`: which of two engines is stronger.

use super::common::VERSION;
use crate::{Failure, duration, progress};
use clap::Args;
use jamboree_io::{note, outln};
use lab::arena::{
    Contender, DrawRule, Limit, MatchClock, MatchRules, MatchSettings, MatchTally, Openings, ResignRule, Spec, Sprt,
    VirtualDefaults, VirtualSpec, fastchess, read_openings, run as play,
};
use lab::report::Origin;
use std::path::PathBuf;
use std::time::Duration;

/// Let two engines play: A against B, with openings, Elo and its error, and a sequential test
/// An engine is a UCI program (its path, or its name on the PATH), optionally with
/// options: `stockfish,Threads=1,Hash=64`. `jamboree` is this program, so that two
/// settings of it can play each other. Every opening is played twice with colours
/// exchanged, and the error is computed from these pairs (pentanomial).
/// The games are played by fastchess if it is on the PATH or its path is given,
/// otherwise (or with --own) by this program itself. An engine that crashes, does
/// not answer, plays an illegal move or oversteps its time loses the game.
///
/// With --ticks the engines are this program on virtual processors, and a move takes
/// that many ticks of virtual time (with the profile `ideal`, a node takes a tick on
/// every processor): `jubilee:16` is an algorithm and its number of processors, and
/// `serial` is one processor without a scheduler. Options: Hash, Profile, Rules, Seed,
/// and Ticks where one side has more time. The same seed gives the same games.
///
/// With --out DIR every finished game is added to DIR/games.pgn and DIR/games.jsonl,
/// and DIR/index.html shows Elo over the games and how they ended, also while they
/// are played. A match without fastchess may be interrupted: the same command plays what is left.
///
/// Examples:
///   jamboree lab match --a jamboree --b stockfish,UCI_LimitStrength=true --tc 5+0.05
///   jamboree lab match --a jamboree,Rules=modern,-null_move --b jamboree --nodes 5000
///   jamboree lab match --a ./new --b ./old --sprt 0,5 --openings book.epd --out test1
///   jamboree lab match --a jubilee:16 --b lazy-smp:16 --ticks 2000 --games 400 --out test2
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The engine whose strength is measured
    #[arg(long, value_name = "ENGINE")]
    a: String,
    /// The engine it is compared with
    #[arg(long, value_name = "ENGINE")]
    b: String,
    /// How many games, an even number [default: 100, or at most 40000 with --sprt]
    #[arg(long)]
    games: Option<usize>,
    /// Games played at the same time [default: the number of cores, divided by --threads]
    #[arg(long)]
    concurrency: Option<usize>,
    /// Stop as soon as the results clearly favour elo1 over elo0 or elo0 over elo1 (SPRT); alpha and beta are 0.05
    /// unless given
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", allow_hyphen_values = true)]
    sprt: Option<String>,
    #[command(flatten)]
    openings: OpeningArguments,
    #[command(flatten)]
    play: PlayArguments,
    /// Play the games with this fastchess
    #[arg(long, value_name = "PATH", conflicts_with = "own")]
    fastchess: Option<String>,
    /// Play the games in this program, even if fastchess is on the PATH
    #[arg(long)]
    own: bool,
    /// Keep the games and a page in this folder, and continue the match that is there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object instead of a report
    #[arg(long)]
    json: bool,
}

/// Where the games begin.
#[derive(Args)]
struct OpeningArguments {
    /// Openings: a file of positions (EPD, FEN) or games (PGN) [default: made from random moves, balanced]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Number of plies of a PGN game that are its opening
    #[arg(long, default_value_t = 16)]
    plies: usize,
    /// Seed of the order of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// How the games are played.
#[derive(Args)]
struct PlayArguments {
    /// Time control: seconds+increment, or moves/seconds [default: 3+0.03]
    #[arg(long, conflicts_with = "nodes", allow_hyphen_values = true)]
    tc: Option<String>,
    /// Nodes a move instead of a clock: the same result on a busy computer
    #[arg(long)]
    nodes: Option<u64>,
    /// Ticks of virtual time a move: both engines are this program, on virtual processors
    #[arg(long, conflicts_with_all = ["tc", "nodes", "threads", "fastchess"])]
    ticks: Option<u64>,
    /// Size of the transposition tables in MiB
    #[arg(long, value_name = "MB", default_value_t = 16)]
    hash: usize,
    /// Threads of each engine
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Adjudicate a draw from this move on when both scores were within SCORE centipawns for MOVES moves; or off
    #[arg(long, value_name = "MOVE,MOVES,SCORE", default_value = "40,8,10", allow_hyphen_values = true)]
    draw: String,
    /// Adjudicate a win when both scores agreed on at least SCORE centipawns for MOVES moves; or off
    #[arg(long, value_name = "MOVES,SCORE", default_value = "4,800", allow_hyphen_values = true)]
    resign: String,
    /// By how much an engine may overstep its time
    #[arg(long, default_value = "50ms", allow_hyphen_values = true)]
    margin: String,
    /// How long to wait for an engine that has no clock
    #[arg(long, default_value = "60s", allow_hyphen_values = true)]
    patience: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = arguments.settings()?;
    let pairs = settings.games / 2;
    if let Some(count) = settings.openings.count().filter(|&count| count < pairs) {
        note!("there are {count} openings for {pairs} pairs of games: they are used again");
    }
    let bar = progress::bar(settings.games);
    let mut begun = false;
    let report = play(&settings, &mut |tally| {
        bar.set_position(tally.finished as u64);
        // Games of an earlier run say nothing about the time left.
        if !std::mem::replace(&mut begun, true) {
            bar.reset_eta();
        }
        bar.set_message(standing(tally));
    });
    bar.finish_and_clear();
    let report = report?;
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&report)?)?;
        return Ok(());
    }
    outln!("{report}")?;
    if let Some(folder) = &arguments.out {
        outln!("{}", folder.join("index.html").display())?;
    }
    Ok(())
}

/// The state of the match, in one line.
fn standing(tally: &MatchTally) -> String {
    let counts = &tally.counts;
    let elo = counts.elo().map_or(String::new(), |elo| format!(", Elo {elo}"));
    let llr = tally.test().map_or(String::new(), |test| {
        let (low, high) = test.sprt.bounds();
        format!(", LLR {:.2} in [{low:.2}, {high:.2}]", test.llr)
    });
    let faults = match tally.faults.len() {
        0 => String::new(),
        count => format!(", {count} lost by faults"),
    };
    format!("(+{} ={} -{}{elo}{llr}{faults})", counts.wins, counts.draws, counts.losses)
}

impl Arguments {
    fn settings(&self) -> Result<MatchSettings, Failure> {
        let games = self.games.unwrap_or(if self.sprt.is_some() { 40_000 } else { 100 });
        if games == 0 || !games.is_multiple_of(2) || games > 1_000_000 {
            return Err("every opening is played twice: --games must be an even number from 2 to 1000000".into());
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = within("--threads", self.play.threads, 1024)?;
        let concurrency = self.concurrency.unwrap_or((cores / threads).max(1));
        let openings = match &self.openings.openings {
            Some(path) => {
                let mut warn = |warning: String| note!("{}: {warning}", path.display());
                Openings::given(read_openings(path, self.openings.plies, &mut warn)?, self.openings.seed)?
            }
            None => Openings::made(self.openings.seed)?,
        };
        let fastchess = match &self.fastchess {
            Some(name) => Some(fastchess::at(name)?),
            None if self.own || self.play.ticks.is_some() => None,
            None => fastchess::on_path(),
        };
        Ok(MatchSettings {
            a: self.contender(&self.a)?,
            b: self.contender(&self.b)?,
            games,
            openings,
            rules: self.rules()?,
            concurrency: within("--concurrency", concurrency, 1024)?,
            sprt: self.sprt.as_deref().map(str::parse::<Sprt>).transpose()?,
            out: self.out.clone(),
            origin: Origin::here(VERSION),
            fastchess,
        })
    }

    fn contender(&self, text: &str) -> Result<Contender, Failure> {
        let hash = within("--hash", self.play.hash, 1 << 25)?;
        let in_virtual_time =
            |ticks| VirtualSpec::parse(text, VirtualDefaults { ticks, hash, seed: self.openings.seed });
        if let Some(ticks) = self.play.ticks {
            return Ok(Contender::Virtual(in_virtual_time(ticks)?));
        }
        let spec = Spec::parse(text).map_err(|error| match in_virtual_time(u64::MAX) {
            Ok(_) => format!("'{text}' plays in virtual time: add --ticks, the ticks for a move"),
            Err(_) => error,
        });
        let mut spec = spec?;
        spec.wish("Hash", hash);
        spec.wish("Threads", self.play.threads);
        Ok(Contender::Program(spec))
    }

    fn rules(&self) -> Result<MatchRules, Failure> {
        let limit = match (self.play.ticks, self.play.nodes, self.play.tc.as_deref()) {
            (Some(ticks), ..) => Limit::Ticks(ticks),
            (None, Some(0), _) => return Err("--nodes must be 1 or more".into()),
            (None, Some(nodes), _) => Limit::Nodes(nodes),
            (None, None, control) => Limit::Time(control.unwrap_or("3+0.03").parse::<MatchClock>()?),
        };
        Ok(MatchRules {
            limit,
            margin: time("--margin", &self.play.margin)?,
            patience: time("--patience", &self.play.patience)?,
            draw: DrawRule::parse(&self.play.draw)?,
            resign: ResignRule::parse(&self.play.resign)?,
        })
    }
}

fn time(option: &str, text: &str) -> Result<Duration, Failure> {
    Ok(duration::parse(text).map_err(|error| format!("{option} '{text}': {error}"))?)
}

/// A number from 1 to `most`.
fn within(option: &str, number: usize, most: usize) -> Result<usize, Failure> {
    if (1..=most).contains(&number) {
        return Ok(number);
    }
    Err(format!("{option} must be a number from 1 to {most}").into())
}
