//! The ledger of a split point: nodes searched and lost below each of its moves, by all members and their helpers.
//!
//! A helper may still run when the owner of its split point has gone on, because the node was cut off or is not wanted any
//! more. What it did is then handed to the owner, until the owner has ended the move that it searches above, and after that
//! to the next split point above.

use crate::Kind;
use crate::lost::LostNodes;
use parking_lot::Mutex;
use std::sync::Arc;

/// Nodes that were searched, and those among them that were lost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkEntry {
    pub(crate) nodes: u64,
    pub(crate) lost: LostNodes,
}

impl WorkEntry {
    pub(crate) fn add(&mut self, other: &WorkEntry) {
        self.nodes += other.nodes;
        self.lost.add(&other.lost);
    }
}

/// What was done at a split point.
pub(crate) struct Ledger {
    node_type: Kind,
    pages: Mutex<Pages>,
}

/// Where entries go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// To the move they belong to.
    Open,
    /// The owner has gone on, and asks for what comes late.
    Late,
    /// To the split point above.
    PassedUp,
}

struct Pages {
    stage: Stage,
    /// The next split point above, and the index of its move that leads here.
    above: Option<(Arc<Ledger>, usize)>,
    /// With the index of the move.
    entries: Vec<(usize, WorkEntry)>,
    /// Nodes that the owner did not search itself.
    help: u64,
    /// What came late.
    late: WorkEntry,
    /// The index of the move that cut the node off.
    cutter: Option<usize>,
    /// The type of a node above, between this split point and the next, at which the test has failed that all this was
    /// done for.
    failed: Option<Kind>,
}

impl Pages {
    /// What is lost of an entry here.
    fn lost(&self, node_type: Kind, index: usize, entry: &WorkEntry) -> LostNodes {
        match (self.failed, self.cutter) {
            (Some(above), _) => entry.lost.failed(above, entry.nodes),
            (None, Some(cutter)) if index > cutter => entry.lost.cut_off(node_type, entry.nodes),
            _ => entry.lost,
        }
    }
}

impl Ledger {
    /// The ledger of a node of this type.
    pub(crate) fn new(node_type: Kind) -> Arc<Ledger> {
        let pages = Pages {
            stage: Stage::Open,
            above: None,
            entries: Vec::new(),
            help: 0,
            late: WorkEntry::default(),
            cutter: None,
            failed: None,
        };
        Arc::new(Ledger { node_type, pages: Mutex::new(pages) })
    }

    /// The split point lies below that move of another one, and no third is between them.
    pub(crate) fn set_above(&self, above: &Arc<Ledger>, index: usize) {
        self.pages.lock().above = Some((Arc::clone(above), index));
    }

    /// The move with this index has cut the node off.
    pub(crate) fn cut(&self, index: usize) {
        self.pages.lock().cutter.get_or_insert(index);
    }

    /// Enters what was done below a move. What is lost for certain is given back.
    pub(crate) fn enter(&self, index: usize, mut entry: WorkEntry, is_help: bool) -> LostNodes {
        let mut pages = self.pages.lock();
        if pages.stage == Stage::Open {
            pages.entries.push((index, entry));
            pages.help += if is_help { entry.nodes } else { 0 };
            return LostNodes::default();
        }
        entry.lost = pages.lost(self.node_type, index, &entry);
        if pages.stage == Stage::Late {
            pages.late.add(&entry);
            return LostNodes::default();
        }
        let above = pages.above.clone();
        drop(pages);
        above.map_or(entry.lost, |(above, index)| above.enter(index, entry, true))
    }

    /// The owner goes on: what was lost here, and the nodes that it did not search itself.
    pub(crate) fn close(&self) -> WorkEntry {
        let mut pages = self.pages.lock();
        pages.stage = Stage::Late;
        let mut sum = WorkEntry { nodes: std::mem::take(&mut pages.help), ..WorkEntry::default() };
        for (index, entry) in std::mem::take(&mut pages.entries) {
            sum.lost.add(&pages.lost(self.node_type, index, &entry));
        }
        sum
    }

    /// What came late, since the owner has asked last.
    pub(crate) fn take_late(&self) -> WorkEntry {
        std::mem::take(&mut self.pages.lock().late)
    }

    /// The test has failed that all this was done for, at a node of this type.
    pub(crate) fn fail(&self, node_type: Kind) {
        self.pages.lock().failed = Some(node_type);
    }

    /// The owner has ended the move that it searched above, and does not ask any more.
    pub(crate) fn pass_up(&self) -> WorkEntry {
        let mut pages = self.pages.lock();
        pages.stage = Stage::PassedUp;
        std::mem::take(&mut pages.late)
    }
}
