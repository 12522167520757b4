//! The algorithms: which frames may be shared, who values a move that failed its test, who waits for whom.
//!
//! The driver and the scheduler are the same for all of them; an algorithm only answers questions.

mod abdada;
mod dts;
mod epvs;
mod jamboree;
mod jubilee;
mod lazy_smp;
mod pvs;
mod root_split;
mod serial;
mod switches;
mod young_brothers;

use crate::Kind;
pub use abdada::Abdada;
pub use dts::DynamicTreeSplitting;
pub use epvs::EnhancedPvs;
pub use jamboree::Jamboree;
pub use jubilee::Jubilee;
pub use lazy_smp::LazySmp;
pub use pvs::PrincipalVariationSplitting;
pub use root_split::RootSplit;
use scheduler::Waiting;
pub use serial::Serial;
use std::sync::Arc;
use switches::Switched;
pub use switches::{SWITCHES, Switches};
pub use young_brothers::YoungBrothers;

/// The names of all algorithms.
pub const NAMES: &[&str] =
    &["serial", "root-split", "pvs", "epvs", "dts", "ybw", "jamboree", "abdada", "lazy-smp", "jubilee"];
/// The name of the one that measured best.
pub const DEFAULT: &str = "jubilee";

/// All algorithms.
pub fn all() -> Vec<Arc<dyn Algorithm>> {
    vec![
        Arc::new(Serial),
        Arc::new(RootSplit),
        Arc::new(PrincipalVariationSplitting),
        Arc::new(EnhancedPvs),
        Arc::new(DynamicTreeSplitting),
        Arc::new(YoungBrothers),
        Arc::new(Jamboree),
        Arc::new(Abdada),
        Arc::new(LazySmp),
        Arc::new(Jubilee),
    ]
}

/// What measured best.
pub fn default() -> Arc<dyn Algorithm> {
    Arc::new(Jubilee)
}

/// The algorithm of this name, with the switches after it turned on: `jamboree+deferred-reads`.
pub fn by_name(name: &str) -> Option<Arc<dyn Algorithm>> {
    let mut parts = name.split('+');
    let base = parts.next()?;
    let base = all().into_iter().find(|algorithm| algorithm.name().eq_ignore_ascii_case(base))?;
    let mut switches = base.switches();
    let mut switched = false;
    for part in parts {
        *switches.get_mut(part)? = true;
        switched = true;
    }
    Some(if switched { Arc::new(Switched::new(base, switches)) } else { base })
}

/// What an algorithm may know about a frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameView {
    /// Its distance from the root.
    pub ply: usize,
    /// What the node is expected to be.
    pub kind: Kind,
    /// How many moves have been searched or are being searched.
    pub tried: usize,
    /// Has a move been searched to the end?
    pub finished: bool,
    /// Is it a search with a move left out, or one that verifies another?
    pub is_side_search: bool,
}

/// Who searches a move again that failed its test at a split point, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Valuing {
    /// Whoever found it, at once.
    AtOnce,
    /// One move at a time, the earliest first; who finds another one goes on testing.
    OneAtATime,
    /// One at a time, and only when all tests of earlier moves are done (StarTech figure 2, line J12).
    InTurn,
}

/// Which nodes may be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All.
    Everywhere,
    /// Only the root.
    Root,
    /// Only the first moves of first moves, from the root down.
    LeftmostPath,
}

/// How processors come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// One begins, the others ask.
    OnRequest,
    /// Every processor searches the root.
    Everyone {
        /// Every second one searches one ply deeper.
        staggered: bool,
        /// Moves that somebody else is searching are put off.
        exclusive: bool,
    },
}

/// A policy for parallel search.
pub trait Algorithm: std::fmt::Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// After how many moves of a node of this kind the others may be searched in parallel; none: never.
    fn open_after(&self, kind: Kind) -> Option<usize>;

    /// Which nodes may be shared at all.
    fn scope(&self) -> Scope {
        Scope::Everywhere
    }

    /// Of the frames that may be shared, the one with the highest rank is; one without a rank is not.
    fn priority(&self, view: &FrameView) -> Option<i64> {
        Some(-(view.ply as i64))
    }

    /// Before the frames of a path are ranked: what they are after all, seen together.
    fn settle_types(&self, _views: &mut [FrameView]) {}

    /// What happens to a move that fails its test at a split point.
    fn valuing(&self) -> Valuing;

    /// How processors come together.
    fn together(&self) -> Together {
        Together::OnRequest
    }

    /// For how many nodes a strand that had nothing to give listens to nobody. Zero: it keeps the request for a few nodes.
    fn deafness(&self) -> u64 {
        0
    }

    /// What a processor does whose strand waits for its helpers.
    fn waiting(&self) -> Waiting {
        Waiting::Carry
    }

    /// When a split point runs dry, do all stop to help with the first of the moves that are still being searched?
    fn gathers(&self) -> bool {
        false
    }

    /// Strategies of the papers that can be combined with any algorithm.
    fn switches(&self) -> Switches {
        Switches::default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_are_those_of_the_algorithms() {
        assert_eq!(super::all().iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>(), super::NAMES);
        assert_eq!(super::default().name(), super::DEFAULT);
    }

    #[test]
    fn switches_follow_the_name() {
        let switched = super::by_name("jamboree+deferred-reads+level-waiting").unwrap();
        assert_eq!(switched.name(), "jamboree+deferred-reads+level-waiting");
        assert_eq!(switched.waiting(), scheduler::Waiting::Level);
        assert!(super::by_name("jamboree+coffee").is_none() && super::by_name("coffee").is_none());
    }
}
