//! Search with hints: the order of moves changes no value, and what prunes finds what there is to find, with legal moves.

use game::connect_four::ConnectFour;
use game::tree::{Order, Tree};
use game::{Game, Hints, Score, negamax};
use jamboree_search::algorithms::{self, Algorithm};
use jamboree_search::{
    Costs, Guidance, Guided, Hosts, Limits, Machine, Outcome, Plain, Searcher, Threads, VirtualMachine,
};
use std::sync::Arc;
use table::Table;

fn virtual_machine(processors: usize) -> Machine {
    Machine::Virtual(VirtualMachine { processors, costs: Costs::ideal(), seed: 1, hosts: Hosts::one() })
}

fn search<G: Hints>(
    position: &G,
    guidance: Guidance,
    algorithm: Algorithm,
    machine: Machine,
    depth: i32,
) -> Outcome<G::Move> {
    let mut searcher = Searcher::new(Guided::new(guidance));
    (searcher.algorithm, searcher.machine) = (algorithm, machine);
    searcher.run(position, &[], &Limits::depth(depth))
}

/// Positions of Connect Four a few moves from the start.
fn positions() -> Vec<ConnectFour> {
    [
        "",
        "44",
        "4435",
        "112233",
        "123456",
        "43444",
        "3642756176227637211322113551637574556",
        "7422341735647741166133573473242566",
    ]
    .map(|moves| moves.parse().expect("legal moves"))
    .to_vec()
}

#[test]
fn the_order_of_moves_changes_no_value() {
    let machines = [Machine::Alone, virtual_machine(1), virtual_machine(5), virtual_machine(64)];
    for (number, algorithm) in algorithms::all().into_iter().enumerate() {
        for seed in 0..40 {
            let orders = [Order::Random, Order::Strong { percent: 65 }, Order::Ragged, Order::WorstFirst];
            let tree = Tree::new(orders[seed % 4], 2 + seed % 5, 2 + (seed % 3) as i32, seed as u64).expect("a tree");
            let machine = machines[(seed + number) % 4].clone();
            let outcome = search(&tree, Guidance::ORDER_ONLY, algorithm, machine, tree.height());
            assert_eq!(outcome.score(), Some(negamax(&tree, tree.height(), 0)), "{} {tree:?}", algorithm.name());
        }
        for (place, position) in positions().iter().enumerate() {
            let outcome = search(position, Guidance::ORDER_ONLY, algorithm, machines[(place + number) % 4].clone(), 5);
            assert_eq!(outcome.score(), Some(negamax(position, 5, 0)), "{} {position}", algorithm.name());
        }
    }
}

#[test]
fn on_threads_too() {
    for algorithm in ["jubilee", "ybw", "lazy-smp"] {
        let algorithm = algorithms::by_name(algorithm).expect("an algorithm");
        for position in positions() {
            let machine = Machine::Threads(Threads::new(3));
            let outcome = search(&position, Guidance::ORDER_ONLY, algorithm, machine, 6);
            assert_eq!(outcome.score(), Some(negamax(&position, 6, 0)), "{position}");
        }
    }
}

/// Every move of every line is legal.
fn assert_legal<G: Game>(position: &G, outcome: &Outcome<G::Move>) {
    for root in &outcome.moves {
        let mut at = position.clone();
        for &mv in &root.line {
            assert_eq!(at.unpack(G::pack(mv)), Some(mv));
            at = at.play(mv);
        }
    }
}

#[test]
fn with_everything_on_lines_are_legal_and_wins_are_found() {
    let table = Arc::new(Table::new(1).expect("memory"));
    for machine in [Machine::Alone, Machine::Threads(Threads::new(2)), virtual_machine(16)] {
        let mut searcher = Searcher::with_table(Guided::default(), Arc::clone(&table));
        searcher.machine = machine;
        for position in positions() {
            assert_legal(&position, &searcher.run(&position, &[], &Limits::depth(9)));
        }
        // Three in the open are three: the side to move makes four, or makes two threats first.
        let won: ConnectFour = "112233".parse().expect("legal moves");
        assert_eq!(searcher.run(&won, &[], &Limits::depth(1)).score(), Some(Score::win_in(1)));
        let soon: ConnectFour = "3747".parse().expect("legal moves");
        assert_eq!(searcher.run(&soon, &[], &Limits::depth(9)).score().and_then(Score::plies_to_end), deep_win(&soon));
    }
}

/// How far away a win is, by a full-width search.
fn deep_win(position: &ConnectFour) -> Option<i32> {
    Searcher::new(Plain::default()).run(position, &[], &Limits::depth(9)).score().and_then(Score::plies_to_end)
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = || {
        let outcome = search(&ConnectFour::new(), Guidance::ALL, algorithms::default(), virtual_machine(16), 8);
        (outcome.nodes, outcome.accounts.time, outcome.score())
    };
    assert_eq!(run(), run());
}
