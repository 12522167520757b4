//! An option that an engine announces.

/// An option of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Advertised {
    /// Its name, as the engine writes it.
    pub(super) name: String,
    is_button: bool,
    /// The least and the most a number may be.
    range: Option<(i64, i64)>,
}

impl Advertised {
    /// Reads `option name Hash type spin default 64 min 1 max 1024`.
    pub(super) fn read(line: &str) -> Option<Advertised> {
        let (name, rest) = line.strip_prefix("option name ")?.split_once(" type ")?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let number = |word: &str| {
            let at = words.iter().position(|&other| other == word)?;
            words.get(at + 1)?.parse::<i64>().ok()
        };
        let range = (words.first() == Some(&"spin")).then(|| number("min").zip(number("max"))).flatten();
        Some(Advertised { name: name.trim().to_owned(), is_button: words.first() == Some(&"button"), range })
    }

    /// Checks that it may be set to this value.
    ///
    /// # Errors
    /// A message with the values it takes.
    pub(super) fn check(&self, value: &str) -> Result<(), String> {
        match self.range {
            Some((least, most)) if !value.parse().is_ok_and(|number| (least..=most).contains(&number)) => {
                Err(format!("takes {} from {least} to {most}, not '{value}'", self.name))
            }
            _ => Ok(()),
        }
    }

    /// The command that sets it.
    pub(super) fn command(&self, value: &str) -> String {
        match self.is_button {
            true => format!("setoption name {}", self.name),
            false => format!("setoption name {} value {value}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_read() {
        let spin = Advertised::read("option name Move Overhead type spin default 20 min 0 max 100").unwrap();
        assert_eq!((spin.name.as_str(), spin.range), ("Move Overhead", Some((0, 100))));
        assert!(spin.check("50").is_ok() && spin.check("101").is_err() && spin.check("x").is_err());
        assert_eq!(spin.command("5"), "setoption name Move Overhead value 5");
        let button = Advertised::read("option name Clear Hash type button").unwrap();
        assert_eq!((button.command("true").as_str(), button.check("x")), ("setoption name Clear Hash", Ok(())));
        for line in ["", "option", "option name", "id name x", "option name Hash"] {
            assert_eq!(Advertised::read(line), None);
        }
    }
}
