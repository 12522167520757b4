//! Any text as SyzygyPath is refused in one line, or gives tables; tables with any contents answer or do not, and moves they rank are
//! legal.
//!
//! The first line of the input is the path, in which `@` stands for a folder with two tables; the rest is what is in them. Both
//! begin as the format asks, unless the path has a `!`.

#![no_main]

use chess::Position;
use engine::tablebase::Tablebases;
use jamboree_fuzz::scratch;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(scratch);

const TABLES: [(&str, [u8; 4]); 2] = [("KQvK.rtbw", [0x71, 0xe8, 0x23, 0x5d]), ("KQvK.rtbz", [0xd7, 0x66, 0x0c, 0xa5])];

fuzz_target!(|input: &[u8]| {
    let end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
    let (path, contents) = input.split_at(end);
    let path = String::from_utf8_lossy(path);
    for (name, magic) in TABLES {
        let file = FOLDER.path().join(name);
        let magic = if path.contains('!') { [0; 4] } else { magic };
        // A table is a multiple of 64 bytes and 16 more.
        let mut bytes = [&magic, contents.get(1..).unwrap_or_default()].concat();
        bytes.resize(bytes.len().next_multiple_of(64) + 16, 0);
        std::fs::write(&file, bytes).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
    let path = path.replace('!', "").replace('@', &FOLDER.path().to_string_lossy());
    let tables = match Tablebases::open(&path) {
        Ok(tables) => tables,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    for fen in ["8/8/8/4k3/8/8/8/Q3K3 w - - 0 1", "7k/8/5KQ1/8/8/8/8/8 b - - 3 9", "K7/8/8/8/3q4/8/8/6k1 w - - 99 60"] {
        let Ok(position) = fen.parse::<Position>() else { continue };
        let board = position.board();
        let _ = tables.wdl(board);
        if let Some(moves) = tables.root_moves(board) {
            assert!(moves.iter().all(|ranked| board.is_legal(ranked.mv)));
        }
    }
});
