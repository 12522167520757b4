//! Share on request: strands on processors, for any search that can be cut into pieces. Knows no game.
//!
//! A *processor* runs one *strand* at a time. A strand works alone at full speed until an idle processor asks it for work;
//! then, at its next node, it shares one of its frames, which becomes a *split point* ([`SplitPoint`]), and the idle processor
//! starts a new strand there. A strand that has nothing more to do at its own split point is parked, and the last helper
//! to leave carries it on, on its own processor.
//!
//! | file | what |
//! |---|---|
//! | `application.rs` | what is to be done in parallel: [`Application`] |
//! | `protocol.rs` | split points: join, leave, park, cut; the argument that nothing is lost |
//! | `request.rs` | how a processor asks another for work; the argument that every request is answered |
//! | `sleep.rs` | how processors sleep and are woken; the argument that no wake-up is lost |
//! | `processor.rs` | what a processor does: the state machine behind both machines |
//! | `context.rs` | what a strand sees of its processor |
//! | `coroutine.rs` | coroutines, announced to ThreadSanitizer in a build for it |
//! | `strand.rs` | strands on coroutine stacks |
//! | `threads/` | real threads |
//! | `virtual_machine/` | any number of processors in one thread, in virtual time, the same run for the same seed |
//! | `remote.rs` | how the ranks of a cluster work for each other: remote tasks and remote helpers |
//! | `doorbell.rs` | how a busy rank learns at once that another has sent something |
//! | `costs.rs` | the machines: what things cost there |
//! | `stealing.rs` | how idle processors find work, and how processors wait |
//! | `network.rs` | how processors are connected, and which way a message takes |
//! | `hosts.rs` | the hosts of a virtual cluster and the network between them |
//! | `accounts.rs` | where the time of each processor went |
//! | `trace.rs` | what each processor did when, if that is wanted |
//!
//! The three protocols are model-checked: `tests/model/`.

mod accounts;
#[cfg(not(loom))]
mod application;
#[cfg(not(loom))]
mod context;
#[cfg(not(loom))]
mod coroutine;
#[cfg(not(loom))]
mod costs;
#[cfg(not(loom))]
mod doorbell;
#[cfg(not(loom))]
mod hosts;
#[cfg(not(loom))]
mod network;
#[cfg(not(loom))]
mod processor;
mod protocol;
#[cfg(not(loom))]
mod remote;
mod request;
mod sleep;
#[cfg(not(loom))]
mod stealing;
#[cfg(not(loom))]
mod strand;
mod sync;
#[cfg(not(loom))]
mod threads;
#[cfg(not(loom))]
mod trace;
#[cfg(not(loom))]
mod virtual_machine;

pub use accounts::{Account, Accounts, Occupation};
#[cfg(not(loom))]
pub use application::Application;
#[cfg(not(loom))]
pub use context::{ApplicationTypes, Inquiry, ProcessorContext, SplitPointOf, SuspendedStrand, WorkOffer, WorkRequest};
#[cfg(not(loom))]
pub use costs::{Costs, TableCosts, TablePlace};
#[cfg(not(loom))]
pub use doorbell::Doorbell;
#[cfg(not(loom))]
pub use hosts::{Hosts, Tables};
#[cfg(not(loom))]
pub use network::{Network, de_bruijn_neighbours};
pub use protocol::{SplitAccess, SplitPoint, StrandControl};
#[cfg(not(loom))]
pub use remote::{MessagePump, RemoteBridge, RemoteEvent};
pub use request::{AnswerBox, OfferBox, RequestSlot, WorkAnswer};
pub use sleep::Sleepers;
#[cfg(not(loom))]
pub use stealing::{Asking, Stealing, Waiting};
#[cfg(not(loom))]
pub use threads::Threads;
#[cfg(not(loom))]
pub use trace::{RecordReader, Recorder, RecorderLimits, Recording, Slice, SplitMark, Steal};
#[cfg(not(loom))]
pub use virtual_machine::VirtualMachine;
