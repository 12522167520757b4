//! The processors that an idle one can ask.

use super::busy_list::BusyList;
use super::world::World;
use crate::processor::Victims;
use crate::{Application, Asking};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::Rng;

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
            Asking::BusyAtRandom | Asking::All | Asking::Board => self.busy.draw(host, self.random.next_u64()),
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
