//! Plays the games of a match in this program.

use super::game::{Seat, play};
use super::journal::Journal;
use super::match_page::MatchPage;
use super::record::PlayedGame;
use super::report::{MatchReport, MatchTally};
use super::settings::{MatchSettings, identity};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

/// Plays the games that are left and reports every finished one.
///
/// # Errors
/// If the folder of the match can't be used.
pub(super) fn run(settings: &MatchSettings, each: &mut dyn FnMut(&MatchTally)) -> Result<MatchReport, String> {
    const US: &str = "ourselves";
    let names = settings.names();
    let limit = settings.rules.limit.to_string();
    let (mut journal, known) = match &settings.out {
        Some(folder) => {
            let (journal, known) = Journal::open(folder, &identity(settings, US), [&names[0], &names[1]], &limit)?;
            (Some(journal), known)
        }
        None => (None, Vec::new()),
    };
    let mut tally = MatchTally::new(settings.sprt);
    let mut page = MatchPage::new(settings, US);
    let mut done = HashSet::new();
    for record in known.iter().filter(|record| (1..=settings.games).contains(&record.game)) {
        if done.insert(record.game) {
            tally.add(record);
            page.iter_mut().for_each(|page| page.remember(record));
        }
    }
    page.iter_mut().try_for_each(MatchPage::write)?;
    each(&tally);
    let left: Vec<usize> = (1..=settings.games).filter(|game| !done.contains(game)).collect();
    if tally.verdict.is_none() {
        play_all(settings, &names, &left, &mut |record| {
            if let Some(journal) = &mut journal {
                journal.add(record)?;
            }
            tally.add(record);
            page.iter_mut().try_for_each(|page| page.add(record))?;
            each(&tally);
            Ok(tally.verdict.is_none())
        })?;
    }
    page.iter_mut().try_for_each(MatchPage::write)?;
    let mut report = MatchReport::new(&names, limit, US.into(), tally.counts);
    (report.sprt, report.faults) = (tally.test(), tally.faults);
    Ok(report)
}

/// Plays these games, several at a time, until all have ended or `each` returns false or fails.
fn play_all(
    settings: &MatchSettings,
    names: &[String; 2],
    games: &[usize],
    each: &mut dyn FnMut(&PlayedGame) -> Result<bool, String>,
) -> Result<(), String> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, records) = channel();
    std::thread::scope(|scope| {
        for _ in 0..settings.concurrency.clamp(1, games.len().max(1)) {
            let sender = sender.clone();
            scope.spawn(|| work(settings, names, games, &next, &stop, sender));
        }
        drop(sender);
        let mut result = Ok(());
        for record in records {
            if stop.load(Ordering::Relaxed) {
                continue;
            }
            match each(&record) {
                Ok(true) => {}
                Ok(false) => stop.store(true, Ordering::Relaxed),
                Err(error) => {
                    result = Err(error);
                    stop.store(true, Ordering::Relaxed);
                }
            }
        }
        result
    })
}

/// One thread: its two engines play one game after the other.
fn work(
    settings: &MatchSettings,
    names: &[String; 2],
    games: &[usize],
    next: &AtomicUsize,
    stop: &AtomicBool,
    sender: Sender<PlayedGame>,
) {
    let (mut a, mut b) = (Seat::new(&names[0], &settings.a), Seat::new(&names[1], &settings.b));
    while let Some(&game) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
        let opening = settings.openings.of_pair((game - 1) / 2);
        let a_is_white = game % 2 == 1;
        let seats = if a_is_white { [&mut a, &mut b] } else { [&mut b, &mut a] };
        let Some(played) = play(seats, &opening, &settings.rules, stop) else { return };
        let record = PlayedGame {
            game,
            a_is_white,
            result: played.result,
            kind: played.kind,
            reason: played.reason,
            start: opening.start.to_string(),
            moves: played.moves,
        };
        if sender.send(record).is_err() {
            return;
        }
    }
}
