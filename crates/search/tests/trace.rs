//! A trace says the same as the accounts, and a search with a trace is the search without one.

use game::tree::{Branch, Order, Tree};
use jamboree_search::{
    Accounts, Costs, Fate, Hosts, Limits, Machine, Occupation, Outcome, Plain, RecorderLimits, Searcher, Slice,
    Threads, TimeUnit, Trace, VirtualMachine,
};
use std::sync::Arc;
use table::Table;

const ALGORITHMS: [&str; 9] =
    ["jubilee", "ybw", "dts", "pvs", "lazy-smp", "jamboree", "epvs", "root-split", "ybw+level-waiting"];

/// A virtual strand does a whole node at once, so that others may see its results some ticks too early.
const AHEAD: u64 = 300;

const WHOLE: RecorderLimits = RecorderLimits { events: usize::MAX, resolution: 0 };

fn search(algorithm: &str, machine: Machine, limits: Option<RecorderLimits>) -> Outcome<Branch> {
    let tree = Tree::new(Order::Strong { percent: 65 }, 6, 7, 3).expect("a small tree");
    let mut searcher = Searcher::with_table(Plain::default(), Arc::new(Table::new(1).expect("a small table")));
    searcher.algorithm = jamboree_search::algorithms::by_name(algorithm).expect("an algorithm");
    (searcher.machine, searcher.record_trace) = (machine, limits);
    searcher.run(&tree, &[], &Limits::depth(tree.height()))
}

fn virtual_machine(profile: &str, processors: usize, hosts: usize) -> Machine {
    let costs = Costs { grain: 0, ..Costs::by_name(profile).expect("a profile") };
    let hosts = if hosts > 1 { Hosts { count: hosts, ..Hosts::one() } } else { Hosts::one() };
    Machine::Virtual(VirtualMachine { processors, costs, seed: 5, hosts })
}

fn sum(slices: &[Slice], occupation: Occupation) -> u64 {
    slices.iter().filter(|slice| slice.occupation == occupation).map(Slice::length).sum()
}

fn check(name: &str, trace: &Trace<Branch>, accounts: Option<&Accounts>) {
    for (processor, slices) in trace.processors.iter().enumerate() {
        let mut end = 0;
        for slice in slices {
            assert!(slice.from == end && slice.to > slice.from, "{name}: {slice:?} after {end}");
            assert!(slice.split.is_none_or(|split| split < trace.splits.len()));
            end = slice.to;
        }
        let expected = accounts.map_or(end, |accounts| accounts.processors[processor].time());
        assert_eq!(end, expected, "{name}: processor {processor}");
    }
    for steal in &trace.steals {
        assert!(steal.from < trace.processors.len() && steal.to < trace.processors.len());
        let split = &trace.splits[steal.split];
        assert!(split.start <= steal.time + AHEAD && steal.time <= trace.time + AHEAD, "{name}: {steal:?} {split:?}");
    }
    for (number, split) in trace.splits.iter().enumerate() {
        assert!(split.parent.is_none_or(|parent| parent < number));
        assert_eq!(split.last_move().is_some(), split.ply > 0);
        assert!(split.end == 0 || split.start <= split.end, "{name}: {split:?}");
        let is_cut_in_time = split.cut_at.is_some_and(|at| split.start <= at && at <= split.end);
        assert!(split.fate != Fate::Cut || is_cut_in_time, "{name}: {split:?}");
    }
}

#[test]
fn slices_add_up_to_the_accounts_on_virtual_machines() {
    for algorithm in ALGORITHMS {
        for profile in ["ideal", "startech", "cray-c90", "socrates", "zugzwang"] {
            for (processors, hosts, resolution) in [(1, 1, 0), (5, 1, 0), (32, 1, 100), (16, 4, 10)] {
                let name = format!("{algorithm} on {processors} of {profile}");
                let machine = virtual_machine(profile, processors, hosts);
                let outcome = search(algorithm, machine.clone(), Some(RecorderLimits { resolution, ..WHOLE }));
                let trace = outcome.trace.as_ref().expect("a trace");
                assert_eq!((trace.unit, trace.time), (TimeUnit::Ticks, outcome.accounts.time));
                assert!(!trace.truncated);
                for (slices, account) in trace.processors.iter().zip(&outcome.accounts.processors) {
                    for occupation in Occupation::ALL {
                        let (recorded, booked) = (sum(slices, occupation), account.time_of(occupation));
                        assert_eq!(recorded, booked, "{name}: {occupation:?}");
                    }
                }
                let total = outcome.accounts.total();
                assert_eq!((trace.splits.len(), trace.steals.len()), (total.splits as usize, total.steals as usize));
                assert_eq!(trace.cuts().count() as u64, outcome.work.cuts, "{name}");
                check(&name, trace, Some(&outcome.accounts));
                // The same to the node and to the tick.
                let plain = search(algorithm, machine, None);
                assert!(plain.trace.is_none() && plain.splits.is_empty());
                assert_eq!((plain.nodes, &plain.accounts), (outcome.nodes, &outcome.accounts), "{name}");
                assert_eq!((plain.score(), plain.line()), (outcome.score(), outcome.line()), "{name}");
            }
        }
    }
}

#[test]
fn a_full_trace_stops_and_says_so() {
    let limits = RecorderLimits { events: 100, resolution: 0 };
    let outcome = search("jubilee", virtual_machine("startech", 16, 1), Some(limits));
    let trace = outcome.trace.expect("a trace");
    let slices: usize = trace.processors.iter().map(Vec::len).sum();
    assert!(trace.truncated && slices + trace.steals.len() + trace.splits.len() == limits.events);
    check("jubilee", &trace, None);
}

#[test]
fn threads_are_recorded_too() {
    for algorithm in ALGORITHMS {
        for machine in [Machine::Alone, Machine::Threads(Threads::new(3).with_grain(0))] {
            let outcome = search(algorithm, machine.clone(), Some(WHOLE));
            let trace = outcome.trace.expect("a trace");
            assert_eq!((trace.unit, trace.processors.len()), (TimeUnit::Nanoseconds, machine.processors()));
            check(algorithm, &trace, None);
            for (slices, account) in trace.processors.iter().zip(&outcome.accounts.processors) {
                for occupation in Occupation::ALL {
                    let off = sum(slices, occupation).abs_diff(account.time_of(occupation));
                    assert!(off <= 1 + trace.time / 1000, "{algorithm}: {occupation:?} is off by {off} ns");
                }
            }
        }
    }
}
