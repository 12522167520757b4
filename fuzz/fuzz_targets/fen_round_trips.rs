//! A FEN is refused, or it is a position that its own FEN gives again, and so are its moves in both notations.

#![no_main]

use chess::{Notation, Position, parse_move, parse_san, san};
use game::Game;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(position) = text.parse::<Position>() else { return };
    assert_eq!(again(&position), position);
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let notation = Notation::of(&position);
    for mv in moves {
        assert_eq!(parse_move(&position, &notation.show(&position, mv)), Ok(mv), "{position}");
        assert_eq!(parse_san(&position, &san(&position, mv)), Ok(mv), "{position}");
        let after = position.play(mv);
        assert_eq!(again(&after).key(), after.key(), "{position}");
    }
});

/// The position that is read from the FEN of this one.
fn again(position: &Position) -> Position {
    let text = position.to_string();
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}
