//! What the engine thinks of positions and games: the work of `jamboree analyze`.
//!
//! | module | about |
//! |---|---|
//! | [`study`] | the search of one position, and its result |
//! | [`start`], [`reader`], [`pgn_game`] | positions and games as they are given |
//! | [`judge`], [`annotate`], [`wrap`] | the moves of a game judged, and the game written down |
//! | [`board`], [`score`], [`json`] | results for people and for programs |

pub mod annotate;
pub mod board;
pub mod game;
pub mod json;
pub mod judge;
pub mod pgn_game;
pub mod reader;
pub mod score;
pub mod start;
pub mod study;
pub mod wrap;
