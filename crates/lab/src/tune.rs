//! The tuner: finds the weights of the evaluation that best predict how games ended (Texel's method, Österlund 2014),
//! by gradient descent (Adam, Kingma & Ba 2015).
//!
//! The prediction is `sigmoid(evaluation / SCALE)`; the target is a mixture of the game's result and the score of the
//! search.

use chess::board::Board;
use chess::evaluation::{self, FULL_PHASE, FULL_SCALE, Sink, TERMS, WEIGHTS, terms};
use std::fmt::{self, Write as _};

/// Hundredths of a pawn in the natural unit of the sigmoid. It fixes the scale of all weights.
const SCALE: f64 = 200.0;

/// A line of a data file.
pub struct Sample {
    /// The position.
    pub board: Board,
    /// The score of the search for White, in hundredths of a pawn.
    pub score: i32,
    /// How the game ended: 1, 0.5 or 0.
    pub result: f64,
}

/// A line of a data file that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleError(String);

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected 'FEN;score;result', found '{}'", self.0)
    }
}

impl std::error::Error for SampleError {}

/// Reads a line of a data file. What `datagen` adds for itself (`;game` and `;end`) is ignored.
///
/// # Errors
/// If it is not of the form `FEN;score;result`.
pub fn parse_line(line: &str) -> Result<Sample, SampleError> {
    let parse = || {
        let mut fields = line.split(';');
        let board = fields.next()?.parse().ok()?;
        let score = fields.next()?.parse().ok()?;
        let result = fields.next()?.trim().parse().ok().filter(|result| (0.0..=1.0).contains(result))?;
        let game = fields.next().is_none_or(|number| number.trim().parse::<u32>().is_ok());
        let end = fields.next().is_none_or(|word| word.trim() == "end");
        (game && end && fields.next().is_none()).then_some(Sample { board, score, result })
    };
    parse().ok_or_else(|| SampleError(line.chars().take(100).collect()))
}

/// Records which terms occur.
#[derive(Default)]
struct Counts(Vec<(u16, i8)>);

impl Sink for Counts {
    fn add(&mut self, term: usize, count: i32) {
        if count == 0 {
            return;
        }
        match self.0.iter_mut().find(|(known, _)| usize::from(*known) == term) {
            Some((_, sum)) => *sum += count as i8,
            None => self.0.push((term as u16, count as i8)),
        }
    }
}

/// All samples, the terms of each in one long list.
#[derive(Default)]
pub struct TuningData {
    counts: Vec<(u16, i8)>,
    samples: Vec<Compact>,
}

/// What the tuner needs of a sample.
struct Compact {
    end: u32,
    /// Weight of the middlegame, and of the endgame with its scale.
    taper: [f32; 2],
    target: f32,
}

