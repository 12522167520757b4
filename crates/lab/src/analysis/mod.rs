//! Analysis of positions and games: the work of `jamboree analyze`.
//!
//! | module | about |
//! |---|---|
//! | [`study`] | the search of one position, and its result |
//! | [`start`], [`reader`], [`pgn_game`] | reading positions and games |
//! | [`judge`], [`annotate`], [`wrap`] | judging the moves of a game, and writing it with annotations |
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
