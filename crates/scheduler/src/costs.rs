//! What things cost on a virtual machine, in ticks. The machines of the papers are described by the papers' own figures
//! where they give any; what is not cited (answering, sharing, starting) is our estimate.

/// The costs of a virtual machine.
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
    /// Until a request reaches its victim, or an answer its sender.
    pub message: u64,
    /// To the victim: answering a request, whatever the answer.
    pub answer: u64,
    /// To the victim: turning a frame into a split point.
    pub split: u64,
    /// To the helper: taking over the path and starting a strand.
    pub start: u64,
    /// Waiting for a table entry that lies on another processor; zero where the table is in common memory.
    pub probe: u64,
    /// Frames less deep than this are not worth being shared.
    pub grain: i32,
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
            answer: 0,
            split: 0,
            start: 0,
            probe: 0,
            grain: 0,
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
            message: 1,
            answer: 5,
            split: 30,
            start: 30,
            probe: 0,
            grain: 1,
        }
    }

    /// Connection Machine CM-5 with StarTech: 2,000 to 5,000 positions a second on a processor (section 1; 300
    /// microseconds a node), "low-overhead (10 microsecond) messages" (section 2), and 14.4 cycles spent waiting for the
    /// global table for every 68.8 of chess work (figure 8; 63 microseconds a node). Starting a stolen position means
    /// copying the board and the path: a few messages.
    pub fn cm5() -> Costs {
        Costs {
            name: "cm5",
            tick: "microsecond",
            node_alone: 300,
            node: 300,
            message: 10,
            answer: 10,
            split: 20,
            start: 40,
            probe: 63,
            grain: 1,
        }
    }

    /// A network of Transputers T800 with Zugzwang: about 350 nodes a second (section 2; 2857 microseconds a node), and
    /// 4.8 % slower with the table distributed over 32 processors (figure 3; 137 microseconds a node). Requests are
    /// routed over a few links of a De Bruijn network by processes that run beside the search; half a millisecond is
    /// our estimate, the paper gives none.
    pub fn transputer() -> Costs {
        Costs {
            name: "transputer",
            tick: "microsecond",
            node_alone: 2857,
            node: 2857,
            message: 500,
            answer: 100,
            split: 300,
            start: 500,
            probe: 137,
            grain: 1,
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
            answer: 0,
            split: 1000,
            start: 1000,
            probe: 0,
            grain: 4,
        }
    }

    /// How many ticks a microsecond has; none where a tick is no time.
    pub fn microsecond(&self) -> Option<u64> {
        match self.tick {
            "nanosecond" => Some(1000),
            "microsecond" => Some(1),
            _ => None,
        }
    }

    /// The machine of this name; `host` is not among them, since it has to be measured.
    pub fn by_name(name: &str) -> Option<Costs> {
        let all = [Costs::ideal(), Costs::workstation(), Costs::cray_c90(), Costs::cm5(), Costs::transputer()];
        all.into_iter().find(|costs| costs.name.eq_ignore_ascii_case(name))
    }
}
