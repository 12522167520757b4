//! A machine of threads, as its strands see it.

use super::bridge::Bridge;
use super::run::ThreadRun;
use crate::context::{Machine, SplitPointOf};
use crate::doorbell::Doorbell;
use crate::remote::RemoteQueues;
use crate::request::WorkAnswer;
use crate::{Application, Asking, Occupation, Stealing, WorkOffer, WorkRequest};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Nodes between two looks at the outside world, unasked: well under a millisecond.
const INTERVAL: u64 = 1024;
/// The same while processors sleep: one of them is woken at the next look if there is work for it.
const WAKING_INTERVAL: u64 = 256;
/// A busy rank looks for messages after this many nodes; and where the doorbell is rung for every message.
const LISTENING: [u64; 2] = [32, 128];

/// A run on threads and, where the machine is one of several ranks, its bridge to the others.
pub(super) struct ThreadMachine<'a, A: Application> {
    pub(super) run: ThreadRun<'a, A>,
    pub(super) bridge: Option<Bridge<'a, A>>,
}

impl<A: Application> ThreadMachine<'_, A> {
    /// A strand has answered the request that it took last.
    fn book_answer(&self, processor: usize) {
        let counts = &self.run.cells[processor].counts;
        let (taken, now) = (counts.taken.load(Ordering::Relaxed), self.run.now());
        counts.answering.fetch_add(now.saturating_sub(taken), Ordering::Relaxed);
        if let Some(recorder) = self.run.recorder {
            recorder.did(processor, Occupation::Working, taken);
            recorder.did(processor, Occupation::Answering, now);
        }
    }

    /// An idle processor lets the message pump work, and sees to limits that no strand may be there to check.
    pub(super) fn poll_messages(&self) {
        if let Some(bridge) = &self.bridge {
            bridge.poll(&self.run, self);
            if self.run.is_over() {
                bridge.close(&self.run, self);
            } else if !self.run.application.is_stopped() {
                self.run.application.check_limits();
                if self.run.application.is_stopped() {
                    self.run.poke_all();
                }
            }
        }
    }
}

impl<A: Application> Machine<A> for ThreadMachine<'_, A> {
    fn tick(&self, processor: usize, _nodes: u64) -> bool {
        if let Some(bridge) = &self.bridge {
            bridge.poll_if_due(&self.run, self);
        }
        processor < self.run.processors && self.run.queues.as_ref().is_some_and(RemoteQueues::has_urgent)
    }

    fn now(&self) -> u64 {
        self.run.now()
    }

    fn linger(&self) {
        std::thread::yield_now();
    }

    fn request(&self, processor: usize) -> Option<WorkRequest> {
        let cell = &self.run.cells[processor];
        let asker = cell.slot.take()?;
        cell.counts.taken.store(self.now(), Ordering::Relaxed);
        let wish = &self.run.cells[asker].wish;
        Some(WorkRequest {
            processor: asker,
            inquiry: wish.inquiry(),
            floor: wish.floor.load(Ordering::Relaxed),
            grain: i32::MIN,
            least: wish.least.load(Ordering::Relaxed),
            denials: wish.denials.load(Ordering::Relaxed),
            delays: wish.delays.load(Ordering::Relaxed),
            patience: Stealing::OURS.deferrals,
        })
    }

    fn defer(&self, processor: usize, request: WorkRequest) {
        // The count lies with the processor that asks, which asks one processor at a time.
        self.run.cells[request.processor].wish.delays.store(request.delays + 1, Ordering::Relaxed);
        if !self.run.cells[processor].slot.put_back(request.processor) {
            // Another processor asks already: one is enough.
            self.answer(processor, request, None);
        }
    }

    fn answer(&self, processor: usize, request: WorkRequest, split: Option<&SplitPointOf<A>>) {
        if split.is_none() {
            self.run.cells[processor].counts.denials.fetch_add(1, Ordering::Relaxed);
        }
        self.book_answer(processor);
        let answer = split.map_or(WorkAnswer::Refused, |split| WorkAnswer::Given(Arc::clone(split)));
        self.run.cells[request.processor].answer.put(answer);
        match &self.bridge {
            // A remote helper has no thread that could be woken: another rank waits for the answer.
            Some(bridge) if self.is_remote(request.processor) => bridge.poll_for_strand(&self.run, self),
            _ => self.run.sleepers.wake(request.processor),
        }
    }

    fn offer(&self, processor: usize, request: WorkRequest, offer: Option<WorkOffer>) {
        self.book_answer(processor);
        if self.run.cells[request.processor].offers.put(offer.map(|offer| (offer, processor))) {
            self.run.sleepers.wake(request.processor);
        }
    }

    fn ignore(&self, processor: usize, request: WorkRequest) {
        self.offer(processor, request, None);
    }

    fn note_split(&self, processor: usize, split: &SplitPointOf<A>) {
        if self.run.application.asking() == Some(Asking::All) {
            self.run.help.note_open(split);
        }
        self.run.cells[processor].counts.splits.fetch_add(1, Ordering::Relaxed);
    }

    fn poke_all(&self) {
        self.run.poke_all();
    }

    fn interval(&self) -> u64 {
        match &self.bridge {
            Some(bridge) => LISTENING[usize::from(bridge.rings_always())],
            None if self.has_sleepers() => WAKING_INTERVAL,
            None => INTERVAL,
        }
    }

    fn has_sleepers(&self) -> bool {
        self.run.sleepers.any()
    }

    fn wake_helper(&self, processor: usize) {
        self.run.sleepers.wake_one(processor);
    }

    fn doorbell(&self) -> Option<Doorbell> {
        self.bridge.as_ref().and_then(|bridge| bridge.doorbell)
    }

    fn is_remote(&self, processor: usize) -> bool {
        processor >= self.run.processors
    }

    fn take_result(&self, processor: usize) -> Option<A::RemoteResult> {
        self.run.queues.as_ref().and_then(|queues| queues.take_result(processor - self.run.processors))
    }

    fn remote_task_done(&self, name: u64, result: Option<A::RemoteResult>) {
        if let Some(queues) = &self.run.queues {
            queues.task_done(name, result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Inquiry;
    use crate::application::tests::NoWork;
    use crate::sleep::Sleepers;

    #[test]
    fn delays_are_counted_for_each_request() {
        let sleepers = Sleepers::new(3);
        let machine = ThreadMachine { run: ThreadRun::new(&NoWork, 3, &sleepers, None), bridge: None };
        let next = || machine.request(0).map(|request| (request.processor, request.delays));
        machine.run.cells[0].slot.open();
        assert!(machine.run.ask(0, 1, Inquiry::SplitPoint, 0, 0));
        for delays in 0..3 {
            let request = machine.request(0).unwrap();
            assert_eq!((request.processor, request.delays), (1, delays));
            machine.defer(0, request);
        }
        // While the strand looks at the request of processor 1, processor 2 asks: its request has not been deferred yet.
        let request = machine.request(0).unwrap();
        assert!(machine.run.ask(0, 2, Inquiry::SplitPoint, 0, 0));
        machine.defer(0, request);
        assert!(matches!(machine.run.cells[1].answer.take(), Some(WorkAnswer::Refused)));
        assert_eq!(next(), Some((2, 0)));
        // Nor has a new request of processor 1.
        assert!(machine.run.ask(0, 1, Inquiry::SplitPoint, 0, 0));
        assert_eq!(next(), Some((1, 0)));
    }
}
