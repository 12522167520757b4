//! What a processor does: the state machine, without threads, clocks or cells.
//!
//! [`ProcessorState`] decides; a *driver* sees and acts. The driver of real threads (`threads/worker.rs`) and that of the
//! virtual machine (`virtual_machine/mod.rs`) have the same loop:
//!
//! ```text
//!   begin: a processor that `begins_with_strand` starts its first strand
//!   loop:
//!     with a strand:    resume it; `came_back` says which strand runs next, if any
//!     without a strand: `next_step` says what to do: resume a strand that waits for this processor, begin a task of
//!                       another rank, ask a busy processor or another host, pause, sleep, wait, or end
//! ```
//!
//! What differs between the drivers is how a request travels and what time is.

use crate::context::SuspendedStrand;
use crate::strand::{StrandReturn, StrandSlot};
use crate::{Application, Stealing, Waiting};
use std::any::Any;

/// After this many refusals in a row on its own host an idle processor asks another host.
const REFUSALS_AT_HOME: u32 = 4;

/// Does this processor begin with a strand of its own?
pub(crate) fn begins_with_strand<A: Application>(application: &A, processor: usize) -> bool {
    application.starts_here() && (processor == 0 || application.starts_everywhere())
}

/// Is the run over when this first strand ends on this processor? Where there is only one first strand, it may have moved.
fn ends_run<A: Application>(application: &A, processor: usize) -> bool {
    !application.starts_everywhere() || processor == 0
}

/// What one processor knows of itself.
pub(crate) struct ProcessorState {
    pub(crate) index: usize,
    waiting: Waiting,
    /// The plies of the split points at which strands of this processor wait that only it may carry on.
    held: Vec<usize>,
    stealing: Stealing,
    /// Refusals in a row, as long as they count for where and whether to ask.
    refusals: u32,
    /// Refusals since the processor last had work.
    denials: u32,
    /// How long it has to sit idle before it asks again.
    back_off: u64,
    /// After this many refusals in a row the processor sleeps; none: never.
    patience: Option<u32>,
}

/// What an idle processor sees.
pub(crate) struct Seen {
    /// A strand may go on here.
    pub(crate) has_strand: bool,
    /// A task of another rank waits.
    pub(crate) has_remote_task: bool,
    pub(crate) is_over: bool,
    /// The run is over, and nothing is left that some processor has to do.
    pub(crate) is_drained: bool,
    /// Where idle processors ask all others at once: how far that is. Where there is a board: what is on it.
    pub(crate) help: Option<Help>,
}

/// What idle processors see where they do not ask a single other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Help {
    /// There is something to do at an open split point.
    Open,
    /// Another processor asks: what it finds is for all.
    Called,
    /// No processor asks.
    Quiet,
    /// There is nothing to do on the board.
    Board,
}

/// Which processors an idle one can ask.
pub(crate) trait Victims {
    /// A busy processor of the same host.
    fn draw_near(&mut self, processor: usize) -> Option<usize>;
    /// Another host, where there are several.
    fn draw_host(&mut self, _processor: usize) -> Option<usize> {
        None
    }
    /// Are there several hosts?
    fn has_hosts(&self) -> bool {
        false
    }
}

/// What an idle processor does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Go on with a strand that waits for this processor, or for any.
    Resume,
    /// Begin a task of another rank.
    BeginRemoteTask,
    /// Ask this processor for work.
    Ask(usize),
    /// Ask this host for work.
    AskHost(usize),
    /// Join the open split point where most is left to do.
    JoinOpen,
    /// Ask all busy processors at once.
    AskAll,
    /// Another processor asks all: wait for what it finds.
    AwaitSplit,
    /// Wait until there is something on the board.
    WaitAtBoard,
    /// Asking was in vain: sit idle for so long.
    BackOff(u64),
    /// No processor is busy at this moment: look again soon.
    Pause,
    /// Asking was in vain: sleep until there is work or an event.
    Sleep,
    /// Only an event can give this processor something to do: sleep until it happens.
    Wait,
    /// The run is over.
    End,
}

