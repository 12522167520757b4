//! A journal is refused and stays as it is, or it is read, and read again with the same contents. Nothing but an incomplete last line
//! is ever cut off.
//!
//! The first byte says which of the two journals it is. Every further line that is an object gets its checksum here, else none would
//! ever be read; lines without braces stay as they are.

#![no_main]

use jamboree_fuzz::scratch;
use lab::analysis::part_file::{PartError, PartFile};
use lab::experiment::{Folder, LabError};
use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

static SCRATCH: LazyLock<TempDir> = LazyLock::new(scratch);

const VERSION: &str = "0.1.0";

fuzz_target!(|input: &[u8]| {
    let Some((&which, rest)) = input.split_first() else { return };
    if which & 1 == 0 { experiment(&sealed(rest)) } else { part(&sealed(rest)) }
});

/// The lines, each object with its checksum; before it may stand what our lines in a PGN file begin with.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let object =
            line.strip_suffix(b"}\n").and_then(|open| Some((line.iter().position(|&byte| byte == b'{')?, open)));
        match object.and_then(|(start, open)| Some((&line[..start], open.get(start..)?))) {
            Some((before, open)) => {
                let check = crc32fast::hash(&[open, b"}"].concat());
                out.extend([before, open, format!(",\"check\":\"{check:08x}\"}}\n").as_bytes()].concat());
            }
            None => out.extend(line),
        }
    }
    out
}

fn experiment(bytes: &[u8]) {
    let (folder, journal) = (SCRATCH.path().to_owned(), SCRATCH.path().join("journal.jsonl"));
    write(&journal, bytes);
    let open = || Folder::open(&folder, VERSION);
    match open() {
        Ok(opened) => {
            let (notes, versions) = (opened.notes(), opened.versions());
            drop(opened);
            let left = read(&journal);
            let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
            assert!(left.starts_with(&bytes[..whole]), "a whole line was cut off");
            let Ok(again) = open() else { panic!("what was opened can't be opened again") };
            assert_eq!((again.notes(), again.versions()), (notes, versions));
            assert_eq!(read(&journal), left);
        }
        Err(LabError::Busy(_)) => panic!("the lock was not given back"),
        Err(_) => assert_eq!(read(&journal), bytes),
    }
}

fn part(bytes: &[u8]) {
    let out = SCRATCH.path().join("games.pgn");
    let path = PartFile::path_for(&out);
    write(&path, bytes);
    match PartFile::open(&out, "command") {
        Ok(part) => {
            let games: Vec<_> = part.done().iter().map(|(number, game)| (*number, game.text.clone())).collect();
            drop(part);
            let left = read(&path);
            let Ok(again) = PartFile::open(&out, "command") else { panic!("what was opened can't be opened again") };
            let games_again: Vec<_> = again.done().iter().map(|(number, game)| (*number, game.text.clone())).collect();
            assert_eq!(games_again, games);
            assert_eq!(read(&path), left);
        }
        Err(PartError::Other(_)) => assert_eq!(read(&path), bytes),
        Err(error) => panic!("{error}"),
    }
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
