//! The debug mode: the result of every node of a parallel search is that of a serial search.
#![allow(clippy::unwrap_used)]

use game::{Bound, Game, Score};
use jamboree_chess::{ChessRules, Position, RuleSet};
use search::{Costs, Hosts, Limits, Machine, Oracle, Searcher, Threads, Verification, VirtualMachine};
use std::sync::Arc;
use table::{Entry, Table};

const FENS: [&str; 4] = [
    // Here the order of the evasions of a check, in quiescence, decided what the check was worth.
    "2r4k/pB4bp/1p4p1/6q1/1P1n4/2N5/P4PPP/2R1Q1K1 b - - 0 1",
    "r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1",
    // Few moves, so that positions repeat and mates are near.
    "8/8/8/8/5kq1/8/8/7K w - - 0 1",
    "3r2k1/p4ppp/1p6/8/8/1P6/P4PPP/3R2K1 w - - 96 90",
];

fn machines() -> [Machine; 2] {
    let hosts = Hosts::one();
    let virtual_machine = VirtualMachine { processors: 8, costs: Costs::ideal(), seed: 5, hosts };
    [Machine::Virtual(virtual_machine), Machine::Threads(Threads::new(3).with_grain(0))]
}

fn verify(fen: &str, rules: &str, algorithm: &str, machine: Machine, table: Option<Table>) -> Verification {
    let position: Position = fen.parse().unwrap();
    let mut searcher = Searcher::new(ChessRules::new(RuleSet::parse(rules).unwrap()));
    if let Some(table) = table {
        searcher.set_table(Arc::new(table));
    }
    searcher.verify = Some(Oracle::SerialSearch);
    searcher.algorithm = search::algorithms::by_name(algorithm).unwrap();
    searcher.machine = machine;
    searcher.run(&position, &[], &Limits::depth(3)).verification.unwrap()
}

#[test]
fn every_node_agrees_with_the_serial_search() {
    for fen in FENS {
        for (rules, algorithm) in
            [("classic,-skip_evasions", "dts"), ("startech", "jamboree+two-serial"), ("zugzwang", "ybw+own-histories")]
        {
            for machine in machines() {
                let Verification { nodes, failure } = verify(fen, rules, algorithm, machine, None);
                assert_eq!(failure, None, "{rules} {algorithm}");
                assert!(nodes > 20, "{nodes} nodes compared: {fen}");
            }
        }
    }
}

#[test]
fn a_wrong_result_is_found() {
    let position: Position = FENS[1].parse().unwrap();
    let after = |position: &Position| {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        moves.into_iter().map(|mv| position.play(mv)).collect::<Vec<_>>()
    };
    for machine in machines() {
        // Every position two plies below the root is a great win for the side to move.
        let table = Table::new(1).unwrap();
        let lie = Entry { mv: 0, score: Score::estimate(9000), eval: None, depth: 50, bound: Bound::Exact, pv: false };
        after(&position).iter().flat_map(after).for_each(|position| table.store(position.key(), lie));
        let failure = verify(FENS[1], "startech", "jamboree", machine, Some(table)).failure.unwrap();
        assert!(failure.contains(" w ") && failure.contains("window") && failure.contains("depth"), "{failure}");
    }
}
