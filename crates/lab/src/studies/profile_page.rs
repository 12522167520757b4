//! The page of one search.

use super::profile::{Portrait, SplitRow};
use super::split_tree;
use crate::experiment::{Folder, LabError};
use crate::report::{Axis, Bars, Origin, Page, Plot, ReportTable, Series, fixed, percent, thousands};
use search::Account;

/// Writes the numbers and the page.
///
/// # Errors
/// If something can't be written.
pub fn write(portrait: &Portrait, folder: &Folder, origin: Origin) -> Result<(), LabError> {
    folder.write_data("profile", &portrait.intervals())?;
    folder.write_data("splits", &portrait.splits)?;
    folder.write_data("accounts", std::slice::from_ref(&portrait.accounts))?;
    page(portrait, origin).write(folder)
}

fn page(portrait: &Portrait, origin: Origin) -> Page {
    let run = &portrait.run;
    let mut page = Page::new(format!("One search on {} processors", run.processors));
    page.text(&format!(
        "{} to depth {} by {}, rules {}, machine {}. Best move {}.",
        run.fen, portrait.depth, run.algorithm, run.rules, run.profile, portrait.best_move
    ));
    page.table(summary(portrait));
    page.section("Parallelism over ideal time").plot(&parallelism(portrait));
    page.text(&format!(
        "W/C is {}, but for half of ideal time fewer than {} nodes could be searched at the same time.",
        fixed(portrait.nodes as f64 / portrait.span.max(1) as f64, 1),
        fixed(portrait.median_parallelism(), 1)
    ));
    page.section("Where the cycles went").table(cycles(portrait)).table(chess_work(portrait));
    page.picture(&by_processor(portrait).picture());
    page.section("The split tree");
    page.picture(&split_tree::tree(&portrait.splits));
    page.picture(&split_tree::over_time(&portrait.splits, portrait.time));
    page.picture(&by_ply(&portrait.splits).picture());
    page.table(largest(&portrait.splits));
    let data = "profile, splits and accounts as .csv and .json";
    page.how_it_was_made(&origin.fact("seed", run.seed.to_string()).fact("data", data));
    page
}

fn summary(portrait: &Portrait) -> ReportTable {
    let all_time = portrait.time as f64 * portrait.run.processors as f64;
    let table = ReportTable::new([
        "nodes",
        "nodes of one processor",
        "time, ticks",
        "W/C",
        "time with work",
        "split points",
        "steals",
    ]);
    table.row([
        thousands(portrait.nodes as f64),
        thousands(portrait.serial_nodes as f64),
        thousands(portrait.time as f64),
        fixed(portrait.nodes as f64 / portrait.span.max(1) as f64, 1),
        percent(1.0 - portrait.accounts.time.idle() as f64 / all_time),
        thousands(portrait.splits.len() as f64),
        thousands(portrait.accounts.sharing.steals as f64),
    ])
}

fn parallelism(portrait: &Portrait) -> Plot {
    let mut points: Vec<(f64, f64)> = portrait
        .intervals()
        .iter()
        .map(|interval| (interval.ideal_time as f64, interval.parallelism.max(1.0)))
        .collect();
    if let Some(&(_, last)) = points.last() {
        points.push((portrait.span as f64, last));
    }
    let span = portrait.span as f64;
    let level = |name: &str, value: f64| Series::reference(name, vec![(0.0, value), (span, value)]);
    let average = portrait.nodes as f64 / span.max(1.0);
    Plot::new(
        "What an ideal machine would do",
        Axis::linear("ideal time, nodes of one processor"),
        Axis::log2("nodes searched at the same time"),
    )
    .with(Series::area("parallelism", points))
    .with(level(&format!("W/C = {}", fixed(average, 0)), average))
    .with(level(&format!("P = {}", portrait.run.processors), portrait.run.processors as f64))
}

