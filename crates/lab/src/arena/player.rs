//! A UCI engine as a child process.

use super::option::Advertised;
use super::record::{EndKind, EngineScore};
use super::spec::Spec;
use jamboree_io::{ChildError, ChildLimits, ChildLines};
use std::fmt;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// How long an engine that overran its time has to answer `stop`, and how long an engine has to end after `quit`.
const GRACE: Duration = Duration::from_secs(2);

/// The largest number of lines in an answer to `uci`, more than any engine has options.
const LONGEST_ANSWER: usize = 10_000;

/// Why an engine can't go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It can't be started, or does not take its options.
    Unusable(String),
    /// It has ended.
    Crashed(String),
    /// It prints more than can be read.
    Flooding(String),
    /// It does not answer this command.
    Silent(&'static str),
    /// It answered, but too late, by this much. It can play the next game.
    Late(Duration),
}

impl Trouble {
    /// The kind of end of a game that is lost by it.
    pub(super) fn kind(&self) -> EndKind {
        match self {
            Trouble::Unusable(_) | Trouble::Crashed(_) | Trouble::Flooding(_) => EndKind::Crash,
            Trouble::Silent(_) => EndKind::Silent,
            Trouble::Late(_) => EndKind::Time,
        }
    }
}

/// Written after the name of the engine.
impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Unusable(reason) => write!(f, "{reason}"),
            Trouble::Crashed(status) => write!(f, "crashed ({status})"),
            Trouble::Flooding(reason) => write!(f, "was given up: {reason}"),
            Trouble::Silent(what) => write!(f, "did not answer '{what}'"),
            Trouble::Late(overrun) => write!(f, "lost on time, {:.3} s over", overrun.as_secs_f64()),
        }
    }
}

/// An engine's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Thought {
    /// The move.
    pub(super) mv: String,
    /// Its score.
    pub(super) score: Option<EngineScore>,
    /// The depth.
    pub(super) depth: Option<u32>,
    /// Nodes visited.
    pub(super) nodes: Option<u64>,
    /// How long it took.
    pub(super) time: Duration,
}

/// A running engine. When dropped it is told to quit, and killed if it does not.
pub(super) struct EngineProcess {
    process: Child,
    input: ChildStdin,
    output: ChildLines,
    patience: Duration,
    knows_chess960: bool,
    plays_chess960: bool,
}

