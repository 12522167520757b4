//! The limit of an engine's searches: a clock, a number of nodes, or ticks of virtual time.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The limit of an engine's searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// By the clock.
    Time(MatchClock),
    /// This many nodes a move.
    Nodes(u64),
    /// This many ticks of virtual time a move; a node takes a tick where an engine has no virtual time.
    Ticks(u64),
}

/// A time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchClock {
    /// Number of moves after which the time is added again; none if it is for the whole game.
    pub moves: Option<u32>,
    /// The time.
    pub time: Duration,
    /// The increment for each move.
    pub increment: Duration,
}

/// The longest time control: a day.
const LONGEST: f64 = 86_400.0;

impl FromStr for MatchClock {
    type Err = String;

    /// Reads `[moves/][minutes:]seconds[+increment]`: `3+0.03`, `40/60`, `1:30+1`.
    fn from_str(text: &str) -> Result<MatchClock, String> {
        read(text).ok_or_else(|| {
            format!(
                "'{text}' is not a time control: write seconds+increment such as 3+0.03, or 40/60 for 40 moves in 60 s"
            )
        })
    }
}

fn read(text: &str) -> Option<MatchClock> {
    let (moves, rest) = match text.trim().split_once('/') {
        Some((moves, rest)) => (Some(moves.parse().ok().filter(|&moves| moves > 0)?), rest),
        None => (None, text.trim()),
    };
    let (time, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    let (minutes, seconds) = time.split_once(':').unwrap_or(("0", time));
    let (time, increment) = (60.0 * number(minutes)? + number(seconds)?, number(increment)?);
    let possible = (0.001..=LONGEST).contains(&time) && increment <= LONGEST;
    let [time, increment] = [time, increment].map(|seconds| Duration::from_millis((seconds * 1000.0).round() as u64));
    possible.then_some(MatchClock { moves, time, increment })
}

/// Digits and a point; `f64` alone would also read signs, `1e3`, `inf` and `nan`.
fn number(text: &str) -> Option<f64> {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then(|| text.parse().ok())?
}

impl fmt::Display for MatchClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.time.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Time(control) => write!(f, "{control}"),
            Limit::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
            Limit::Ticks(ticks) => write!(f, "{ticks} ticks a move"),
        }
    }
}

/// The clock of one side.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    control: MatchClock,
    left: Duration,
    moves: u32,
}

impl Clock {
    /// At the beginning of a game.
    pub(super) fn new(control: MatchClock) -> Clock {
        Clock { control, left: control.time, moves: 0 }
    }

    /// The time left.
    pub(super) fn left(&self) -> Duration {
        self.left
    }

    /// Subtracts the time of a move. A move that takes a little longer than the time left, within the margin, empties
    /// the clock.
    ///
    /// # Errors
    /// By how much the time was overrun, if by more than the margin.
    pub(super) fn press(&mut self, spent: Duration, margin: Duration) -> Result<(), Duration> {
        if spent > self.left + margin {
            return Err(spent - self.left);
        }
        self.moves += 1;
        self.left = self.left.saturating_sub(spent) + self.control.increment;
        if self.control.moves.is_some_and(|moves| self.moves.is_multiple_of(moves)) {
            self.left += self.control.time;
        }
        Ok(())
    }

    /// Moves until more time comes.
    fn moves_to_go(&self) -> Option<u32> {
        self.control.moves.map(|moves| moves - self.moves % moves)
    }
}

/// The `go` command for the engine, with both clocks, White's first.
pub(super) fn go(limit: Limit, clocks: &[Clock; 2], side: usize) -> String {
    match limit {
        Limit::Nodes(nodes) | Limit::Ticks(nodes) => format!("go nodes {nodes}"),
        Limit::Time(control) => {
            let [white, black] = [0, 1].map(|side| clocks[side].left().as_millis().max(1));
            let increment = control.increment.as_millis();
            let to_go = clocks[side].moves_to_go().map_or(String::new(), |moves| format!(" movestogo {moves}"));
            format!("go wtime {white} btime {black} winc {increment} binc {increment}{to_go}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn time_controls_are_read_and_written() {
        for (text, moves, time, increment, shown) in [
            ("3+0.03", None, 3000, 30, "3+0.03"),
            ("40/60", Some(40), 60_000, 0, "40/60"),
            (" 1:30+1", None, 90_000, 1000, "90+1"),
            ("0.5+0.01", None, 500, 10, "0.5+0.01"),
        ] {
            let control = MatchClock { moves, time: ms(time), increment: ms(increment) };
            assert_eq!((text.parse(), control.to_string().as_str()), (Ok(control), shown));
        }
        for text in ["", "abc", "0+1", "-3", "3+", "+1", "3+-1", "0/3", "x/3", "1e3", "inf", "3+0.03+1", "999999999"] {
            assert!(text.parse::<MatchClock>().is_err_and(|message| message.contains("3+0.03")), "{text}");
        }
    }

    #[test]
    fn time_is_spent_and_comes_back() {
        let mut clock = Clock::new("2/1+0.1".parse().unwrap());
        assert_eq!((clock.press(ms(600), ms(0)), clock.left(), clock.moves_to_go()), (Ok(()), ms(500), Some(1)));
        assert_eq!((clock.press(ms(100), ms(0)), clock.left(), clock.moves_to_go()), (Ok(()), ms(1500), Some(2)));
        assert_eq!((clock.press(ms(1510), ms(20)), clock.left()), (Ok(()), ms(100)));
        assert_eq!(clock.press(ms(150), ms(20)), Err(ms(50)));
    }

    #[test]
    fn the_engine_is_told_both_clocks() {
        let control: MatchClock = "40/3+0.03".parse().unwrap();
        let mut clocks = [Clock::new(control), Clock::new(control)];
        clocks[1].press(ms(1000), ms(0)).unwrap();
        let told = go(Limit::Time(control), &clocks, 1);
        assert_eq!(told, "go wtime 3000 btime 2030 winc 30 binc 30 movestogo 39");
        assert_eq!(go(Limit::Nodes(500), &clocks, 0), "go nodes 500");
    }
}
