//! `jamboree analyze`: analyses a position, a file of positions, or games. The work is done by
//! [`lab::analysis`]; here are the command line, the three forms of the command, and its output.

mod epd;
mod game_output;
mod input;
mod output;
mod pgn;
mod position;

use crate::engine_arguments::EngineArguments;
use crate::{Failure, threads};
use clap::{ArgGroup, Args};
use engine::{GoLimits, TimeControl};
use lab::analysis::study::Analyst;
use std::path::PathBuf;
use std::time::Duration;

/// Analyse a position, a file of positions (EPD), or the games of a file (PGN)
///
/// Give exactly one of FEN, --pgn and --epd. A position is drawn, and its best lines are shown. Each position of an EPD
/// file is answered in one line. Games are written with an evaluation after every move, marks on the bad moves and the
/// missed mates, what should have been played instead, the opening, and the accuracy of each player. Comments, variations
/// and glyphs that the games have stay.
///
/// Scores are in pawns, for the side to move: +0.53 is better by half a pawn, #5 mates in five moves, -#3 is mated in
/// three. Only in annotated games they are for White, as always in PGN.
///
/// A move is judged by how much of the expected result (a win is 1, a draw 0.5) it gives away: 0.05 is an inaccuracy
/// ($6, ?!), 0.10 a mistake ($2, ?), 0.20 a blunder ($4, ??).
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "More, with examples: jamboree analyze --help")]
#[command(group = ArgGroup::new("what").required(true), group = ArgGroup::new("effort"))]
pub(crate) struct Arguments {
    /// A position in FEN (quotes may be left out), or 'startpos'; either may be followed by 'moves' and moves.
    /// With '-' positions are read from standard input, one a line
    #[arg(value_name = "FEN", group = "what")]
    fen: Vec<String>,
    /// Annotate the games of this file ('-' for standard input)
    #[arg(long, value_name = "FILE", group = "what", conflicts_with = "multipv")]
    pgn: Option<PathBuf>,
    /// Answer the positions of this file, one EPD record a line ('-' for standard input)
    #[arg(long, value_name = "FILE", group = "what")]
    epd: Option<PathBuf>,
    /// Time for each position, as 500ms, 2s or 1m [default: 2s for a FEN, 1s for EPD, 500ms a move for PGN]
    #[arg(long, value_name = "TIME", value_parser = crate::duration::parse, group = "effort")]
    time: Option<Duration>,
    /// Search each position to this depth
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=100), group = "effort")]
    depth: Option<i32>,
    /// Search this many nodes of each position: the same result every time, with one thread
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), group = "effort")]
    nodes: Option<u64>,
    /// How many best lines to show
    #[arg(long, value_name = "LINES", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    multipv: u16,
    /// Analyse this many games at once, each with its own threads and table
    #[arg(long, value_name = "GAMES", default_value_t = 1, value_parser = threads::parse, conflicts_with_all = ["fen", "epd"])]
    jobs: usize,
    #[command(flatten)]
    engine: EngineArguments,
    /// Print JSON instead of text: an object for a FEN, an object a line for '-', an array for a file
    #[arg(long)]
    json: bool,
    /// Write the annotated games to this file instead of standard output. Until all are done they are kept in FILE.part;
    /// if the command is killed, the same command goes on with the game it was at. JSON is written when all is done
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "epd"])]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  What to play after 1. e4 e5 2. Nf3:
    jamboree analyze startpos moves e4 e5 Nf3
  The three best lines of a position after ten seconds:
    jamboree analyze \"8/8/8/8/5k2/8/4PK2/8 w - - 0 1\" --multipv 3 --time 10s
  Each position of a test suite, to depth 12:
    jamboree analyze --epd suite.epd --depth 12
  Find the mistakes in your games, one second a move:
    jamboree analyze --pgn games.pgn --time 1s --out annotated.pgn
  The same on four cores, with endgame tables:
    jamboree analyze --pgn games.pgn --time 1s --out annotated.pgn --jobs 4 --syzygy tables
  The best move for a script:
    jamboree analyze startpos --nodes 100000 --json | jq -r '.lines[0].pv_uci[0]'";

