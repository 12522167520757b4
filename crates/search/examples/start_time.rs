//! How long it takes to start and end a search on many threads: `cargo run --release -p jamboree-search --example start_time
//! -- 64`. The first run starts the threads; later ones wake only those that there is work for.

use game::connect_four::ConnectFour;
use jamboree_search::{Limits, Machine, Plain, Searcher, Threads};
use std::time::{Duration, Instant};

const RUNS: usize = 2000;

fn main() {
    let most = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(64);
    for machine in [Machine::Alone, Machine::Threads(Threads::new(1)), Machine::Threads(Threads::new(most))] {
        let mut searcher = Searcher::new(Plain::default());
        searcher.machine = machine;
        let mut times: Vec<Duration> = (0..=RUNS)
            .map(|_| {
                let since = Instant::now();
                searcher.run(&ConnectFour::default(), &[], &Limits::nodes(1));
                since.elapsed()
            })
            .collect();
        let first = times.remove(0);
        times.sort();
        let [median, late] = [times[RUNS / 2], times[RUNS * 99 / 100]];
        println!("{:?}: first run {first:?}, then median {median:?}, 99 of 100 within {late:?}", searcher.machine);
    }
}
