//! What the program says about itself: its name, its options, its commands.

use crate::options::TABLE;

/// The name of the program.
pub(crate) fn identity() -> [String; 2] {
    [format!("id name Jamboree {}", env!("CARGO_PKG_VERSION")), "id author the Jamboree authors".to_string()]
}

/// The options, as they are announced.
pub(crate) fn options() -> impl Iterator<Item = String> {
    TABLE.iter().map(|entry| entry.announcement())
}

/// The whole answer to `uci`.
pub(crate) fn introduction() -> String {
    let lines: Vec<String> = identity().into_iter().chain(options()).chain(["uciok".to_string()]).collect();
    lines.join("\n")
}

/// The commands, and what each does.
const COMMANDS: [(&str, &str); 17] = [
    ("uci", "tells the name and the options, then 'uciok'"),
    ("isready", "answers 'readyok' when everything said before is done"),
    ("ucinewgame", "forgets the games before"),
    ("setoption name <name> [value <value>]", "sets an option; during a search it is kept for its end"),
    ("position startpos|fen <fen> [moves <moves>]", "sets up a position"),
    ("go [limits]", "searches; the limits below, none: until 'stop'"),
    ("  depth <n> | nodes <n> | mate <n> | movetime <ms>", "one limit or several"),
    ("  wtime <ms> btime <ms> winc <ms> binc <ms> movestogo <n>", "the clocks"),
    ("  infinite | ponder | searchmoves <moves>", "until 'stop'; until 'ponderhit'; these moves only"),
    ("go perft <n>", "counts the paths of n moves"),
    ("stop", "ends what is under way; a search answers with 'bestmove'"),
    ("ponderhit", "the expected move was played: the clock runs"),
    ("d", "draws the board"),
    ("eval", "explains the evaluation of the position piece by piece"),
    ("bench", "searches fixed positions: the same number of nodes every time, and how fast"),
    ("help", "this list"),
    ("quit", "ends the program; so does the end of the input, after searches that have a limit"),
];

/// The answer to `help`.
pub(crate) fn help() -> String {
    let commands = COMMANDS.iter().map(|(command, about)| format!("  {command:<58} {about}"));
    let options = TABLE.iter().map(|entry| format!("  {:<20} {}", entry.name, entry.about));
    let lines = ["Jamboree speaks UCI, the Universal Chess Interface. Commands:".to_string()].into_iter();
    lines.chain(commands).chain(["Options:".to_string()]).chain(options).collect::<Vec<_>>().join("\n")
}
