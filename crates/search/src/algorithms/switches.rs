//! Strategies of the papers that can be combined with any algorithm, written after its name: `jamboree+deferred-reads`.

use super::{Algorithm, FrameView, Scope, Together, Valuing};
use crate::Kind;
use scheduler::Waiting;
use std::sync::Arc;

/// The names of all switches.
pub const SWITCHES: &[&str] = &["deferred-reads", "two-serial", "last-first", "level-waiting", "own-tables"];

/// Which strategies are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Who comes to a position that somebody else is searching waits for the result (StarTech section 4).
    pub deferred_reads: bool,
    /// At a node of type 2 whose first move did not cut it off, though a shallower search expected it to be good enough,
    /// the second move is searched alone as well (StarTech section 4).
    pub two_serial: bool,
    /// Helpers take the last move first, as a plain work-stealing queue would hand them out (*Socrates section 4.3).
    pub last_first: bool,
    /// A processor whose strand waits for its helpers may meanwhile help only at that level or below (*Socrates section
    /// 4.4), and goes on with its strand itself.
    pub level_waiting: bool,
    /// Every processor has a table of its own, a part of the one table, that nobody else finds anything in (Zugzwang's
    /// "local" tables, section 5).
    pub own_tables: bool,
}

impl Switches {
    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut bool> {
        match name {
            "deferred-reads" => Some(&mut self.deferred_reads),
            "two-serial" => Some(&mut self.two_serial),
            "last-first" => Some(&mut self.last_first),
            "level-waiting" => Some(&mut self.level_waiting),
            "own-tables" => Some(&mut self.own_tables),
            _ => None,
        }
    }
}

/// An algorithm with switches turned on.
#[derive(Debug)]
pub(super) struct Switched {
    base: Arc<dyn Algorithm>,
    switches: Switches,
    name: String,
}

impl Switched {
    pub(super) fn new(base: Arc<dyn Algorithm>, mut switches: Switches) -> Switched {
        let on = SWITCHES.iter().filter(|name| switches.get_mut(name).is_some_and(|on| *on));
        let name = on.fold(base.name().to_owned(), |name, switch| name + "+" + switch);
        Switched { base, switches, name }
    }
}

impl Algorithm for Switched {
    fn name(&self) -> &str {
        &self.name
    }

    fn open_after(&self, kind: Kind) -> Option<usize> {
        self.base.open_after(kind)
    }

    fn scope(&self) -> Scope {
        self.base.scope()
    }

    fn priority(&self, view: &FrameView) -> Option<i64> {
        self.base.priority(view)
    }

    fn settle_types(&self, views: &mut [FrameView]) {
        self.base.settle_types(views);
    }

    fn valuing(&self) -> Valuing {
        self.base.valuing()
    }

    fn together(&self) -> Together {
        self.base.together()
    }

    fn deafness(&self) -> u64 {
        self.base.deafness()
    }

    fn gathers(&self) -> bool {
        self.base.gathers()
    }

    fn waiting(&self) -> Waiting {
        if self.switches.level_waiting { Waiting::Level } else { self.base.waiting() }
    }

    fn switches(&self) -> Switches {
        self.switches
    }
}
