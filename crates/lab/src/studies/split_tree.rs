//! Pictures of split points: the tree they form, and when they were open.

use super::profile::SplitRow;
use crate::report::{Anchor, Picture, Svg};
use std::collections::{BTreeMap, BTreeSet};

const WIDTH: f64 = 1100.0;
const ROW: f64 = 30.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 30.0;
/// How many split points the tree shows, not counting those above them.
const SHOWN: usize = 160;

const FATES: [(&str, &str); 3] = [("kept", "#0072b2"), ("cut", "#d55e00"), ("abandoned", "#9aa3ad")];

fn colour(split: &SplitRow) -> &'static str {
    FATES.iter().find(|(fate, _)| *fate == split.fate).map_or("#000000", |(_, colour)| colour)
}

fn tip(split: &SplitRow) -> String {
    format!(
        "{}: {} node, ply {}, depth {}, {} moves left; shared by processor {} from {} to {}; {} helpers, {} nodes; {}\n{}",
        split.number,
        split.kind,
        split.ply,
        split.depth,
        split.moves,
        split.processor,
        split.start,
        split.end,
        split.helpers,
        split.help,
        split.fate,
        split.line
    )
}

/// A legend and a label for each ply.
fn prepared(height: f64, plies: impl Iterator<Item = usize>) -> Svg {
    let mut svg = Svg::new(WIDTH, height);
    for (index, (fate, colour)) in FATES.iter().enumerate() {
        let x = LEFT + 110.0 * index as f64;
        svg.dot((x, 10.0), 5.0, &format!("fill=\"{colour}\""), fate);
        svg.text((x + 10.0, 14.0), Anchor::Start, "", fate);
    }
    for ply in plies {
        let y = row(ply);
        svg.line((LEFT, y), (WIDTH, y), "stroke=\"currentColor\" stroke-opacity=\"0.08\"");
        svg.text((LEFT - 10.0, y + 4.0), Anchor::End, "", &format!("ply {ply}"));
    }
    svg
}

fn row(ply: usize) -> f64 {
    TOP + ROW * (ply as f64 + 0.5)
}

/// The split points with most help and all above them, as a tree; a dot's size is the help it got.
pub(super) fn tree(splits: &[SplitRow]) -> Picture {
    let mut sorted: Vec<&SplitRow> = splits.iter().collect();
    sorted.sort_by_key(|split| (std::cmp::Reverse(split.help), split.number));
    let mut shown = BTreeSet::new();
    for split in sorted.into_iter().take(SHOWN) {
        let mut next = Some(split.number);
        while let Some(number) = next.filter(|&number| shown.insert(number)) {
            next = splits.get(number).and_then(|split| split.parent);
        }
    }
    let places = places(splits, &shown);
    let deepest = shown.iter().filter_map(|&number| splits.get(number)).map(|split| split.ply).max().unwrap_or(0);
    let most = splits.iter().map(|split| split.help).max().unwrap_or(1).max(1) as f64;
    let mut svg = prepared(row(deepest + 1), 0..=deepest);
    let at = |split: &SplitRow| places.get(&split.number).map(|&x| (x, row(split.ply)));
    let drawn = || shown.iter().filter_map(|&number| splits.get(number));
    for split in drawn() {
        let above = split.parent.and_then(|parent| splits.get(parent)).and_then(at);
        if let (Some(from), Some(to)) = (above, at(split)) {
            svg.line(from, to, "stroke=\"currentColor\" stroke-opacity=\"0.25\"");
        }
    }
    for split in drawn() {
        if let Some(place) = at(split) {
            let radius = 2.0 + 9.0 * (split.help as f64 / most).sqrt();
            let style = format!("fill=\"{}\" fill-opacity=\"0.8\"", colour(split));
            svg.dot(place, (10.0 * radius).round() / 10.0, &style, &tip(split));
        }
    }
    Picture {
        title: format!("The split tree: {} of {} split points", shown.len(), splits.len()),
        svg: svg.finish(),
        note: "Those with most help, and all above them; a dot is as large as the help it got. Point at one to see who shared \
               what, where."
            .into(),
        ..Picture::default()
    }
}

/// A place for each shown split point: leaves side by side in the order of time, parents above the middle of their
/// children.
fn places(splits: &[SplitRow], shown: &BTreeSet<usize>) -> BTreeMap<usize, f64> {
    let mut children: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for &number in shown {
        let parent = splits.get(number).and_then(|split| split.parent);
        children.entry(parent).or_default().push(number);
    }
    let mut places = BTreeMap::new();
    let mut leaves = 0.0;
    // A stack of (split point, do its children have places?) instead of recursion.
    let tops = children.get(&None).cloned().unwrap_or_default();
    let mut stack: Vec<(usize, bool)> = tops.into_iter().rev().map(|number| (number, false)).collect();
    while let Some((number, placed)) = stack.pop() {
        let below = children.get(&Some(number));
        match below {
            Some(below) if placed => {
                let sum: f64 = below.iter().filter_map(|child| places.get(child)).sum();
                places.insert(number, sum / below.len() as f64);
            }
            Some(below) => {
                stack.push((number, true));
                stack.extend(below.iter().rev().map(|&child| (child, false)));
            }
            None => {
                places.insert(number, leaves);
                leaves += 1.0;
            }
        }
    }
    let scale = (WIDTH - LEFT - 24.0) / f64::max(leaves - 1.0, 1.0);
    places.values_mut().for_each(|place| *place = LEFT + 12.0 + *place * scale);
    places
}

/// How many split points are drawn over time.
const DRAWN: usize = 4000;

/// When split points were open, row by row of plies.
pub(super) fn over_time(splits: &[SplitRow], time: u64) -> Picture {
    let mut sorted: Vec<&SplitRow> = splits.iter().collect();
    sorted.sort_by_key(|split| (std::cmp::Reverse(split.end - split.start), split.number));
    sorted.truncate(DRAWN);
    let deepest = sorted.iter().map(|split| split.ply).max().unwrap_or(0);
    let mut svg = prepared(row(deepest + 1) + 16.0, 0..=deepest);
    let place = |at: u64| LEFT + (WIDTH - LEFT) * at as f64 / time.max(1) as f64;
    for split in &sorted {
        let (from, to) = (place(split.start), place(split.end));
        let style = format!("fill=\"{}\" fill-opacity=\"0.35\"", colour(split));
        svg.rectangle((from, row(split.ply) - 11.0), ((to - from).max(0.7), 22.0), &style, &tip(split));
    }
    let label = format!("time, {time} ticks in all");
    svg.text((LEFT + (WIDTH - LEFT) / 2.0, row(deepest + 1) + 6.0), Anchor::Middle, "", &label);
    Picture {
        title: "When split points were open".into(),
        svg: svg.finish(),
        note: format!(
            "The {} that were open longest of {}. Darker: several at the same time.",
            sorted.len(),
            splits.len()
        ),
        ..Picture::default()
    }
}
