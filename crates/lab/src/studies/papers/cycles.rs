//! StarTech figure 9: where the chess work goes. On this computer: the time of each piece of work on the positions of
//! the benchmark, multiplied by how often a node needs it.

use super::sheet::{Row, Said, Sheet};
use crate::bench::{BenchSettings, run};
use crate::experiment::LabError;
use crate::published::published;
use crate::suite::Builtin;
use chess::{Position, RuleSet};
use game::Game;
use std::hint::black_box;
use std::time::Instant;

/// How often each piece of work is repeated.
const REPEATS: u32 = 2000;

/// The depth of the searches, a moment each.
const DEPTH: i32 = 5;

/// Nanoseconds of one call, averaged over all items.
fn cost<T>(items: &[T], mut act: impl FnMut(&T)) -> f64 {
    let started = Instant::now();
    for _ in 0..REPEATS {
        items.iter().for_each(&mut act);
    }
    started.elapsed().as_nanos() as f64 / f64::from(REPEATS) / items.len().max(1) as f64
}

pub(super) fn figure_9(sheet: &mut Sheet) -> Result<(), LabError> {
    let suites = [Builtin::BratkoKopec, Builtin::Kaufman].map(|builtin| builtin.suite().records);
    let positions: Vec<Position> = suites.iter().flatten().filter_map(|record| record.fen.parse().ok()).collect();
    let rules = RuleSet::parse("startech").map_err(LabError::Rules)?;
    let settings = BenchSettings { hash_mib: 16, ..BenchSettings::usual(rules, DEPTH) };
    let bench = run(&settings, &mut |_| {})?;
    let node = 1e9 / bench.per_second().max(1) as f64;
    let (probes, stores) = bench
        .positions
        .iter()
        .fold((0, 0), |(probes, stores), row| (probes + row.accounts.table.probes, stores + row.accounts.table.stores));
    // A node that stores a result has generated moves; every node except the root was reached by a move.
    let inner = stores as f64 / probes.max(1) as f64;
    let mut moves = Vec::new();
    let generating = cost(&positions, |position| {
        moves.clear();
        position.moves(&mut moves);
        black_box(moves.len());
    }) * inner;
    let first_move = |position: &Position| {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        moves.first().map(|&mv| (position.clone(), mv))
    };
    let firsts: Vec<_> = positions.iter().filter_map(first_move).collect();
    let moving = cost(&firsts, |(position, mv)| {
        black_box(position.play(*mv));
    });
    let evaluating = cost(&positions, |position| {
        black_box(position.evaluate());
    });
    let rest = node - generating - moving - evaluating;
    let said = |names: &[&str]| {
        let table = published().table("startech-9")?;
        let shares: Option<Vec<f64>> = names.iter().map(|name| table.number(name, "share")).collect();
        Some(100.0 * shares?.iter().sum::<f64>() / table.number("chess work", "share")?)
    };
    let search =
        ["control flow of Jamboree search", "sorting moves", "checking for repetition", "checking for illegal moves"];
    let rows = [
        ("moving pieces", said(&["moving pieces"]), moving),
        ("static evaluation", said(&["static evaluation"]), evaluating),
        ("generating moves", said(&["generating moves"]), generating),
        ("control flow, sorting moves, checking for repetition and for illegal moves", said(&search), rest),
    ];
    let rows = rows
        .map(|(name, said, ours)| Row::new("startech-9", format!("{name}, %"), Said::from(said), 100.0 * ours / node));
    let note = format!(
        "shares of a node of {node:.0} ns, StarTech's rules, one processor of this computer: the cost of one call, taken apart \
        from the search and with warm caches, times calls a node. Sorting and the two checks are parts of the search that cannot be \
        timed apart from it, so the last row has four of theirs. docs/profile.md has the profile of the whole program."
    );
    sheet.compare("startech-9", &rows, &note);
    Ok(())
}
