//! The protocol: how strands meet at a split point, leave it, are parked there and are cut away from it.
//!
//! # The states of a split point
//!
//! ```text
//!            share            join (k+1)                leave, others there (k-1)
//!   private ------> open(k) <------------> open(k) <-------------------------------+
//!                     |  ^                    |                                    |
//!                     |  |                    | cut: a member found the answer, or |
//!        owner done,  |  |                    | a frame above was cut              |
//!        k > 0        |  |                    v                                    |
//!                     |  |                  over(k) ------ leave (k-1) ------------+
//!                     v  |                    |
//!                   parked ---- last leave ---+----> owner carried on by the last member
//! ```
//!
//! `k` counts the helpers. The owner is the strand whose frame was shared. No strand joins a split point
//! that is over, and its members find nothing more to do there.
//!
//! # Why no work is lost and nothing deadlocks
//!
//! - Everything about one split point changes under its one lock. A member registers before it takes anything, and
//!   leaves after it has reported what it took. So when `k` is zero and the owner is parked, every move was reported.
//! - The owner parks under the same lock, and only if `k > 0` ([`SplitPoint::park`]); the leave that brings `k` to zero takes
//!   the parked owner out under the lock ([`SplitPoint::leave`]). One of the two comes first: either the owner finds `k = 0`
//!   and goes on by itself, or the last helper finds the owner parked. The owner is carried on exactly once.
//! - A helper that goes after one move may leave work behind while others are still busy: then it takes the parked owner
//!   out at once ([`SplitPoint::wake`]), under the lock. The owner parks again when it has nothing to do; if a helper left
//!   work behind between the owner's last look and its parking, the last helper takes the owner out.
//! - A member that is parked at a split point of its own, below, waits for helpers of that one. Split points form a tree
//!   and strands wait only downwards, so there is no cycle; at the leaves some strand is running.
//! - Locks are taken downwards only: a cut holds the lock of its split point while it walks to the split points of the
//!   members below ([`SplitPoint::cut`]). No thread that holds a lock takes one above it.
//! - A cut sets a member's mark under the lock of the split point, and a member's mark is taken back only under the same
//!   lock, by its owner, when the owner comes to the frame. So a mark never hits a strand that has already gone on.
//! - A recall marks members as a cut does, but the split point stays open: each member that comes back takes its own mark
//!   away under the lock ([`SplitPoint::forgive`]); what it had taken was given to others when it was recalled. A member
//!   that had already reported keeps a mark, which costs it one more return to the split point. A new helper has no mark.
//! - A split point made by a strand that is just being cut is missed by the walk; but its owner will see its own mark
//!   at its next node at the latest, and cuts what it shared while it unwinds ([`SplitPoint::abandon`]).

use crate::sync::{Arc, AtomicU64, AtomicUsize, Mutex, Ordering, lock};

/// What others may touch of a strand.
pub struct StrandControl<N, S, V> {
    /// The strand looks up when it has counted this many nodes; zero: at once.
    look_up_at: AtomicU64,
    /// How many frames of its path still matter: deeper ones belong to something that was cut.
    keep: AtomicUsize,
    /// The frames it has shared.
    shared: Mutex<Vec<Arc<SplitPoint<N, S, V>>>>,
}

impl<N, S, V> Default for StrandControl<N, S, V> {
    fn default() -> Self {
        StrandControl {
            look_up_at: AtomicU64::new(0),
            keep: AtomicUsize::new(usize::MAX),
            shared: Mutex::new(Vec::new()),
        }
    }
}

impl<N, S, V> StrandControl<N, S, V> {
    /// The number of nodes after which the strand wants to look up.
    #[inline]
    pub fn look_up_at(&self) -> u64 {
        self.look_up_at.load(Ordering::Relaxed)
    }

    /// The strand has looked up and next does so after that many nodes, or when poked.
    ///
    /// Whoever pokes has written before what the strand is to see; the strand calls this *before* it reads that, so a
    /// poke that comes between is seen at the next node. The count before; zero if the strand was poked.
    pub fn next_look(&self, nodes: u64) -> u64 {
        self.look_up_at.swap(nodes, Ordering::AcqRel)
    }