/// The accounts of a processor with names, as StarTech's figure 8 has them.
fn parts(account: &Account) -> [(&'static str, u64); 10] {
    [
        ("chess work", account.working),
        ("waiting for the table", account.table),
        ("sitting idle after refusals", account.back_off),
        ("looking for work", account.looking),
        ("waiting for helpers", account.waiting),
        ("serving the table", account.serving),
        ("answering requests", account.answering),
        ("waiting to be dismissed", account.dismissal),
        ("sharing frames", account.sharing),
        ("waiting for messages", account.network),
    ]
}

fn total(processors: &[Account]) -> Account {
    processors.iter().fold(Account::default(), |mut sum, account| {
        sum.add(account);
        sum
    })
}

fn cycles(portrait: &Portrait) -> ReportTable {
    let all = total(&portrait.processors);
    let startech = ["68.8 %", "14.4 %", "6.6 %", "3.6 %", "3.2 %", "2.2 %", "0.6 %", "0.5 %", "", ""];
    let mut table =
        ReportTable::new(["share", "what", "StarTech on 512"]).title("All processors together (StarTech figure 8)");
    for ((name, time), theirs) in parts(&all).into_iter().zip(startech) {
        table.push([percent(time as f64 / all.time().max(1) as f64), name.to_owned(), theirs.to_owned()]);
    }
    table
}

fn chess_work(portrait: &Portrait) -> ReportTable {
    let nodes = portrait.nodes.max(1) as f64;
    let accounts = &portrait.accounts;
    let table = ReportTable::new(["share", "what", "nodes"]).title("The chess work");
    let mut table = table.note(
        "Cutoff and failed work have no node in common; an aborted search may lie after a cutoff. In StarTech 21.4 % of 68.8 % were what one \
         processor needs. What a node's time is made of (figure 9) is in docs/profile.md.",
    );
    let rows = [
        ("what one processor needs", portrait.serial_nodes.min(portrait.nodes)),
        ("below moves after the one that cut their parent off", accounts.lost.cutoff_work),
        ("of searches that were cut before they had an answer", accounts.lost.aborted_work),
        ("tests that failed, so that the move had to be valued", accounts.lost.failed_work),
    ];
    for (name, count) in rows {
        table.push([percent(count as f64 / nodes), name.to_owned(), thousands(count as f64)]);
    }
    table
}

/// The largest number of bars.
const MOST_BARS: usize = 32;

fn by_processor(portrait: &Portrait) -> Bars {
    let size = portrait.processors.len().div_ceil(MOST_BARS);
    let groups: Vec<Account> = portrait.processors.chunks(size).map(total).collect();
    let names = (0..groups.len()).map(|index| (index * size).to_string());
    let label = if size == 1 { "processor".to_owned() } else { format!("processors, {size} in a bar") };
    let mut bars =
        Bars::new("The time of each processor", label, names.collect(), Axis::linear("% of its time")).stacked();
    for (kind, (name, _)) in parts(&Account::default()).into_iter().enumerate() {
        let share = |account: &Account| 100.0 * parts(account)[kind].1 as f64 / account.time().max(1) as f64;
        bars = bars.with(name, groups.iter().map(share).collect());
    }
    bars
}

fn by_ply(splits: &[SplitRow]) -> Bars {
    let deepest = splits.iter().map(|split| split.ply).max().unwrap_or(0);
    let names = (0..=deepest).map(|ply| ply.to_string()).collect();
    let bars =
        Bars::new("Split points by distance from the root", "ply", names, Axis::linear("split points")).stacked();
    ["kept", "cut", "abandoned"].into_iter().fold(bars, |bars, fate| {
        let count = |ply| splits.iter().filter(|split| split.ply == ply && split.fate == fate).count() as f64;
        bars.with(fate, (0..=deepest).map(count).collect())
    })
}

/// How many split points are listed.
const LISTED: usize = 40;

fn largest(splits: &[SplitRow]) -> ReportTable {
    let mut sorted: Vec<&SplitRow> = splits.iter().collect();
    sorted.sort_by_key(|split| (std::cmp::Reverse(split.help), split.number));
    let head =
        ["number", "below", "ply", "depth", "kind", "moves left", "by", "helpers", "nodes of helpers", "fate", "line"];
    let mut table = ReportTable::new(head).title(format!("The {LISTED} split points with most help"));
    for split in sorted.into_iter().take(LISTED) {
        table.push([
            split.number.to_string(),
            split.parent.map_or_else(String::new, |parent| parent.to_string()),
            split.ply.to_string(),
            split.depth.to_string(),
            split.kind.to_owned(),
            split.moves.to_string(),
            split.processor.to_string(),
            split.helpers.to_string(),
            thousands(split.help as f64),
            split.fate.to_owned(),
            split.line.clone(),
        ]);
    }
    table
}
