//! The hot path allocates nothing: ten times the nodes need hardly more allocations.
#![allow(clippy::unwrap_used)]

use jamboree_chess::{ChessRules, Position, RuleSet};
use search::{Limits, Searcher};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::Table;

/// The system's allocator, counting.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps `alloc`'s contract, which is ours.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, that is, from the system.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(nodes: u64, profile: &RuleSet) -> usize {
    let position: Position = "r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1".parse().unwrap();
    let mut searcher = Searcher::with_table(ChessRules::new(profile.clone()), Arc::new(Table::new(4).unwrap()));
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    assert_eq!(searcher.run(&position, &[], &Limits::nodes(nodes)).nodes, nodes);
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

#[test]
fn a_longer_search_allocates_no_more() {
    for profile in [RuleSet::modern(), RuleSet::classic()] {
        let (short, long) = (allocations(5_000, &profile), allocations(50_000, &profile));
        // Root lines may grow once in a while; a node that allocates would show up as 45,000 more.
        assert!(long < short + 200, "{short} allocations for 5,000 nodes, {long} for 50,000");
    }
}
