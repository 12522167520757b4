//! Scales of axes: where values and ticks lie.

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, from zero.
    #[default]
    Linear,
    /// Evenly, from the smallest value on.
    Narrow,
    /// Each doubling takes the same room.
    Log2,
    /// Each factor of ten takes the same room.
    Log10,
}

/// A scale with its limits.
#[derive(Clone, Debug)]
pub(super) struct Range {
    scale: Scale,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Range {
    /// Wide enough for all values.
    pub(super) fn new(scale: Scale, values: impl Iterator<Item = f64>) -> Range {
        let usable = |value: &f64| value.is_finite() && (scale.is_even() || *value > 0.0);
        let (mut low, mut high) = values.filter(usable).fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        if low > high {
            (low, high) = (0.5, 1.0);
        }
        match scale {
            Scale::Linear => low = low.min(0.0),
            Scale::Narrow => {}
            Scale::Log2 => (low, high) = (low.log2().floor().exp2(), high.log2().ceil().exp2()),
            Scale::Log10 => (low, high) = (10f64.powf(low.log10().floor()), 10f64.powf(high.log10().ceil())),
        }
        if scale.is_even() {
            let step = nice_step(high - low);
            low = (low / step).floor() * step;
            high = (high / step - 1e-9).ceil() * step;
        }
        if high <= low {
            high = if scale.is_even() { low + 1.0 } else { low * 2.0 };
        }
        Range { scale, low, high }
    }

    /// The base of a logarithmic range; zero if the range is even.
    pub(super) fn base(&self) -> u32 {
        match self.scale {
            Scale::Linear | Scale::Narrow => 0,
            Scale::Log2 => 2,
            Scale::Log10 => 10,
        }
    }

    /// Where a value lies, from 0 at the low end to 1 at the high end.
    pub(super) fn place(&self, value: f64) -> f64 {
        if self.scale.is_even() {
            return (value - self.low) / (self.high - self.low);
        }
        (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
    }

    /// Values worth a tick.
    pub(super) fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear | Scale::Narrow => {
                let step = nice_step(self.high - self.low);
                let count = ((self.high - self.low) / step).round() as i64;
                (0..=count).map(|index| self.low + index as f64 * step).collect()
            }
            Scale::Log2 => powers(2.0, self.low.log2(), self.high.log2(), 13),
            Scale::Log10 => powers(10.0, self.low.log10(), self.high.log10(), 9),
        }
    }
}

impl Scale {
    fn is_even(self) -> bool {
        matches!(self, Scale::Linear | Scale::Narrow)
    }
}

/// Powers of a base, not more than `most` of them.
fn powers(base: f64, low: f64, high: f64, most: usize) -> Vec<f64> {
    let (low, high) = (low.round() as i32, high.round() as i32);
    let step = ((high - low) as usize).div_ceil(most).max(1);
    (low..=high).step_by(step).map(|power| base.powi(power)).collect()
}

/// One, two or five times a power of ten, for four to ten steps.
fn nice_step(length: f64) -> f64 {
    let rough = (length / 6.0).max(1e-12);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power >= rough).unwrap_or(10.0);
    step * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_values() {
        let range = Range::new(Scale::Linear, [3.0, 47.0].into_iter());
        assert_eq!(range.ticks(), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
        let range = Range::new(Scale::Log2, [1.0, 48.0].into_iter());
        assert_eq!(range.ticks(), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
        assert!((range.place(8.0) - 0.5).abs() < 1e-12);
        assert_eq!((range.place(1.0), range.place(64.0)), (0.0, 1.0));
    }

    #[test]
    fn no_values_and_equal_values_have_a_range() {
        for scale in [Scale::Linear, Scale::Narrow, Scale::Log2, Scale::Log10] {
            for values in [vec![], vec![7.0], vec![f64::NAN], vec![0.0, 0.0]] {
                let range = Range::new(scale, values.into_iter());
                assert!(range.ticks().len() > 1 && range.place(1.0).is_finite(), "{scale:?}");
            }
        }
    }
}
