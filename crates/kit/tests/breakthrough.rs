//! The rules with hints, on a game that has everything they use: captures, a pass, and moves with a history.

#[allow(dead_code)]
#[path = "../examples/breakthrough.rs"]
mod breakthrough;

use breakthrough::Breakthrough;
use jamboree_kit::{
    Costs, Game, Guidance, Guided, Hosts, Limits, Machine, Outcome, Plain, Searcher, Threads, VirtualMachine,
    algorithms, negamax,
};

type Step = <Breakthrough as Game>::Move;

/// Positions of a game whose moves depend on a number.
fn positions(number: usize) -> Vec<Breakthrough> {
    let mut positions = vec![Breakthrough::start()];
    let mut moves = Vec::new();
    while let Some(last) = positions.last().filter(|last| last.ending().is_none()).copied() {
        moves.clear();
        last.moves(&mut moves);
        positions.push(last.play(moves[(positions.len() * 7 + number) % moves.len()]));
    }
    positions.pop();
    positions
}

fn run(position: &Breakthrough, guidance: Guidance, depth: i32) -> Outcome<Step> {
    Searcher::new(Guided::new(guidance)).run(position, &[], &Limits::depth(depth))
}

#[test]
fn the_order_of_moves_changes_no_value_on_any_machine() {
    for (number, algorithm) in algorithms::all().into_iter().enumerate() {
        for position in positions(number).iter().step_by(9) {
            let machine = VirtualMachine { processors: 7, costs: Costs::ideal(), seed: 1, hosts: Hosts::one() };
            let mut searcher = Searcher::new(Guided::new(Guidance::ORDER_ONLY));
            searcher.algorithm = algorithm;
            searcher.machine =
                if number % 2 == 0 { Machine::Threads(Threads::new(2)) } else { Machine::Virtual(machine) };
            let outcome = searcher.run(position, &[], &Limits::depth(3));
            assert_eq!(outcome.score(), Some(negamax(position, 3, 0)), "{}\n{position}", algorithm.name());
        }
    }
}

#[test]
fn each_rule_saves_nodes() {
    let nodes =
        |guidance| -> u64 { positions(3).iter().step_by(8).map(|position| run(position, guidance, 6).nodes).sum() };
    let plain: u64 = positions(3)
        .iter()
        .step_by(8)
        .map(|position| Searcher::new(Plain::default()).run(position, &[], &Limits::depth(6)).nodes)
        .sum();
    let only = Guidance::ORDER_ONLY;
    let (ordered, passing, reducing) =
        (nodes(only), nodes(Guidance { null_move: true, ..only }), nodes(Guidance { reductions: true, ..only }));
    assert!(ordered < plain && passing < ordered && reducing < ordered, "{plain} {ordered} {passing} {reducing}");
}

#[test]
fn pruning_hides_no_short_win_and_lines_are_legal() {
    for number in 0..3 {
        for position in positions(number) {
            let mut all = Searcher::new(Guided::new(Guidance::ALL));
            all.machine = Machine::Threads(Threads::new(2));
            let outcome = all.run(&position, &[], &Limits::depth(5));
            let mut at = position;
            for &step in outcome.line() {
                assert_eq!(at.unpack(Breakthrough::pack(step)), Some(step), "{position}");
                at = at.play(step);
            }
            let exact = negamax(&position, 1, 0);
            assert!(!exact.is_known() || outcome.score() == Some(exact), "{position}");
        }
    }
}
