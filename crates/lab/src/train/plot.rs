//! The course of a training, as a table and as a picture.

use super::Epoch;
use std::fmt::Write as _;

/// A table of comma-separated values, one line an epoch.
pub fn csv(epochs: &[Epoch]) -> String {
    let mut text = String::from("epoch,rate,loss,held_out_loss,positions_per_second\n");
    for epoch in epochs {
        let Epoch { number, rate, learned, held_out, speed } = epoch;
        let _ = writeln!(text, "{number},{rate:.6},{learned:.6},{held_out:.6},{speed:.0}");
    }
    text
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 60.0;

/// A picture of both losses over the epochs.
pub fn svg(epochs: &[Epoch]) -> String {
    let losses = || epochs.iter().flat_map(|epoch| [epoch.learned, epoch.held_out]);
    let (low, high) = losses().fold((f64::MAX, f64::MIN), |(low, high), loss| (low.min(loss), high.max(loss)));
    let across =
        |number: usize| MARGIN + (WIDTH - 2.0 * MARGIN) * (number as f64 - 1.0) / (epochs.len() as f64 - 1.0).max(1.0);
    let down = |loss: f64| HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * (loss - low) / (high - low).max(1e-12);
    let curve = |color: &str, of: &dyn Fn(&Epoch) -> f64| {
        let points: Vec<String> =
            epochs.iter().map(|epoch| format!("{:.1},{:.1}", across(epoch.number), down(of(epoch)))).collect();
        format!("<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>\n", points.join(" "))
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for step in 0..=4 {
        let loss = low + (high - low) * f64::from(step) / 4.0;
        let y = down(loss);
        let _ = writeln!(
            text,
            "<line x1=\"{MARGIN}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>",
            WIDTH - MARGIN
        );
        let _ = writeln!(text, "<text x=\"4\" y=\"{:.1}\">{loss:.5}</text>", y + 4.0);
    }
    text.push_str(&curve("#888", &|epoch| epoch.learned));
    text.push_str(&curve("#06c", &|epoch| epoch.held_out));
    let last = epochs.len();
    let _ = writeln!(
        text,
        "<text x=\"{MARGIN}\" y=\"{:.1}\">epochs 1 to {last}; mean squared error: grey while learning, blue held out</text>",
        HEIGHT - 20.0
    );
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_epoch_is_in_table_and_picture() {
        let epoch = |number| Epoch { number, rate: 0.001, learned: 0.02, held_out: 0.03, speed: 1e6 };
        for count in 1..4 {
            let epochs: Vec<Epoch> = (1..=count).map(epoch).collect();
            assert_eq!(csv(&epochs).lines().count(), count + 1);
            let picture = svg(&epochs);
            assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n") && !picture.contains("NaN"));
        }
    }
}
