//! `jamboree train`: trains the network.

use crate::{Failure, threads};
use chess::evaluation::{self, network::Network};
use clap::Args;
use jamboree_io::{OutputFile, note, outln, read_file, refuse_overwriting, write_file};
use lab::train::record::PackedPosition;
use lab::train::{Aim, Shape, TrainSettings, Trainer, TrainingData, convert, csv, loss_of, mean_size, svg};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A state of a training is smaller than this.
const LARGEST_STATE: u64 = 1 << 30;

/// The phases of a game, by the number of pieces.
const PHASES: [(&str, std::ops::RangeInclusive<u32>); 3] =
    [("25 to 32 pieces:", 25..=32), ("13 to 24 pieces:", 13..=24), (" 2 to 12 pieces:", 2..=12)];

/// Train the network on positions with scores and results
/// Data are files of `datagen`: compact (.jpos, 32 bytes a position), or text, which is
/// slower to read (--convert makes compact files of text). Of 25 runs of 2048 positions one
/// is held out. If the held-out loss rises while the other falls, there are too many
/// neurons or epochs for the data. After each epoch the network is written, in integers as
/// the engine uses it, with a table (.csv) and a picture (.svg) of the losses. Try it with
/// the UCI option EvalFile, or build it in: copy it to crates/chess/nets/jamboree.jnet.
///
///     jamboree datagen --out games.jpos --games 20000 --nodes 1000
///     jamboree train --data games.jpos --out net.jnet --hidden 64 --epochs 20
///
/// The same data, seed and number of threads give the same network. The state is saved beside
/// the network (.state) after each epoch and now and then within one: a training that was
/// killed goes on when the same command is given again.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Files of positions, text or compact
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Where to write the network
    #[arg(long, required_unless_present = "convert")]
    out: Option<PathBuf>,
    /// Only write the positions of the text files to this compact file
    #[arg(long, conflicts_with = "out")]
    convert: Option<PathBuf>,
    /// Neurons for each side, a multiple of 64 up to 1024
    #[arg(long, default_value_t = 64)]
    hidden: usize,
    /// Outputs, chosen by the number of pieces on the board
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=16))]
    buckets: u16,
    /// Passes over the data
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    epochs: u32,
    /// Positions a step
    #[arg(long, default_value_t = 4096)]
    batch: usize,
    /// Size of the first steps; it falls to a hundredth of that
    #[arg(long, default_value_t = 0.001)]
    rate: f32,
    /// Weight decay: the share of a weight that is lost in a step of size one
    #[arg(long, default_value_t = 0.01)]
    fading: f32,
    /// Weight of the game's result against the score, from 0 to 1
    #[arg(long, default_value_t = 0.3)]
    trust: f32,
    /// The expected result of a score is sigmoid(score / scale)
    #[arg(long, default_value_t = 400.0)]
    scale: f32,
    /// Hundredths of a pawn for an output of one, in the engine [default: scale]
    #[arg(long)]
    unit: Option<i32>,
    /// Seed of the first weights and the order of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of threads [default: the number of processors]
    #[arg(long, value_parser = threads::parse)]
    threads: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(to) = &arguments.convert {
        let (good, bad) = convert(&arguments.data, to)?;
        outln!("{good} positions written to {}, {bad} bad lines skipped", to.display())?;
        return Ok(());
    }
    let Some(out) = &arguments.out else { return Err("no output is given: name a file with --out".into()) };
    let settings = TrainSettings {
        shape: Shape { hidden: arguments.hidden, buckets: usize::from(arguments.buckets) },
        aim: Aim { scale: arguments.scale, trust: arguments.trust },
        epochs: arguments.epochs as usize,
        batch: arguments.batch,
        rate: arguments.rate,
        fading: arguments.fading,
        seed: arguments.seed,
        threads: threads::or_all(arguments.threads),
    };
    let unit = arguments.unit.map_or(arguments.scale.round() as i64, i64::from);
    settings.check(unit)?;
    let state = out.with_extension("state");
    refuse_overwriting(&state, &arguments.data)?;
    let outputs = [out.clone(), out.with_extension("csv"), out.with_extension("svg")];
    for path in &outputs {
        refuse_overwriting(path, &arguments.data)?;
        OutputFile::create(path)?;
    }
    let mut data = TrainingData::default();
    for path in &arguments.data {
        data.add(path)?;
    }
    if data.learned() == 0 {
        return Err("no usable position in the data; make some with 'jamboree datagen'".into());
    }
    outln!("{} positions, {} held out, {} bad lines skipped", data.learned(), data.held_out.len(), data.bad)?;
    let mut trainer = Trainer::new(settings.clone());
    if state.exists() {
        let bytes = read_file(&state, LARGEST_STATE)?;
        trainer.restore(&bytes).map_err(|error| format!("'{}': {error}", state.display()))?;
        outln!("goes on from '{}' after {} epochs", state.display(), trainer.epochs())?;
    }
    let mut epochs = Vec::new();
    let network = |trainer: &Trainer| trainer.model.quantised(unit as i32).to_bytes();
    while trainer.epochs() < settings.epochs {
        let epoch = trainer.epoch(&data, |trainer, speed| -> Result<(), Failure> {
            note!("{speed:.0} positions/s");
            save(trainer, &state)
        })?;
        outln!(
            "epoch {:>3}  loss {:.6}  held out {:.6}  rate {:.6}  {:.0} positions/s",
            epoch.number,
            epoch.learned,
            epoch.held_out,
            epoch.rate,
            epoch.speed
        )?;
        epochs.push(epoch);
        for (path, text) in outputs[1..].iter().zip([csv(&epochs), svg(&epochs)]) {
            write_file(path, text.as_bytes())?;
        }
        write_file(out, &network(&trainer))?;
        save(&trainer, &state)?;
    }
    // Also where nothing was left to learn: the unit may be another one.
    write_file(out, &network(&trainer))?;
    outln!("wrote {}", out.display())?;
    compare(out, unit as f32, &data, settings.aim)?;
    Ok(())
}

