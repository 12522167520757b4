//! Measurements as CSV and JSON: one row for each search, in the order they are given.

use super::Measurement;

type Column = (&'static str, fn(&Measurement) -> String);

/// The columns of `rows.csv`.
const COLUMNS: &[Column] = &[
    ("suite", |row| row.run.suite.clone()),
    ("id", |row| row.run.id.clone()),
    ("fen", |row| row.run.fen.clone()),
    ("algorithm", |row| row.run.algorithm.clone()),
    ("rules", |row| row.run.rules.clone()),
    ("machine", |row| row.run.machine.name().to_owned()),
    ("profile", |row| row.run.profile.clone()),
    ("processors", |row| row.run.processors.to_string()),
    ("seed", |row| row.run.seed.to_string()),
    ("repeat", |row| row.run.repeat.to_string()),
    ("goal", |row| row.run.goal.to_string()),
    ("hash_mib", |row| row.run.hash.to_string()),
    ("depth", |row| row.depth.to_string()),
    ("time", |row| row.time.to_string()),
    ("nodes", |row| row.nodes.to_string()),
    ("span", |row| row.span.to_string()),
    ("failed_work", |row| row.accounts.failed_work.to_string()),
    ("cutoff_work", |row| row.accounts.cutoff_work.to_string()),
    ("aborted_work", |row| row.accounts.aborted_work.to_string()),
    ("working", |row| row.accounts.working.to_string()),
    ("looking", |row| row.accounts.looking.to_string()),
    ("answering", |row| row.accounts.answering.to_string()),
    ("sharing", |row| row.accounts.sharing.to_string()),
    ("waiting", |row| row.accounts.waiting.to_string()),
    ("table", |row| row.accounts.table.to_string()),
    ("requests", |row| row.accounts.requests.to_string()),
    ("steals", |row| row.accounts.steals.to_string()),
    ("denials", |row| row.accounts.denials.to_string()),
    ("splits", |row| row.accounts.splits.to_string()),
    ("cutoffs", |row| row.accounts.cutoffs.to_string()),
    ("carried", |row| row.accounts.carried.to_string()),
    ("strands", |row| row.accounts.strands.to_string()),
    ("probes", |row| row.accounts.probes.to_string()),
    ("hits", |row| row.accounts.hits.to_string()),
    ("stores", |row| row.accounts.stores.to_string()),
    ("best_move", |row| row.best_move.clone()),
    ("score", |row| row.score.to_string()),
];

/// All rows as CSV.
pub fn rows_csv(rows: &[Measurement]) -> String {
    let head: Vec<String> = COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let body = rows.iter().map(|row| COLUMNS.iter().map(|(_, of)| of(row)).collect());
    crate::report::csv(std::iter::once(head).chain(body))
}

/// All rows as one JSON array, a line each.
pub fn rows_json(rows: &[Measurement]) -> String {
    crate::report::json_lines(rows)
}
