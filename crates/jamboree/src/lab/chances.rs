//! `jamboree lab chances`: how score and material decide the result.

use crate::Failure;
use clap::Args;
use engine::outlook::{FITTED, MATERIALS};
use jamboree_io::outln;
use lab::chances::Results;
use lab::train::each_line;
use lab::tune::parse_line;
use std::path::PathBuf;

/// Fit the chances to win, draw and lose to games that `datagen` played
/// Prints for each material the score at which half of the games are won and how fast that
/// changes, as Rust source for crates/engine/src/outlook.rs. The surprise is the mean of
/// -log(chance of what happened), first with the table in this program, then with the
/// new one.
///
///   jamboree datagen --out games.txt --games 4000 --nodes 5000
///   jamboree lab chances games.txt
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Files of datagen, as text
    #[arg(required = true)]
    data: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (mut results, mut bad) = (Results::default(), 0);
    for path in &arguments.data {
        each_line(path, |line| match line.map(parse_line) {
            Some(Ok(sample)) => results.push(&sample),
            _ => bad += 1,
        })?;
    }
    if results.positions == 0 {
        return Err("no usable line in the data; make some with 'jamboree datagen --out games.txt'".into());
    }
    outln!("{} positions, {bad} bad lines skipped", results.positions)?;
    for (entry, &before) in FITTED.iter().enumerate().take(MATERIALS) {
        let (fitted, count) = (results.fit(entry), results.count(entry));
        let surprise = [before, fitted].map(|chances| results.surprise(entry, chances));
        outln!(
            "    Chances {{ half_won: {:.1}, spread: {:.1} }}, // material {}: {count:.0} positions, surprise {:.4} -> {:.4}",
            fitted.half_won,
            fitted.spread,
            Results::material_of(entry),
            surprise[0],
            surprise[1]
        )?;
    }
    Ok(())
}
