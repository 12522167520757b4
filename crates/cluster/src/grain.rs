//! How deep a node must be to be worth the way to another rank, by what the way costs here.

/// The grain, adapted to what errands take and what their way takes.
#[derive(Debug)]
pub struct Grain {
    depth: i32,
    /// Microseconds that errands took, and that they were on their way, since the last change.
    work: u64,
    way: u64,
    errands: u32,
    is_fixed: bool,
}

const FIRST: i32 = 7;
const BOUNDS: [i32; 2] = [4, 20];
/// Looked at again after so many errands.
const INTERVAL: u32 = 16;
/// Errands shall take so many times as long as their way: at least, and at most.
const RATIOS: [u64; 2] = [10, 40];

impl Default for Grain {
    fn default() -> Grain {
        Grain { depth: FIRST, work: 0, way: 0, errands: 0, is_fixed: false }
    }
}

impl Grain {
    /// A grain that stays as it is.
    pub fn fixed(depth: i32) -> Grain {
        Grain { depth, is_fixed: true, ..Grain::default() }
    }

    /// The least depth that is worth the way.
    pub fn depth(&self) -> i32 {
        self.depth
    }

    /// An errand took so long, and was on its way so long, in microseconds.
    pub fn learn(&mut self, work: u64, way: u64) {
        self.work += work;
        self.way += way;
        self.errands += 1;
        if self.errands < INTERVAL || self.is_fixed {
            return;
        }
        let step = if self.work < RATIOS[0] * self.way { 1 } else { -i32::from(self.work > RATIOS[1] * self.way) };
        *self = Grain { depth: (self.depth + step).clamp(BOUNDS[0], BOUNDS[1]), ..Grain::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_way_is_only_worth_it_for_deep_nodes() {
        // An errand of depth d takes 4^d microseconds, say.
        for (way, expected) in [(1, 4..=5), (1000, 6..=8), (100_000, 10..=12)] {
            let mut grain = Grain::default();
            for _ in 0..1000 {
                grain.learn(4_u64.pow(grain.depth() as u32), way);
            }
            assert!(expected.contains(&grain.depth()), "{way}: {}", grain.depth());
        }
    }
}
