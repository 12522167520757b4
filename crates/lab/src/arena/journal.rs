//! The folder of a match: `match.json` says which match it is, `games.jsonl` and `games.pgn` hold its games.
//!
//! A game is written as soon as it has ended. When a match goes on after an interruption, its games are read from
//! `games.jsonl`, an incomplete last line is dropped, and `games.pgn` is written again. Each line has a checksum, so
//! that damage is found.

use super::pgn;
use super::record::PlayedGame;
use crate::sealed::{seal, unseal};
use jamboree_io::{ReadError, read_file, write_file};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files of a match that is being played.
pub(super) struct Journal {
    folder: PathBuf,
    lines: File,
    /// None if fastchess writes the games.
    pgn: Option<PgnFile>,
}

/// The open files.
pub(super) struct PgnFile {
    names: [String; 2],
    control: String,
    file: File,
}

/// The largest `match.json` and the largest `games.jsonl`, in bytes.
const LARGEST_IDENTITY: u64 = 1 << 24;
const LARGEST_JOURNAL: u64 = 1 << 33;
const MATCH: &str = "match.json";
const LINES: &str = "games.jsonl";
const GAMES: &str = "games.pgn";

impl Journal {
    /// Opens the folder of a match, with the games that were played already. `identity` distinguishes the match from
    /// others.
    ///
    /// # Errors
    /// If the folder can't be used, or has another match.
    pub(super) fn open(
        folder: &Path,
        identity: &serde_json::Value,
        names: [&str; 2],
        control: &str,
    ) -> Result<(Journal, Vec<PlayedGame>), String> {
        claim(folder, identity)?;
        let records = read(&folder.join(LINES))?;
        let lines = records.iter().map(line).collect::<Result<String, _>>()?;
        let games: String = records.iter().map(|record| pgn::game(record, names, control)).collect();
        replace(&folder.join(LINES), &lines)?;
        replace(&folder.join(GAMES), &games)?;
        let games = PgnFile {
            names: names.map(str::to_owned),
            control: control.to_owned(),
            file: append(&folder.join(GAMES))?,
        };
        Ok((Journal { folder: folder.to_owned(), lines: append(&folder.join(LINES))?, pgn: Some(games) }, records))
    }

    /// Opens the folder of a match that another program plays, which also writes `games.pgn`.
    ///
    /// # Errors
    /// If the folder can't be used, or has games already.
    pub(super) fn open_for_other(folder: &Path, identity: &serde_json::Value) -> Result<Journal, String> {
        if folder.join(LINES).exists() {
            let name = folder.display();
            return Err(format!(
                "'{name}' has a match already, and only our own matches go on: choose another folder, or add --own"
            ));
        }
        claim(folder, identity)?;
        Ok(Journal { folder: folder.to_owned(), lines: append(&folder.join(LINES))?, pgn: None })
    }

    /// Where the games are written as PGN.
    pub(super) fn pgn_path(&self) -> PathBuf {
        self.folder.join(GAMES)
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn add(&mut self, record: &PlayedGame) -> Result<(), String> {
        let cannot = |error| cannot_write(&self.folder, &error);
        self.lines.write_all(line(record)?.as_bytes()).map_err(cannot)?;
        if let Some(games) = &mut self.pgn {
            let text = pgn::game(record, [&games.names[0], &games.names[1]], &games.control);
            games.file.write_all(text.as_bytes()).map_err(cannot)?;
        }
        Ok(())
    }
}

/// Makes the folder if there is none, and checks that it is for this match.
fn claim(folder: &Path, identity: &serde_json::Value) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    let path = folder.join(MATCH);
    let name = folder.display();
    let known = match read_file(&path, LARGEST_IDENTITY) {
        Ok(bytes) => bytes,
        Err(ReadError::Missing(_)) => {
            if [LINES, GAMES].iter().any(|name| folder.join(name).exists()) {
                return Err(format!("'{name}' has games but no {MATCH}: choose another folder"));
            }
            return replace(&path, &format!("{identity:#}\n"));
        }
        Err(error) => return Err(error.to_string()),
    };
    if serde_json::from_slice::<serde_json::Value>(&known).is_ok_and(|known| known == *identity) {
        return Ok(());
    }
    Err(format!(
        "'{name}' has another match (see {MATCH} there): give the same engines and settings, or choose another folder"
    ))
}