/// What a processor's surroundings do for it when a strand has come back.
pub(crate) trait Surroundings<A: Application> {
    /// A strand has paused: the strand to go on with, this one or a more urgent one.
    fn exchange(&mut self, strand: SuspendedStrand<A>) -> SuspendedStrand<A> {
        strand
    }
    /// Does a strand have to stay on the host it began on?
    fn has_hosts(&self) -> bool {
        false
    }
    /// Are both processors on one host?
    fn is_near(&self, _one: usize, _other: usize) -> bool {
        true
    }
    /// The run is over.
    fn end_run(&mut self);
    /// A strand has panicked; the run passes it on when it is over.
    fn keep_panic(&mut self, panic: Box<dyn Any + Send>);
    /// A finished strand's slot may be used again.
    fn keep_slot(&mut self, slot: StrandSlot<A>);
    /// The strand may go on on that processor only.
    fn send_to_processor(&mut self, processor: usize, strand: SuspendedStrand<A>);
    /// The strand may go on on that processor's host only.
    fn send_to_host(&mut self, _processor: usize, _strand: SuspendedStrand<A>) {
        unreachable!("there is one host")
    }
    /// This processor carries another strand's owner on.
    fn count_carried(&mut self);
}

impl ProcessorState {
    /// The state of a processor that works as `stealing` says, and waits so if the application wants nothing else.
    pub(crate) fn new(index: usize, stealing: Stealing, wanted: Waiting, patience: Option<u32>) -> ProcessorState {
        let waiting = stealing.waiting(wanted);
        ProcessorState { index, waiting, held: Vec::new(), stealing, refusals: 0, denials: 0, back_off: 0, patience }
    }

    /// Is a strand interrupted as soon as another one may go on here that only this processor may carry on?
    pub(crate) fn is_interrupted(&self) -> bool {
        self.waiting == Waiting::Preempt
    }

    /// Only frames at least this far from the root may be worked at meanwhile.
    pub(crate) fn floor(&self) -> usize {
        self.held.iter().copied().max().unwrap_or(0)
    }

    /// How often it has been refused since it last had work.
    pub(crate) fn denials(&self) -> u32 {
        self.denials
    }

    /// Does a strand wait that only this processor may carry on?
    pub(crate) fn holds_strand(&self) -> bool {
        !self.held.is_empty()
    }

    /// Does the processor do nothing until such a strand may go on?
    pub(crate) fn only_waits(&self) -> bool {
        self.holds_strand() && self.waiting == Waiting::Hold
    }

    /// A strand parked at `ply` goes on here.
    pub(crate) fn takes_up(&mut self, ply: usize) {
        if let Some(place) = self.held.iter().position(|&held| held == ply) {
            self.held.swap_remove(place);
        }
    }

    /// A request was refused.
    pub(crate) fn refused(&mut self) {
        self.refusals += 1;
        self.denials = self.denials.saturating_add(1);
        self.back_off = self.stealing.back_off_after(self.denials);
    }

    /// The processor has work.
    pub(crate) fn has_work(&mut self) {
        (self.refusals, self.denials, self.back_off) = (0, 0, 0);
    }

    /// What the processor does next, without a strand.
    pub(crate) fn next_step(&mut self, seen: &Seen, victims: &mut impl Victims) -> Step {
        if seen.has_strand {
            return Step::Resume;
        }
        if seen.has_remote_task && !seen.is_over {
            return Step::BeginRemoteTask;
        }
        if seen.is_over {
            return if seen.is_drained && !self.holds_strand() { Step::End } else { Step::Wait };
        }
        if self.only_waits() {
            return Step::Wait;
        }
        if self.back_off > 0 {
            return Step::BackOff(std::mem::take(&mut self.back_off));
        }
        if self.patience.is_some_and(|patience| self.refusals >= patience) {
            self.refusals = 0;
            return Step::Sleep;
        }
        if seen.help == Some(Help::Open) {
            return Step::JoinOpen;
        }
        if seen.help == Some(Help::Board) {
            return Step::WaitAtBoard;
        }
        if seen.help == Some(Help::Called) {
            self.refusals += u32::from(self.patience.is_some());
            return Step::AwaitSplit;
        }
        let near = victims.draw_near(self.index);
        if seen.help.is_some() && near.is_some() {
            return Step::AskAll;
        }
        if victims.has_hosts() && (near.is_none() || self.refusals >= REFUSALS_AT_HOME) {
            self.refusals = 0;
            return victims.draw_host(self.index).map_or(Step::Pause, Step::AskHost);
        }
        if near.is_none() {
            self.refusals += u32::from(self.patience.is_some());
        }
        near.map_or(Step::Pause, Step::Ask)
    }

