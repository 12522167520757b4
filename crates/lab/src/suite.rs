//! Test suites: the ones built into the binary, and EPD files of the user.
//!
//! The built-in suites are the position sets on which the papers that this project follows were measured (see the
//! head of each file in `data/`), so that an experiment can be repeated without other files.

use crate::epd::{self, EpdError, EpdRecord};
use jamboree_io::{ReadError, read_input};
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

/// The largest file of a suite, in bytes.
pub(crate) const LARGEST_SUITE: u64 = 1 << 28;

/// A named list of positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// The built-in name, or the file's name without its extension.
    pub name: String,
    /// The usable positions, in the order of the file. Never empty.
    pub records: Vec<EpdRecord>,
    /// The lines that could not be read. They do not stop a run; the caller may report them.
    pub rejected: Vec<EpdError>,
}

/// A suite that is part of the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// 24 positions, Bratko and Kopec 1982.
    BratkoKopec,
    /// 25 positions, Kaufman 1992/93; the test of the StarTech paper.
    Kaufman,
    /// 24 positions of one game; the test of the DTS paper. They have a played move, not a best one.
    Dts,
    /// 8 positions; the test of the *Socrates paper.
    Socrates,
}

impl Builtin {
    /// All built-in suites.
    pub const ALL: [Builtin; 4] = [Builtin::BratkoKopec, Builtin::Kaufman, Builtin::Dts, Builtin::Socrates];

    /// The name by which [`load`] knows the suite.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::BratkoKopec => "bratko-kopec",
            Builtin::Kaufman => "kaufman",
            Builtin::Dts => "dts",
            Builtin::Socrates => "socrates",
        }
    }

    /// The suite with this name, in any case; `bk` is short for `bratko-kopec`.
    pub fn from_name(name: &str) -> Option<Builtin> {
        if name.eq_ignore_ascii_case("bk") {
            return Some(Builtin::BratkoKopec);
        }
        Builtin::ALL.into_iter().find(|builtin| builtin.name().eq_ignore_ascii_case(name))
    }

    /// The suite itself.
    pub fn suite(self) -> Suite {
        let (records, rejected) = sort_out(self.text());
        Suite { name: self.name().to_owned(), records, rejected }
    }

    fn text(self) -> &'static str {
        match self {
            Builtin::BratkoKopec => include_str!("../data/bratko-kopec.epd"),
            Builtin::Kaufman => include_str!("../data/kaufman.epd"),
            Builtin::Dts => include_str!("../data/dts.epd"),
            Builtin::Socrates => include_str!("../data/socrates.epd"),
        }
    }
}

/// Why a suite could not be loaded.
#[derive(Debug)]
pub enum SuiteError {
    /// Neither a built-in suite nor a file has this name.
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The file is there but cannot be read.
    Unreadable(ReadError),
    /// The file has no line that can be used.
    Empty {
        /// The file.
        path: PathBuf,
        /// The lines that were tried, if any.
        rejected: Vec<EpdError>,
    },
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SuiteError::Unknown { name } => {
                let names = Builtin::ALL.map(Builtin::name).join(", ");
                write!(f, "no suite or file is called '{name}': give the path of an EPD file, or one of {names}")
            }
            SuiteError::Unreadable(error) => error.fmt(f),
            SuiteError::Empty { path, rejected } => match rejected.as_slice() {
                [] => write!(f, "'{}' holds no position: put one EPD record on each line", path.display()),
                [first, ..] => write!(
                    f,
                    "'{}' holds no usable position: {} line(s) rejected, the first is {first}",
                    path.display(),
                    rejected.len()
                ),
            },
        }
    }
}

impl Error for SuiteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SuiteError::Unreadable(error) => Some(error),
            SuiteError::Unknown { .. } | SuiteError::Empty { .. } => None,
        }
    }
}

/// Loads a built-in suite by name, or else an EPD file by path. A file that has the name of a built-in suite is
/// reached with a path such as `./dts`.
pub fn load(name_or_path: &str) -> Result<Suite, SuiteError> {
    match Builtin::from_name(name_or_path) {
        Some(builtin) => Ok(builtin.suite()),
        None => load_file(Path::new(name_or_path)),
    }
}

