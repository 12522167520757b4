//! What things cost on a virtual machine, in ticks.

/// The costs of a virtual machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Searching one node.
    pub node: u64,
    /// Until a request reaches its victim, or an answer its sender.
    pub message: u64,
    /// To the victim: answering a request, whatever the answer.
    pub answer: u64,
    /// To the victim: turning a frame into a split point.
    pub split: u64,
    /// To the helper: taking over the path and starting a strand.
    pub start: u64,
    /// Frames less deep than this are not worth being shared.
    pub grain: i32,
}

impl Costs {
    /// Nodes cost one tick, an exchange of messages one more, and nothing else costs anything.
    pub fn ideal() -> Costs {
        Costs { node: 1, message: 1, answer: 0, split: 0, start: 0, grain: 0 }
    }
}
