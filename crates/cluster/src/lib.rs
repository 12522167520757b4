//! One search over many hosts.
//!
//! Every rank runs the same search function on threads of its own. A rank whose processors have nothing to do asks another
//! one (Zugzwang section 4), which takes a move at one of its split points in its place and sends it as an
//! [`RemoteTask`](search::RemoteTask). The transposition table is distributed over all ranks. Neither the search nor the scheduler
//! knows what a rank is: they see guests at split points, and a table that fills by itself.
//!
//! | file | what |
//! |---|---|
//! | `transport.rs` | the seam: bytes from rank to rank; `mpi.rs` and `loopback.rs` lie behind it |
//! | `message.rs` | what ranks say to each other, checked on arrival |
//! | `link.rs`, `traffic.rs` | messages over a transport, counted |
//! | `post.rs` | what a rank's porter does on his rounds during a search |
//! | `grain.rs` | how much work is worth the way |
//! | `far_table.rs` | the part of the transposition table that lies on other ranks |
//! | `exchange.rs` | histories of the ranks, told to each other |

mod exchange;
mod far_table;
mod grain;
mod link;
mod loopback;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
mod post;
mod traffic;
mod transport;

#[cfg(feature = "mpi")]
pub use crate::mpi::{Job, MPI_TAG, Mpi};
pub use exchange::Exchange;
pub use far_table::{DistributedTable, Homes};
pub use grain::Grain;
pub use link::Link;
pub use loopback::{Loopback, Weather};
pub use message::{ErrandOnWire, Message, ReplyOnWire};
pub use post::Post;
pub use traffic::Traffic;
pub use transport::{MAX_MESSAGE_BYTES, Transport};
