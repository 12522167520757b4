//! Compares our rules of chess, move by move in random games, with those of shakmaty.
#![allow(clippy::unwrap_used)]

use game::{Ending, Game};
use jamboree_chess::{Move, Notation, Position, parse_move, parse_san, san};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// Both programs' legal moves as UCI writes them for Chess960, sorted.
fn legal(ours: &Position, theirs: &Chess) -> (Vec<String>, Vec<String>) {
    let mut moves = Vec::new();
    ours.moves(&mut moves);
    let mut our_list: Vec<_> = moves.iter().map(|&mv| Notation::Chess960.show(ours, mv)).collect();
    let mut their_list: Vec<_> =
        theirs.legal_moves().iter().map(|mv| mv.to_uci(CastlingMode::Chess960).to_string()).collect();
    our_list.sort();
    their_list.sort();
    (our_list, their_list)
}

fn play_along(start: &str, random: &mut Random) -> usize {
    let mut ours: Position = start.parse().unwrap();
    let mut theirs: Chess = start.parse::<Fen>().unwrap().into_position(CastlingMode::Chess960).unwrap();
    for ply in 0..200 {
        let (our_list, their_list) = legal(&ours, &theirs);
        assert_eq!(our_list, their_list, "{}", ours.board());
        assert_eq!(ours.in_check(), theirs.is_check());
        if our_list.is_empty() {
            assert_eq!(ours.stuck() == Ending::Lost, theirs.is_checkmate());
            return ply;
        }
        assert_eq!(ours.is_dead(), theirs.is_insufficient_material(), "{}", ours.board());
        let text = &our_list[random.below(our_list.len())];
        let mv: Move = parse_move(&ours, text).unwrap();
        let their_move = text.parse::<UciMove>().unwrap().to_move(&theirs).unwrap();
        let their_san = SanPlus::from_move(theirs.clone(), their_move).to_string();
        assert_eq!(parse_san(&ours, &their_san), Ok(mv), "{their_san} in {}", ours.board());
        assert_eq!(san(&ours, mv), their_san, "{}", ours.board());
        assert_eq!(ours.is_capture(mv), their_move.is_capture(), "{text} in {}", ours.board());
        ours = ours.play(mv);
        theirs = theirs.play(their_move).unwrap();
        let fen = Fen::from_position(&theirs, EnPassantMode::Always).to_string();
        let again: Position = fen.parse().unwrap();
        assert_eq!(again.key(), ours.key(), "{fen}");
    }
    200
}

#[test]
fn random_games_agree_move_by_move() {
    let mut random = Random(2024);
    let plies: usize =
        (0..60).map(|_| play_along("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &mut random)).sum();
    assert!(plies > 3000);
}

#[test]
fn random_chess960_games_agree_move_by_move() {
    let mut random = Random(960);
    for _ in 0..60 {
        let board = cozy_chess::Board::chess960_startpos(random.below(960) as u32);
        play_along(&format!("{board:#}"), &mut random);
    }
}
