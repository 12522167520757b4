//! The one search of Jamboree.
//!
//! `Strand::search` (driver.rs) is the Scout search of StarTech (figure 1; with several processors it becomes
//! figure 2, Jamboree): value the first move, test the others, value again what fails its test. It knows no chess, no
//! thread and no clock. What a game knows about its own tree (order, pruning, reductions, extensions) it says through
//! the named hooks of [`Rules`]; a game that has nothing to say uses [`Plain`] and is searched full width; one that implements
//! [`game::Hints`] uses [`Guided`].
//!
//! ```
//! use game::connect_four::ConnectFour;
//! use jamboree_search::{Limits, Plain, Searcher};
//!
//! let position = ConnectFour::default();
//! let mut searcher = Searcher::new(Plain::default());
//! let outcome = searcher.run(&position, &[], &Limits::depth(6));
//! println!("{:?} is worth {:?}", outcome.best_move(), outcome.score());
//! # assert!(outcome.best_move().is_some());
//! ```
//!
//! # In parallel
//!
//! The same call, on another machine. Real threads:
//!
//! ```
//! # use game::connect_four::ConnectFour;
//! # use jamboree_search::{Limits, Machine, Plain, Searcher, Threads};
//! # let position = ConnectFour::default();
//! let mut searcher = Searcher::new(Plain::default());
//! searcher.machine = Machine::Threads(Threads::new(2));
//! let outcome = searcher.run(&position, &[], &Limits::depth(6));
//! # assert!(outcome.best_move().is_some());
//! ```
//!
//! Sixteen virtual processors, in virtual time, by an algorithm of your choice; the same seed gives the same run:
//!
//! ```
//! # use game::connect_four::ConnectFour;
//! # use jamboree_search::{Costs, Hosts, Limits, Machine, Plain, Searcher, VirtualMachine, algorithms};
//! # let position = ConnectFour::default();
//! # let mut searcher = Searcher::new(Plain::default());
//! searcher.algorithm = algorithms::by_name("ybw").ok_or("no such algorithm")?;
//! let hosts = Hosts::one();
//! searcher.machine = Machine::Virtual(VirtualMachine { processors: 16, costs: Costs::ideal(), seed: 1, hosts });
//! let outcome = searcher.run(&position, &[], &Limits::depth(6));
//! println!("{} nodes in {} ticks, critical path {}", outcome.nodes, outcome.accounts.time, outcome.work.span);
//! # assert!(outcome.accounts.time < outcome.nodes);
//! # Ok::<(), &str>(())
//! ```
//!
//! Rules that learn while they search should keep what they learn behind shared references with relaxed atomics: each
//! strand has a clone of the rules.

mod accounting;
mod ahead;
pub mod algorithms;
mod context;
mod deepen;
mod deferral;
mod driver;
mod exchange;
mod foreseen;
mod frame;
mod guided;
mod kind;
mod ledger;
mod limits;
mod listener;
mod live_trace;
mod look_up;
mod lost;
mod lost_stack;
mod machine;
mod marks;
mod move_batch;
mod move_order;
mod plain;
mod probes;
mod quiescence;
mod remote_task;
mod root;
mod rules;
mod searcher;
mod shared_statistics;
mod sharing;
mod split_log;
mod split_point;
mod split_record;
mod strand;
mod tables;
mod tag;
mod time_limit;
mod trace;
mod verifier;
mod verify;
mod waits;
mod work;

pub use exchange::Exchange;
pub use frame::{Best, Frame, FrameMemory, Path, Purpose, Scored};
pub use guided::{Guidance, Guided};
pub use kind::Kind;
pub use limits::{Limits, NoWatch, Watch};
pub use listener::{Listener, Report};
pub use live_trace::{LiveTrace, TracePart};
pub use lost::LostNodes;
pub use machine::Machine;
pub use move_order::{MoveOrder, OrderCount};
pub use plain::Plain;
pub use remote_task::{MoveBatch, RemoteResult, RemoteTask};
pub use root::RootMove;
pub use rules::{Aspiration, Preliminary, ProbCut, Rules, Singular, Wanted};
pub use scheduler::{
    Account, Accounts, Asking, Costs, Hosts, MessagePump, Network, Occupation, RecorderLimits, Slice, Steal, Stealing,
    TableCosts, TablePlace, Tables, Threads, VirtualMachine, Waiting, de_bruijn_neighbours,
};
pub use searcher::{Outcome, Ranks, Searcher, work_of_one_search};
pub use shared_statistics::SharedStatistics;
pub use split_record::{Fate, SplitRecord};
pub use tables::RemoteTable;
pub use time_limit::TimeLimit;
pub use trace::{TimeUnit, Trace};
pub use verifier::{Oracle, Verification};
pub use waits::{Wait, Waits};
pub use work::{ParallelismProfile, StolenWork, Work};
