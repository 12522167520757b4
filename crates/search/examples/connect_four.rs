//! Connect Four against Jamboree's search: implement one trait for your game, and this is all there is to write.
//!
//! `cargo run --release -p jamboree-search --example connect_four -- [moves] [depth] [threads]`, for example `-- 4444 12 2`.
//! At the end the same search once more, on 1 to 64 virtual processors.

use game::Game;
use game::connect_four::ConnectFour;
use jamboree_search::{Costs, Hosts, Limits, Machine, Plain, Searcher, Threads, VirtualMachine};
use std::num::NonZeroUsize;
use std::sync::Arc;
use table::Table;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut position: ConnectFour = arguments.next().unwrap_or_default().parse()?;
    let depth = arguments.next().map_or(Ok(14), |text| text.parse())?;
    let threads: NonZeroUsize = arguments.next().map_or(Ok(NonZeroUsize::MIN), |text| text.parse())?;
    let start = position;
    let mut searcher = Searcher::with_table(Plain::default(), Arc::new(Table::new(16)?));
    searcher.machine = Machine::Threads(Threads::new(threads.get()));
    println!("{position}");
    while position.ending().is_none() {
        let outcome = searcher.run(&position, &[], &Limits::depth(depth));
        let (Some(best), Some(score)) = (outcome.best_move(), outcome.score()) else { break };
        println!("column {best}, worth {score:?} at depth {}, {} nodes", outcome.depth, outcome.nodes);
        position = position.play(best);
        println!("{position}");
    }
    for processors in [1, 4, 16, 64] {
        let mut searcher = Searcher::with_table(Plain::default(), Arc::new(Table::new(16)?));
        searcher.machine =
            Machine::Virtual(VirtualMachine { processors, costs: Costs::ideal(), seed: 1, hosts: Hosts::one() });
        let outcome = searcher.run(&start, &[], &Limits::depth(depth));
        let (time, parallelism) = (outcome.accounts.time, outcome.work.parallelism());
        println!("{processors:>2} processors: {time:>8} ticks, {:>8} nodes, W/C {parallelism:.0}", outcome.nodes);
    }
    Ok(())
}
