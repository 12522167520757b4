//! Share on request: strands on processors, for any search that can be cut into pieces. Knows no game.
//!
//! A *processor* runs one *strand* at a time. A strand works alone at full speed until a processor that has nothing to do
//! asks for help to give; then, at its next node, it shares one of its frames, which becomes a *split point* ([`SplitPoint`]),
//! and the idle processor starts a new strand there. A strand that has nothing more to do at its own split point is
//! parked, and the last helper to leave carries it on, on its own processor.
//!
//! | file | what |
//! |---|---|
//! | `protocol.rs` | split points: join, leave, park, cut; the argument that nothing is lost; checked by a model checker |
//! | `strand.rs` | strands on coroutine stacks, and what a strand sees of its processor |
//! | `virtual_machine.rs` | any number of processors in one thread, in virtual time, the same run for the same seed |
//! | `threads.rs` | real threads |
//! | `lobby.rs` | how machines of several hosts work for each other: errands, remote_helpers, the porter |
//! | `bell.rs` | how a busy machine hears at once that another has sent something |
//! | `costs.rs` | what things cost on a virtual machine |
//! | `hosts.rs` | the hosts of a virtual cluster and the network between them |
//! | `accounts.rs` | where the time of each processor went |
//!
//! The application says what a strand does through [`Application`].

mod accounts;
mod costs;
#[cfg(not(loom))]
mod doorbell;
#[cfg(not(loom))]
mod hosts;
mod protocol;
#[cfg(not(loom))]
mod remote;
#[cfg(not(loom))]
mod strand;
mod sync;
#[cfg(not(loom))]
mod threads;
#[cfg(not(loom))]
mod virtual_machine;

pub use accounts::{Account, Accounts};
pub use costs::Costs;
#[cfg(not(loom))]
pub use doorbell::Doorbell;
#[cfg(not(loom))]
pub use hosts::{Hosts, Tables};
pub use protocol::{SplitAccess, SplitPoint, StrandControl};
#[cfg(not(loom))]
pub use remote::{MessagePump, RemoteBridge, RemoteEvent};
#[cfg(not(loom))]
pub use strand::{Application, ProcessorContext, SplitPointOf, SuspendedStrand, Waiting, WorkRequest};
#[cfg(not(loom))]
pub use threads::Threads;
#[cfg(not(loom))]
pub use virtual_machine::VirtualMachine;
