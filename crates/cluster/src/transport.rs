//! What connects the ranks: MPI (`mpi.rs`), or the memory of one process (`loopback.rs`).

use scheduler::Doorbell;

/// Maximum length of a message in bytes. The longest messages are batches of table entries and of statistics, which
/// have limits of their own.
pub const MAX_MESSAGE_BYTES: usize = 1 << 20;

/// Connects this rank with all others. A message that was sent arrives whole; messages may overtake each other.
pub trait Transport: Send {
    /// The number of this rank.
    fn rank(&self) -> usize;
    /// Number of ranks.
    fn ranks(&self) -> usize;
    /// Sends a message. Never blocks. False if there is no room for it: then it is not sent.
    fn send(&mut self, to: usize, message: &[u8]) -> bool;
    /// The doorbell that other ranks ring when they have sent something to this one. Only ranks of the same host can
    /// ring it.
    fn doorbell(&self) -> Option<Doorbell> {
        None
    }
    /// The next message that has come, and its sender. Never blocks. A message longer than [`MAX_MESSAGE_BYTES`] is
    /// received as an empty one.
    fn receive(&mut self) -> Option<(usize, Vec<u8>)>;
}
