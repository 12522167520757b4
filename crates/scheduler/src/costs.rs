//! The machines: what things cost there, in ticks, how processors are connected and how they find work. The machines of the
//! papers are described by the papers' own figures where they give any; what is not cited is our estimate.

use crate::{Asking, Network, Stealing, Waiting};

/// A virtual machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs {
    /// What the machine is called.
    pub name: &'static str,
    /// What a tick is.
    pub tick: &'static str,
    /// Searching one node when only one processor works.
    pub node_alone: u64,
    /// Searching one node when all processors work.
    pub node: u64,
    /// A message along one link of the network: a request or its answer, a result, a bound, a table entry.
    pub message: u64,
    /// To a processor that lies on a message's way: passing it on.
    pub route: u64,
    /// To the victim: answering a request, whatever the answer.
    pub answer: u64,
    /// To the victim: turning a frame into a split point.
    pub split: u64,
    /// To the helper: taking over the path and starting a strand.
    pub start: u64,
    /// Waiting for a table entry that lies on another processor, apart from the messages.
    pub probe: u64,
    /// Frames less deep than this are not worth being shared.
    pub grain: i32,
    /// How processors are connected.
    pub network: Network,
    /// How idle processors find work.
    pub stealing: Stealing,
    /// Where the transposition table lies.
    pub table: TableCosts,
}

/// Where the transposition table lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TablePlace {
    /// In common memory: no message is sent for an entry.
    Common,
    /// A part of it on each processor: the key says on which. Look-ups and stores are messages.
    Distributed,
    /// All of it on processor 0, which serves one message after the other.
    Global,
}

/// What the transposition table costs where it does not lie in common memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableCosts {
    /// Where it lies.
    pub place: TablePlace,
    /// To the processor that has an entry: serving a look-up or a store.
    pub serve: u64,
    /// What a processor has to do anyway between asking for an entry and needing it.
    pub overlap: u64,
}

impl TableCosts {
    /// Common memory.
    const COMMON: TableCosts = TableCosts { place: TablePlace::Common, serve: 0, overlap: 0 };
}

impl Costs {
    /// Nodes cost one tick, an exchange of messages one more, and nothing else costs anything.
    pub fn ideal() -> Costs {
        Costs {
            name: "ideal",
            tick: "node",
            node_alone: 1,
            node: 1,
            message: 1,
            route: 0,
            answer: 0,
            split: 0,
            start: 0,
            probe: 0,
            grain: 0,
            network: Network::CommonMemory,
            stealing: Stealing::OURS,
            table: TableCosts::COMMON,
        }
    }

    /// Cray C90, 16 processors with common memory. A processor answers a request after its current node, which takes
    /// "about 30 microseconds" together with storing its tree state (DTS section 2.3); communication costs "are always
    /// assumed to be zero" (section 2), since memory moves a megabyte in next to no time; copying a split block is
    /// taken as one node.
    pub fn cray_c90() -> Costs {
        Costs {
            name: "cray-c90",
            tick: "microsecond",
            node_alone: 30,
            node: 30,
            answer: 5,
            split: 30,
            start: 30,
            grain: 1,
            ..Costs::ideal()
        }
    }

    /// StarTech on the Connection Machine CM-5: 2,000 to 5,000 positions a second on a processor (section 1; 300
    /// microseconds a node), "low-overhead (10 microsecond) messages" (section 2). Of 68.8 cycles of chess work (figure 8),
    /// 14.4 more are spent waiting for the global table (63 microseconds a node: two messages, serving, and until the other
    /// processor looks for messages) and 2.2 serving the look-ups and stores of others (10 microseconds a node, about 1.6
    /// messages). Starting a stolen position means copying the board and the path: a few messages.
    ///
    /// A random processor is asked, busy or not; one child is stolen at a time, in quiescence as well; a processor whose
    /// position waits for a child does nothing else. Refused processors sit idle "to avoid swamping busy processors with
    /// requests" (figure 8); how long the paper does not say: from two messages' time on, doubled up to a
    /// limit with which sitting idle and looking for work are as 6.6 to 3.6, as in the figure.
    /// A thief that has sent its result waits for an "abort" message of the parent (figure 8).
    pub fn startech() -> Costs {
        Costs {
            name: "startech",
            tick: "microsecond",
            node_alone: 300,
            node: 300,
            message: 10,
            answer: 10,
            split: 20,
            start: 40,
            probe: 37,
            network: Network::Uniform,
            stealing: Stealing {
                asking: Asking::AnyAtRandom,
                back_off: 20,
                longest_back_off: 140,
                deferrals: 0,
                one_child: true,
                dismissal: true,
                waiting: Waiting::Hold,
            },
            table: TableCosts { place: TablePlace::Distributed, serve: 6, overlap: 0 },
            ..Costs::ideal()
        }
    }

