//! The page of a race: how fast each engine is, on average and position by position.

use super::race::{Lap, Laps, Race, Ratio, Standing};
use crate::experiment::statistics::geometric_mean;
use crate::report::{Axis, Bars, Origin, Page, ReportTable, fixed, significant, thousands};

/// The page of the repeats that are complete.
pub(super) fn page(race: &Race<'_>, laps: &Laps, origin: &Origin) -> Page {
    let Race { suite, depth, engines, .. } = race;
    let standings = laps.standings(race);
    let mut page = Page::new(format!("Time to depth {depth} on {} positions of {}", suite.records.len(), suite.name));
    page.text(&format!(
        "The engines search every position to depth {depth}, in turn, so that what else the computer does affects all of them; {} \
         of {} repeats, each after a different warm-up, because the size of a search varies by chance. Ratios are to the first \
         engine, {}.",
        laps.repeats(),
        race.repeats,
        engines[0].name
    ));
    page.files(&[("laps.csv", "every search"), ("laps.json", "the same as JSON")]);
    page.section("On average").table(table(&standings)).picture(&ratios(&standings).picture());
    page.picture(&speeds(&standings).picture());
    page.section("Position by position").picture(&times(race, laps).picture());
    if engines.len() > 1 {
        page.picture(&speedups(race, laps).picture());
    }
    page.table(positions(race, laps));
    let names: Vec<String> =
        (1..).zip(engines.iter()).map(|(number, spec)| format!("{number}: {}", spec.name)).collect();
    page.how_it_was_made(&origin.clone().fact("engines", names.join("; ")).fact("positions", &suite.name));
    page
}

fn table(standings: &[Standing]) -> ReportTable {
    let interval = |ratio: Ratio| format!("{} to {}", fixed(ratio.interval.0, 3), fixed(ratio.interval.1, 3));
    let head =
        ["engine", "seconds", "times as fast", "95 %", "nodes a second", "ratio", "95 %", "nodes, ratio", "95 %"];
    let mut table = ReportTable::new(head);
    for standing in standings {
        table.push([
            standing.name.clone(),
            fixed(standing.seconds, 2),
            fixed(standing.speedup.mean, 3),
            interval(standing.speedup),
            thousands(standing.nodes_per_second),
            fixed(standing.rate.mean, 3),
            interval(standing.rate),
            fixed(standing.nodes.mean, 3),
            interval(standing.nodes),
        ]);
    }
    table.note(
        "Seconds for all positions once. Ratios are geometric means over positions, their intervals from drawing the positions \
         again. Times as fast = ratio of nodes a second / ratio of nodes.",
    )
}

/// The short names of engines below bars; the legend of other charts has the long ones.
fn numbers(standings: &[Standing]) -> Vec<String> {
    let widest = standings.iter().map(|standing| standing.name.chars().count()).max().unwrap_or(0);
    match widest * standings.len() < 45 {
        true => standings.iter().map(|standing| standing.name.clone()).collect(),
        false => (1..=standings.len()).map(|number| number.to_string()).collect(),
    }
}

fn ratios(standings: &[Standing]) -> Bars {
    let kinds: [Kind; 3] = [
        ("times as fast", |standing| standing.speedup),
        ("nodes a second", |standing| standing.rate),
        ("nodes", |standing| standing.nodes),
    ];
    let means = standings.iter().flat_map(|standing| kinds.map(|(_, of)| of(standing).mean));
    let axis = ratio_axis("ratio", means);
    let bars = Bars::new("Relative to the first engine", "engine", numbers(standings), axis);
    let bars = kinds.into_iter().fold(bars, |bars, (name, of)| {
        let all: Vec<Ratio> = standings.iter().map(of).collect();
        bars.with(name, all.iter().map(|ratio| ratio.mean).collect())
            .intervals(all.iter().map(|ratio| ratio.interval).collect())
    });
    bars.note("Engines in the order of the table; with 95 % intervals.")
}

/// A kind of ratio: its name, and the ratio of an engine.
type Kind = (&'static str, fn(&Standing) -> Ratio);

fn speeds(standings: &[Standing]) -> Bars {
    let values = standings.iter().map(|standing| standing.nodes_per_second).collect();
    Bars::new("Speed", "engine", numbers(standings), Axis::linear("nodes a second")).with("", values)
}

fn names(race: &Race<'_>) -> Vec<String> {
    (0..race.suite.records.len()).map(|position| race.position_name(position)).collect()
}

/// The seconds of each engine on each position, from the shortest to the longest of its repeats.
fn times(race: &Race<'_>, laps: &Laps) -> Bars {
    let bars = Bars::new("Time to depth", "position", names(race), Axis::log10("seconds"));
    let bars = race.engines.iter().enumerate().fold(bars, |bars, (engine, spec)| {
        let seconds = |position| laps.on(engine, position).iter().map(|lap: &Lap| lap.seconds).collect::<Vec<_>>();
        let all: Vec<Vec<f64>> = (0..race.suite.records.len()).map(seconds).collect();
        let ends =
            |values: &Vec<f64>| values.iter().fold((f64::MAX, 0.0), |(l, h): (f64, f64), &v| (l.min(v), h.max(v)));
        bars.with(&spec.name, all.iter().map(|values| geometric_mean(values)).collect())
            .intervals(all.iter().map(ends).collect())
    });
    bars.note("Geometric means of the repeats, and from the shortest to the longest.")
}

/// An axis for ratios: of factors of ten where some are many times as large as others.
fn ratio_axis(label: &str, ratios: impl Iterator<Item = f64>) -> Axis {
    const EVEN: f64 = 10.0;
    let (low, high) = ratios.fold((f64::MAX, 0.0), |(low, high): (f64, f64), ratio| (low.min(ratio), high.max(ratio)));
    if high > EVEN * low { Axis::log10(label) } else { Axis::linear(label) }
}

/// How many times as fast as the first engine each is, position by position.
fn speedups(race: &Race<'_>, laps: &Laps) -> Bars {
    let of = |engine| laps.ratios(engine, |lap| 1.0 / lap.seconds);
    let axis = ratio_axis("times as fast", (0..race.engines.len()).flat_map(of));
    let bars = Bars::new("Times as fast as the first engine", "position", names(race), axis);
    race.engines.iter().enumerate().fold(bars, |bars, (engine, spec)| bars.with(&spec.name, of(engine)))
}

fn positions(race: &Race<'_>, laps: &Laps) -> ReportTable {
    let mut head = vec!["position".to_owned()];
    for number in 1..=race.engines.len() {
        head.extend([format!("seconds, {number}"), "nodes".into()]);
    }
    let mut table = ReportTable::new(head).note("Means of the repeats; engines in the order of the table above.");
    for (position, name) in names(race).into_iter().enumerate() {
        let mut row = vec![name];
        for engine in 0..race.engines.len() {
            let own = laps.on(engine, position);
            let mean = |of: fn(&Lap) -> f64| geometric_mean(&own.iter().map(of).collect::<Vec<_>>());
            row.extend([significant(mean(|lap| lap.seconds)), thousands(mean(|lap| lap.nodes))]);
        }
        table.push(row);
    }
    table
}
