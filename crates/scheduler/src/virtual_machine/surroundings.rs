//! What a virtual processor's surroundings are: which processors it can ask, and what happens when its strand has come back.

use super::Run;
use super::busy_list::BusyList;
use super::world::{Activity, World};
use crate::context::SuspendedStrand;
use crate::processor::{Surroundings, Victims};
use crate::strand::StrandSlot;
use crate::{Application, Asking};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::Rng;
use std::any::Any;

/// The processors that an idle one can ask.
pub(super) struct Draw<'d, 'a, A: Application> {
    pub(super) world: &'d World<'a, A>,
    pub(super) busy: &'d BusyList,
    pub(super) random: &'d mut SplitMix64,
}

impl<A: Application> Victims for Draw<'_, '_, A> {
    fn draw_near(&mut self, processor: usize) -> Option<usize> {
        let host = self.world.host(processor);
        match self.world.costs.stealing.asking {
            Asking::BusyAtRandom => self.busy.draw(host, self.random.next_u64()),
            Asking::AnyAtRandom => {
                let own = self.world.processors_of(host);
                let others = own.len() - 1;
                let drawn = own.start + (self.random.next_u64() % others.max(1) as u64) as usize;
                (others > 0).then_some(drawn + usize::from(drawn >= processor))
            }
            Asking::Nobody => None,
        }
    }

    fn draw_host(&mut self, processor: usize) -> Option<usize> {
        let own = self.world.host(processor);
        let other = self.random.next_u64() as usize % (self.world.hosts.count - 1);
        Some(other + usize::from(other >= own))
    }

    fn has_hosts(&self) -> bool {
        self.world.hosts.count > 1
    }
}

/// The surroundings of a processor whose strand has come back.
pub(super) struct At<'r, 'w, 'a, A: Application> {
    pub(super) run: &'r mut Run<'w, 'a, A>,
    pub(super) index: usize,
}

impl<A: Application> At<'_, '_, '_, A> {
    fn now(&self) -> u64 {
        self.run.world.clock.get()
    }
}

impl<A: Application> Surroundings<A> for At<'_, '_, '_, A> {
    fn has_hosts(&self) -> bool {
        self.run.world.hosts.count > 1
    }

    fn is_near(&self, one: usize, other: usize) -> bool {
        self.run.world.host(one) == self.run.world.host(other)
    }

    fn end_run(&mut self) {
        self.run.is_over = true;
    }

    fn keep_panic(&mut self, panic: Box<dyn Any + Send>) {
        self.run.panic.get_or_insert(panic);
    }

    fn keep_slot(&mut self, slot: StrandSlot<A>) {
        self.run.slots.push(slot);
    }

    fn send_to_processor(&mut self, processor: usize, strand: SuspendedStrand<A>) {
        let world = self.run.world;
        // Over a network the result has already paid its way.
        let message = if world.traffic.has_network() { 0 } else { world.costs.message };
        let arrival = self.now() + message;
        let holder = &mut world.processors.borrow_mut()[processor];
        holder.returned.push((arrival, strand));
        match holder.activity {
            Activity::Holding(since) => {
                holder.clock = self.now().max(since) + message;
                holder.account.waiting += holder.clock - since;
            }
            Activity::BackingOff(since) => {
                holder.clock = arrival.max(since);
                holder.account.back_off += holder.clock - since;
                holder.turn += 1;
            }
            _ => return,
        }
        holder.activity = Activity::Idle;
        world.schedule(processor, holder);
    }

    fn send_to_host(&mut self, processor: usize, strand: SuspendedStrand<A>) {
        let (host, now) = (self.run.world.host(processor), self.now());
        self.run.go_on_at_host(host, now, strand);
    }

    fn count_carried(&mut self) {
        self.run.world.processors.borrow_mut()[self.index].account.carried += 1;
    }
}