/// The games of a file. The last line may be incomplete.
fn read(path: &Path) -> Result<Vec<PlayedGame>, String> {
    let bytes = match read_file(path, LARGEST_JOURNAL) {
        Ok(bytes) => bytes,
        Err(ReadError::Missing(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error.to_string()),
    };
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    let text = String::from_utf8_lossy(&bytes[..whole]);
    let mut records: Vec<PlayedGame> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let damaged = || {
            format!("line {} of '{}' is damaged: delete it, and its game is played again", index + 1, path.display())
        };
        let object = unseal(line).ok_or_else(damaged)?;
        records.push(serde_json::from_str(&object).map_err(|_| damaged())?);
    }
    Ok(records)
}

/// Writes a file in one piece, or leaves it as it was.
fn replace(path: &Path, text: &str) -> Result<(), String> {
    write_file(path, text.as_bytes()).map_err(|error| error.to_string())
}

fn append(path: &Path) -> Result<File, String> {
    File::options().create(true).append(true).open(path).map_err(|error| cannot_write(path, &error))
}

/// A game as a line of `games.jsonl`.
fn line(record: &PlayedGame) -> Result<String, String> {
    let line = serde_json::to_string(record).map_err(|error| format!("a game can't be written as JSON: {error}"))?;
    Ok(seal(&line))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write '{}': {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::super::record::{EndKind, GameResult};
    use super::*;
    use serde_json::json;

    fn record(game: usize) -> PlayedGame {
        PlayedGame {
            game,
            a_is_white: game % 2 == 1,
            result: GameResult::Draw,
            kind: EndKind::Board,
            reason: "stalemate".into(),
            start: chess::Position::default().to_string(),
            moves: Vec::new(),
        }
    }

    #[test]
    fn a_match_goes_on_after_a_half_written_game() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().to_owned();
        let open = |identity| Journal::open(&folder, &identity, ["a", "b"], "1+0");
        let (mut journal, records) = open(json!({"seed": 1})).unwrap();
        assert!(records.is_empty());
        journal.add(&record(2)).unwrap();
        journal.add(&record(1)).unwrap();
        drop(journal);
        append(&folder.join(LINES)).unwrap().write_all(b"{\"game\":3,\"a_is").unwrap();
        append(&folder.join(GAMES)).unwrap().write_all(b"[Event \"torn").unwrap();
        let (mut journal, records) = open(json!({"seed": 1})).unwrap();
        assert_eq!(records, [record(2), record(1)]);
        journal.add(&record(3)).unwrap();
        assert_eq!(read(&folder.join(LINES)).unwrap().len(), 3);
        let games = fs::read_to_string(folder.join(GAMES)).unwrap();
        assert!(games.matches("[Event ").count() == 3 && !games.contains("torn"), "{games}");
        append(&folder.join(LINES)).unwrap().write_all(b"nonsense\n{}\n").unwrap();
        assert!(open(json!({"seed": 1})).is_err_and(|message| message.contains("line 4 of")));
        assert!(open(json!({"seed": 2})).is_err_and(|message| message.contains("another match")));
        assert!(Journal::open_for_other(&folder, &json!({"seed": 1})).is_err_and(|message| message.contains("--own")));
    }

    #[test]
    fn a_changed_digit_and_a_folder_of_others_are_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let (folder, lines) = (scratch.path(), scratch.path().join(LINES));
        let open = || Journal::open(folder, &json!({"seed": 1}), ["a", "b"], "1+0").map(|(_, records)| records.len());
        let (mut journal, _) = Journal::open(folder, &json!({"seed": 1}), ["a", "b"], "1+0").unwrap();
        journal.add(&record(1)).unwrap();
        journal.add(&record(2)).unwrap();
        drop(journal);
        let text = fs::read_to_string(&lines).unwrap();
        for (from, to) in [("\"game\":2", "\"game\":3"), ("\"a_is_white\":true", "\"a_is_white\":null")] {
            let changed = text.replace(from, to);
            assert_ne!(changed, text);
            fs::write(&lines, &changed).unwrap();
            assert!(open().is_err_and(|message| message.contains("is damaged")), "{to}");
            assert_eq!(fs::read_to_string(&lines).unwrap(), changed);
        }
        fs::write(&lines, &text).unwrap();
        assert_eq!(open(), Ok(2));
        fs::remove_file(folder.join(MATCH)).unwrap();
        assert!(open().is_err_and(|message| message.contains("has games but no match.json")));
        assert_eq!(fs::read_to_string(&lines).unwrap(), text);
    }

    #[test]
    fn a_folder_that_can_not_be_written_is_told() {
        let opened = Journal::open(Path::new("/dev/null/x"), &json!({}), ["a", "b"], "1+0");
        assert!(opened.is_err_and(|message| message.starts_with("cannot write '/dev/null/x'")));
    }
}
