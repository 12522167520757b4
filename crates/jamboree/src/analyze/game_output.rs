//! The output of annotated games, which are done in any order.

use super::output::ResultOutput;
use crate::Failure;
use lab::analysis::game::MoveCount;
use lab::analysis::part_file::PartFile;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

/// Where annotated games go.
pub(crate) enum GameOutput {
    /// Standard output or a device, in the order of the file.
    Ordered(Ordered),
    /// A file; until all games are done, its part.
    Part(PartFile),
}

/// Games that are written in order, each as soon as those before it are written.
pub(crate) struct Ordered {
    output: ResultOutput,
    /// The numbers of the games to come.
    expected: VecDeque<usize>,
    /// Games that are done sooner than one before them.
    early: BTreeMap<usize, String>,
}

impl GameOutput {
    /// To a file, or standard output if none is named. `command` has everything that the annotated games depend on.
    ///
    /// # Errors
    /// If no file can be written there, which is found before hours of work.
    pub(crate) fn to(path: Option<&Path>, command: &str) -> Result<GameOutput, Failure> {
        // A device or a pipe has no part beside it.
        let is_file = |path: &&Path| std::fs::metadata(path).map_or(true, |found| found.is_file() || found.is_dir());
        Ok(match path.filter(is_file) {
            Some(path) => GameOutput::Part(PartFile::open(path, command)?),
            None => GameOutput::Ordered(Ordered {
                output: ResultOutput::to(path)?,
                expected: VecDeque::new(),
                early: BTreeMap::new(),
            }),
        })
    }

    /// Was this game done before?
    pub(crate) fn has(&self, number: usize) -> bool {
        matches!(self, GameOutput::Part(part) if part.done().contains_key(&number))
    }

    /// What was counted in the games that were done before.
    pub(crate) fn count_so_far(&self) -> MoveCount {
        let mut count = MoveCount::default();
        if let GameOutput::Part(part) = self {
            part.done().values().for_each(|game| count.add(&game.count));
        }
        count
    }

    /// Names the games to come, in the order of the file.
    pub(crate) fn expect(&mut self, numbers: impl Iterator<Item = usize>) {
        if let GameOutput::Ordered(ordered) = self {
            ordered.expected = numbers.collect();
        }
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn add(&mut self, number: usize, text: String, count: MoveCount) -> Result<(), Failure> {
        match self {
            GameOutput::Ordered(ordered) => ordered.add(number, text),
            GameOutput::Part(part) => Ok(part.add(number, text, count)?),
        }
    }

    /// All games are there.
    ///
    /// # Errors
    /// If the file can't be written. What was there before stays.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self {
            GameOutput::Ordered(ordered) => ordered.output.finish(),
            GameOutput::Part(part) => Ok(part.finish()?),
        }
    }
}

impl Ordered {
    fn add(&mut self, number: usize, text: String) -> Result<(), Failure> {
        self.early.insert(number, text);
        while let Some(next) = self.expected.front()
            && let Some(text) = self.early.remove(next)
        {
            self.expected.pop_front();
            self.output.write(&text)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_goes_on_and_becomes_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, "old").unwrap();
        let one = MoveCount { moves: 1, ..MoveCount::default() };
        let mut output = GameOutput::to(Some(&path), "x").unwrap();
        output.add(2, "two\n".into(), one).unwrap();
        drop(output);
        let mut output = GameOutput::to(Some(&path), "x").unwrap();
        assert!(output.has(2) && !output.has(1) && output.count_so_far() == one);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        output.add(1, "one\n".into(), one).unwrap();
        output.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn games_that_are_done_early_wait_for_their_turn() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let output = ResultOutput::to(Some(&path)).unwrap();
        let mut ordered = Ordered { output, expected: [1, 4, 5].into(), early: BTreeMap::new() };
        for number in [5, 1, 4] {
            ordered.add(number, format!("{number} ")).unwrap();
        }
        assert!(ordered.expected.is_empty() && ordered.early.is_empty());
        ordered.output.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "1 4 5 ");
    }
}
