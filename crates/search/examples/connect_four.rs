//! Connect Four against Jamboree's search: implement one trait for your game, and this is all there is to write.
//!
//! `cargo run --release -p jamboree-search --example connect_four -- [moves] [depth]`, for example `-- 4444 12`.

use game::Game;
use game::connect_four::ConnectFour;
use search::{Limits, Plain, Searcher};
use std::sync::Arc;
use table::Table;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut position: ConnectFour = arguments.next().unwrap_or_default().parse()?;
    let depth = arguments.next().map_or(Ok(14), |text| text.parse())?;
    let mut searcher = Searcher::with_table(Plain::default(), Arc::new(Table::new(16)?));
    println!("{position}");
    while position.ending().is_none() {
        let outcome = searcher.run(&position, &[], &Limits::depth(depth));
        let (Some(best), Some(score)) = (outcome.best_move(), outcome.score()) else { break };
        println!("column {best}, worth {score:?} at depth {}, {} nodes", outcome.depth, outcome.nodes);
        position = position.play(best);
        println!("{position}");
    }
    Ok(())
}
