//! How the processors of a virtual machine are connected, and which way a message takes.

/// How processors are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// By common memory: what one processor writes all others see. Only a request for work takes its time.
    CommonMemory,
    /// Every processor reaches every other one in the same time: the CM-5's fat tree, on which "there is no appreciable
    /// advantage in trying to steal locally" (StarTech section 2).
    Uniform,
    /// A De Bruijn network (Zugzwang section 3): processor `x` has links to `2x` and `2x + 1`, modulo the number of
    /// processors, and from those of which it is the double. A message goes along the links by shifts: each step takes in
    /// one binary digit of the target.
    DeBruijn,
}

/// The way of a message: the processors that it comes through, the last of which is its target.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// Steps forwards along the links from `x` to `2x` and `2x + 1`; backwards if the route was computed from its end.
    steps: u32,
    start: usize,
    digits: usize,
    processors: usize,
}

impl Network {
    /// The number of links on a message's way from one processor to another, in a network of `processors`.
    pub(crate) fn hops(self, processors: usize, from: usize, to: usize) -> u64 {
        match self {
            _ if from == to => 0,
            Network::CommonMemory | Network::Uniform => 1,
            Network::DeBruijn => {
                let forwards = Route::between(processors, from, to).steps;
                u64::from(forwards.min(Route::between(processors, to, from).steps))
            }
        }
    }

    /// The processors between the two ends of a message's way.
    pub(crate) fn pass(self, processors: usize, from: usize, to: usize, mut visit: impl FnMut(usize)) {
        if self != Network::DeBruijn || from == to {
            return;
        }
        let (there, back) = (Route::between(processors, from, to), Route::between(processors, to, from));
        // Links work both ways: the shorter of the two shift routes is taken.
        let route = if there.steps <= back.steps { there } else { back };
        (1..route.steps).for_each(|step| visit(route.after(step)));
    }
}

/// The two links that lead away from a processor of a De Bruijn network.
fn doubles(processors: usize, processor: usize) -> [usize; 2] {
    [2 * processor % processors, (2 * processor + 1) % processors]
}

/// The neighbours of a processor in a De Bruijn network: those at the other ends of its links, in either direction.
pub fn de_bruijn_neighbours(processor: usize, processors: usize) -> impl Iterator<Item = usize> {
    let [even, odd] = doubles(processors, processor);
    // It is a double of these two.
    let links = [even, odd, processor / 2, (processor + processors) / 2];
    (0..links.len())
        .filter(move |&place| links[place] != processor && !links[..place].contains(&links[place]))
        .map(move |place| links[place])
}

impl Route {
    /// The shortest way by shifts: after `k` steps from `x` a message may be at `2^k x + j` for every `j` below `2^k`.
    fn between(processors: usize, from: usize, to: usize) -> Route {
        let mut shifted = from;
        for steps in 0.. {
            let digits = (to + processors - shifted) % processors;
            if digits < 1 << steps {
                return Route { steps, start: from, digits, processors };
            }
            shifted = doubles(processors, shifted)[0];
        }
        unreachable!("when 2^k reaches the number of processors, every one can be reached")
    }

    /// Where the message is after this many steps.
    fn after(&self, step: u32) -> usize {
        let turn = |at, taken: u32| {
            let digit = self.digits >> (self.steps - 1 - taken) & 1;
            doubles(self.processors, at)[digit]
        };
        (0..step).fold(self.start, turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn links_work_both_ways_and_lead_everywhere() {
        for processors in [1, 2, 3, 4, 8, 12, 16, 64, 100, 128] {
            let mut reached = vec![0];
            for place in 0.. {
                let Some(&processor) = reached.get(place) else { break };
                let all: Vec<_> = de_bruijn_neighbours(processor, processors).collect();
                assert!(all.len() <= 4 && !all.contains(&processor));
                for &other in &all {
                    let mut back = de_bruijn_neighbours(other, processors);
                    assert!(back.any(|back| back == processor), "{processor} and {other}");
                }
                reached.extend(all.into_iter().filter(|other| !reached.contains(other)).collect::<Vec<_>>());
            }
            assert_eq!(reached.len(), processors);
        }
    }

    /// Distances from `start` by breadth-first search; `both` if links may be used backwards as well, at any step.
    fn distances(processors: usize, start: usize, both: bool) -> Vec<u32> {
        let mut distances = vec![u32::MAX; processors];
        distances[start] = 0;
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            let is_next = |&next: &usize| {
                doubles(processors, at).contains(&next) || both && doubles(processors, next).contains(&at)
            };
            for next in (0..processors).filter(is_next) {
                if distances[next] == u32::MAX {
                    distances[next] = distances[at] + 1;
                    queue.push_back(next);
                }
            }
        }
        distances
    }

    #[test]
    fn shift_routes_are_as_short_as_breadth_first_search_says() {
        for processors in [1_usize, 2, 3, 5, 8, 12, 32, 64, 100] {
            let diameter = usize::BITS - (processors - 1).leading_zeros();
            for from in 0..processors {
                let forwards = distances(processors, from, false);
                let shortest = distances(processors, from, true);
                for to in 0..processors {
                    let route = Route::between(processors, from, to);
                    assert_eq!(route.steps, forwards[to], "{from} to {to} of {processors}");
                    assert!(route.steps <= diameter);
                    assert_eq!(route.after(route.steps), to);
                    for step in 0..route.steps {
                        assert!(doubles(processors, route.after(step)).contains(&route.after(step + 1)));
                    }
                    let hops = Network::DeBruijn.hops(processors, from, to);
                    // A way that turns round on the way can be shorter than both shift routes, but not much.
                    assert!(u64::from(shortest[to]) <= hops && hops <= u64::from(forwards[to]));
                }
            }
        }
    }

    #[test]
    fn a_message_passes_every_processor_between_its_ends_once() {
        let network = Network::DeBruijn;
        for (from, to) in (0..64).flat_map(|from| (0..64).map(move |to| (from, to))) {
            let mut passed = Vec::new();
            network.pass(64, from, to, |processor| passed.push(processor));
            assert_eq!(passed.len() as u64, network.hops(64, from, to).saturating_sub(1), "{from} to {to}");
            assert!(!passed.contains(&from) && !passed.contains(&to));
            passed.sort_unstable();
            passed.dedup();
            assert_eq!(passed.len() as u64, network.hops(64, from, to).saturating_sub(1), "{from} to {to}");
        }
    }
}
