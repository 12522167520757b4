//! A file of games that loses none.
//!
//! A game is added by one write when it has ended. A process that is killed during the write leaves an incomplete game
//! at the end, which the next process cuts off. The file itself says which games it has, so no second file has to agree
//! with it. A lock keeps two processes from writing to it.

use super::SelfGame;
use super::format::{Format, LARGEST_NUMBER, Piece};
use crate::locked::LockedFile;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Interval of syncs to the disk. A killed process loses nothing that was written; a power cut may lose what was not
/// synced.
const SYNC_INTERVAL: Duration = Duration::from_secs(2);

/// A file that games are added to.
pub struct GameFile {
    path: PathBuf,
    file: LockedFile,
    format: Format,
    length: u64,
    contents: Contents,
    synced: Instant,
}

/// What a file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Contents {
    games: u64,
    positions: u64,
    largest: u32,
}

impl GameFile {
    /// Opens a file, or makes it, and cuts off a game that is not whole.
    ///
    /// # Errors
    /// If the file can't be written, is in use, or does not consist of games.
    pub fn open(path: &Path) -> Result<GameFile, String> {
        let name = path.display();
        let failed = |error: std::io::Error| format!("can't write '{name}': {error}");
        let format = Format::of(path);
        let Some(mut file) = LockedFile::open(path).map_err(failed)? else {
            return Err(format!("another process is writing to '{name}'"));
        };
        let header = format.header();
        let mut start = Vec::new();
        Read::by_ref(&mut *file).take(header.len() as u64).read_to_end(&mut start).map_err(failed)?;
        if !header.starts_with(&start) {
            return Err(foreign(path, 0));
        }
        let (length, contents) = if start.len() < header.len() {
            file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(header)).map_err(failed)?;
            (header.len() as u64, Contents::default())
        } else {
            let (whole, contents) = scan(format, path, &mut file).map_err(failed)??;
            file.set_len(whole).map_err(failed)?;
            (whole, contents)
        };
        file.seek(SeekFrom::Start(length)).map_err(failed)?;
        Ok(GameFile { path: path.to_owned(), file, format, length, contents, synced: Instant::now() })
    }

    /// How many games it has.
    pub fn games(&self) -> u64 {
        self.contents.games
    }

    /// How many positions it has.
    pub fn positions(&self) -> u64 {
        self.contents.positions
    }

    /// The first number after those of all its games.
    pub fn next_number(&self) -> u32 {
        self.contents.largest + 1
    }

    /// Adds a game: all of it, or nothing.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn add(&mut self, game: &SelfGame) -> Result<(), String> {
        let bytes = self.format.encode(game);
        if let Err(error) = self.file.write_all(&bytes) {
            // The disk may be full: remove the incomplete game.
            let _ = self.file.set_len(self.length).and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
            return Err(format!("can't write '{}': {error}", self.path.display()));
        }
        self.length += bytes.len() as u64;
        self.contents.games += 1;
        self.contents.positions += game.samples.len() as u64;
        self.contents.largest = self.contents.largest.max(game.number);
        if self.synced.elapsed() > SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Syncs everything to the disk.
    ///
    /// # Errors
    /// If that fails.
    pub fn sync(&mut self) -> Result<(), String> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(|error| format!("can't write '{}': {error}", self.path.display()))
    }
}

/// Reads the file: where the last complete game ends, and what the file contains up to there.
fn scan(format: Format, path: &Path, file: &mut File) -> std::io::Result<Result<(u64, Contents), String>> {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut place = format.header().len() as u64;
    let (mut whole, mut contents) = (place, Contents::default());
    let mut open: Option<(u32, u64)> = None;
    loop {
        match format.next(&mut reader)? {
            Piece::Position { game, last, bytes } if open.is_none_or(|(other, _)| other == game) => {
                place += bytes;
                let positions = open.map_or(0, |(_, positions)| positions) + 1;
                open = Some((game, positions));
                if last {
                    contents.games += 1;
                    contents.positions += positions;
                    contents.largest = contents.largest.max(game);
                    (whole, open) = (place, None);
                }
            }
            Piece::Torn | Piece::End => break,
            Piece::Position { .. } | Piece::Foreign => return Ok(Err(foreign(path, place))),
        }
    }
    if contents.largest == LARGEST_NUMBER {
        return Ok(Err(format!("'{}' is full: name another file and another seed", path.display())));
    }
    Ok(Ok((whole, contents)))
}

