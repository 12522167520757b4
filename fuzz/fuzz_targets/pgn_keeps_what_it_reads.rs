//! What is read from a PGN file is written so that the same is read again: tags, start, moves, glyphs, variations, result.

#![no_main]

use chess::Move;
use lab::analysis::pgn_game::{PgnGame, Token};
use lab::analysis::{annotate, reader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for game in reader::read(bytes, &mut |_| ()) {
        let text = annotate::write(&game, &[]);
        let mut warnings = Vec::new();
        let again = reader::read(text.as_bytes(), &mut |warning| warnings.push(warning));
        assert!(warnings.is_empty(), "{warnings:?}\n{text}");
        let [again] = &again[..] else { panic!("{} games\n{text}", again.len()) };
        assert_eq!(contents(again), contents(&game), "{text}");
        for (name, value) in game.tags.iter().filter(|(name, _)| name != "Annotator") {
            let first = game.tag(name) == Some(value);
            assert!(!first || again.tag(name) == Some(value), "{name}: {value}\n{text}");
        }
    }
});

/// What the record of a game says, without comments, which are wrapped.
fn contents(game: &PgnGame) -> (String, Vec<(Move, Vec<u8>, Vec<Token>)>, &'static str) {
    let is_kept = |token: &&Token| !matches!(token, Token::Comment(_));
    let moves = game.moves.iter().map(|played| {
        let variations = played.variations.iter().filter(is_kept).cloned().collect();
        (played.mv, played.nags.clone(), variations)
    });
    (game.start.to_string(), moves.collect(), game.result())
}
