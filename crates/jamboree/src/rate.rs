//! `jamboree rate`: Kaufman's estimate of a rating.

use crate::engine_arguments::EngineArguments;
use crate::solve::AttemptTable;
use crate::{Failure, duration, progress};
use clap::Args;
use jamboree_io::outln;
use lab::rate::{RateSettings, Rating, problems, run as measure};
use std::time::Duration;

/// Estimate a rating from the time to solve Kaufman's 25 positions, as in the StarTech paper
///
/// Kaufman's formula of 1992: USCF rating = 2930 - 200 log10(t20), where t20 is
/// the sum of the 20 shortest of the 25 solution times, in seconds. A solution
/// time is the time after which the best move was right and stayed right.
///
/// A search ends at --max-time, or earlier once the right move has been the best
/// for 10 times its solution time and for at least 2 s. A position that is not
/// solved counts --max-time; a solution counts 1 ms at least.
/// The formula was made for the machines of its time: use the estimate to compare two
/// versions or two machines, not as a rating. In the StarTech paper, 512 processors
/// of 1993 need t20 = 319 s, which gives 2429.
///
/// Examples:
///   jamboree rate
///   jamboree rate --max-time 10s --classic
///   jamboree rate --threads 2
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Time limit for a position: 500ms, 10s, 2m; a number alone is seconds
    #[arg(long, value_parser = duration::parse, default_value = "60s", value_name = "TIME", allow_hyphen_values = true)]
    max_time: Duration,
    #[command(flatten)]
    engine: EngineArguments,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = RateSettings { max_time: arguments.max_time, engine: arguments.engine.settings()? };
    let problems = problems();
    let table = AttemptTable::new(&problems);
    let bar = progress::bar(problems.len());
    let mut done = 0;
    let rating = measure(&settings, &problems, &mut |row| {
        if !arguments.json {
            bar.suspend(|| table.print(&row.attempt, done == 0));
        }
        done += 1;
        bar.inc(1);
    });
    bar.finish_and_clear();
    let rating = rating?;
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&rating)?)?;
    } else {
        outln!("{}", report(&rating, arguments.max_time))?;
    }
    Ok(())
}

/// The numbers, and notes about their reliability.
fn report(rating: &Rating, max_time: Duration) -> String {
    let Rating { solved, t20, t25, estimate, positions } = rating;
    let mut lines = vec![
        String::new(),
        format!("solved           {solved} of {}", positions.len()),
        format!("t20              {t20:.3} s (the 20 shortest times)"),
        format!("all 25           {t25:.3} s"),
        format!("estimate         {estimate:.0} USCF = 2930 - 200 log10(t20)"),
        String::new(),
    ];
    if *solved < positions.len() {
        let seconds = max_time.as_secs_f64();
        lines.push(format!("- {} not solved, counted as {seconds} s each.", positions.len() - solved));
    }
    if rating.is_flattered() {
        lines.push(
            "- Fewer than 20 are solved, so t20 is too small and the estimate too high: raise --max-time.".into(),
        );
    }
    if rating.too_quick() > 0 {
        lines.push(format!("- {} solved in less than 1 ms, counted as 1 ms each.", rating.too_quick()));
    }
    lines.push(
        "- The formula was made for the machines of 1992 and ratings around 2000 to 2400. Today's engines are".into(),
    );
    lines.push("  far outside that range: use the estimate to compare versions and machines, not as a rating.".into());
    lines.join("\n")
}
