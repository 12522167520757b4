//! Leaving to others what they are searching already: for algorithms whose processors share nothing else (ABDADA), and for
//! deferred reads (StarTech section 4).

use crate::Rules;
use crate::marks::{SearchMarks, Use};
use crate::strand::{Cut, Strand};
use game::{Depth, Game, Score};

/// Positions at least this deep are marked.
const MARKED: Depth = 3;
/// Maximum number of nodes' time that a strand waits for another strand's result: two strands may wait for each other.
const PATIENCE: usize = 2000;

impl<G: Game, R: Rules<G>> Strand<'_, '_, G, R> {
    /// The marks, if they are for this use and matter at this ply.
    #[inline]
    fn marks(&self, use_for: Use, ply: usize) -> Option<&SearchMarks> {
        let busy = self.context.marks.as_ref()?;
        (busy.use_for == use_for && self.path[ply].depth >= MARKED).then_some(busy)
    }

    /// Is another strand searching the move just played? Then it is deferred until the other moves are done.
    #[inline]
    pub(crate) fn puts_off(&mut self, ply: usize, mv: G::Move) -> bool {
        let Some(busy) = self.marks(Use::Exclusion, ply) else { return false };
        let frame = &self.path[ply];
        let waits = ply > 0 && frame.tried > 0 && !frame.moves.second_pass && busy.has(self.path[ply + 1].key);
        if waits {
            self.path[ply].moves.deferred.push(mv);
        }
        waits
    }

    /// Tells the others that the move just played is being searched.
    #[inline]
    pub(crate) fn mark(&self, ply: usize) {
        if let Some(busy) = self.marks(Use::Exclusion, ply) {
            busy.mark(self.path[ply + 1].key);
        }
    }

    /// The move has been searched. (The marks of a strand that is cut stay; they only cost others a second look.)
    #[inline]
    pub(crate) fn unmark(&self, ply: usize) {
        if let Some(busy) = self.marks(Use::Exclusion, ply) {
            busy.clear(self.path[ply + 1].key);
        }
    }

    /// With deferred reads: waits for the strand that searches this position already, and has the score if that settles it; then
    /// tells the others that it is searched here.
    #[inline]
    pub(crate) fn reserve(&mut self, ply: usize) -> Result<Option<Score>, Cut> {
        if self.marks(Use::DeferredReads, ply).is_none() || ply == 0 || self.path[ply].purpose.excludes_a_move() {
            return Ok(None);
        }
        self.defer(ply)
    }

    #[cold]
    fn defer(&mut self, ply: usize) -> Result<Option<Score>, Cut> {
        let key = self.path[ply].key;
        let mut waited = 0;
        while waited < PATIENCE && self.marks(Use::DeferredReads, ply).is_some_and(|busy| busy.has(key)) {
            self.linger(ply)?;
            waited += 1;
        }
        if waited > 0 {
            self.probe(ply);
            if let Some(score) = self.settled(ply) {
                return Ok(Some(score));
            }
        }
        if let Some(busy) = self.marks(Use::DeferredReads, ply) {
            busy.mark(key);
        }
        Ok(None)
    }

    /// With deferred reads: the position has been searched, or is not wanted any more.
    #[inline]
    pub(crate) fn release(&self, ply: usize) {
        if let Some(busy) = self.marks(Use::DeferredReads, ply) {
            busy.clear(self.path[ply].key);
        }
    }
}
