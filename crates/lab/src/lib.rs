//! The laboratory: suites of positions, experiments on them, and what they tell.

pub mod arena;
pub mod bench;
pub mod calibrate;
pub mod datagen;
pub mod epd;
pub mod perft_suite;
mod random;
pub mod rate;
pub mod solve;
pub mod speedup;
pub mod suite;
pub mod tune;
pub mod wallclock;
