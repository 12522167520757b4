//! `jamboree tune`: tunes the weights of the evaluation.

use crate::Failure;
use clap::Args;
use jamboree_io::{OutputFile, outln, refuse_overwriting};
use lab::train::each_line;
use lab::tune::{Tuner, TuningData, parse_line};
use std::io::Write;
use std::path::PathBuf;

/// Tune the weights of the evaluation on games that `datagen` played
///
/// Prints the error of the prediction after each pass over the data, on the data itself and on positions held out, and
/// writes the weights as Rust source: replace crates/chess/src/evaluation/weights.rs with it and build again.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Files of datagen
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Where to write the weights
    #[arg(long)]
    out: PathBuf,
    /// Passes over the data
    #[arg(long, default_value_t = 40)]
    epochs: u32,
    /// Size of the first steps; it falls to a hundredth
    #[arg(long, default_value_t = 2.0)]
    rate: f32,
    /// Weight of the game's result against the score of the search, from 0 to 1
    #[arg(long, default_value_t = 0.7)]
    trust: f64,
}

/// One line in this many is held out.
const HELD_OUT: usize = 20;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let fits = arguments.rate > 0.0 && arguments.rate <= 100.0 && (0.0..=1.0).contains(&arguments.trust);
    if !fits {
        return Err("--rate must be more than 0 and at most 100, --trust from 0 to 1".into());
    }
    refuse_overwriting(&arguments.out, &arguments.data)?;
    let mut out = OutputFile::create(&arguments.out)?;
    let (mut data, mut held_out) = (TuningData::default(), TuningData::default());
    let mut bad = 0usize;
    for path in &arguments.data {
        let mut number = 0;
        each_line(path, |line| {
            match line.map(parse_line) {
                Some(Ok(sample)) if number % HELD_OUT == 0 => held_out.push(&sample, arguments.trust),
                Some(Ok(sample)) => data.push(&sample, arguments.trust),
                _ => bad += 1,
            }
            number += 1;
        })?;
    }
    if data.is_empty() {
        return Err("no usable line in the data; make some with 'jamboree datagen'".into());
    }
    outln!("{} positions, {} held out, {bad} bad lines skipped", data.len(), held_out.len())?;
    let mut tuner = Tuner::default();
    outln!("before     loss {:.6}  held out {:.6}", tuner.loss(&data), tuner.loss(&held_out))?;
    for epoch in 0..arguments.epochs {
        let progress = epoch as f32 / arguments.epochs.max(1) as f32;
        tuner.epoch(&data, arguments.rate * 0.01f32.powf(progress));
        outln!("epoch {:>4} loss {:.6}  held out {:.6}", epoch + 1, tuner.loss(&data), tuner.loss(&held_out))?;
    }
    let how = format!(
        "Tuned by `jamboree tune` on {} positions of games that `jamboree datagen` played,\n\
         {} epochs, rate {}, trust {}; docs/evaluation.md tells how.",
        data.len(),
        arguments.epochs,
        arguments.rate,
        arguments.trust
    );
    out.write_all(tuner.source(&how).as_bytes())?;
    out.commit()?;
    outln!("wrote {}", arguments.out.display())?;
    Ok(())
}
