//! An engine and its options, as typed on the command line: `stockfish,Threads=1,Hash=64`.

use chess::Parameters;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// An engine: how to start it, and its options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spec {
    /// Its name in reports and games.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Options to set. The engine must have them.
    pub options: Vec<(String, String)>,
    /// Options to set if the engine has them.
    pub wishes: Vec<(String, String)>,
}

impl Spec {
    /// Reads `COMMAND[,Option=Value...]`. A piece without `=` belongs to the value before it, and so does a parameter
    /// of our search: `Rules=modern,-null_move,null_depth=4` is one option. The command is a path, a program on the
    /// PATH, either with arguments, or `jamboree` or `self` for this program.
    ///
    /// # Errors
    /// If there is no such program, or an option has no value.
    pub fn parse(text: &str) -> Result<Spec, String> {
        let belongs = |option: &str, name: &str| option == "Rules" && Parameters::NAMES.contains(&name);
        let (command, options) = split_options(text, belongs)?;
        let (program, arguments) = find_command(command)?;
        let settings = options.iter().map(|(name, value)| format!(",{name}={value}"));
        let name = [short_name(command)].into_iter().chain(settings).collect();
        Ok(Spec { name, program, arguments, options, wishes: Vec::new() })
    }

    /// Adds an option that is set if the engine has it, unless it was given.
    pub fn wish(&mut self, name: &str, value: impl ToString) {
        if !self.options.iter().any(|(given, _)| given.eq_ignore_ascii_case(name)) {
            self.wishes.push((name.to_owned(), value.to_string()));
        }
    }
}

/// An option: its name and its value.
type EngineOption = (String, String);

/// The command of a text, and the options that follow it. A piece without `=` belongs to the value before it, and so does a
/// piece whose name `belongs` to the option before it.
pub(super) fn split_options(
    text: &str,
    belongs: impl Fn(&str, &str) -> bool,
) -> Result<(&str, Vec<EngineOption>), String> {
    let mut pieces = text.split(',');
    let command = pieces.next().unwrap_or_default().trim();
    let mut options: Vec<EngineOption> = Vec::new();
    for piece in pieces {
        match (piece.split_once('='), options.last_mut()) {
            (Some((name, _)), _) if name.trim().is_empty() => return Err(no_option(text, piece)),
            (Some((name, _)), Some((option, value))) if belongs(option, name.trim()) => {
                *value += &format!(",{}", piece.trim());
            }
            (Some((name, value)), _) => options.push((name.trim().to_owned(), value.trim().to_owned())),
            (None, Some((_, value))) => *value += &format!(",{}", piece.trim()),
            (None, None) => return Err(no_option(text, piece)),
        }
    }
    Ok((command, options))
}

/// The value of an option that is a number.
pub(super) fn read_number<T: FromStr>(option: &str, value: &str) -> Result<T, String> {
    value.trim().parse().map_err(|_| format!("{option}: '{value}' is not a number"))
}

fn no_option(spec: &str, piece: &str) -> String {
    format!("'{piece}' in '{spec}' is not an option: write for example stockfish,Threads=1,Hash=64")
}

/// The command without the folders of its words.
fn short_name(command: &str) -> String {
    let words = command
        .split_whitespace()
        .map(|word| Path::new(word).file_name().map_or(word.to_owned(), |name| name.to_string_lossy().into_owned()));
    words.collect::<Vec<_>>().join(" ")
}

/// The program of a command, and its arguments.
fn find_command(command: &str) -> Result<(PathBuf, Vec<String>), String> {
    if ["jamboree", "self"].contains(&command) {
        let own = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
        return Ok((own, Vec::new()));
    }
    let whole = find_program(command).map(|program| (program, Vec::new()));
    let with_arguments = || {
        let mut words = command.split_whitespace();
        let program = find_program(words.next()?)?;
        Some((program, words.map(str::to_owned).collect()))
    };
    whole.or_else(with_arguments).ok_or_else(|| {
        format!("there is no engine '{command}': give the path of a UCI engine, or the name of one on the PATH")
    })
}

/// The absolute path of a program that is named by a path, or is on the PATH.
pub(super) fn find_program(name: &str) -> Option<PathBuf> {
    let folders = match name {
        "" => Vec::new(),
        path if path.contains(['/', '\\']) => vec![PathBuf::new()],
        _ => std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect(),
    };
    let candidates = folders
        .iter()
        .flat_map(|folder| [folder.join(name), folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))]);
    candidates.filter(|path| path.is_file()).find_map(|path| std::path::absolute(path).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_follow_the_command() {
        let mut spec = Spec::parse("self,Rules=modern,-null_move,razor_margin.0=300,Hash=16").unwrap();
        let options = [("Rules", "modern,-null_move,razor_margin.0=300"), ("Hash", "16")];
        assert_eq!(spec.options, options.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(spec.name, "self,Rules=modern,-null_move,razor_margin.0=300,Hash=16");
        spec.wish("hash", 64);
        spec.wish("Threads", 2);
        assert_eq!(spec.wishes, [("Threads".to_owned(), "2".to_owned())]);
    }

    #[test]
    fn a_command_may_have_arguments() {
        let spec = Spec::parse("/bin/sh /tmp/engine.sh -x").unwrap();
        assert_eq!((spec.program, spec.name.as_str()), (PathBuf::from("/bin/sh"), "sh engine.sh -x"));
        assert_eq!(spec.arguments, ["/tmp/engine.sh", "-x"]);
        assert!(Spec::parse("sh").is_ok_and(|spec| spec.program.is_absolute()));
    }

    #[test]
    fn what_is_missing_is_told() {
        for (text, word) in [
            ("no-such-engine-here", "no engine 'no-such-engine-here'"),
            ("/no/such", "no engine '/no/such'"),
            ("", "no engine ''"),
            ("/tmp", "no engine '/tmp'"),
            ("sh,Hash", "'Hash' in 'sh,Hash' is not an option"),
            ("sh,=5", "is not an option"),
        ] {
            assert!(Spec::parse(text).is_err_and(|message| message.contains(word)), "{text}");
        }
    }
}
