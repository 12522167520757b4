//! The games of a file that are annotated so far, so that the same command goes on where it was killed.
//!
//! `games.pgn.part` has the games in the order in which they were done. Behind each stands a line that readers of PGN pass
//! over (it begins with `%`): the number of the game, what was counted in it, and checksums of itself and of the game. The
//! first line of the file says which command it belongs to. When all games are done, `games.pgn` is written in one piece,
//! in the order of the input, and the part is removed.

use super::game::MoveCount;
use crate::locked::LockedFile;
use crate::sealed;
use jamboree_io::{OutputFile, WriteError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What our lines begin with.
const PREFIX: &str = "% jamboree ";

/// The first line.
#[derive(Serialize)]
struct Head<'a> {
    command: &'a str,
}

/// The line behind a game.
#[derive(Serialize, Deserialize)]
struct Mark {
    game: usize,
    text: u32,
    count: MoveCount,
}

/// A game that is done.
#[derive(Clone, Debug)]
pub struct DoneGame {
    /// Its annotated text.
    pub text: String,
    /// What was counted in it.
    pub count: MoveCount,
}

/// Games that are done, in memory and on the disk.
pub struct PartFile {
    file: LockedFile,
    path: PathBuf,
    out: PathBuf,
    done: BTreeMap<usize, DoneGame>,
}

/// Why the games can't be kept.
#[derive(Debug)]
pub enum PartError {
    /// The part belongs to another command.
    Other(PathBuf),
    /// Another process is writing it.
    Busy(PathBuf),
    /// It can't be read or written.
    Unusable {
        /// The part.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The whole file can't be written.
    Write(WriteError),
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartError::Other(path) => write!(
                f,
                "'{}' has games of another command: give that command again, name another --out, or delete the file",
                path.display()
            ),
            PartError::Busy(path) => write!(f, "another process is writing '{}': wait for it to end", path.display()),
            PartError::Unusable { path, source } => write!(f, "cannot write '{}': {source}", path.display()),
            PartError::Write(error) => write!(f, "{error}"),
        }
    }
}

impl Error for PartError {}

impl PartFile {
    /// The name of the part that belongs to a file.
    pub fn path_for(out: &Path) -> PathBuf {
        let mut name = out.as_os_str().to_owned();
        name.push(".part");
        name.into()
    }

    /// Opens the part of `out`, or begins it. `command` has everything that the annotated games depend on.
    ///
    /// # Errors
    /// If it can't be written, or belongs to another command or process. Then it stays as it is.
    pub fn open(out: &Path, command: &str) -> Result<PartFile, PartError> {
        // An output that can't be written is refused before any work is done for it.
        drop(OutputFile::create(out).map_err(PartError::Write)?);
        let path = PartFile::path_for(out);
        let unusable = |source| PartError::Unusable { path: path.clone(), source };
        let file = LockedFile::open(&path).map_err(unusable)?.ok_or_else(|| PartError::Busy(path.clone()))?;
        let mut part = PartFile { file, path: path.clone(), out: out.to_owned(), done: BTreeMap::new() };
        part.load(command)?;
        Ok(part)
    }

    /// Reads what is there, and cuts off what was being written when the process was killed.
    fn load(&mut self, command: &str) -> Result<(), PartError> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes).map_err(|source| self.unusable(source))?;
        let head = line(&Head { command }).map_err(|source| self.unusable(source))?;
        let Some(rest) = bytes.strip_prefix(head.as_bytes()) else {
            if !head.as_bytes().starts_with(&bytes) {
                return Err(PartError::Other(self.path.clone()));
            }
            return self.write_from(0, head.as_bytes());
        };
        let (done, length) = read_games(rest);
        self.done = done;
        self.write_from((head.len() + length) as u64, &[])
    }

    /// Writes at a place, the end of the file from then on.
    fn write_from(&mut self, place: u64, bytes: &[u8]) -> Result<(), PartError> {
        let file = &mut self.file;
        let written = file.set_len(place).and_then(|()| file.seek(SeekFrom::Start(place)).map(|_| ()));
        written.and_then(|()| file.write_all(bytes)).map_err(|source| self.unusable(source))
    }

    fn unusable(&self, source: io::Error) -> PartError {
        PartError::Unusable { path: self.path.clone(), source }
    }

    /// The games that are done, by their numbers.
    pub fn done(&self) -> &BTreeMap<usize, DoneGame> {
        &self.done
    }

    /// Adds a game, whose text ends with a line, and makes sure that it is on the disk.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn add(&mut self, number: usize, text: String, count: MoveCount) -> Result<(), PartError> {
        let mark = Mark { game: number, text: crc32fast::hash(text.as_bytes()), count };
        let mark = line(&mark).map_err(|source| self.unusable(source))?;
        let written = self.file.write_all(format!("{text}{mark}").as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|source| self.unusable(source))?;
        self.done.insert(number, DoneGame { text, count });
        Ok(())
    }

    /// Writes the whole file, in the order of the games' numbers, and removes the part.
    ///
    /// # Errors
    /// If it can't be written. Then the part stays.
    pub fn finish(self) -> Result<(), PartError> {
        let mut file = OutputFile::create(&self.out).map_err(PartError::Write)?;
        for game in self.done.values() {
            file.write_all(game.text.as_bytes()).map_err(|source| self.unusable(source))?;
        }
        file.commit().map_err(PartError::Write)?;
        std::fs::remove_file(&self.path).map_err(|source| self.unusable(source))
    }
}