    /// Makes the strand look up at its next node.
    pub fn poke(&self) {
        self.look_up_at.swap(0, Ordering::AcqRel);
    }

    /// How many frames of the strand's path still matter.
    #[inline]
    pub fn keep(&self) -> usize {
        self.keep.load(Ordering::Acquire)
    }

    /// A strand begins: nothing of it is cut. A helper begins before it joins, or it might wipe out a mark.
    pub fn begin(&self) {
        self.keep.store(usize::MAX, Ordering::Release);
        self.look_up_at.store(0, Ordering::Release);
    }

    /// The frames it has shared, from the first one on.
    pub fn shared_frames(&self) -> Vec<Arc<SplitPoint<N, S, V>>> {
        lock(&self.shared).clone()
    }

    /// The strand itself has found out that only this many frames of its path still matter.
    pub fn come_back(&self, keep: usize) {
        self.lower(keep);
    }

    /// The whole strand is of no use any more, and nothing that was shared by it.
    pub fn cut_all(&self) {
        self.lower(0);
    }

    fn lower(&self, keep: usize) {
        self.keep.fetch_min(keep, Ordering::AcqRel);
        self.poke();
        let below: Vec<_> = lock(&self.shared).iter().filter(|split| split.ply >= keep).cloned().collect();
        for split in below {
            split.cut();
        }
    }
}

/// A frame that has been shared: several strands take its remaining moves.
pub struct SplitPoint<N, S, V> {
    /// The frame's ply in its owner's path, and in those of all helpers.
    pub ply: usize,
    /// What does not change: the path that leads here.
    pub path: N,
    inner: Mutex<Inner<N, S, V>>,
}

struct Inner<N, S, V> {
    owner: Arc<StrandControl<N, S, V>>,
    helpers: Vec<Arc<StrandControl<N, S, V>>>,
    parked: Option<V>,
    over: bool,
    /// The next split point above, on the way to the root.
    above: Option<Arc<SplitPoint<N, S, V>>>,
    state: S,
}

/// What a member of a split point may see and change.
pub struct SplitAccess<'a, S> {
    /// What changes at the split point: moves left, bounds, the best so far.
    pub state: &'a mut S,
    /// Nothing more is to be done here.
    pub over: bool,
}

impl<N, S, V> SplitPoint<N, S, V> {
    /// Shares the frame at `ply` of the strand behind `owner`.
    pub fn share(owner: &Arc<StrandControl<N, S, V>>, ply: usize, path: N, state: S) -> Arc<Self> {
        let inner =
            Inner { owner: Arc::clone(owner), helpers: Vec::new(), parked: None, over: false, above: None, state };
        let split = Arc::new(SplitPoint { ply, path, inner: Mutex::new(inner) });
        lock(&owner.shared).push(Arc::clone(&split));
        split
    }

    /// The split point lies below that one, and no third is between them.
    pub fn set_above(&self, above: &Arc<Self>) {
        lock(&self.inner).above = Some(Arc::clone(above));
    }

    /// The next split point above, on the way to the root.
    pub fn above(&self) -> Option<Arc<Self>> {
        lock(&self.inner).above.clone()
    }