impl TuningData {
    /// Adds a sample. `trust` is the weight of the result against the score of the search.
    pub fn push(&mut self, sample: &Sample, trust: f64) {
        let mut counts = Counts::default();
        evaluation::observe(&sample.board, &mut counts);
        let counts = counts.0.into_iter().filter(|&(_, count)| count != 0);
        self.counts.extend(counts.clone());
        let endgame: i32 = counts.map(|(term, count)| i32::from(WEIGHTS[usize::from(term)].1) * i32::from(count)).sum();
        let phase = f64::from(evaluation::phase(&sample.board)) / f64::from(FULL_PHASE);
        let scale = f64::from(evaluation::endgame_scale(&sample.board, endgame)) / f64::from(FULL_SCALE);
        let target = trust * sample.result + (1.0 - trust) * sigmoid(f64::from(sample.score) / SCALE);
        self.samples.push(Compact {
            end: self.counts.len() as u32,
            taper: [phase as f32, ((1.0 - phase) * scale) as f32],
            target: target as f32,
        });
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Are there no samples?
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    fn terms(&self, index: usize) -> &[(u16, i8)] {
        let start = if index == 0 { 0 } else { self.samples[index - 1].end };
        &self.counts[start as usize..self.samples[index].end as usize]
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Weights being tuned, and Adam's memory of their gradients.
pub struct Tuner {
    weights: Vec<[f32; 2]>,
    mean: Vec<[f32; 2]>,
    square: Vec<[f32; 2]>,
    steps: i32,
}

impl Default for Tuner {
    /// Begins with the weights the engine plays with.
    fn default() -> Tuner {
        let weights =
            WEIGHTS.iter().map(|&(middlegame, endgame)| [f32::from(middlegame), f32::from(endgame)]).collect();
        Tuner { weights, mean: vec![[0.0; 2]; TERMS], square: vec![[0.0; 2]; TERMS], steps: 0 }
    }
}

const BATCH: usize = 16_384;

impl Tuner {
    fn predict(&self, data: &TuningData, index: usize) -> f64 {
        let mut sums = [0f32; 2];
        for &(term, count) in data.terms(index) {
            let weight = self.weights[usize::from(term)];
            sums[0] += weight[0] * f32::from(count);
            sums[1] += weight[1] * f32::from(count);
        }
        let taper = data.samples[index].taper;
        sigmoid(f64::from(sums[0] * taper[0] + sums[1] * taper[1]) / SCALE)
    }

    /// The mean squared error of the predictions.
    pub fn loss(&self, data: &TuningData) -> f64 {
        let error = |index| (self.predict(data, index) - f64::from(data.samples[index].target)).powi(2);
        (0..data.len()).map(error).sum::<f64>() / data.len().max(1) as f64
    }

    /// Goes once through the data, in batches, with steps of size `rate`.
    pub fn epoch(&mut self, data: &TuningData, rate: f32) {
        // Batches are strided, so that each has positions of many games.
        let batches = data.len().div_ceil(BATCH).max(1);
        for first in 0..batches {
            let mut gradient = vec![[0f32; 2]; TERMS];
            for index in (first..data.len()).step_by(batches) {
                let prediction = self.predict(data, index);
                let sample = &data.samples[index];
                let slope = ((prediction - f64::from(sample.target)) * prediction * (1.0 - prediction)) as f32;
                for &(term, count) in data.terms(index) {
                    let entry = &mut gradient[usize::from(term)];
                    entry[0] += slope * sample.taper[0] * f32::from(count);
                    entry[1] += slope * sample.taper[1] * f32::from(count);
                }
            }
            self.step(&gradient, rate);
        }
    }

    /// One step of Adam.
    fn step(&mut self, gradient: &[[f32; 2]], rate: f32) {
        const DECAY: [f32; 2] = [0.9, 0.999];
        self.steps += 1;
        let correction = DECAY.map(|decay| 1.0 - decay.powi(self.steps));
        for (term, gradient) in gradient.iter().enumerate() {
            for (half, &gradient) in gradient.iter().enumerate() {
                let (mean, square) = (&mut self.mean[term][half], &mut self.square[term][half]);
                *mean = DECAY[0] * *mean + (1.0 - DECAY[0]) * gradient;
                *square = DECAY[1] * *square + (1.0 - DECAY[1]) * gradient * gradient;
                let step = rate * (*mean / correction[0]) / ((*square / correction[1]).sqrt() + 1e-8);
                self.weights[term][half] -= step;
            }
        }
    }

    /// The weights as the Rust source of `chess::evaluation::weights`.
    pub fn source(&self, how: &str) -> String {
        let mut text = String::from("//! The weights of the evaluation.\n//!\n");
        for line in how.lines() {
            let _ = writeln!(text, "//! {line}");
        }
        text.push_str("\nuse super::TERMS;\n\n/// Middlegame and endgame weight of every term.\n");
        text.push_str("#[rustfmt::skip]\npub const WEIGHTS: [(i16, i16); TERMS] = [\n");
        for group in terms::GROUPS {
            let _ = writeln!(text, "    // {}", group.name);
            for row in self.weights[group.start..group.start + group.len].chunks(8) {
                let pairs = row.iter().map(|[mg, eg]| format!("({}, {}),", mg.round() as i16, eg.round() as i16));
                let _ = writeln!(text, "    {}", pairs.collect::<Vec<_>>().join(" "));
            }
        }
        text.push_str("];\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3;30;1";

    #[test]
    fn the_tuner_predicts_what_the_engine_evaluates() {
        let sample = parse_line(LINE).unwrap();
        let mut data = TuningData::default();
        data.push(&sample, 1.0);
        let engine = f64::from(evaluation::evaluate(&sample.board).value());
        let tuner = (Tuner::default().predict(&data, 0).recip() - 1.0).ln() * -SCALE;
        assert!((engine - tuner).abs() < 2.0, "engine {engine}, tuner {tuner}");
    }

    #[test]
    fn tuning_lowers_the_loss() {
        let mut data = TuningData::default();
        for result in ["1", "0.5", "1"] {
            data.push(&parse_line(&LINE.replace(";1", &format!(";{result}"))).unwrap(), 1.0);
        }
        let mut tuner = Tuner::default();
        let before = tuner.loss(&data);
        for _ in 0..50 {
            tuner.epoch(&data, 1.0);
        }
        assert!(tuner.loss(&data) < before);
        assert_eq!(tuner.source("a test").matches("),").count(), TERMS);
    }

    #[test]
    fn junk_lines_are_refused() {
        for line in ["", ";;", "8/8/8/8/8/8/8/8 w - - 0 1;0;1", &LINE.replace(";30", ";x")] {
            assert!(parse_line(line).is_err(), "{line}");
        }
        for (more, is_fine) in [(";4", true), (";4;end", true), (";x", false), (";4;5", false), (";4;end;", false)] {
            assert_eq!(parse_line(&format!("{LINE}{more}")).is_ok(), is_fine, "{more}");
        }
    }
}
