//! Experiments of the lab, started from the page: this program runs itself, and the page sees how far it is.
//!
//! The folder of an experiment is named after what was asked for. So the same request goes on with what was stopped.

use crate::position::Line;
use crate::results::{Finished, file, list};
use crate::watch;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::AbortHandle;

/// The most positions of an experiment.
const MOST_POSITIONS: usize = 30;
/// The most nodes of a search on one processor.
const MOST_NODES: u64 = 5_000_000;
/// The most sizes of machines, and the largest machine.
const MOST_MACHINES: usize = 8;
const LARGEST_MACHINE: usize = 4096;

/// What kind of experiment.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Speedup,
    Span,
    Predict,
    Profile,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Speedup => "speedup",
            Kind::Span => "span",
            Kind::Predict => "predict",
            Kind::Profile => "profile",
        }
    }
}

/// An experiment as the page asks for it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Experiment {
    pub(crate) kind: Kind,
    pub(crate) algorithm: String,
    /// Sizes of machines; `predict` has its own.
    #[serde(default)]
    pub(crate) processors: Vec<usize>,
    /// How many positions of the DTS game; `profile` searches the page's position.
    #[serde(default = "one")]
    pub(crate) positions: usize,
    pub(crate) nodes: u64,
}

fn one() -> usize {
    1
}

/// The experiment that is running.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Running {
    name: String,
    /// What it has said last: how far it is.
    text: String,
}

/// What the page shows of the lab.
#[derive(Debug, Serialize)]
pub(crate) struct Results {
    folder: String,
    list: Vec<Finished>,
    running: Option<Running>,
    /// Why the last experiment failed, if it did.
    failure: Option<String>,
}

/// Runs experiments, one at a time. All pages share it: an experiment goes on when the page that started it is closed.
pub(crate) struct Laboratory {
    folder: PathBuf,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// How many experiments were started: the number of the last one.
    started: usize,
    running: Option<(Running, AbortHandle)>,
    failure: Option<String>,
}

impl State {
    fn tell(&mut self, number: usize, text: String) {
        if let Some((running, _)) = self.running.as_mut().filter(|_| number == self.started) {
            running.text = text;
        }
    }

    /// An experiment is over. It may have been stopped, and the next one started, a moment before.
    fn end(&mut self, number: usize, failure: Option<String>) {
        if number == self.started {
            (self.running, self.failure) = (None, failure);
        }
    }
}

impl Laboratory {
    pub(crate) fn new(folder: PathBuf) -> Laboratory {
        Laboratory { folder, state: Arc::default() }
    }

    /// Starts an experiment. It goes on if the page is closed.
    ///
    /// # Errors
    /// If another one is running, something is out of range, or the program can't be started: one line for the user.
    pub(crate) fn start(&self, experiment: &Experiment, line: &Line) -> Result<(), String> {
        let mut state = self.state.lock();
        if state.running.is_some() {
            return Err("another experiment is running: wait for its end, or stop it".into());
        }
        let (name, child) = experiment.start(line, &self.folder)?;
        let (shared, number) = (Arc::clone(&self.state), state.started + 1);
        let run = tokio::spawn(async move {
            let failure = follow(child, |text| shared.lock().tell(number, text)).await.err();
            shared.lock().end(number, failure);
        });
        let running = Some((Running { name, text: String::new() }, run.abort_handle()));
        *state = State { started: number, running, failure: None };
        Ok(())
    }

    /// Ends the experiment that is running. The same one, started again, goes on where it was.
    pub(crate) fn stop(&self) {
        if let Some((_, run)) = self.state.lock().running.take() {
            run.abort();
        }
    }

    /// What there is to see.
    pub(crate) fn results(&self) -> Results {
        let state = self.state.lock();
        Results {
            folder: self.folder.display().to_string(),
            list: list(&self.folder),
            running: state.running.as_ref().map(|(running, _)| running.clone()),
            failure: state.failure.clone(),
        }
    }

    /// A file of the results, if the path leads to nowhere else.
    pub(crate) fn file(&self, path: &str) -> Option<PathBuf> {
        file(&self.folder, path)
    }
}