fn load_file(path: &Path) -> Result<Suite, SuiteError> {
    let bytes = read_input(path, LARGEST_SUITE).map_err(|error| match error {
        ReadError::Missing(path) => SuiteError::Unknown { name: path.display().to_string() },
        error => SuiteError::Unreadable(error),
    })?;
    // Old suites have Latin-1 in their comments; their positions can still be read.
    let (records, rejected) = sort_out(&String::from_utf8_lossy(&bytes));
    if records.is_empty() {
        return Err(SuiteError::Empty { path: path.to_owned(), rejected });
    }
    let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Suite { name, records, rejected })
}

/// The records of a text, and the lines that are not records.
fn sort_out(text: &str) -> (Vec<EpdRecord>, Vec<EpdError>) {
    let mut records = Vec::new();
    let mut rejected = Vec::new();
    for result in epd::read(text) {
        match result {
            Ok(record) => records.push(record),
            Err(error) => rejected.push(error),
        }
    }
    (records, rejected)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loads a file with this content.
    fn load_bytes(name: &str, bytes: &[u8]) -> Result<Suite, SuiteError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(format!("{name}.epd"));
        std::fs::write(&path, bytes).expect("written");
        load(path.to_str().expect("a UTF-8 name"))
    }

    #[test]
    fn builtins_have_the_published_number_of_positions() {
        for (builtin, count) in Builtin::ALL.into_iter().zip([24, 25, 24, 8]) {
            let suite = load(builtin.name()).expect("built in");
            assert_eq!(suite.name, builtin.name());
            assert_eq!(suite.rejected, []);
            assert_eq!(suite.records.len(), count, "{}", suite.name);
        }
    }

    #[test]
    fn builtin_positions_have_distinct_ids_and_a_move() {
        let records: Vec<EpdRecord> = Builtin::ALL.into_iter().flat_map(|builtin| builtin.suite().records).collect();
        let ids: std::collections::BTreeSet<_> = records.iter().filter_map(|record| record.id.clone()).collect();
        assert_eq!(ids.len(), records.len());
        assert!(records.iter().all(|record| record.best.len() + record.avoid.len() + record.played.len() > 0));
    }

    #[test]
    fn kaufman_avoids_and_dts_plays() {
        let avoiding: Vec<_> =
            Builtin::Kaufman.suite().records.into_iter().filter(|r| !r.avoid.is_empty()).filter_map(|r| r.id).collect();
        assert_eq!(avoiding, ["K.03", "K.06"]);
        let dts = Builtin::Dts.suite().records;
        assert!(dts.iter().all(|record| record.played.len() == 1 && record.best.is_empty()));
        assert!(dts[0].fen.ends_with(" b kq - 2 9"), "{}", dts[0].fen);
    }

    #[test]
    fn names_ignore_case_and_bk_is_an_alias() {
        assert_eq!(load("bk").expect("alias").name, "bratko-kopec");
        assert_eq!(load("Kaufman").expect("any case").name, "kaufman");
    }

    #[test]
    fn an_unknown_name_lists_the_builtins() {
        let message = load("no-such-suite").expect_err("unknown").to_string();
        assert!(message.contains("'no-such-suite'"), "{message}");
        assert!(Builtin::ALL.iter().all(|builtin| message.contains(builtin.name())), "{message}");
    }

    #[test]
    fn a_directory_is_unreadable() {
        let directory = std::env::temp_dir();
        let result = load(directory.to_str().expect("a UTF-8 temporary directory"));
        assert!(matches!(result, Err(SuiteError::Unreadable { .. })), "{result:?}");
    }

    #[test]
    fn bad_lines_are_kept_apart() {
        let suite = load_bytes("mixed", b"# caf\xe9\n4k3/8/8/8/8/8/8/4K3 w - - c0 \"\xe9\";\nnonsense\n")
            .expect("one line is good");
        assert_eq!((suite.records.len(), suite.rejected.len(), suite.rejected[0].line), (1, 1, 3));
        assert!(suite.name.ends_with("mixed"), "{}", suite.name);
    }

    #[test]
    fn a_file_without_a_usable_line_is_an_error() {
        let message = load_bytes("empty", b"# nothing\n\n").expect_err("empty").to_string();
        assert!(message.contains("holds no position"), "{message}");
        let message = load_bytes("junk", b"\0\xff\nx y\n").expect_err("junk").to_string();
        assert!(message.contains("2 line(s) rejected, the first is line 1: expected four fields"), "{message}");
    }
}
