//! The laboratory: suites of positions, experiments on them, and what they tell.

pub mod bench;
pub mod calibrate;
pub mod datagen;
pub mod distill;
pub mod epd;
pub mod perft_suite;
mod random;
pub mod rate;
pub mod solve;
pub mod speedup;
pub mod suite;
pub mod train;
pub mod tune;
pub mod wallclock;
