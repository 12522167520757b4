//! How a report was made, so that it can be made again.

use super::ReportTable;
use std::path::Path;

/// The command, the program and the machine behind a report.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    facts: Vec<(String, String)>,
}

impl Origin {
    /// The command line of this process, the version of the program, and this computer.
    pub fn here(version: &str) -> Origin {
        let quoted = |word: String| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=+:".contains(c);
            if !word.is_empty() && word.chars().all(plain) {
                word
            } else {
                format!("'{}'", word.replace('\'', "'\\''"))
            }
        };
        let words = std::env::args().enumerate();
        let words = words.map(|(index, word)| if index == 0 { "jamboree".into() } else { quoted(last_part(word)) });
        let command = words.collect::<Vec<_>>().join(" ");
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let system = format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH);
        let computer = format!("{}, {cores} cores, {system}", processor_name().unwrap_or_else(|| "a computer".into()));
        Origin::default().fact("command", command).fact("version", version).fact("computer", computer)
    }

    /// Adds a fact.
    #[must_use]
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Origin {
        self.facts.push((name.into(), value.into()));
        self
    }

    pub(super) fn table(&self) -> ReportTable {
        self.facts.iter().fold(ReportTable::new(["", ""]), |table, (name, value)| table.row([name, value]))
    }
}

/// A full path without its folders, which tell of one computer only; any other word as it is.
fn last_part(word: String) -> String {
    let path = Path::new(&word);
    let name = path.file_name().filter(|_| path.is_absolute()).and_then(|name| name.to_str());
    name.map_or_else(|| word.clone(), str::to_owned)
}

/// What the system calls this computer's processor.
fn processor_name() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
