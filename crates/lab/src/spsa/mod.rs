//! SPSA (Spall 1992): tunes many numbers at once by playing games.
//!
//! Each iteration draws a direction, +1 or -1, for every number. Two engines, whose numbers lie a step to either side
//! of the present values, play a pair of games from the same opening with colours exchanged. All values then move a
//! little towards the better engine. Steps and moves shrink as Spall advises (1998): `c_k = c / k^0.101` and `a_k = a /
//! (A + k)^0.602`, where `A` is a tenth of the iterations.
//!
//! The numbers that are tried in a pair depend only on the seed, the pair and the present values, and how the values
//! move depends only on the pair and its result. So the results, in their order, are the whole state. Each is kept in
//! the folder's journal when its pair has ended, so a tuning that was stopped can continue.

mod games;
mod page;
mod state;

pub use games::{SelfPlay, SelfPlayGames};
pub use page::{table, write};
pub use state::{SpsaSettings, State, Tuned};

use crate::experiment::{Folder, LabError};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Plays the pairs.
pub trait Contest {
    /// Half points, 0 to 4, of the first values against the second in a pair of games.
    fn play(&mut self, pair: u64, first: &[i32], second: &[i32]) -> u8;
}

/// A pair that was played, as the journal keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pair {
    pair: u64,
    half_points: u8,
}

/// The first line of the journal. A tuning continues only with the same settings.
#[derive(Serialize, Deserialize)]
struct Head {
    spsa: serde_json::Value,
}

/// Plays the pairs that the folder does not have yet, on `threads` threads, each with a contest of its own. `identity`
/// distinguishes this tuning from others, `watch` is called after each pair.
///
/// # Errors
/// If the folder has another tuning, or something can't be written, or no contest can be made.
pub fn tune<C: Contest>(
    settings: &SpsaSettings,
    identity: &serde_json::Value,
    folder: &Folder,
    threads: usize,
    contest: &(dyn Fn() -> Result<C, String> + Sync),
    watch: &(dyn Fn(&State) + Sync),
) -> Result<State, LabError> {
    let mut state = State::new(settings.clone());
    let played = resume(&mut state, identity, folder)?;
    watch(&state);
    let left: Vec<u64> = (1..=settings.pairs).filter(|pair| !played.contains(pair)).collect();
    let state = Mutex::new(state);
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || -> Result<(), LabError> {
        let mut contest = contest().map_err(LabError::Settings)?;
        let lock = || state.lock();
        while !stopped.load(Ordering::Relaxed)
            && let Some(&pair) = left.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let (first, second) = lock().candidates(pair);
            let half_points = contest.play(pair, &first, &second);
            // The journal has the pairs in the order in which they moved the values.
            let mut state = lock();
            folder.note(&Pair { pair, half_points })?;
            state.learn(pair, half_points);
            watch(&state);
        }
        Ok(())
    };
    let guarded = || work().inspect_err(|_| stopped.store(true, Ordering::Relaxed));
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.clamp(1, left.len().max(1))).map(|_| scope.spawn(guarded)).collect();
        let own = guarded();
        let failed = || Err(LabError::Settings("a thread failed".into()));
        others.into_iter().map(|thread| thread.join().unwrap_or_else(|_| failed())).fold(own, Result::and)
    })?;
    Ok(state.into_inner())
}

