//! The search on chess positions whose outcome is known.
#![allow(clippy::unwrap_used)]

use game::{Game, Score};
use jamboree_chess::{ChessRules, Move, Parameters, Position, RuleSet, parse_move, san_line};
use search::{Limits, Outcome, Searcher};
use std::sync::Arc;
use table::Table;

fn search(fen: &str, profile: RuleSet, limits: &Limits<Move>) -> (Position, Outcome<Move>) {
    let position: Position = fen.parse().unwrap();
    let table = Arc::new(Table::new(4).unwrap());
    let outcome = Searcher::with_table(ChessRules::new(profile), table).run(&position, &[], limits);
    (position, outcome)
}

fn profiles() -> [RuleSet; 3] {
    [RuleSet::modern(), RuleSet::classic(), RuleSet::parse("classic,recursive_deepening").unwrap()]
}

#[test]
fn mates_are_found_and_counted() {
    for (fen, moves, depth) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1, 3),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1, 3),
        ("r2qk2r/pb4pp/1n2Pb2/2B2Q2/p1p5/2P5/2B2PPP/RN2R1K1 w kq - 1 1", 2, 5),
        ("8/8/8/8/8/1k6/8/K2q4 w - - 0 1", 0, 2),
        ("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", 3, 6),
    ] {
        for profile in profiles() {
            // What prunes needs a little longer.
            let depth = if profile.switches.prune.null_move { depth + 6 } else { depth };
            let (position, outcome) = search(fen, profile, &Limits::depth(depth));
            match outcome.score() {
                Some(score) => {
                    let line = san_line(&position, outcome.line());
                    assert_eq!(score.plies_to_end(), Some(2 * moves - 1), "{fen}: {score:?} {line}");
                }
                None => assert_eq!(moves, 0, "no move in {fen}"),
            }
        }
    }
}

#[test]
fn zugzwang_is_noticed_where_passing_would_hide_it() {
    // Zugzwang: after 1. Ra6 every move of Black allows mate; a pass would not.
    let fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
    for rules in ["modern,-null_move", "classic"] {
        let (_, outcome) = search(fen, RuleSet::parse(rules).unwrap(), &Limits::depth(8));
        assert_eq!(outcome.score().and_then(Score::plies_to_end), Some(3), "{rules}");
    }
    let (_, outcome) = search(fen, RuleSet::modern(), &Limits::depth(26));
    assert!(outcome.score().and_then(Score::plies_to_end).is_some_and(|plies| plies > 0), "{:?}", outcome.score());
}

#[test]
fn variations_are_legal_and_begin_with_the_best_move() {
    for fen in [
        "r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1",
        "8/2k5/4p3/1nb2p2/2K5/8/6B1/8 w - - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    ] {
        for profile in profiles() {
            let limits = Limits { lines: 3, ..Limits::depth(6) };
            let (position, outcome) = search(fen, profile, &limits);
            for root in outcome.moves.iter().take(3) {
                assert_eq!(root.line.first(), Some(&root.mv));
                let mut at = position.clone();
                for &mv in &root.line {
                    assert_eq!(at.unpack(u32::from(mv.bits())), Some(mv), "{mv:?} in {}", at.board());
                    at = at.play(mv);
                }
            }
        }
    }
}

#[test]
fn a_lost_side_repeats_and_the_game_before_counts() {
    // Here White has no perpetual check and is lost.
    let fen = "6k1/5ppp/8/7Q/8/8/1q3PPP/r1r3K1 w - - 0 1";
    // Here the queen gives perpetual check from d8 and h4.
    let start: Position = "6k1/6p1/8/6Q1/8/8/1q3PPP/6K1 w - - 0 1".parse().unwrap();
    let mut history = Vec::new();
    let mut position = start;
    for text in "g5d8 g8h7 d8h4 h7g8 h4d8 g8h7 d8h4 h7g8 h4d8 g8h7 d8h4".split(' ') {
        let mv = parse_move(&position, text).unwrap();
        history.push(position.key());
        position = position.play(mv);
    }
    // ...Kg8 would repeat the position with White to move for the third time.
    let table = Arc::new(Table::new(4).unwrap());
    let mut searcher = Searcher::with_table(ChessRules::new(RuleSet::modern()), table);
    let only = vec![parse_move(&position, "h7g8").unwrap()];
    let limits = Limits { only, ..Limits::depth(8) };
    let outcome = searcher.run(&position, &history, &limits);
    assert_eq!(outcome.score(), Some(Score::DRAW));
    let (_, outcome) = search(fen, RuleSet::modern(), &Limits::depth(4));
    assert!(outcome.score().is_some_and(|score| score.value() < 0));
}

#[test]
fn fifty_moves_end_the_game_but_not_before_mate() {
    let (_, outcome) = search("7k/8/5KQ1/8/8/8/8/8 w - - 99 80", RuleSet::modern(), &Limits::depth(3));
    assert_eq!(outcome.score().and_then(Score::plies_to_end), Some(1));
    let (_, outcome) = search("7k/8/4K3/8/8/8/8/6Q1 w - - 99 80", RuleSet::modern(), &Limits::depth(5));
    assert_eq!(outcome.score(), Some(Score::DRAW));
}

#[test]
fn a_search_for_a_mate_stops_when_it_has_one() {
    let limits = Limits { win_in: Some(3), ..Limits::default() };
    let (_, outcome) =
        search("r2qk2r/pb4pp/1n2Pb2/2B2Q2/p1p5/2P5/2B2PPP/RN2R1K1 w kq - 1 1", RuleSet::modern(), &limits);
    assert!(outcome.score().and_then(Score::plies_to_end).is_some_and(|plies| plies <= 3));
    assert!(outcome.depth < 30);
}

#[test]
fn the_same_search_visits_the_same_nodes() {
    let fen = "r1bqkb1r/4npp1/p1p4p/1p1pP1B1/8/1B6/PPPN1PPP/R2Q1RK1 w kq - 0 1";
    for profile in profiles() {
        let nodes = || search(fen, profile.clone(), &Limits::depth(5)).1.nodes;
        assert_eq!(nodes(), nodes());
    }
}

#[test]
fn every_parameter_can_be_set_to_its_ends() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let everything = "modern,razoring,history_pruning,recursive_deepening";
    for parameter in Parameters::ALL {
        for value in [parameter.low, parameter.high] {
            let rules = format!("{everything},{}={value}", parameter.name);
            let (_, outcome) = search(fen, RuleSet::parse(&rules).unwrap(), &Limits::nodes(1000));
            assert!(outcome.best_move().is_some() && outcome.nodes >= 1000, "{rules}");
        }
    }
}
