//! Tests of endgame tables. Most need a folder of tables and are ignored without it.

use super::*;
use chess::EndgameTables;
use cozy_chess::{BoardBuilder, GameStatus};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;

/// The tables to test with.
fn tables() -> Tablebases {
    Tablebases::open(&test_folder()).unwrap()
}

fn board(fen: &str) -> Board {
    fen.parse().unwrap()
}

fn legal_moves(board: &Board) -> Vec<Move> {
    let mut legal = Vec::new();
    board.generate_moves(|moves| {
        legal.extend(moves);
        false
    });
    legal
}

fn after(board: &Board, mv: Move) -> Board {
    let mut after = board.clone();
    after.play(mv);
    after
}

struct Random(Xoshiro256PlusPlus);

impl Random {
    fn new(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }
}

/// A random position of 3 or 4 pieces; the clock is at 0.
fn random_position(random: &mut Random) -> Board {
    loop {
        let mut builder = BoardBuilder::empty();
        *builder.square_mut(Square::index(random.below(64))) = Some((Piece::King, Color::White));
        *builder.square_mut(Square::index(random.below(64))) = Some((Piece::King, Color::Black));
        for _ in 0..1 + random.below(2) {
            let piece = Piece::index(random.below(5));
            let color = Color::index(random.below(2));
            *builder.square_mut(Square::index(random.below(64))) = Some((piece, color));
        }
        builder.side_to_move = Color::index(random.below(2));
        if let Ok(board) = builder.build()
            && board.occupied().len() >= 3
            && to_shakmaty(&board).is_some()
        {
            return board;
        }
    }
}

#[test]
fn tables_are_shared_between_threads() {
    fn assert_send_and_sync<T: Send + Sync>() {}
    assert_send_and_sync::<Tablebases>();
}

#[test]
fn bad_paths_are_one_line_errors() {
    let temp = tempfile::tempdir().unwrap();
    let (empty, damaged) = (temp.path().join("empty"), temp.path().join("damaged"));
    fs::create_dir_all(&empty).unwrap();
    fs::create_dir_all(&damaged).unwrap();
    fs::write(empty.join("README.txt"), "no table").unwrap();
    fs::write(damaged.join("KQvK.rtbw"), "no table").unwrap();
    let cases = [
        (String::new(), "no tablebase folder is named"),
        (PATH_SEPARATOR.to_string(), "no tablebase folder is named"),
        ("/nonexistent/tables".into(), "/nonexistent/tables"),
        (empty.display().to_string(), "empty holds no Syzygy table"),
        (damaged.display().to_string(), "KQvK.rtbw can't be used"),
    ];
    let texts: Vec<_> = cases.iter().map(|(paths, _)| Tablebases::open(paths).unwrap_err().to_string()).collect();
    for ((_, expected), text) in cases.iter().zip(texts) {
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains('\n') && !text.contains("  "), "{text}");
    }
}

#[test]
#[ignore = "needs JAMBOREE_SYZYGY"]
fn finds_the_tables() {
    let tables = tables();
    assert!(tables.largest() >= 4);
    assert!(tables.count() >= 70, "{}", tables.count());
    let paths = test_folder();
    let twice = Tablebases::open(&format!("{PATH_SEPARATOR}{paths}{PATH_SEPARATOR}{paths}")).unwrap();
    assert_eq!(twice.count(), tables.count(), "a table in two folders is one table");
    let error = Tablebases::open(&format!("{paths}{PATH_SEPARATOR}/nonexistent")).unwrap_err();
    assert!(error.to_string().contains("/nonexistent"));
}

