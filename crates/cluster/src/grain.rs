//! The least work that is worth sending to another rank, by how long a task is on its way.
//!
//! A first rule compared the time of tasks with the time of their way and gave away deeper nodes when the ratio was
//! small. Most moves at a split point are refuted quickly however deep the node is, so the depth rose until no task was
//! given away. A second rule set a depth by the way alone; most tasks were then too short. Now the work that is left at
//! a split point is estimated ([`Rules::expected_nodes`](search::Rules::expected_nodes)) and must take at least as long
//! as the way.

/// The least work of a task, adapted to the time that tasks are on their way.
#[derive(Debug)]
pub struct Grain {
    /// Estimate of the median time on the way, in microseconds.
    way_us: f64,
    fixed: Option<u64>,
}

/// The estimate before the first task.
const FIRST_WAY_US: f64 = 100.0;
const NODES_PER_US: f64 = 1.0;
const BOUNDS: [f64; 2] = [20.0, 100_000.0];
/// The factor by which the estimate moves towards each new value.
const STEP: f64 = 1.02;

impl Default for Grain {
    fn default() -> Grain {
        Grain { way_us: FIRST_WAY_US, fixed: None }
    }
}

impl Grain {
    /// A grain that does not adapt.
    pub fn fixed(nodes: u64) -> Grain {
        Grain { fixed: Some(nodes), ..Grain::default() }
    }

    /// The least work of a task, in nodes.
    pub fn nodes(&self) -> u64 {
        self.fixed.unwrap_or((self.way_us * NODES_PER_US).clamp(BOUNDS[0], BOUNDS[1]) as u64)
    }

    /// A task was on its way for this time.
    pub fn learn(&mut self, way_us: u64) {
        let step = if way_us as f64 > self.way_us { STEP } else { 1.0 / STEP };
        self.way_us = (self.way_us * step).clamp(1.0, 1e6);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_way_needs_much_work() {
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
