//! How deep a node must be to be worth the way to another rank, by how long the way is here.
//!
//! A first rule compared the time errands take with the time of their way, and gave away deeper nodes when the ratio was
//! small. Most moves at a split point are refuted quickly however deep the node is, so the depth rose until nothing was
//! given away at all, and nothing was learned any more. The way alone is a steadier guide.

/// The grain, adapted to the way of errands.
#[derive(Debug)]
pub struct Grain {
    /// About the median of the ways, in microseconds.
    way: f64,
    fixed: Option<i32>,
}

/// A node of this depth is worth a way of so many microseconds (measured: two ranks on two cores were fastest with it); one
/// that is twice as long needs a ply more.
const DEPTH: f64 = 8.0;
const WAY: f64 = 200.0;
const BOUNDS: [f64; 2] = [6.0, 20.0];
/// By this factor the estimate moves towards each way.
const STEP: f64 = 1.02;

impl Default for Grain {
    fn default() -> Grain {
        Grain { way: WAY, fixed: None }
    }
}

impl Grain {
    /// A grain that stays as it is.
    pub fn fixed(depth: i32) -> Grain {
        Grain { fixed: Some(depth), ..Grain::default() }
    }

    /// The least depth that is worth the way.
    pub fn depth(&self) -> i32 {
        let worth = DEPTH + (self.way / WAY).log2();
        self.fixed.unwrap_or(worth.round().clamp(BOUNDS[0], BOUNDS[1]) as i32)
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
    fn a_long_way_is_only_worth_it_for_deep_nodes() {
        for (way, depth) in [(1, 6), (200, 8), (3_200, 12), (10_000_000, 20)] {
            let mut grain = Grain::default();
            (0..2000).for_each(|_| grain.learn(way));
            assert_eq!(grain.depth(), depth, "{way}");
        }
        let mut fixed = Grain::fixed(3);
        (0..2000).for_each(|_| fixed.learn(1_000_000));
        assert_eq!(fixed.depth(), 3);
    }
}
