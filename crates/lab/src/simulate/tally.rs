//! How many searches were made, of which kinds, and what was checked.

use super::case::Case;
use super::claims::Claims;
use std::collections::BTreeMap;

/// What was done so far.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Cases.
    pub searches: u64,
    /// Nodes of their searches.
    pub nodes: u64,
    /// Cases by algorithm.
    pub algorithms: BTreeMap<String, u64>,
    /// Cases by game.
    pub games: BTreeMap<&'static str, u64>,
    /// Cases by machine.
    pub machines: BTreeMap<&'static str, u64>,
    /// Cases by what disturbed them; a case may have several disturbances.
    pub disturbances: BTreeMap<&'static str, u64>,
    /// Checks by claim.
    pub claims: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// A case holds.
    pub(super) fn add(&mut self, case: &Case, claims: &Claims) {
        self.searches += 1;
        self.nodes += claims.nodes;
        *self.algorithms.entry(case.base().to_owned()).or_default() += 1;
        *self.games.entry(case.play.name()).or_default() += 1;
        *self.machines.entry(case.machine.name()).or_default() += 1;
        for name in case.disturbances() {
            *self.disturbances.entry(name).or_default() += 1;
        }
        for claim in claims.held() {
            *self.claims.entry(claim).or_default() += 1;
        }
    }

    /// The checks of all claims.
    pub fn checks(&self) -> u64 {
        self.claims.values().sum()
    }
}