impl EngineProcess {
    /// Starts an engine and sets its options. It is given up if it does not answer within `patience`.
    pub(super) fn start(spec: &Spec, patience: Duration) -> Result<EngineProcess, Trouble> {
        let unusable = |error| Trouble::Unusable(format!("can't be started: {error}"));
        let mut process = Command::new(&spec.program)
            .args(&spec.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(unusable)?;
        let (Some(input), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(Trouble::Unusable("has no pipes".into()));
        };
        let output = ChildLines::new(stdout, ChildLimits::default());
        let mut player =
            EngineProcess { process, input, output, patience, knows_chess960: false, plays_chess960: false };
        player.introduce(spec)?;
        Ok(player)
    }

    fn introduce(&mut self, spec: &Spec) -> Result<(), Trouble> {
        let options: Vec<_> = self.ask("uci", "uciok")?.iter().filter_map(|line| Advertised::read(line)).collect();
        let find = |name: &str| options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        self.knows_chess960 = find("UCI_Chess960").is_some();
        for (name, value) in &spec.options {
            let option = find(name).ok_or_else(|| {
                let names: Vec<_> = options.iter().map(|option| option.name.as_str()).collect();
                Trouble::Unusable(format!("has no option '{name}'; it has {}", names.join(", ")))
            })?;
            option.check(value).map_err(Trouble::Unusable)?;
            self.say(&option.command(value))?;
        }
        for (name, value) in &spec.wishes {
            if let Some(option) = find(name) {
                option.check(value).map_err(Trouble::Unusable)?;
                self.say(&option.command(value))?;
            }
        }
        let complaint = self.ask("isready", "readyok")?.into_iter().find_map(|line| {
            line.strip_prefix("info string error: ").map(|complaint| Trouble::Unusable(format!("says: {complaint}")))
        });
        complaint.map_or(Ok(()), Err)
    }

    /// Prepares the engine for another game.
    pub(super) fn new_game(&mut self, chess960: bool) -> Result<(), Trouble> {
        if self.knows_chess960 && self.plays_chess960 != chess960 {
            self.say(&format!("setoption name UCI_Chess960 value {chess960}"))?;
            self.plays_chess960 = chess960;
        }
        self.say("ucinewgame")?;
        self.ask("isready", "readyok").map(drop)
    }

    /// Lets the engine search a position. An engine with a clock must answer within its time.
    pub(super) fn think(&mut self, position: &str, go: &str, clock: Option<Duration>) -> Result<Thought, Trouble> {
        self.output.discard_waiting();
        self.say(position)?;
        let started = Instant::now();
        self.say(go)?;
        let mut thought = Thought::default();
        if self.hear_best_move(started, clock.unwrap_or(self.patience), &mut thought)? {
            return Ok(thought);
        }
        let Some(clock) = clock else { return Err(Trouble::Silent("go")) };
        self.say("stop")?;
        let answered = self.hear_best_move(started, started.elapsed() + GRACE, &mut thought)?;
        Err(if answered { Trouble::Late(thought.time.saturating_sub(clock)) } else { Trouble::Silent("go' and 'stop") })
    }

    /// Reads until the engine gives its move; false if it does not in time.
    fn hear_best_move(&mut self, started: Instant, allowed: Duration, thought: &mut Thought) -> Result<bool, Trouble> {
        while let Some((time, line)) = self.hear(started + allowed)? {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("bestmove") => {
                    thought.mv = words.next().unwrap_or_default().to_owned();
                    thought.time = time.duration_since(started);
                    return Ok(true);
                }
                Some("info") => read_info(&line, thought),
                _ => {}
            }
        }
        Ok(false)
    }

    /// The next line, if it comes in time.
    fn hear(&mut self, until: Instant) -> Result<Option<(Instant, String)>, Trouble> {
        loop {
            match self.output.receive_until(until) {
                Ok(line) => return Ok(Some((line.time, line.text))),
                Err(ChildError::Silent) => return Ok(None),
                // No line that matters is that long.
                Err(ChildError::LineTooLong { .. }) => {}
                Err(ChildError::Closed) => return Err(self.crash()),
                Err(error @ ChildError::Flooding { .. }) => return Err(Trouble::Flooding(error.to_string())),
            }
        }
    }

    /// Sends a command and collects the lines up to its answer.
    fn ask(&mut self, question: &'static str, answer: &str) -> Result<Vec<String>, Trouble> {
        self.say(question)?;
        let until = Instant::now() + self.patience;
        let mut lines = Vec::new();
        while let Some((_, line)) = self.hear(until)? {
            if line.split_whitespace().next() == Some(answer) {
                return Ok(lines);
            }
            if lines.len() < LONGEST_ANSWER {
                lines.push(line);
            }
        }
        Err(Trouble::Silent(question))
    }

    fn say(&mut self, line: &str) -> Result<(), Trouble> {
        writeln!(self.input, "{line}").and_then(|()| self.input.flush()).map_err(|_| self.crash())
    }

    /// The engine has closed its input or output: how did it end?
    fn crash(&mut self) -> Trouble {
        Trouble::Crashed(self.leave_within(GRACE).unwrap_or_else(|| "it closed its input or output".into()))
    }

