//! `jamboree uci`, and `jamboree` alone: the engine for user interfaces.

use crate::trace::{TRACE_HELP, close_trace, open_trace};
use crate::{Failure, bench};
use clap::Args;
use engine::{Answer, EngineCore, Event};
use jamboree_io::note;
use lab::trace_file::TraceFile;
use parking_lot::Mutex;
use search::RecorderLimits;
use std::path::PathBuf;
use std::sync::Arc;

/// The most events of one search: longer searches are cut short in the trace, so that they take bounded memory.
const MOST_EVENTS: usize = 500_000;

/// Speak UCI (the default)
#[derive(Args, Default)]
pub(crate) struct Arguments {
    #[arg(long, value_name = "FILE", help = TRACE_HELP)]
    trace: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut core = EngineCore::new()?;
    let input = std::io::stdin().lock();
    let Some(path) = &arguments.trace else {
        return Ok(engine::uci::run(core, input, std::io::stdout(), Box::new(bench::lines), |_| ())?);
    };
    let file = open_trace(path, 1)?;
    core.record_trace(Some(RecorderLimits::exact(MOST_EVENTS)));
    let traces = Arc::new(Mutex::new(Some(file)));
    let listener = {
        let traces = Arc::clone(&traces);
        move |event: &Event| {
            if let Event::BestMove(answer) = event {
                add(&mut traces.lock(), answer);
            }
        }
    };
    engine::uci::run(core, input, std::io::stdout(), Box::new(bench::lines), listener)?;
    let file = traces.lock().take();
    file.map_or(Ok(()), close_trace)
}

/// Adds a search to the file. If it can't be written, that is told once, and the engine goes on.
fn add(traces: &mut Option<TraceFile>, answer: &Answer) {
    let (Some(file), Some(trace)) = (traces.as_mut(), answer.trace.as_ref()) else { return };
    let best = answer.best.map_or_else(|| "no move".to_owned(), |mv| format!("{mv:?}"));
    if let Err(error) = file.add(&format!("{best}, depth {}", answer.depth), trace) {
        note!("jamboree: {error}; the searches from now on are not traced");
        *traces = None;
    }
}
