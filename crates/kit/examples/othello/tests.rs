use super::*;
use crate::board::Move;
use jamboree_kit::{Plain, Score, algorithms};

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

/// A position with this many empty squares, reached by moves that depend on a number.
fn late(empty: u32, number: usize) -> Othello {
    let (mut position, mut moves) = (Othello::start(), Vec::new());
    for ply in 0.. {
        moves.clear();
        position.moves(&mut moves);
        if position.discs_left() <= empty || moves.is_empty() {
            break;
        }
        position = position.play(moves[(ply * 7 + number * 5 + ply * number) % moves.len()]);
    }
    position
}

/// The result by the definition.
fn result(position: &Othello) -> i32 {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves.into_iter().map(|mv| -result(&position.play(mv))).max().unwrap_or_else(|| position.result())
}

#[test]
fn endgames_are_solved_exactly_on_every_machine() {
    let virtual_machine = VirtualMachine { processors: 16, costs: Costs::ideal(), seed: 1, hosts: Hosts::one() };
    for number in 0..12 {
        let position = late(7, number);
        let expected = Score::estimate(100 * result(&position));
        for machine in [machine(1), machine(2), Machine::Virtual(virtual_machine.clone())] {
            let outcome = exact(&position, machine).unwrap();
            assert!(outcome.best_move().is_none_or(|_| outcome.score() == Some(expected)), "{position}");
        }
    }
}

#[test]
fn there_are_passes_among_them() {
    let passes = |position: &Othello| position.targets() == 0 && !position.is_over();
    assert!((0..200).any(|number| passes(&late(7, number))));
}

#[test]
fn lines_are_legal_with_everything_on() {
    for number in 0..6 {
        let position = late(30, number);
        let outcome = searcher(Guidance::ALL, machine(2)).unwrap().run(&position, &[], &Limits::depth(6));
        let mut at = position;
        for &mv in outcome.line() {
            assert_eq!(at.unpack(Othello::pack(mv)), Some(mv));
            at = at.play(mv);
        }
    }
}

#[test]
fn hints_save_nodes_and_virtual_processors_save_time() {
    let position: Othello = OPENINGS[0].parse().unwrap();
    let plain = Searcher::new(Plain::<Move>::default()).run(&position, &[], &Limits::depth(7)).nodes;
    let nodes = |guidance| searcher(guidance, Machine::Alone).unwrap().run(&position, &[], &Limits::depth(7)).nodes;
    let (ordered, all) = (nodes(Guidance::ORDER_ONLY), nodes(Guidance::ALL));
    assert!(ordered * 2 < plain && all < ordered, "{plain} {ordered} {all}");
    let ticks = |processors| {
        let machine = VirtualMachine { processors, costs: Costs::ideal(), seed: 1, hosts: Hosts::one() };
        let mut searcher = searcher(Guidance::ALL, Machine::Virtual(machine)).unwrap();
        searcher.algorithm = algorithms::default();
        searcher.run(&position, &[], &Limits::depth(8)).accounts.time
    };
    assert!(ticks(4) * 2 < ticks(1));
}

#[test]
fn every_command_runs_and_bad_words_are_refused() {
    for command in ["", "search d3 3", "search d3c5 4 2", "perft 3", "virtual 2"] {
        run(&words(command)).unwrap();
    }
    for command in ["search a1", "search d3 0", "search d3 3 0", "perft x", "play -1", "solve XO"] {
        assert!(run(&words(command)).is_err(), "{command}");
    }
}