    /// \*Socrates with Cilk 1.0 on the same machine. A look-up takes "around 1600 cycles", "about 7 % of the execution time"
    /// (section 5.1): at 33 MHz 48 microseconds, so that a node takes 640 besides. Threads are stolen one at a time from a
    /// random processor; the paper mentions no back-off. A processor that has run out of children steals anything, and is
    /// interrupted when its own position can go on (section 4.4).
    pub fn socrates() -> Costs {
        let startech = Costs::startech();
        Costs {
            name: "socrates",
            node_alone: 640,
            node: 640,
            probe: 22,
            stealing: Stealing {
                back_off: 0,
                longest_back_off: 0,
                dismissal: false,
                waiting: Waiting::Preempt,
                ..startech.stealing
            },
            ..startech
        }
    }

    /// Zugzwang on a De Bruijn network of Transputers T800: about 350 nodes a second (section 2; 2857 microseconds a node).
    /// Messages go over several links (section 3), and processors on the way are hardly delayed: 3.5 % when all other
    /// processors ask for work at the same time (figure 3, run 3). Meanwhile a processor updates its chess position (section
    /// 5); a look-up over a longer way is waited for, which made one processor of 32 slower by 4.8 % (figure 3, run 1). From
    /// these two figures the times of a link, of passing a message on and of updating the position are estimated. Nodes in
    /// quiescence are given away, too (section 4).
    pub fn zugzwang() -> Costs {
        Costs {
            name: "zugzwang",
            tick: "microsecond",
            node_alone: 2857,
            node: 2857,
            message: 100,
            route: 3,
            answer: 100,
            split: 300,
            start: 500,
            network: Network::DeBruijn,
            stealing: Stealing {
                asking: Asking::AnyAtRandom,
                deferrals: 0,
                one_child: true,
                waiting: Waiting::Hold,
                ..Stealing::OURS
            },
            table: TableCosts { place: TablePlace::Distributed, serve: 10, overlap: 525 },
            ..Costs::ideal()
        }
    }

    /// A computer of the 2020s with common memory, in nanoseconds: 800 a node is what one core of such a machine takes
    /// with this program; the rest are estimates of the size that `host` measures.
    pub fn workstation() -> Costs {
        Costs {
            name: "workstation",
            tick: "nanosecond",
            node_alone: 800,
            node: 800,
            message: 100,
            split: 1000,
            start: 1000,
            grain: 4,
            ..Costs::ideal()
        }
    }

    /// Does it take time to reach an entry of the transposition table?
    pub fn has_far_table(&self) -> bool {
        self.table.place != TablePlace::Common || self.probe > 0
    }

    /// How long one look-up in the table is waited for on average, on a machine with this many processors of which no other one
    /// sends messages.
    pub fn mean_look_up(&self, processors: usize) -> f64 {
        let wait = |from, to| match self.table.place {
            _ if from == to => 0,
            TablePlace::Common => self.probe,
            TablePlace::Distributed | TablePlace::Global => {
                let messages = 2 * self.message * self.network.hops(processors, from, to);
                (messages + self.table.serve + self.probe).saturating_sub(self.table.overlap)
            }
        };
        let homes = if self.table.place == TablePlace::Global { 1 } else { processors };
        let from_all = |to| (0..processors).map(move |from| (from, to));
        let waits: u64 = (0..homes).flat_map(from_all).map(|(from, to)| wait(from, to)).sum();
        waits as f64 / (processors * homes) as f64
    }

    /// How many ticks a microsecond has; none where a tick is no time.
    pub fn microsecond(&self) -> Option<u64> {
        match self.tick {
            "nanosecond" => Some(1000),
            "microsecond" => Some(1),
            _ => None,
        }
    }

    /// The machine of this name; `cm5` and `transputer`, the hardware of StarTech and Zugzwang, stand for those. `host` is
    /// not among them, since it has to be measured.
    pub fn by_name(name: &str) -> Option<Costs> {
        let name = match name.to_ascii_lowercase().as_str() {
            "cm5" => "startech",
            "transputer" => "zugzwang",
            _ => name,
        };
        let all = [
            Costs::ideal(),
            Costs::workstation(),
            Costs::cray_c90(),
            Costs::startech(),
            Costs::socrates(),
            Costs::zugzwang(),
        ];
        all.into_iter().find(|costs| costs.name.eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_costs_give_back_the_figures_they_come_from() {
        let share = |costs: &Costs, processors| {
            let wait = costs.mean_look_up(processors);
            wait / (costs.node as f64 + wait)
        };
        // StarTech figure 8: 14.4 of 68.8 + 14.4. *Socrates section 5.1: 7 %. Zugzwang figure 3, run 1: 4.8 %.
        for (costs, processors, published) in
            [(Costs::startech(), 512, 0.173), (Costs::socrates(), 512, 0.07), (Costs::zugzwang(), 32, 0.048)]
        {
            let share = share(&costs, processors);
            assert!((share - published).abs() < 0.003, "{}: {share}", costs.name);
        }
        assert!(share(&Costs::zugzwang(), 64) > share(&Costs::zugzwang(), 32));
        assert_eq!(share(&Costs::ideal(), 64), 0.0);
    }
}
