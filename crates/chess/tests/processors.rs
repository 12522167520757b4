//! Processors that learn for themselves, and what they tell each other.
#![allow(clippy::unwrap_used)]

use jamboree_chess::{ChessRules, Move, Position, RuleSet};
use search::{Costs, Hosts, Limits, Machine, Outcome, Searcher, Threads, VirtualMachine};

const SWITCHES: [&str; 4] = [
    "+own-histories",
    "+own-histories+shared-histories",
    "+own-histories+shared-killers",
    "+own-histories+shared-histories+shared-killers+refutation-lines",
];

fn virtual_machine(processors: usize, seed: u64) -> Machine {
    Machine::Virtual(VirtualMachine { processors, costs: Costs::ideal(), seed, hosts: Hosts::one() })
}

/// A search without a table, so that the value depends on nothing but the depth.
fn search(rules: &str, algorithm: &str, machine: Machine) -> Outcome<Move> {
    let position: Position = "r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1".parse().unwrap();
    let mut searcher = Searcher::new(ChessRules::new(RuleSet::parse(rules).unwrap()));
    searcher.algorithm = search::algorithms::by_name(algorithm).unwrap();
    searcher.machine = machine;
    searcher.run(&position, &[], &Limits::depth(4))
}

#[test]
fn the_value_is_that_of_the_serial_search() {
    for rules in ["zugzwang", "classic"] {
        let expected = search(rules, "serial", Machine::Alone).score();
        for switches in SWITCHES {
            let algorithm = format!("ybw{switches}");
            for machine in [virtual_machine(8, 3), Machine::Threads(Threads::new(3).with_grain(1))] {
                assert_eq!(search(rules, &algorithm, machine).score(), expected, "{rules} {algorithm}");
            }
        }
    }
}

#[test]
fn one_processor_learns_what_all_learn_together() {
    for rules in ["zugzwang", "classic"] {
        let together = search(rules, "ybw", virtual_machine(1, 1));
        let apart = search(rules, "ybw+own-histories+shared-histories+shared-killers", virtual_machine(1, 1));
        assert_eq!(together.nodes, apart.nodes, "{rules}");
    }
}

#[test]
fn what_eight_processors_know_makes_a_difference_and_the_same_one_every_time() {
    let nodes =
        |switches: &str| search("zugzwang,history_update=1", &format!("ybw{switches}"), virtual_machine(8, 3)).nodes;
    let of_switches = SWITCHES.map(nodes);
    assert_eq!(of_switches, SWITCHES.map(nodes));
    for (place, count) in of_switches.iter().enumerate() {
        assert!(!of_switches[..place].contains(count) && *count != nodes(""), "{of_switches:?}");
    }
}