    /// Looks at the split point, and changes what is there.
    pub fn with<T>(&self, act: impl FnOnce(SplitAccess<'_, S>) -> T) -> T {
        let inner = &mut *lock(&self.inner);
        act(SplitAccess { state: &mut inner.state, over: inner.over })
    }

    /// As [`SplitPoint::with`]; if `act` says so the split point is over, and everyone below it is cut.
    pub fn report(&self, act: impl FnOnce(SplitAccess<'_, S>) -> bool) {
        let inner = &mut *lock(&self.inner);
        if act(SplitAccess { state: &mut inner.state, over: inner.over }) {
            self.end(inner);
        }
    }

    /// A helper comes, if there is something to do; how many helpers there are now.
    pub fn join(&self, helper: &Arc<StrandControl<N, S, V>>, has_work: impl FnOnce(&mut S) -> bool) -> Option<usize> {
        let inner = &mut *lock(&self.inner);
        if inner.over || !has_work(&mut inner.state) {
            return None;
        }
        inner.helpers.push(Arc::clone(helper));
        Some(inner.helpers.len())
    }

    /// A helper goes. If it was the last and the owner is parked, it has to carry the owner on.
    pub fn leave(&self, helper: &Arc<StrandControl<N, S, V>>) -> Option<V> {
        let inner = &mut *lock(&self.inner);
        inner.helpers.retain(|other| !Arc::ptr_eq(other, helper));
        if inner.helpers.is_empty() { inner.parked.take() } else { None }
    }

    /// Takes the parked owner out, though helpers are still here, if there is something to do for it.
    pub fn wake(&self, has_work: impl FnOnce(&mut S) -> bool) -> Option<V> {
        let inner = &mut *lock(&self.inner);
        if inner.parked.is_some() && has_work(&mut inner.state) { inner.parked.take() } else { None }
    }

    /// All members but the caller are to give up what they are searching below and come back to the split point.
    pub fn recall(&self, caller: &Arc<StrandControl<N, S, V>>) {
        let inner = &mut *lock(&self.inner);
        for member in inner.helpers.iter().chain([&inner.owner]) {
            if !Arc::ptr_eq(member, caller) {
                member.lower(self.ply + 1);
            }
        }
    }

    /// All members but the caller look up at their next node.
    pub fn poke(&self, caller: &Arc<StrandControl<N, S, V>>) {
        let inner = &mut *lock(&self.inner);
        inner
            .helpers
            .iter()
            .chain([&inner.owner])
            .filter(|member| !Arc::ptr_eq(member, caller))
            .for_each(|member| member.poke());
    }

    /// A member has come back with nothing in its hands. True if it was recalled: then it may go on here. False if the
    /// split point is over, or the member was cut from above.
    pub fn forgive(&self, member: &Arc<StrandControl<N, S, V>>) -> bool {
        let inner = &mut *lock(&self.inner);
        if inner.over {
            return false;
        }
        let _ = member.keep.compare_exchange(self.ply + 1, usize::MAX, Ordering::AcqRel, Ordering::Acquire);
        member.keep() > self.ply
    }

    /// The owner has nothing more to do here. True if no helper is here any more.
    pub fn is_deserted(&self) -> bool {
        lock(&self.inner).helpers.is_empty()
    }

    /// The owner, suspended, is left here until the last helper carries it on. Given back if no helper is here any more.
    pub fn park(&self, owner: V) -> Option<V> {
        let inner = &mut *lock(&self.inner);
        if inner.helpers.is_empty() {
            return Some(owner);
        }
        inner.parked = Some(owner);
        None
    }

    /// The owner goes on past its frame, with what was found here; everyone else has left. None if a frame above was
    /// cut meanwhile.
    pub fn close<T>(&self, take: impl FnOnce(&mut S) -> T) -> Option<T> {
        let inner = &mut *lock(&self.inner);
        inner.over = true;
        self.forget(inner);
        // The mark of this split point's own cut; one of a frame above stays.
        let _ = inner.owner.keep.compare_exchange(self.ply + 1, usize::MAX, Ordering::AcqRel, Ordering::Acquire);
        (inner.owner.keep() > self.ply).then(|| take(&mut inner.state))
    }

    /// The owner was cut from above and unwinds past its frame; no helper needs to be waited for.
    pub fn abandon(&self) {
        let inner = &mut *lock(&self.inner);
        self.end(inner);
        self.forget(inner);
    }

    /// Everyone below is cut.
    pub fn cut(&self) {
        let inner = &mut *lock(&self.inner);
        self.end(inner);
    }

    fn end(&self, inner: &mut Inner<N, S, V>) {
        if inner.over {
            return;
        }
        inner.over = true;
        inner.owner.lower(self.ply + 1);
        for helper in &inner.helpers {
            helper.lower(self.ply + 1);
        }
    }

    fn forget(&self, inner: &Inner<N, S, V>) {
        lock(&inner.owner.shared).retain(|split| !std::ptr::eq(&raw const **split, self));
    }
}
