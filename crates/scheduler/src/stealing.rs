//! How idle processors find work, and what a processor does that waits: what the schedulers of the systems decide
//! differently, apart from what it costs.

/// What a processor does whose strand has run out of moves at its own split point while helpers are busy there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It looks for other work at once; the last helper carries the strand on, on its own processor.
    Carry,
    /// It does nothing until the helpers are back.
    Hold,
    /// It may help others meanwhile, but not above that split point; it goes on with the strand itself when it can.
    Level,
    /// It looks for other work at once, anywhere; it goes on with the strand itself as soon as it can, even if what it does
    /// meanwhile is not done: that is interrupted, and resumed when the strand ends or waits again.
    Preempt,
}

/// Whom an idle processor asks for work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// One of the processors that have a strand, at random. On a machine without common memory no processor can know them.
    BusyAtRandom,
    /// Any other processor, at random; one that has no strand refuses. The request takes the time of a message, too.
    AnyAtRandom,
    /// None: processors without a strand stay so.
    Nobody,
    /// All processors that have a strand, at once; it takes the best of what they offer (DTS section 2.3). Before that it
    /// joins the open split point where most is left to do. One processor asks at a time, the others wait for what it
    /// finds. Needs common memory: among several hosts processors are asked at random.
    All,
    /// None: it joins the best split point of the machine's board at which there is something to do. If there is none it waits,
    /// and the next strand that has something to share puts it on the board. Needs common memory, and no strand that waits
    /// for its own processor; otherwise, and on threads, processors are asked as the machine says.
    Board,
}

/// How idle processors find work, and what a processor does that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stealing {
    /// Whom an idle processor asks.
    pub asking: Asking,
    /// How long a processor sits idle after a refusal, in ticks; twice as long after each further one. Zero: not at all.
    pub back_off: u64,
    /// It sits idle no longer than this.
    pub longest_back_off: u64,
    /// For at most how many nodes a strand keeps a request that it has nothing to give to, before it refuses.
    pub deferrals: u32,
    /// Does a helper take one move, report it and go? If not, it stays while there are moves.
    pub one_child: bool,
    /// Does a helper that has reported wait until the owner's processor dismisses it?
    pub dismissal: bool,
    /// What a processor does whose strand waits for its helpers, unless the algorithm says something else.
    pub waiting: Waiting,
}

impl Stealing {
    /// Our own way: busy processors are asked and may keep a request as long as the algorithm likes, and helpers stay.
    pub const OURS: Stealing = Stealing {
        asking: Asking::BusyAtRandom,
        back_off: 0,
        longest_back_off: 0,
        deferrals: u32::MAX,
        one_child: false,
        dismissal: false,
        waiting: Waiting::Carry,
    };

    /// How long a processor sits idle after this many refusals in a row.
    pub(crate) fn back_off_after(&self, refusals: u32) -> u64 {
        let doublings = refusals.saturating_sub(1).min(32);
        if refusals == 0 { 0 } else { self.back_off.saturating_mul(1 << doublings).min(self.longest_back_off) }
    }

    /// What a processor of this machine does whose strand waits, if the application would like it to do `wanted`.
    pub fn waiting(&self, wanted: Waiting) -> Waiting {
        if wanted == Waiting::Carry { self.waiting } else { wanted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_processor_waits_twice_as_long_each_time_up_to_a_limit() {
        let stealing = Stealing { back_off: 20, longest_back_off: 100, ..Stealing::OURS };
        assert_eq!([0, 1, 2, 3, 4, 90].map(|refusals| stealing.back_off_after(refusals)), [0, 20, 40, 80, 100, 100]);
        assert_eq!(Stealing::OURS.back_off_after(7), 0);
    }

    #[test]
    fn an_algorithm_that_says_how_to_wait_is_obeyed() {
        let stealing = Stealing { waiting: Waiting::Hold, ..Stealing::OURS };
        assert_eq!(stealing.waiting(Waiting::Level), Waiting::Level);
        assert_eq!(stealing.waiting(Waiting::Carry), Waiting::Hold);
    }
}
