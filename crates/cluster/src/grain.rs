//! How much work is worth the way to another rank, by how long the way is here.
//!
//! A first rule compared the time errands take with the time of their way, and gave away deeper nodes when the ratio was
//! small. Most moves at a split point are refuted quickly however deep the node is, so the depth rose until nothing was
//! given away at all, and nothing was learned any more. A second one asked for a depth by the way alone; but 58 % of the
//! errands between two ranks then took less than 64 microseconds, 3 % of the work of all. Now what is left at a split point
//! is estimated ([`Rules::expected_nodes`](search::Rules::expected_nodes)), and must take as long as the way.

/// The grain, adapted to the way of errands.
#[derive(Debug)]
pub struct Grain {
    /// About the median of the ways, in microseconds.
    way: f64,
    fixed: Option<u64>,
}

/// How long the way is believed to be before one was gone.
const WAY: f64 = 100.0;
/// Nodes a microsecond.
const PACE: f64 = 1.0;
const BOUNDS: [f64; 2] = [20.0, 100_000.0];
/// By this factor the estimate moves towards each way.
const STEP: f64 = 1.02;

impl Default for Grain {
    fn default() -> Grain {
        Grain { way: WAY, fixed: None }
    }
}

impl Grain {
    /// A grain that stays as it is.
    pub fn fixed(nodes: u64) -> Grain {
        Grain { fixed: Some(nodes), ..Grain::default() }
    }

    /// The least work that is worth the way, in nodes.
    pub fn nodes(&self) -> u64 {
        self.fixed.unwrap_or((self.way * PACE).clamp(BOUNDS[0], BOUNDS[1]) as u64)
    }

    /// An errand was on its way for so many microseconds.
    pub fn learn(&mut self, way: u64) {
        let step = if way as f64 > self.way { STEP } else { 1.0 / STEP };
        self.way = (self.way * step).clamp(1.0, 1e6);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_way_is_only_worth_it_for_much_work() {
        for (way, nodes) in [(1, 20), (200, 200), (3_200, 3_200), (10_000_000, 100_000)] {
            let mut grain = Grain::default();
            (0..2000).for_each(|_| grain.learn(way));
            assert!(grain.nodes().abs_diff(nodes) <= nodes / 20, "{way}: {}", grain.nodes());
        }
        let mut fixed = Grain::fixed(3);
        (0..2000).for_each(|_| fixed.learn(1_000_000));
        assert_eq!(fixed.nodes(), 3);
    }
}