impl Arguments {
    /// The limit for each position; `usual` is the time if no limit was given.
    fn effort(&self, usual: Duration) -> GoLimits {
        let mut limits = GoLimits { depth: self.depth, nodes: self.nodes, ..GoLimits::default() };
        if self.depth.is_none() && self.nodes.is_none() {
            limits.time = TimeControl::PerMove(self.time.unwrap_or(usual));
        }
        limits
    }

    /// As many analysts as games are analysed at once.
    fn analysts(&self, usual: Duration) -> Result<Vec<Analyst>, Failure> {
        let (effort, settings) = (self.effort(usual), self.engine.settings()?);
        let analyst = |_| Ok(Analyst::new(effort.clone(), usize::from(self.multipv), &settings)?);
        (0..self.jobs).map(analyst).collect()
    }

    fn analyst(&self, usual: Duration) -> Result<Analyst, Failure> {
        Ok(Analyst::new(self.effort(usual), usize::from(self.multipv), &self.engine.settings()?)?)
    }

    /// Everything that the analysis of a game depends on, besides the game.
    fn described(&self, usual: Duration) -> String {
        let EngineArguments { threads, hash, syzygy, classic, rules } = &self.engine;
        format!(
            "version {}, {:?}, {threads} threads, {hash} MiB, tables {syzygy:?}, classic {classic}, rules {rules:?}",
            env!("CARGO_PKG_VERSION"),
            self.effort(usual)
        )
    }
}

/// Time for a position of a game.
const GAME_TIME: Duration = Duration::from_millis(500);

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match (&arguments.pgn, &arguments.epd) {
        (Some(path), _) => {
            let analysts = arguments.analysts(GAME_TIME)?;
            let task = pgn::AnnotationTask {
                path,
                out: arguments.out.as_deref(),
                json: arguments.json,
                settings: arguments.described(GAME_TIME),
            };
            pgn::run(&task, analysts)
        }
        (None, Some(path)) => epd::run(path, arguments.analyst(Duration::from_secs(1))?, arguments.json),
        (None, None) => position::run(&arguments.fen, arguments.analyst(Duration::from_secs(2))?, arguments.json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use lab::engine_settings::EngineSettings;

    /// An analyst that answers at once.
    pub(crate) fn quick(nodes: u64, lines: usize) -> Analyst {
        Analyst::new(GoLimits { nodes: Some(nodes), ..GoLimits::default() }, lines, &EngineSettings::with_hash(1))
            .unwrap()
    }

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(line: &str) -> Result<Arguments, clap::Error> {
        let words = std::iter::once("analyze").chain(line.split_whitespace());
        Command::try_parse_from(words).map(|command| command.arguments)
    }

    #[test]
    fn a_fen_needs_no_quotes() {
        let arguments = parse("8/8/8/8/5k2/8/4PK2/8 w - - 0 1 --depth 3").unwrap();
        assert_eq!(arguments.fen.join(" "), "8/8/8/8/5k2/8/4PK2/8 w - - 0 1");
        assert_eq!(arguments.effort(Duration::from_secs(2)).time, TimeControl::Unlimited);
    }

    #[test]
    fn exactly_one_thing_is_analysed_with_one_limit() {
        for line in ["", "--json", "startpos --pgn x", "--pgn x --epd y", "startpos --depth 3 --nodes 5"] {
            assert!(parse(line).is_err(), "{line}");
        }
        for line in
            ["startpos --depth 0", "startpos --nodes 0", "startpos --hash 0", "startpos --out x", "--pgn x --jobs 0"]
        {
            assert!(parse(line).is_err(), "{line}");
        }
        for line in ["-", "startpos", "--pgn - --out x --jobs 3", "--epd x --multipv 3", "startpos --time 250ms"] {
            assert!(parse(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn time_is_the_usual_limit() {
        let usual = Duration::from_secs(1);
        assert_eq!(parse("startpos").unwrap().effort(usual).time, TimeControl::PerMove(usual));
        let asked = parse("startpos --time 3s").unwrap().effort(usual).time;
        assert_eq!(asked, TimeControl::PerMove(Duration::from_secs(3)));
    }
}