    /// A strand has come back: the strand to run next, if there is one.
    pub(crate) fn came_back<A: Application>(
        &mut self,
        application: &A,
        returned: StrandReturn<A>,
        around: &mut impl Surroundings<A>,
    ) -> Option<SuspendedStrand<A>> {
        match returned {
            StrandReturn::Paused(strand) => Some(around.exchange(strand)),
            StrandReturn::Away(..) => unreachable!("only remote helpers give their work away"),
            StrandReturn::Parked(strand, split) => {
                let waits_here = self.waiting != Waiting::Carry;
                let home = (waits_here || around.has_hosts()).then_some(self.index);
                let left = split.park(strand.parked(home, split.ply));
                if left.is_none() && waits_here && !self.is_interrupted() {
                    self.held.push(split.ply);
                }
                left
            }
            StrandReturn::Finished { slot, at, first } => {
                if first && ends_run(application, self.index) {
                    around.end_run();
                }
                let owner = at.and_then(|split| {
                    let last = split.leave(slot.control());
                    // A helper that goes after one move may leave work behind that the owner waits for.
                    let wakes = last.is_none() && self.stealing.one_child;
                    last.or_else(|| if wakes { split.wake(|state| application.has_work(state)) } else { None })
                });
                around.keep_slot(slot);
                owner.and_then(|owner| self.carry_on(owner, around))
            }
            StrandReturn::Panicked { control, at, first, panic } => {
                // Nothing that still runs is of use. Helpers at its split points are cut, and the split point at which it
                // helped must not wait for it: then all other strands can end, and the run passes the panic on.
                application.stop();
                control.cut_all();
                around.keep_panic(panic);
                if first && ends_run(application, self.index) {
                    around.end_run();
                }
                let owner = at.and_then(|split| split.leave(&control));
                owner.and_then(|owner| self.carry_on(owner, around))
            }
        }
    }

