//! A book is refused, or every move it gives is legal. The first byte says after which moves it is asked, the rest is the file.

#![no_main]

use chess::Position;
use engine::book::{Book, polyglot_key};
use game::Game;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|input: &[u8]| {
    let Some((&line, bytes)) = input.split_first() else { return };
    let mut position = Position::default();
    for index in 0..line % 16 {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let Some(&mv) = moves.get(usize::from(line ^ index) % moves.len().max(1)) else { break };
        position = position.play(mv);
    }
    let board = position.board();
    // The key of the position stands where the file has seven zeros.
    let (entries, rest) = bytes.as_chunks::<16>();
    let key = polyglot_key(board).to_be_bytes();
    let of_entry = |entry: &[u8; 16]| {
        let mut entry = *entry;
        if entry[..7] == [0; 7] {
            entry[..8].copy_from_slice(&key);
        }
        entry
    };
    let bytes = [entries.iter().flat_map(of_entry).collect(), rest.to_vec()].concat();
    let Ok(book) = Book::parse(&bytes, Path::new("book.bin")) else { return };
    assert_eq!(book.entry_count(), entries.len());
    let moves = book.moves(board);
    assert!(moves.iter().all(|known| board.is_legal(known.mv)));
    for random in [0, u64::from(line), u64::MAX] {
        let picked = book.pick(board, random);
        assert_eq!(picked.is_some(), !moves.is_empty());
        assert!(picked.is_none_or(|mv| moves.iter().any(|known| known.mv == mv)));
    }
});
