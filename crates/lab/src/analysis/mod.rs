//! Analysis of positions and games: the work of `jamboree analyze`.
//!
//! | module | about |
//! |---|---|
//! | [`study`] | the search of one position, and its result |
//! | [`start`], [`reader`], [`pgn_game`] | reading positions and games |
//! | [`game`] | the analysis of games, several at once |
//! | [`judge`], [`accuracy`], [`openings`] | the moves, the players and the opening of a game |
//! | [`annotate`], [`wrap`], [`part_file`] | writing games with annotations; going on after an end in the middle |
//! | [`board`], [`score`], [`json`] | results for people and for programs |

pub mod accuracy;
pub mod annotate;
pub mod board;
pub mod game;
pub mod json;
pub mod judge;
mod line_comments;
mod movetext;
pub mod openings;
pub mod part_file;
pub mod pgn_game;
pub mod reader;
pub mod score;
pub mod start;
pub mod study;
pub mod wrap;