    /// The last helper has left: this processor carries the owner on, unless only another one may.
    fn carry_on<A: Application>(
        &self,
        owner: SuspendedStrand<A>,
        around: &mut impl Surroundings<A>,
    ) -> Option<SuspendedStrand<A>> {
        match owner.home {
            Some(home) if self.waiting != Waiting::Carry => around.send_to_processor(home, owner),
            Some(home) if !around.is_near(home, self.index) => around.send_to_host(home, owner),
            _ => {
                around.count_carried();
                return Some(owner);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One host with processor 7 busy, or two hosts.
    struct Drawn {
        near: Option<usize>,
        host: Option<usize>,
    }

    impl Victims for Drawn {
        fn draw_near(&mut self, _processor: usize) -> Option<usize> {
            self.near
        }
        fn draw_host(&mut self, _processor: usize) -> Option<usize> {
            self.host
        }
        fn has_hosts(&self) -> bool {
            self.host.is_some()
        }
    }

    const NOTHING: Seen =
        Seen { has_strand: false, has_remote_task: false, is_over: false, is_drained: false, help: None };

    #[test]
    fn what_waits_goes_before_what_is_asked_for() {
        let mut processor = ProcessorState::new(0, Stealing::OURS, Waiting::Carry, Some(2));
        let mut victims = Drawn { near: Some(7), host: None };
        let mut step = |seen: Seen| processor.next_step(&seen, &mut victims);
        assert_eq!(step(Seen { has_strand: true, has_remote_task: true, ..NOTHING }), Step::Resume);
        assert_eq!(step(Seen { has_remote_task: true, ..NOTHING }), Step::BeginRemoteTask);
        assert_eq!(step(NOTHING), Step::Ask(7));
        // At the end strands are taken home, but nothing new is begun.
        assert_eq!(step(Seen { has_strand: true, is_over: true, ..NOTHING }), Step::Resume);
        assert_eq!(step(Seen { has_remote_task: true, is_over: true, ..NOTHING }), Step::Wait);
        assert_eq!(step(Seen { is_over: true, is_drained: true, ..NOTHING }), Step::End);
    }

    #[test]
    fn an_open_split_point_goes_before_asking_all() {
        let mut processor = ProcessorState::new(0, Stealing::OURS, Waiting::Carry, Some(2));
        let mut victims = Drawn { near: Some(7), host: None };
        let mut step = |help, near| {
            victims.near = near;
            processor.next_step(&Seen { help: Some(help), ..NOTHING }, &mut victims)
        };
        assert_eq!(step(Help::Open, Some(7)), Step::JoinOpen);
        assert_eq!(step(Help::Quiet, Some(7)), Step::AskAll);
        assert_eq!(step(Help::Quiet, None), Step::Pause);
        assert_eq!(step(Help::Board, Some(7)), Step::WaitAtBoard);
        // While another processor asks it waits, and sleeps if that takes long.
        assert_eq!(step(Help::Called, Some(7)), Step::AwaitSplit);
        assert_eq!(step(Help::Called, Some(7)), Step::Sleep);
    }

    #[test]
    fn an_impatient_processor_sleeps_and_then_asks_again() {
        let mut processor = ProcessorState::new(0, Stealing::OURS, Waiting::Carry, Some(2));
        let mut victims = Drawn { near: Some(7), host: None };
        for _ in 0..2 {
            assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::Ask(7));
            processor.refused();
        }
        assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::Sleep);
        assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::Ask(7));
        victims.near = None;
        let steps = [(); 3].map(|()| processor.next_step(&NOTHING, &mut victims));
        assert_eq!(steps, [Step::Pause, Step::Pause, Step::Sleep]);
    }

    #[test]
    fn another_host_is_asked_after_refusals_or_when_all_are_idle() {
        let mut processor = ProcessorState::new(0, Stealing::OURS, Waiting::Carry, None);
        let mut victims = Drawn { near: Some(7), host: Some(1) };
        for _ in 0..REFUSALS_AT_HOME {
            assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::Ask(7));
            processor.refused();
        }
        assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::AskHost(1));
        assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::Ask(7));
        victims.near = None;
        assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::AskHost(1));
    }

    #[test]
    fn a_refused_processor_backs_off_before_it_asks_again() {
        let stealing = Stealing { back_off: 20, longest_back_off: 50, ..Stealing::OURS };
        let mut processor = ProcessorState::new(0, stealing, Waiting::Carry, None);
        let mut victims = Drawn { near: Some(7), host: None };
        for expected in [20, 40, 50] {
            assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::Ask(7));
            processor.refused();
            assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::BackOff(expected));
        }
        // What waits for it goes before.
        processor.refused();
        assert_eq!(processor.next_step(&Seen { has_strand: true, ..NOTHING }, &mut victims), Step::Resume);
        processor.has_work();
        assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::Ask(7));
    }

    #[test]
    fn a_processor_that_holds_on_asks_for_nothing() {
        let mut processor = ProcessorState::new(0, Stealing::OURS, Waiting::Hold, Some(2));
        let mut victims = Drawn { near: Some(7), host: None };
        processor.held.push(3);
        assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::Wait);
        assert_eq!(processor.next_step(&Seen { is_over: true, is_drained: true, ..NOTHING }, &mut victims), Step::Wait);
        processor.takes_up(3);
        assert_eq!(processor.next_step(&NOTHING, &mut victims), Step::Ask(7));
        // With level waiting it works, but only below.
        let mut processor = ProcessorState::new(0, Stealing::OURS, Waiting::Level, Some(2));
        processor.held.extend([3, 5]);
        assert_eq!((processor.next_step(&NOTHING, &mut victims), processor.floor()), (Step::Ask(7), 5));
    }
}