/// What stands for a command: its input, and everything else that the annotated games depend on.
pub fn command(input: &[u8], settings: &str) -> String {
    format!("{} bytes of games with checksum {:08x}; {settings}", input.len(), crc32fast::hash(input))
}

/// One of our lines.
fn line(content: &impl Serialize) -> io::Result<String> {
    Ok(format!("{PREFIX}{}", sealed::seal(&serde_json::to_string(content)?)))
}

/// The games up to the first that is not whole, and how many bytes they take.
fn read_games(bytes: &[u8]) -> (BTreeMap<usize, DoneGame>, usize) {
    let mut done = BTreeMap::new();
    let (mut good, mut place) = (0, 0);
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let begin = place;
        place += line.len();
        if !line.starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let Some((number, game)) = read_game(&bytes[good..begin], line) else { break };
        done.insert(number, game);
        good = place;
    }
    (done, good)
}

fn read_game(text: &[u8], mark: &[u8]) -> Option<(usize, DoneGame)> {
    let mark = std::str::from_utf8(mark).ok()?.strip_prefix(PREFIX)?.strip_suffix('\n')?;
    let mark: Mark = serde_json::from_str(&sealed::unseal(mark)?).ok()?;
    let is_whole = crc32fast::hash(text) == mark.text;
    let text = std::str::from_utf8(text).ok().filter(|_| is_whole)?.to_string();
    Some((mark.game, DoneGame { text, count: mark.count }))
}

#[cfg(test)]
mod tests {
    use super::super::reader::tests::read_text;
    use super::*;
    use tempfile::TempDir;

    const COUNT: MoveCount = MoveCount { moves: 7, inaccuracies: 0, mistakes: 1, blunders: 2, missed_mates: 0 };

    fn text(number: usize) -> String {
        format!("[Round \"{number}\"]\n\n1. e4 {{ é }} *\n\n")
    }

    /// A part with the games 2, 1 and 3.
    fn begun() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.pgn");
        let mut part = PartFile::open(&out, "depth 3").unwrap();
        for number in [2, 1, 3] {
            part.add(number, text(number), COUNT).unwrap();
        }
        (folder, out)
    }

    #[test]
    fn a_kill_at_any_byte_loses_only_the_game_being_written() {
        let (_folder, out) = begun();
        let path = PartFile::path_for(&out);
        let whole = std::fs::read(&path).unwrap();
        let mut known = 0;
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let mut part = PartFile::open(&out, "depth 3").unwrap();
            assert!(part.done().len() == known || part.done().len() == known + 1, "{length}");
            known = part.done().len();
            assert!(part.done().iter().all(|(&number, game)| game.text == text(number) && game.count == COUNT));
            for number in 1..=3 {
                if !part.done().contains_key(&number) {
                    part.add(number, text(number), COUNT).unwrap();
                }
            }
            if length % 40 == 0 || length == whole.len() {
                part.finish().unwrap();
                assert_eq!(std::fs::read_to_string(&out).unwrap(), [text(1), text(2), text(3)].concat());
                assert!(!path.exists());
            }
        }
        assert_eq!(known, 3);
    }

    #[test]
    fn a_changed_game_is_done_again() {
        let (_folder, out) = begun();
        let path = PartFile::path_for(&out);
        let changed = std::fs::read_to_string(&path).unwrap().replace("[Round \"1\"]", "[Round \"7\"]");
        std::fs::write(&path, changed).unwrap();
        let part = PartFile::open(&out, "depth 3").unwrap();
        assert_eq!(part.done().keys().collect::<Vec<_>>(), [&2]);
    }

    #[test]
    fn another_command_and_another_process_are_refused() {
        let (_folder, out) = begun();
        let before = std::fs::read(PartFile::path_for(&out)).unwrap();
        let message = |command| PartFile::open(&out, command).map(|_| ()).expect_err("refused").to_string();
        assert!(message("depth 4").contains("games of another command"), "{}", message("depth 4"));
        let _other = PartFile::open(&out, "depth 3").unwrap();
        assert!(message("depth 3").contains("another process is writing"), "{}", message("depth 3"));
        assert_eq!(std::fs::read(PartFile::path_for(&out)).unwrap(), before);
    }

    #[test]
    fn the_part_is_a_file_of_games_for_every_reader() {
        let (_folder, out) = begun();
        let (games, warnings) = read_text(std::fs::read(PartFile::path_for(&out)).unwrap());
        let rounds: Vec<_> = games.iter().filter_map(|game| game.tag("Round")).collect();
        assert_eq!((rounds, warnings), (vec!["2", "1", "3"], vec![]));
    }
}