#[test]
#[ignore = "needs JAMBOREE_SYZYGY"]
fn known_values() {
    let tables = tables();
    let cases = [
        ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", TableValue::Win),
        ("8/8/8/4k3/8/8/8/KQ6 b - - 0 1", TableValue::Loss),
        ("8/8/8/4k3/8/8/8/KR6 w - - 0 1", TableValue::Win),
        ("8/8/8/8/8/2k5/8/KR6 b - - 0 1", TableValue::Loss),
        ("8/8/8/8/8/2k5/1R6/7K b - - 0 1", TableValue::Draw), // Takes the rook.
        ("8/8/8/8/8/k7/p7/K7 w - - 0 1", TableValue::Draw),   // Stalemate.
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", TableValue::Draw),
        ("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1", TableValue::Loss),
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", TableValue::Win),
        ("k7/8/1K6/8/P7/8/8/8 w - - 0 1", TableValue::Draw),
        ("8/8/8/8/8/8/8/K1k5 w - - 0 1", TableValue::Draw),
        ("8/8/8/8/3k4/8/8/KBN5 w - - 0 1", TableValue::Win),
        ("8/8/8/8/3k4/8/8/KNN5 w - - 0 1", TableValue::Draw),
    ];
    for (fen, wdl) in cases {
        assert_eq!(tables.wdl(&board(fen)), Some(wdl), "{fen}");
    }
}

#[test]
#[ignore = "needs JAMBOREE_SYZYGY"]
fn positions_outside_the_tables_have_no_value() {
    let tables = tables();
    let touching_kings = "8/8/8/8/8/8/1k6/KR6 b - - 0 1";
    let castling = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for fen in [castling, touching_kings, start] {
        assert_eq!(tables.wdl(&board(fen)), None, "{fen}");
        assert_eq!(tables.root_moves(&board(fen)), None, "{fen}");
    }
    assert_eq!(tables.root_moves(&board("8/8/8/8/8/k1p5/p7/K7 w - - 0 1")), None, "no legal move");
}

#[test]
#[ignore = "needs JAMBOREE_SYZYGY"]
fn mate_comes_first_even_at_a_full_clock() {
    let tables = tables();
    for clock in [0, 99, 100] {
        let moves = tables.root_moves(&board(&format!("k7/8/1K6/8/8/8/P7/7R w - - {clock} 80"))).unwrap();
        assert_eq!(moves[0].mv.to_string(), "h1h8", "{clock}");
        assert_eq!((moves[0].wdl, moves[0].dtz), (TableValue::Win, 1), "{clock}");
        let expected = if clock == 100 { TableValue::CursedWin } else { TableValue::Win };
        assert_eq!((moves[1].mv.from, moves[1].wdl, moves[1].dtz), (Square::A2, expected, 1), "{clock}");
        assert_eq!(moves[3].wdl < TableValue::Win, clock > 0, "{clock}");
    }
}

#[test]
#[ignore = "needs JAMBOREE_SYZYGY"]
fn the_clock_curses_bishop_and_knight() {
    let tables = tables();
    let best = |clock| tables.root_moves(&board(&format!("8/8/8/8/3k4/8/8/KBN5 w - - {clock} 80"))).unwrap()[0];
    assert_eq!(best(0).wdl, TableValue::Win);
    assert!((40..=70).contains(&best(0).dtz), "{:?}", best(0));
    assert_eq!(best(90), TableMove { wdl: TableValue::CursedWin, ..best(0) });
    // It turns where the distance no longer fits.
    let last_win = (0..=100).rev().find(|&clock| best(clock).wdl == TableValue::Win).unwrap();
    assert!((99..=100).contains(&(best(0).dtz + last_win)), "{last_win} {:?}", best(0));
    // The defender's view of the same: it is saved by the rule.
    let saved = tables.root_moves(&board("8/8/8/8/3k4/8/8/KBN5 b - - 90 80")).unwrap();
    assert_eq!(saved[0].wdl, TableValue::BlessedLoss);
}

#[test]
#[ignore = "needs JAMBOREE_SYZYGY"]
fn options_limit_the_tables_and_lift_the_fifty_move_rule() {
    let tables = Arc::new(tables());
    let cursed = board("8/8/8/8/3k4/8/8/KBN5 w - - 90 80");
    let root =
        |rule, limit| SearchTables::new(Arc::clone(&tables), rule, limit).root_moves(&cursed).map(|moves| moves[0].wdl);
    assert_eq!(root(true, 7), Some(TableValue::CursedWin));
    assert_eq!(root(false, 7), Some(TableValue::Win));
    assert_eq!(root(true, 3), None);
    assert_eq!(SearchTables::new(Arc::clone(&tables), true, 3).largest(), 3);
}