    /// Waits for the engine to end; its exit status.
    fn leave_within(&mut self, time: Duration) -> Option<String> {
        let until = Instant::now() + time;
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return Some(status.to_string()),
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        let asked = writeln!(self.input, "quit").and_then(|()| self.input.flush());
        if asked.is_err() || self.leave_within(GRACE).is_none() {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// Takes score and depth from an `info` line of the best variation.
fn read_info(line: &str, thought: &mut Thought) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |word: &str| words.iter().position(|&other| other == word).and_then(|at| words.get(at + 1).copied());
    if words.get(1) == Some(&"string") || after("multipv").is_some_and(|number| number != "1") {
        return;
    }
    let number = |word: &str| after(word).and_then(|number| number.parse().ok());
    let score = match after("score") {
        Some("cp") => number("cp").map(EngineScore::Centipawns),
        Some("mate") => number("mate").map(EngineScore::Mate),
        _ => None,
    };
    thought.nodes = after("nodes").and_then(|nodes| nodes.parse().ok()).or(thought.nodes);
    if score.is_some() {
        thought.score = score;
        thought.depth = after("depth").and_then(|depth| depth.parse().ok());
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An engine that is a shell script; it runs `go` when it is told to think.
    pub(in super::super) fn shell(go: &str) -> Spec {
        let script = format!(
            "while read -r word rest; do case $word in uci) echo 'id name shell'; \
             echo 'option name Hash type spin default 1 min 1 max 64'; echo uciok;; isready) echo readyok;; \
             quit) exit 0;; go) {go};; esac; done"
        );
        let mut spec = Spec::parse("sh").unwrap();
        spec.arguments = vec!["-c".into(), script];
        spec
    }

    fn think(go: &str, clock: Option<Duration>) -> Result<Thought, Trouble> {
        let mut player = EngineProcess::start(&shell(go), Duration::from_secs(20)).unwrap();
        player.new_game(true).unwrap();
        player.patience = Duration::from_millis(500);
        player.think("position startpos", "go nodes 1", clock)
    }

    #[test]
    fn the_last_word_on_the_best_line_counts() {
        let info = "echo 'info depth 1 score cp 7'; echo 'info depth 3 multipv 1 score mate -2 pv a7a6'; \
            echo 'info depth 3 multipv 2 score cp 9'; echo 'info string score cp 1'; echo 'bestmove e2e4 ponder e7e5'";
        let thought = think(info, Some(Duration::from_secs(20))).unwrap();
        assert_eq!((thought.mv.as_str(), thought.score, thought.depth), ("e2e4", Some(EngineScore::Mate(-2)), Some(3)));
    }

    #[test]
    fn troubles_are_told_apart() {
        let clock = Some(Duration::from_millis(20));
        assert_eq!(think("exit 3", clock), Err(Trouble::Crashed("exit status: 3".into())));
        assert_eq!(think("true", None), Err(Trouble::Silent("go")));
        assert_eq!(think("true", clock), Err(Trouble::Silent("go' and 'stop")));
        assert!(matches!(think("read -r stop; echo bestmove e2e4", clock), Err(Trouble::Late(_))));
    }

    #[test]
    fn options_are_checked_before_a_game_is_played() {
        let start = |name: &str, value: &str| {
            let mut spec = shell("true");
            spec.options.push((name.into(), value.into()));
            EngineProcess::start(&spec, Duration::from_secs(20)).map(drop).map_err(|trouble| trouble.to_string())
        };
        assert_eq!(start("hash", "64"), Ok(()));
        assert_eq!(start("Hash", "65"), Err("takes Hash from 1 to 64, not '65'".into()));
        assert_eq!(start("Skill", "1"), Err("has no option 'Skill'; it has Hash".into()));
        let mut spec = shell("true");
        spec.wish("Threads", 2);
        assert!(EngineProcess::start(&spec, Duration::from_secs(20)).is_ok());
    }

    #[test]
    fn what_is_no_engine_is_told() {
        let mut spec = Spec::parse("sh").unwrap();
        spec.arguments = vec!["-c".into(), "exit 0".into()];
        let trouble = EngineProcess::start(&spec, Duration::from_secs(20)).map(drop).unwrap_err();
        assert_eq!(trouble.kind(), EndKind::Crash);
        spec.program = "/no/such/program".into();
        assert!(matches!(EngineProcess::start(&spec, Duration::from_secs(20)).map(drop), Err(Trouble::Unusable(_))));
    }
}