fn foreign(path: &Path, place: u64) -> String {
    let name = path.display();
    format!("'{name}' has something at byte {place} that this datagen did not write: name another file")
}

#[cfg(test)]
mod tests {
    use super::super::tests::player;
    use super::*;
    use crate::experiment::tests::Scratch;

    /// Some games, and a file with all but the last.
    fn games() -> Vec<SelfGame> {
        let mut player = player(3);
        let mut games: Vec<SelfGame> = (1..).filter_map(|number| player.play(number)).take(4).collect();
        // The last game is short, because it is cut at every byte.
        games[3].samples.truncate(9);
        games
    }

    fn folder(name: &str) -> Scratch {
        let scratch = Scratch::new(name);
        std::fs::create_dir_all(scratch.path()).unwrap();
        scratch
    }

    fn contents(file: &GameFile) -> (u64, u64, u32) {
        (file.games(), file.positions(), file.next_number())
    }

    #[test]
    fn a_file_cut_anywhere_in_its_last_game_is_repaired_to_whole_games() {
        let scratch = folder("datagen-cut");
        let games = games();
        for name in ["games.txt", "games.jpos"] {
            let path = scratch.path().join(name);
            let mut file = GameFile::open(&path).unwrap();
            assert_eq!(contents(&file), (0, 0, 1));
            games[..3].iter().for_each(|game| file.add(game).unwrap());
            let (before, kept) = (std::fs::read(&path).unwrap(), contents(&file));
            file.add(&games[3]).unwrap();
            let all = contents(&file);
            drop(file);
            let whole = std::fs::read(&path).unwrap();
            assert_eq!(contents(&GameFile::open(&path).unwrap()), all, "{name}");
            assert_eq!(std::fs::read(&path).unwrap(), whole);
            for length in before.len()..whole.len() {
                std::fs::write(&path, &whole[..length]).unwrap();
                let mut file = GameFile::open(&path).unwrap();
                assert_eq!(contents(&file), kept, "{name} cut at {length}");
                assert_eq!(std::fs::read(&path).unwrap(), before, "{name} cut at {length}");
                file.add(&games[3]).unwrap();
                drop(file);
                assert_eq!(std::fs::read(&path).unwrap(), whole, "{name} cut at {length}");
            }
        }
    }

    #[test]
    fn a_file_cut_in_its_first_game_begins_anew() {
        let scratch = folder("datagen-first");
        let games = games();
        for name in ["games.txt", "games.jpos"] {
            let path = scratch.path().join(name);
            GameFile::open(&path).unwrap().add(&games[3]).unwrap();
            let whole = std::fs::read(&path).unwrap();
            for length in 0..whole.len() {
                std::fs::write(&path, &whole[..length]).unwrap();
                let mut file = GameFile::open(&path).unwrap();
                assert_eq!(contents(&file), (0, 0, 1), "{name} cut at {length}");
                file.add(&games[3]).unwrap();
                drop(file);
                assert_eq!(std::fs::read(&path).unwrap(), whole, "{name} cut at {length}");
            }
        }
    }

    #[test]
    fn what_datagen_did_not_write_is_left_alone() {
        let scratch = folder("datagen-foreign");
        let mut whole = Format::Records.header().to_vec();
        whole.extend(games().iter().flat_map(|game| Format::Records.encode(game)));
        let mut damaged = whole.clone();
        damaged[8 + 32] ^= 255;
        let old = b"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1;120;1\n".to_vec();
        for (name, bytes) in [
            ("notes.txt", b"Things to do".to_vec()),
            ("old.txt", old),
            ("binary.txt", whole),
            ("damaged.jpos", damaged),
            ("text.jpos", b"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1;120;1;1\n".to_vec()),
            ("converted.jpos", [Format::Records.header(), &[0; 32]].concat()),
        ] {
            let path = scratch.path().join(name);
            std::fs::write(&path, &bytes).unwrap();
            let message = GameFile::open(&path).map(|_| ()).unwrap_err();
            assert!(message.contains("did not write"), "{message}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
        }
        let path = scratch.path().join("busy.jpos");
        let _file = GameFile::open(&path).unwrap();
        assert!(GameFile::open(&path).is_err_and(|message| message.contains("another process")));
    }
}
