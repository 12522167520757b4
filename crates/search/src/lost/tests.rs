//! What the search says it lost, against a count by brute force.

use super::trace::Trace;
use super::*;
use crate::algorithms::Algorithm;
use crate::{Costs, Hosts, Limits, Machine, Plain, Searcher, Threads, VirtualMachine};
use game::tree::{Branch, Order, Tree};
use parking_lot::Mutex;
use std::sync::Arc;

fn trees(count: u64) -> impl Iterator<Item = Tree> {
    let orders = [Order::Random, Order::Strong { percent: 65 }, Order::Ragged, Order::WorstFirst];
    (0..count).map(move |seed| {
        let order = orders[(seed % 4) as usize];
        Tree::new(order, 3 + (seed / 4 % 4) as usize, 3 + (seed / 16 % 3) as i32, seed).unwrap()
    })
}

/// What the search says, and what the count by brute force says.
fn lost(tree: &Tree, algorithm: Algorithm, machine: Machine) -> (LostNodes, LostNodes, u64) {
    let trace = Arc::new(Mutex::new(Trace::default()));
    let mut searcher: Searcher<Plain<Branch>> = Searcher::new(Plain::default());
    (searcher.algorithm, searcher.machine, searcher.trace) = (algorithm, machine, Some(Arc::clone(&trace)));
    let outcome = searcher.run(tree, &[], &Limits::depth(tree.height()));
    let counted = trace.lock().lost();
    (outcome.work.lost, counted, outcome.nodes)
}

fn all(lost: &LostNodes) -> u64 {
    lost.failed.iter().chain(&lost.cut_off).sum()
}

#[test]
fn a_serial_search_loses_what_a_count_by_brute_force_says() {
    let mut failed = [0; 3];
    for tree in trees(200) {
        let (said, counted, nodes) = lost(&tree, crate::algorithms::SERIAL, Machine::Alone);
        assert_eq!(said, counted, "{tree:?}");
        assert!(said.cut_off == [0; 3] && all(&said) < nodes);
        (0..3).for_each(|place| failed[place] += said.failed[place]);
    }
    assert!(failed.iter().all(|&nodes| nodes > 0), "{failed:?}");
}

#[test]
fn a_parallel_search_loses_what_a_count_by_brute_force_says() {
    let mut sum = LostNodes::default();
    for (seed, tree) in trees(60).enumerate() {
        for algorithm in crate::algorithms::all().into_iter().filter(Algorithm::shares) {
            for processors in [2, 5, 16] {
                let costs = Costs::ideal();
                let machine = VirtualMachine { processors, costs, seed: seed as u64, hosts: Hosts::one() };
                let (said, counted, nodes) = lost(&tree, algorithm, Machine::Virtual(machine));
                let name = algorithm.name();
                assert_eq!(said.failed, counted.failed, "{name} on {processors}: {tree:?}");
                assert_eq!(said.cut_off, counted.cut_off, "{name} on {processors}: {tree:?}");
                assert!(all(&said) < nodes && said.aborted < nodes, "{name} on {processors}: {tree:?}");
                sum.add(&said);
            }
        }
    }
    assert!(sum.cut_off.iter().chain(&sum.failed).all(|&nodes| nodes > 0), "{sum:?}");
}

#[test]
fn threads_lose_no_node_twice() {
    for tree in trees(60) {
        let (said, counted, nodes) =
            lost(&tree, crate::algorithms::default(), Machine::Threads(Threads::new(3).with_grain(0)));
        assert!(all(&said) < nodes && all(&counted) < nodes);
    }
}