#[test]
#[ignore = "needs JAMBOREE_SYZYGY"]
fn first_moves_mate_within_the_distance() {
    let tables = tables();
    for fen in ["8/8/8/8/3k4/8/8/KBN5 w - - 0 1", "8/8/8/4k3/8/8/8/KR6 w - - 0 1", "8/8/8/8/3k4/8/8/KBB5 w - - 0 1"] {
        let mut board = board(fen);
        let distance_plies = tables.root_moves(&board).unwrap()[0].dtz;
        let mut plies = 0;
        while let Some(moves) = tables.root_moves(&board) {
            board.play(moves[0].mv);
            plies += 1;
            assert!(plies <= distance_plies + 1, "{fen}: {board}");
        }
        assert!(is_mate(&board), "{fen}: {board}");
    }
}

#[test]
#[ignore = "needs JAMBOREE_SYZYGY"]
fn first_moves_win_random_won_positions() {
    let tables = tables();
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    for _ in 0..60 {
        let start = random_position(&mut random);
        let wdl = tables.wdl(&start).unwrap();
        let mut board = start.clone();
        while board.status() == GameStatus::Ongoing
            && let Some(moves) = tables.root_moves(&board)
            && moves[0].wdl != TableValue::Draw
        {
            board.play(moves[0].mv);
        }
        assert_eq!(is_mate(&board), wdl != TableValue::Draw, "{start} ends at {board}");
    }
}

#[test]
#[ignore = "needs JAMBOREE_SYZYGY"]
fn values_agree_with_those_after_each_move() {
    let tables = tables();
    let mut random = Random::new(0x2545_f491_4f6c_dd1d);
    let mut seen = [0; 5];
    for _ in 0..3000 {
        let board = random_position(&mut random);
        let legal = legal_moves(&board);
        let Some(ranked) = tables.root_moves(&board) else {
            assert!(legal.is_empty(), "{board}");
            continue;
        };
        let wdl = tables.wdl(&board).unwrap();
        seen[wdl as usize] += 1;
        assert_eq!(ranked.len(), legal.len(), "{board}");
        assert_eq!(ranked[0].wdl, wdl, "{board}");
        assert!(ranked.is_sorted_by_key(|root_move| Reverse(root_move.wdl)), "{board}");
        for root_move in &ranked {
            assert_eq!(root_move.wdl, -tables.wdl(&after(&board, root_move.mv)).unwrap(), "{board} {root_move:?}");
            assert_eq!(root_move.wdl.cmp(&TableValue::Draw), root_move.dtz.cmp(&0), "{board} {root_move:?}");
        }
    }
    assert!(seen.iter().filter(|&&count| count > 100).count() >= 3, "{seen:?}");
}

#[test]
#[ignore = "needs JAMBOREE_SYZYGY"]
fn values_agree_with_en_passant_rights() {
    let tables = tables();
    // Random positions have no en passant right, so make some by double steps.
    let mut random = Random::new(0xda94_2042_e4dd_58b5);
    let mut captures = 0;
    for _ in 0..40_000 {
        let before = random_position(&mut random);
        if before.pieces(Piece::Pawn).len() < 2 {
            continue;
        }
        for board in legal_moves(&before).into_iter().map(|mv| after(&before, mv)) {
            let Some(ranked) = board.en_passant().and_then(|_| tables.root_moves(&board)) else { continue };
            captures += ranked.iter().filter(|ranked| after(&board, ranked.mv).occupied().len() == 3).count();
            assert_eq!(Some(ranked[0].wdl), tables.wdl(&board), "{board}");
        }
    }
    assert!(captures > 10, "{captures}");
}
