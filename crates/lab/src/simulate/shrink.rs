//! Makes a case that fails smaller, as long as it fails.

use super::case::{Case, MachineKind};
use super::faults::RankFaults;
use super::play::Play;
use std::time::{Duration, Instant};

/// The smallest case found from a case that fails. `fails` says whether a case fails; after `time` the smallest case so far
/// is taken.
pub fn shrink(case: &Case, time: Duration, fails: &mut dyn FnMut(&Case) -> bool) -> Case {
    let (since, mut smallest) = (Instant::now(), case.clone());
    loop {
        let smaller = smaller(&smallest).into_iter().find(|case| since.elapsed() < time && fails(case));
        match smaller {
            Some(case) => smallest = case,
            None => return smallest,
        }
    }
}

/// Cases that are smaller than this one in one respect, those first that are much smaller.
fn smaller(case: &Case) -> Vec<Case> {
    let mut found = Vec::new();
    let mut add = |changed: Case| {
        if changed != *case && changed.check().is_ok() {
            found.push(changed);
        }
    };
    smaller_machine(case, &mut add);
    smaller_limits(case, &mut add);
    smaller_game(case, &mut add);
    found
}

fn smaller_machine(case: &Case, add: &mut dyn FnMut(Case)) {
    let plain = Case::of(case.play.clone(), case.depth);
    if case.machine == MachineKind::Ranks {
        smaller_faults(case, add);
    }
    add(Case { hosts: String::new(), ..case.clone() });
    add(Case { profile: plain.profile, ..case.clone() });
    add(Case { table: plain.table, ..case.clone() });
    for shorter in without_a_word(&case.algorithm, '+') {
        add(Case { algorithm: shorter, ..case.clone() });
    }
    for processors in [1, 2, 3, case.processors / 2, case.processors - 1] {
        if (1..case.processors).contains(&processors) {
            add(Case { processors, ..case.clone() });
        }
    }
    for shorter in without_a_word(&case.profile, ',') {
        add(Case { profile: shorter, ..case.clone() });
    }
    for seed in [0, 1, 2, 3, case.seed / 2] {
        if seed < case.seed {
            add(Case { seed, ..case.clone() });
        }
    }
}

fn smaller_faults(case: &Case, add: &mut dyn FnMut(Case)) {
    for name in RankFaults::NAMES {
        let mut faults = case.faults.clone();
        let least = if name == "ranks" { 2 } else { 0 };
        if let Some(number) = faults.number(name).filter(|number| **number > least) {
            *number = least;
            add(Case { faults, ..case.clone() });
        }
    }
}

/// The text without one of its words; the first stays.
fn without_a_word(text: &str, separator: char) -> Vec<String> {
    let words: Vec<&str> = text.split(separator).collect();
    let without = |left_out: usize| {
        let kept = words.iter().enumerate().filter(|&(place, _)| place != left_out).map(|(_, word)| *word);
        kept.collect::<Vec<_>>().join(&separator.to_string())
    };
    (1..words.len()).map(without).collect()
}

fn smaller_limits(case: &Case, add: &mut dyn FnMut(Case)) {
    let numbers = |number: Option<u64>| {
        let number = number.unwrap_or(0);
        [1, number / 2, number.saturating_sub(1)].into_iter().filter(move |smaller| (1..number).contains(smaller))
    };
    add(Case { lines: 1, ..case.clone() });
    add(Case { nodes: None, ..case.clone() });
    add(Case { ticks: None, ..case.clone() });
    add(Case { stop: None, ..case.clone() });
    add(Case { reports: None, ..case.clone() });
    numbers(case.nodes).for_each(|nodes| add(Case { nodes: Some(nodes), ..case.clone() }));
    numbers(case.ticks).for_each(|ticks| add(Case { ticks: Some(ticks), ..case.clone() }));
    numbers(case.stop).for_each(|stop| add(Case { stop: Some(stop), ..case.clone() }));
    numbers(case.reports).for_each(|reports| add(Case { reports: Some(reports), ..case.clone() }));
    if case.depth > 1 {
        add(Case { depth: case.depth - 1, ..case.clone() });
    }
}

fn smaller_game(case: &Case, add: &mut dyn FnMut(Case)) {
    match &case.play {
        Play::Tree { order, degree, height, seed } => {
            let (order, degree, height, seed) = (*order, *degree, *height, *seed);
            let lower = Play::Tree { order, degree, height: height - 1, seed };
            add(Case { play: lower, depth: case.depth.min(height - 1), ..case.clone() });
            for degree in [degree / 2, degree - 1] {
                add(Case { play: Play::Tree { order, degree, height, seed }, ..case.clone() });
            }
            for seed in (0..8).filter(|&smaller| smaller < seed) {
                add(Case { play: Play::Tree { order, degree, height, seed }, ..case.clone() });
            }
        }
        Play::Four { moves } => {
            for length in [0, moves.len() / 2, moves.len().saturating_sub(1)] {
                add(Case { play: Play::Four { moves: moves[..length].to_owned() }, ..case.clone() });
            }
        }
        Play::Chess { walk, seed, rules } => {
            for walk in [0, walk / 2, walk.saturating_sub(1)] {
                let play = Play::Chess { walk, seed: *seed, rules: rules.clone() };
                add(Case { play, ..case.clone() });
            }
        }
    }
}
