//! The laboratory: suites of positions, experiments, matches, training, and their reports.

pub mod analysis;
pub mod arena;
pub mod bench;
pub mod calibrate;
pub mod datagen;
pub mod distill;
pub mod engine_settings;
pub mod epd;
pub mod experiment;
mod locked;
pub mod perft_suite;
pub mod published;
mod random;
pub mod rate;
pub mod report;
mod sealed;
mod selfplay;
pub mod simulate;
pub mod solve;
pub mod speedtest;
pub mod spsa;
pub mod studies;
pub mod suite;
pub mod trace_file;
pub mod train;
pub mod tree_row;
pub mod tune;
