//! The seam between ranks and whatever connects them.

use scheduler::Doorbell;

/// Maximum length of a message in bytes. The longest messages are batches of table entries and of statistics, which have
/// limits of their own.
pub const MAX_MESSAGE_BYTES: usize = 1 << 20;

/// Connects this rank with all others. Messages between two ranks arrive, whole; nothing else is asked of it.
pub trait Transport: Send {
    /// The number of this rank.
    fn rank(&self) -> usize;
    /// How many ranks there are.
    fn ranks(&self) -> usize;
    /// Sends a message. Never blocks: what can't be sent now is kept, and what can't be kept is dropped. False if it was.
    fn send(&mut self, to: usize, message: &[u8]) -> bool;
    /// The bell that the others ring when they have sent something here, as far as they can.
    fn bell(&self) -> Option<Doorbell> {
        None
    }
    /// The next message that has come, and where from. Never blocks. A message longer than [`MAX_MESSAGE_BYTES`] is
    /// received as an empty one.
    fn receive(&mut self) -> Option<(usize, Vec<u8>)>;
}
