//! Everything to have your own two-player game searched: on one processor, on threads, or on virtual processors.
//!
//! Say what your game is ([`Game`]), give hints about its moves if you like ([`Hints`]), and let a [`Searcher`] find the best
//! move. The page `docs/your-own-game.md` of the repository builds a game in half an hour, from `cargo new` to a parallel search
//! with a time limit; `examples/othello` is a larger one.
//!
//! | you have | rules of the search | you get |
//! |---|---|---|
//! | [`Game`] | [`Plain`] | full-width search with iterative deepening and a table |
//! | [`Game`] and [`Hints`] | [`Guided`] | the same with history, killers, quiescence, null move and reductions |
//! | your own [`Rules`] | yours | whatever you decide, hook by hook |
//!
//! ```
//! use jamboree_kit::connect_four::ConnectFour;
//! use jamboree_kit::{Guided, Machine, Searcher, Table, Threads};
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! let position: ConnectFour = "4435".parse()?;
//! let mut searcher = Searcher::with_table(Guided::<ConnectFour>::default(), Arc::new(Table::new(16)?));
//! searcher.machine = Machine::Threads(Threads::new(2));
//! let outcome = searcher.run_for(&position, &[], Duration::from_millis(50));
//! println!("{:?}, worth {:?}, depth {}", outcome.best_move(), outcome.score(), outcome.depth);
//! # assert!(outcome.best_move().is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An algorithm is chosen by its name, and the search can run on as many virtual processors as you like, in virtual time:
//!
//! ```
//! use jamboree_kit::connect_four::ConnectFour;
//! use jamboree_kit::{Costs, Hosts, Limits, Machine, Plain, Searcher, VirtualMachine, algorithms};
//!
//! let mut searcher = Searcher::new(Plain::default());
//! searcher.algorithm = algorithms::by_name("ybw").ok_or("no such algorithm")?;
//! let (processors, costs, hosts) = (64, Costs::ideal(), Hosts::one());
//! searcher.machine = Machine::Virtual(VirtualMachine { processors, costs, seed: 1, hosts });
//! let outcome = searcher.run(&ConnectFour::new(), &[], &Limits::depth(7));
//! println!("{} nodes in {} ticks", outcome.nodes, outcome.accounts.time);
//! # assert!(outcome.accounts.time < outcome.nodes);
//! # Ok::<(), &str>(())
//! ```
//!
//! The crate adds nothing of its own: it re-exports what a game author needs of `jamboree-game`, `jamboree-search` and
//! `jamboree-table`.

pub use game::{
    Bound, Depth, Ending, Game, Hints, MAX_PLY, Score, Window, alpha_beta_nodes, connect_four, negamax, tree,
};
pub use search::{
    Accounts, Aspiration, Costs, Frame, FrameMemory, Guidance, Guided, Hosts, Kind, Limits, Listener, Machine, NoWatch,
    Outcome, Path, Plain, Preliminary, ProbCut, Purpose, Report, RootMove, Rules, Scored, Searcher, Singular, Threads,
    TimeLimit, VirtualMachine, Wanted, Watch, Work, algorithms,
};
pub use table::{Entry, Table, TableError};
