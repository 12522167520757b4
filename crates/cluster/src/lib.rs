//! One search over many hosts.
//!
//! Every rank runs the same search function on its own threads. A rank whose processors have nothing to do asks another
//! rank (Zugzwang section 4), which takes moves at one of its split points and sends them as a
//! [`RemoteTask`](search::RemoteTask). The transposition table is distributed over all ranks. Neither the search nor
//! the scheduler knows what a rank is: they see remote helpers at split points, and a table that fills by itself.
//!
//! | file | what |
//! |---|---|
//! | `transport.rs` | bytes from rank to rank; `mpi.rs` and `loopback.rs` implement it |
//! | `message.rs`, `wire.rs` | messages, and the checks of what arrives |
//! | `link.rs`, `traffic.rs` | messages over a transport, counted |
//! | `leftovers.rs` | files of shared memory that killed jobs leave behind |
//! | `rank.rs` | what a rank keeps for the length of a job |
//! | `note.rs` | what the first rank tells the user |
//! | `members.rs` | what a rank knows of the others: alive, silent, late |
//! | `pump.rs` | what a rank does with messages during a search |
//! | `pump/watch.rs` | how it watches the other ranks meanwhile |
//! | `given.rs`, `taken.rs` | tasks given to other ranks, and tasks taken from them |
//! | `grain.rs` | the least work that is worth sending |
//! | `distributed_table.rs` | the transposition table of all ranks |
//! | `statistics_exchange.rs` | statistics of moves, exchanged between ranks |
//! | `shares.rs` | how threads and memory are divided among ranks |
//! | `check/` | what the ranks are and how fast they reach each other, and what is wrong with that |

pub mod check;
mod distributed_table;
mod given;
mod grain;
#[cfg(all(unix, any(feature = "mpi", test)))]
mod leftovers;
mod link;
mod loopback;
mod members;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
mod note;
mod pump;
mod rank;
mod shares;
mod statistics_exchange;
mod taken;
mod traffic;
mod transport;
mod wire;

#[cfg(feature = "mpi")]
pub use crate::mpi::{Job, MPI_TAG, Mpi};
pub use distributed_table::{DistributedTable, Homes};
pub use grain::Grain;
pub use link::Link;
pub use loopback::{Loopback, NetworkConditions};
pub use message::Message;
pub use note::RankNote;
pub use rank::Rank;
pub use shares::Shares;
pub use statistics_exchange::StatisticsExchange;
pub use traffic::{MessageCounts, TableCounts, TaskCounts, Traffic};
pub use transport::{MAX_MESSAGE_BYTES, Transport};
pub use wire::{ResultOnWire, TaskOnWire};
