//! Leaving to others what they are searching already: for algorithms whose processors share nothing else (ABDADA), and for
//! deferred reads (StarTech section 4).
//!
//! # Why strands that wait for each other's results do not wait for ever
//!
//! A strand reserves a position with its depth while it searches the position's moves. A strand that wants the same position to
//! the *same depth* waits for the reservation to end, but only where that depth is *less than the depth of every frame
//! above it* on its path; a helper's path includes the frames above its split point. Let a strand wait for a reservation
//! of depth d. Whatever is done for the reserved position, by the strand that reserved it or by helpers, is done below a
//! frame of depth d, so each wait among it is for a depth less than d. Along a chain of waits the depth falls at each
//! step, so no chain comes back to where it began, and the strand at its end is running.
//!
//! That holds as long as a strand that could run has a processor to run on. Where a strand may go on on one
//! processor only, which may be the one that waits ([`Waiting::Level`], [`Waiting::Preempt`]), and among ranks, which do not
//! see each other's frames, waiting has a limit.

use crate::Rules;
use crate::marks::{Marks, Reservations, SearchMarks};
use crate::strand::{Cut, Strand};
use game::{Depth, Game, Score};
use scheduler::Waiting;

/// Moves of nodes at least this deep are marked for others to put off.
const MARKED: Depth = 3;
/// Maximum number of nodes' time that a strand waits for another strand's result where two may wait for each other.
const PATIENCE: usize = 2000;

/// What became of the wish to search a position alone.
pub(crate) enum Reserved {
    /// Another strand has searched it meanwhile: its score.
    Settled(Score),
    /// This strand is to search it; it has reserved it, or not.
    Search {
        /// Does a reservation have to be released?
        held: bool,
    },
}

impl<G: Game, R: Rules<G>> Strand<'_, '_, G, R> {
    /// The marks of moves that are being searched, if they matter at this ply.
    #[inline]
    fn exclusion(&self, ply: usize) -> Option<&SearchMarks> {
        match &self.context.marks {
            Marks::Exclusion(marks) if self.path[ply].depth >= MARKED => Some(marks),
            _ => None,
        }
    }

    /// Is another strand searching the move just played? Then it is deferred until the other moves are done.
    #[inline]
    pub(crate) fn puts_off(&mut self, ply: usize, mv: G::Move) -> bool {
        let Some(busy) = self.exclusion(ply) else { return false };
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
        if let Some(busy) = self.exclusion(ply) {
            busy.mark(self.path[ply + 1].key);
        }
    }

    /// The move has been searched. (The marks of a strand that is cut stay; they only cost others a second look.)
    #[inline]
    pub(crate) fn unmark(&self, ply: usize) {
        if let Some(busy) = self.exclusion(ply) {
            busy.clear(self.path[ply + 1].key);
        }
    }

    /// With deferred reads: reserves this position. If another strand searches it already, waits for that, and has the score
    /// if that settles it.
    #[inline]
    pub(crate) fn reserve(&mut self, ply: usize) -> Result<Reserved, Cut> {
        match &self.context.marks {
            Marks::DeferredReads(reservations) if ply > 0 && !self.path[ply].purpose.excludes_a_move() => {
                self.defer(ply, reservations)
            }
            _ => Ok(Reserved::Search { held: false }),
        }
    }

    #[cold]
    fn defer(&mut self, ply: usize, reservations: &Reservations) -> Result<Reserved, Cut> {
        let (key, depth) = (self.path[ply].key, self.path[ply].depth);
        if reservations.reserve(key, depth) {
            return Ok(Reserved::Search { held: true });
        }
        let mut patience = self.patience(ply);
        let mut held = false;
        while patience > 0 && !held {
            self.linger(ply)?;
            held = reservations.reserve(key, depth);
            patience -= 1;
        }
        self.probe(ply);
        let Some(score) = self.settled(ply) else { return Ok(Reserved::Search { held }) };
        self.release(ply, held);
        Ok(Reserved::Settled(score))
    }

    /// How many nodes' time a strand waits for the result of this node at most.
    fn patience(&self, ply: usize) -> usize {
        let depth = self.path[ply].depth;
        let may_wait = (0..ply).all(|above| self.path[above].depth > depth);
        let needs_processor = matches!(self.context.terms.waiting, Waiting::Level | Waiting::Preempt);
        match may_wait {
            false => 0,
            true if needs_processor || self.doorbell.is_some() => PATIENCE,
            true => usize::MAX,
        }
    }

    /// With deferred reads: the position has been searched, or is not wanted any more.
    #[inline]
    pub(crate) fn release(&self, ply: usize, held: bool) {
        if let (true, Marks::DeferredReads(reservations)) = (held, &self.context.marks) {
            reservations.release(self.path[ply].key, self.path[ply].depth);
        }
    }
}
