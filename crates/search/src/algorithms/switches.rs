//! Strategies of the papers that can be combined with any algorithm, written after its name: `jamboree+deferred-reads`.

use crate::Exchange;
use crate::waits::{Wait, Waits};

/// Before the name of a wait.
const WITHOUT: &str = "without-";

/// The names of all switches.
pub const SWITCHES: &[&str] = &[
    "deferred-reads",
    "two-serial",
    "last-first",
    "level-waiting",
    "own-tables",
    "new-bounds",
    "interior-table",
    "serial-below-alpha",
    "own-histories",
    "shared-histories",
    "told-histories",
    "shared-killers",
    "refutation-lines",
    "guess",
    "overlap",
    "board",
    "two-ply-iterations",
];

/// Which strategies are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// A strand that comes to a position that another strand is searching waits for the result (StarTech section 4).
    pub deferred_reads: bool,
    /// At a node of type 2 that dropped below alpha, the second move is searched alone as well (StarTech section 4). A node
    /// has dropped if a search one ply less deep had a value above alpha, and its first move has none.
    pub two_serial: bool,
    /// Helpers take the last move first, as a plain work-stealing queue would hand them out (*Socrates section 4.3).
    pub last_first: bool,
    /// A processor whose strand waits for its helpers may meanwhile help only at that level or below (*Socrates section
    /// 4.4), and then resumes its own strand.
    pub level_waiting: bool,
    /// Every processor has a table of its own, a part of the one table, whose entries no other processor finds
    /// (Zugzwang's "local" tables, section 5).
    pub own_tables: bool,
    /// When alpha rises at a split point, members that are testing moves against a lower one begin again, and everything
    /// below is cut (Zugzwang's NEWBOUND messages, section 4).
    pub new_bounds: bool,
    /// Only positions with plies left to search are looked up and stored in the table, none in quiescence (Zugzwang section
    /// 2).
    pub interior_table: bool,
    /// Nodes of types 2 and 3 that dropped below alpha are not shared (StarTech section 4).
    pub serial_below_alpha: bool,
    /// Every processor learns for itself: it has its own histories and killer lists (Zugzwang's experiments, section 5).
    pub own_histories: bool,
    /// With own histories: neighbours tell each other of histories that have grown ("Shared History", Zugzwang section 5).
    pub shared_histories: bool,
    /// Groups of processors have their own histories, and tell all others what they learn at nodes that are not close to the
    /// leaves. Threads do so in any case.
    pub told_histories: bool,
    /// With own histories: neighbours tell each other of new killers ("Shared Killer", Zugzwang section 5).
    pub shared_killers: bool,
    /// The principal variation and the refutations of the other root moves of the last iteration are followed first where
    /// the table has no move; helpers get them with their work (Zugzwang sections 2 and 5).
    pub refutation_lines: bool,
    /// A PV node is shared before its first move is done, when the node after that move has a best move so far: the other
    /// moves are tested against what that one leaves.
    pub guess: bool,
    /// The next iteration begins with its first move while the last tests of this one are running.
    pub overlap: bool,
    /// Idle processors look at the machine's board, and strands put on it what they could share. Not on threads, nor among hosts.
    pub board: bool,
    /// Each iteration is two plies deeper than the one before, where there are several processors: iterations come one after the
    /// other, and those that are left out had little to do in parallel.
    pub two_ply_iterations: bool,
    /// Waits that the critical path leaves out: what would it be if they did not exist? The search on one processor stays
    /// the same. Written `without-eldest` and so on.
    pub without: Waits,
}

impl Switches {
    /// No strategy is on.
    pub(super) const NONE: Switches = Switches {
        deferred_reads: false,
        two_serial: false,
        last_first: false,
        level_waiting: false,
        own_tables: false,
        new_bounds: false,
        interior_table: false,
        serial_below_alpha: false,
        own_histories: false,
        shared_histories: false,
        told_histories: false,
        shared_killers: false,
        refutation_lines: false,
        guess: false,
        overlap: false,
        board: false,
        two_ply_iterations: false,
        without: Waits::NONE,
    };

    /// Turns the switch of this name on. None if there is no such switch.
    pub(super) fn turn_on(&mut self, name: &str) -> Option<()> {
        if let Some(wait) = name.strip_prefix(WITHOUT) {
            self.without = self.without.with(Wait::by_name(wait)?);
        } else {
            *self.get_mut(name)? = true;
        }
        Some(())
    }

    /// The switch of this name.
    fn get_mut(&mut self, name: &str) -> Option<&mut bool> {
        match name {
            "deferred-reads" => Some(&mut self.deferred_reads),
            "two-serial" => Some(&mut self.two_serial),
            "last-first" => Some(&mut self.last_first),
            "level-waiting" => Some(&mut self.level_waiting),
            "own-tables" => Some(&mut self.own_tables),
            "new-bounds" => Some(&mut self.new_bounds),
            "interior-table" => Some(&mut self.interior_table),
            "serial-below-alpha" => Some(&mut self.serial_below_alpha),
            "own-histories" => Some(&mut self.own_histories),
            "shared-histories" => Some(&mut self.shared_histories),
            "told-histories" => Some(&mut self.told_histories),
            "shared-killers" => Some(&mut self.shared_killers),
            "refutation-lines" => Some(&mut self.refutation_lines),
            "guess" => Some(&mut self.guess),
            "overlap" => Some(&mut self.overlap),
            "board" => Some(&mut self.board),
            "two-ply-iterations" => Some(&mut self.two_ply_iterations),
            _ => None,
        }
    }

    /// What processors tell each other, where they learn apart; `by_nature` is where the machine makes them do so.
    pub(crate) fn learning_apart(&self, by_nature: bool) -> Option<Exchange> {
        let own = self.own_histories || self.shared_histories || self.shared_killers;
        let deep = self.told_histories || by_nature && !own;
        let exchange = Exchange { histories: self.shared_histories, killers: self.shared_killers, deep };
        (own || deep).then_some(exchange)
    }

    /// The names of the switches that are on.
    pub(super) fn names(mut self) -> impl Iterator<Item = String> {
        let waits = Wait::ALL.into_iter().filter(move |&wait| self.without.has(wait));
        let switches = SWITCHES.iter().filter(move |name| self.get_mut(name).is_some_and(|on| *on));
        switches.map(|&name| name.to_owned()).chain(waits.map(|wait| format!("{WITHOUT}{}", wait.name())))
    }
}
