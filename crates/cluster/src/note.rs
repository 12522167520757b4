//! What the first rank tells the user of its cluster, as one line of text each.
//!
//! The front of a cluster reads these lines from the job, another process, and has to know one of them again: that a rank
//! is lost. So writing and reading are here, side by side.

use std::fmt::{Display, Formatter};

/// Maximum number of characters of another rank's text that are shown.
const MAX_TEXT: usize = 200;
/// What every note begins with.
const START: &str = "cluster: ";
/// What stands before the number of a lost rank, and behind it.
const LOST: [&str; 2] = ["rank ", " is silent"];

/// Something to tell the user of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankNote {
    /// A rank is lost.
    Lost {
        /// Its number.
        rank: usize,
    },
    /// What another rank told the first one.
    Told {
        /// The number of that rank.
        rank: usize,
        /// Its words, which may be anything.
        text: String,
    },
    /// What the first rank has to say itself.
    Own(String),
}

impl RankNote {
    /// The number of the lost rank, if this text is the note that a rank is lost.
    pub fn lost_rank(text: &str) -> Option<usize> {
        let number = text.strip_prefix(START)?.strip_prefix(LOST[0])?.strip_suffix(LOST[1])?;
        number.parse().ok()
    }
}

impl Display for RankNote {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            RankNote::Lost { rank } => write!(f, "{START}{}{rank}{}", LOST[0], LOST[1]),
            RankNote::Told { rank, text } => {
                let one_line = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_TEXT);
                write!(f, "{START}rank {rank}: {}", one_line.collect::<String>())
            }
            RankNote::Own(text) => write!(f, "{START}{text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_note_of_a_lost_rank_is_taken_for_one() {
        for rank in [0, 3, 12, 4095] {
            assert_eq!(RankNote::lost_rank(&RankNote::Lost { rank }.to_string()), Some(rank));
        }
        // No rank can say in its own words that another one is lost.
        for text in [RankNote::Lost { rank: 3 }.to_string(), format!("3{}", LOST[1]), LOST[1].to_string()] {
            let told = RankNote::Told { rank: 3, text };
            assert_eq!(RankNote::lost_rank(&told.to_string()), None, "{told}");
        }
        assert_eq!(RankNote::lost_rank(&RankNote::Lost { rank: 3 }.to_string().replace('3', "x")), None);
    }

    #[test]
    fn words_of_other_ranks_are_single_short_lines() {
        let text = format!("no file\nbestmove e2e4\r{}", "x".repeat(1000));
        let shown = RankNote::Told { rank: 2, text }.to_string();
        assert!(shown.starts_with("cluster: rank 2: no file bestmove e2e4 xxx"), "{shown}");
        assert!(shown.len() < 300);
    }
}