/// Saves the state of a training: all of it, or nothing.
fn save(trainer: &Trainer, path: &Path) -> Result<(), Failure> {
    let mut out = OutputFile::create(path)?;
    trainer.save(&mut out)?;
    out.commit()?;
    Ok(())
}

/// Compares the network, as it was written, with the tuned evaluation.
fn compare(path: &Path, unit: f32, data: &TrainingData, aim: Aim) -> Result<(), Failure> {
    let network = Arc::new(Network::open(path)?);
    let evaluate = |board: &_| network.evaluate(board);
    let mean = mean_size(&evaluate, &data.held_out);
    let tuned_mean = mean_size(&evaluation::evaluate, &data.held_out);
    let loss = loss_of(&evaluate, unit, &data.held_out, aim);
    // The unit for which the network's scores would be as large as the tuned evaluation's.
    let equal = f64::from(unit) * tuned_mean / mean;
    let tuned_loss = loss_of(&evaluation::evaluate, equal as f32, &data.held_out, aim);
    outln!("held out, in integers: loss {loss:.6}; the tuned evaluation's {tuned_loss:.6}")?;
    for (phase, pieces) in PHASES {
        let of_phase = data.held_out.iter().filter(|record| pieces.contains(&record.pieces()));
        let records: Vec<PackedPosition> = of_phase.copied().collect();
        let loss = loss_of(&evaluate, unit, &records, aim);
        let tuned_loss = loss_of(&evaluation::evaluate, equal as f32, &records, aim);
        outln!("  {phase} {} positions: loss {loss:.6}; the tuned evaluation's {tuned_loss:.6}", records.len())?;
    }
    outln!("mean size of scores {mean:.1}; the tuned evaluation's {tuned_mean:.1}: equal with --unit {equal:.0}")?;
    Ok(())
}