impl Experiment {
    /// The arguments of this program, and the name of the folder.
    ///
    /// # Errors
    /// If something is out of range: one line for the user.
    fn arguments(&self, line: &Line) -> Result<(Vec<String>, String), String> {
        watch::algorithm(&self.algorithm)?;
        let is_size = |&size: &usize| (1..=LARGEST_MACHINE).contains(&size);
        let needs_sizes = self.kind != Kind::Predict;
        if needs_sizes
            && (self.processors.is_empty()
                || self.processors.len() > MOST_MACHINES
                || !self.processors.iter().all(is_size))
        {
            return Err(format!("give 1 to {MOST_MACHINES} numbers of processors from 1 to {LARGEST_MACHINE}"));
        }
        if !(1..=MOST_POSITIONS).contains(&self.positions) || !(1..=MOST_NODES).contains(&self.nodes) {
            return Err(format!("give 1 to {MOST_POSITIONS} positions and 1 to {MOST_NODES} nodes"));
        }
        let sizes: Vec<String> = self.processors.iter().map(usize::to_string).collect();
        let mut arguments = vec!["lab".to_string(), self.kind.name().to_string()];
        let mut option = |name: &str, value: String| arguments.extend([format!("--{name}"), value]);
        option("algorithm", self.algorithm.clone());
        option("nodes", self.nodes.to_string());
        let mut name = format!("{}-{}-{}", self.kind.name(), self.algorithm, self.nodes);
        match self.kind {
            Kind::Profile => {
                option("processors", sizes[0].clone());
                arguments.push(line.last().to_string());
                name = format!("{name}-{}-{:016x}", sizes[0], game::Game::key(line.last()));
            }
            Kind::Speedup | Kind::Span => {
                option("first", self.positions.to_string());
                option("processors", sizes.join(","));
                name = format!("{name}-{}x{}", self.positions, sizes.join("-"));
            }
            Kind::Predict => {
                option("first", self.positions.to_string());
                name = format!("{name}-{}", self.positions);
            }
        }
        Ok((arguments, name))
    }

    /// Starts the experiment; its name, and the process that runs it. If that is dropped it ends.
    ///
    /// # Errors
    /// If something is out of range, or the program can't be started: one line for the user.
    fn start(&self, line: &Line, folder: &Path) -> Result<(String, Child), String> {
        let (arguments, name) = self.arguments(line)?;
        let program = std::env::current_exe().map_err(|error| format!("this program can't be found: {error}"))?;
        let child = Command::new(program)
            .args(arguments)
            .arg("--out")
            .arg(folder.join(&name))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("the experiment can't be started: {error}"))?;
        Ok((name, child))
    }
}

/// Follows an experiment to its end; every line it says is given away.
///
/// # Errors
/// What it said last, if it failed.
async fn follow(mut child: Child, mut told: impl FnMut(String)) -> Result<(), String> {
    let mut last = String::new();
    if let Some(stderr) = child.stderr.take() {
        let mut lines = BufReader::new(stderr).lines();
        while let Ok(Some(text)) = lines.next_line().await {
            let text = text.rsplit('\r').next().unwrap_or_default().to_string();
            last.clone_from(&text);
            told(text);
        }
    }
    match child.wait().await {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(if last.is_empty() { "the experiment failed".into() } else { last }),
        Err(error) => Err(format!("the experiment failed: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;

    #[test]
    fn what_is_out_of_range_is_refused() {
        let line = Line::of(&Game::default()).unwrap();
        let good =
            Experiment { kind: Kind::Speedup, algorithm: "ybw".into(), processors: vec![4], positions: 2, nodes: 5000 };
        let (arguments, name) = good.arguments(&line).unwrap();
        assert_eq!(name, "speedup-ybw-5000-2x4");
        assert_eq!(arguments.join(" "), "lab speedup --algorithm ybw --nodes 5000 --first 2 --processors 4");
        for bad in [
            Experiment { algorithm: "--help".into(), ..good.clone() },
            Experiment { processors: vec![], ..good.clone() },
            Experiment { processors: vec![5000], ..good.clone() },
            Experiment { positions: 0, ..good.clone() },
            Experiment { nodes: u64::MAX, ..good.clone() },
        ] {
            assert!(bad.arguments(&line).is_err(), "{bad:?}");
        }
    }
}
