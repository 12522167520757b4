//! The laboratory: suites of positions, experiments on them, and what they tell.

pub mod bench;
pub mod calibrate;
pub mod datagen;
pub mod epd;
pub mod experiment;
pub mod perft_suite;
pub mod published;
pub mod rate;
pub mod report;
pub mod solve;
pub mod studies;
pub mod suite;
pub mod tune;