/// Reads the pairs that were played from the folder.
fn resume(state: &mut State, identity: &serde_json::Value, folder: &Folder) -> Result<HashSet<u64>, LabError> {
    let notes = folder.notes();
    match notes.iter().find_map(|note| Head::deserialize(note).ok()) {
        Some(head) if head.spsa == *identity => {}
        Some(_) => {
            let path = folder.path().display();
            return Err(LabError::Settings(format!(
                "'{path}' has another tuning: give the same parameters, pairs, nodes, rules, seed and rate, or another folder"
            )));
        }
        None => folder.note(&Head { spsa: identity.clone() })?,
    }
    let mut played = HashSet::new();
    for Pair { pair, half_points } in notes.iter().filter_map(|note| Pair::deserialize(note).ok()) {
        if (1..=state.settings().pairs).contains(&pair) && half_points <= 4 && played.insert(pair) {
            state.learn(pair, half_points);
        }
    }
    Ok(played)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tests::Scratch;
    use crate::random::Random;
    use serde_json::json;

    /// A game whose winner is decided by the distance to the best values, and by luck.
    struct Quadratic {
        best: Vec<f64>,
        scale: Vec<f64>,
    }

    impl Quadratic {
        fn strength(&self, values: &[i32]) -> f64 {
            let off = values.iter().zip(&self.best).zip(&self.scale);
            -off.map(|((&value, best), scale)| ((f64::from(value) - best) / scale).powi(2)).sum::<f64>()
        }
    }

    impl Contest for Quadratic {
        fn play(&mut self, pair: u64, first: &[i32], second: &[i32]) -> u8 {
            let difference = self.strength(first) - self.strength(second);
            let chance = 1.0 / (1.0 + (-difference).exp());
            let mut random = Random::new(pair.wrapping_mul(0x1234_5678_9abc_def1));
            (0..2).map(|_| if f64::from(random.signed()) / 2.0 + 0.5 < chance { 2 } else { 0 }).sum()
        }
    }

    fn quadratic() -> Result<Quadratic, String> {
        Ok(Quadratic { best: vec![130.0, -40.0, 6.0], scale: vec![40.0, 80.0, 4.0] })
    }

    fn settings(pairs: u64) -> SpsaSettings {
        let tuned = |name: &str, start, low, high, step| Tuned { name: name.into(), start, low, high, step };
        SpsaSettings {
            parameters: vec![tuned("a", 60, 0, 300, 8), tuned("b", 100, -500, 500, 16), tuned("c", 2, 0, 9, 1)],
            pairs,
            rate: 0.1,
            seed: 3,
        }
    }

    fn run(folder: &Folder, pairs: u64, threads: usize, watch: &(dyn Fn(&State) + Sync)) -> Result<State, LabError> {
        tune(&settings(pairs), &json!({ "pairs": pairs }), folder, threads, &quadratic, watch)
    }

    #[test]
    fn the_optimum_of_a_noisy_game_is_found() {
        let mut contest = quadratic().unwrap();
        for seed in 1..=5 {
            let mut state = State::new(SpsaSettings { seed, ..settings(6000) });
            // As with several threads, the values tried are not the newest.
            let mut in_flight = std::collections::VecDeque::new();
            for pair in 1..=6000 {
                in_flight.push_back((pair, state.candidates(pair)));
                if pair > 3 {
                    let (pair, (first, second)) = in_flight.pop_front().unwrap();
                    state.learn(pair, contest.play(pair, &first, &second));
                }
            }
            let off: Vec<f64> =
                state.values().iter().zip(&contest.best).map(|(value, best)| (value - best).abs()).collect();
            assert!(off[0] < 14.0 && off[1] < 28.0 && off[2] < 1.5, "{:?}", state.values());
        }
    }

    #[test]
    fn a_tuning_that_was_stopped_ends_where_it_would_have() {
        let scratch = Scratch::new("spsa-resume");
        let whole = run(&Folder::open(&scratch.path().join("whole"), "v").unwrap(), 40, 1, &|_| {}).unwrap();
        let path = scratch.path().join("stopped");
        for stop in [1, 2, 17, 39] {
            // As after a kill: only the journal is left, and its last line is incomplete.
            let folder = Folder::open(&path, "v").unwrap();
            let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                run(&folder, 40, 1, &|state| assert!(state.played() < stop, "killed on purpose"))
            }));
            assert!(stopped.is_err());
            drop(folder);
            let journal = path.join("journal.jsonl");
            let mut bytes = std::fs::read(&journal).unwrap();
            bytes.extend_from_slice(b"{\"note\":{\"pair\":4");
            std::fs::write(&journal, bytes).unwrap();
        }
        let resumed = run(&Folder::open(&path, "v").unwrap(), 40, 1, &|_| {}).unwrap();
        assert_eq!(resumed.played(), 40);
        assert_eq!(resumed.values(), whole.values());
        assert_eq!(resumed.course(), whole.course());
    }

    #[test]
    fn a_pair_that_was_in_flight_is_played_again() {
        let scratch = Scratch::new("spsa-flight");
        let folder = Folder::open(scratch.path(), "v").unwrap();
        folder.note(&json!({"spsa": {"pairs": 5}})).unwrap();
        for pair in [1, 4, 2, 4, 77] {
            folder.note(&Pair { pair, half_points: 3 }).unwrap();
        }
        let state = run(&folder, 5, 2, &|_| {}).unwrap();
        assert_eq!(state.played(), 5);
        let pairs = folder.notes().iter().filter_map(|note| note["pair"].as_u64()).skip(5).collect::<HashSet<_>>();
        assert_eq!(pairs, HashSet::from([3, 5]));
    }

    #[test]
    fn another_tuning_is_not_mixed_with_this() {
        let scratch = Scratch::new("spsa-other");
        let folder = Folder::open(scratch.path(), "v").unwrap();
        run(&folder, 3, 1, &|_| {}).unwrap();
        let error = run(&folder, 4, 1, &|_| {}).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("another tuning"), "{error}");
    }
}
