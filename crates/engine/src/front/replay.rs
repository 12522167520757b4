//! The settings of the user interface, to be told to every new job.

use crate::uci::command::Command;

/// Options set so far, and the position.
pub(super) struct Replay {
    /// Names in lower case, and the line that set the last value.
    options: Vec<(String, String)>,
    new_game: bool,
    /// The last `position` command that was accepted.
    pub(super) position: String,
}

impl Replay {
    /// Nothing was set yet.
    pub(super) fn new() -> Replay {
        Replay { options: Vec::new(), new_game: false, position: "position startpos".to_string() }
    }

    /// Keeps what this command sets; `line` is how it was said.
    pub(super) fn keep(&mut self, command: &Command, line: &str) {
        match command {
            // Without a value it is a button: a new job need not be told.
            Command::SetOption { name, value: Some(_) } => {
                let name = name.to_ascii_lowercase();
                self.options.retain(|(known, _)| *known != name);
                self.options.push((name, line.to_string()));
            }
            Command::NewGame => self.new_game = true,
            Command::Position { .. } => self.position = line.to_string(),
            _ => {}
        }
    }

    /// What to tell a new job before its first question. A position is told with every `go`.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        let options = self.options.iter().map(|(_, line)| line.as_str());
        options.chain(self.new_game.then_some("ucinewgame"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::command::parse;

    #[test]
    fn the_last_value_of_each_option_is_replayed() {
        let mut replay = Replay::new();
        for line in [
            "setoption name Hash value 16",
            "ucinewgame",
            "setoption name Threads value 2",
            "setoption name Clear Hash",
            "setoption name hash value 32",
        ] {
            replay.keep(&parse(line).unwrap().unwrap(), line);
        }
        let replayed: Vec<_> = replay.lines().collect();
        assert_eq!(replayed, ["setoption name Threads value 2", "setoption name hash value 32", "ucinewgame"]);
    }
}
