//! How much a move is reduced by depth and number alone.

use crate::Parameters;
use game::Depth;

/// Reductions by depth and number of the move, in 1024ths of a ply.
pub(super) struct ReductionTable([[[i32; 64]; 64]; 2]);

impl ReductionTable {
    /// The product of the logarithms, as nearly all programs do since Glaurung.
    pub(super) fn new(parameters: &Parameters) -> ReductionTable {
        let mut table = [[[0; 64]; 64]; 2];
        let kinds = [parameters.reduction.reduction_quiet, parameters.reduction.reduction_noisy];
        for (of_kind, [base, divisor]) in table.iter_mut().zip(kinds) {
            for (depth, of_depth) in of_kind.iter_mut().enumerate().skip(1) {
                for (index, entry) in of_depth.iter_mut().enumerate().skip(1) {
                    let product = (depth as f64).ln() * (index as f64).ln() * 100.0 / f64::from(divisor);
                    *entry = base + (product * 1024.0) as i32;
                }
            }
        }
        ReductionTable(table)
    }

    pub(super) fn get(&self, depth: Depth, index: usize, noisy: bool) -> i32 {
        self.0[usize::from(noisy)][depth.clamp(0, 63) as usize][index.min(63)]
    }

    /// The plain reduction in plies, for rules that ask how deep a move would be searched.
    pub(super) fn plies(&self, depth: Depth, index: usize, noisy: bool) -> Depth {
        self.get(depth, index, noisy) / 1024
    }
}
