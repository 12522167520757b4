//! Chess for Jamboree's search: the position, its evaluation, and the rules the driver calls.
//!
//! The rules of chess come from cozy-chess. The rest is ours: [`evaluation`], static exchange evaluation ([`see`]), the
//! staged move picker, the histories, and the pruning and reduction rules ([`ChessRules`]), each with a switch
//! ([`Switches`]); all their numbers are in one place ([`Parameters`]).

mod checks;
mod counts;
pub mod evaluation;
mod histories;
mod learned;
mod mv;
mod notation;
mod parameters;
mod perft;
mod picker;
mod position;
mod rule_set;
mod rules;
pub mod see;
mod zobrist;

/// The types of the board library, for evaluations and files of positions.
pub mod board {
    pub use cozy_chess::{BitBoard, Board, BoardBuilder, Color, Piece, Square};
}

pub use mv::Move;
pub use notation::{MoveError, Notation, parse_move, parse_san, san, san_line};
pub use parameters::{
    AspirationParameters, EvaluationParameters, ExtensionParameters, OrderParameters, Parameter, Parameters,
    PruneParameters, ReductionParameters, SkipParameters,
};
pub use perft::{Perft, divide, perft};
pub use position::{FenError, Position};
pub use rule_set::{DepthSwitches, GeneralSwitches, PruneSwitches, RuleSet, SkipSwitches, Switches};
pub use rules::{ChessRules, EndgameTables, EvaluationObserver, Wdl};
