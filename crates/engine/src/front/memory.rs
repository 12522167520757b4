//! What a new job must be told, since an earlier one was.

use crate::uci::command::Command;

/// Options set so far, and the position.
pub(super) struct Memory {
    /// Names in lower case, and the command that set the last value.
    options: Vec<(String, String)>,
    new_game: bool,
    /// The last `position` command that was sound.
    pub(super) position: String,
}

impl Memory {
    /// Nothing was said yet.
    pub(super) fn new() -> Memory {
        Memory { options: Vec::new(), new_game: false, position: "position startpos".to_string() }
    }

    /// Keeps what this command sets; `line` is how it was said.
    pub(super) fn keep(&mut self, command: &Command, line: &str) {
        match command {
            // Without a value it is a button, and what a button does a new job has not to do again.
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

    /// What to say to a new job before it is asked anything; a position is said with every `go`.
    pub(super) fn replay(&self) -> impl Iterator<Item = &str> {
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
        let mut memory = Memory::new();
        for line in [
            "setoption name Hash value 16",
            "ucinewgame",
            "setoption name Threads value 2",
            "setoption name Clear Hash",
            "setoption name hash value 32",
        ] {
            memory.keep(&parse(line).unwrap().unwrap(), line);
        }
        let replayed: Vec<_> = memory.replay().collect();
        assert_eq!(replayed, ["setoption name Threads value 2", "setoption name hash value 32", "ucinewgame"]);
    }
}
