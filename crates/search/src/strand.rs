//! A strand: one sequential line of control of a search, with its own frames and its own rules.

use crate::root::Root;
use crate::{Path, Rules, Watch};
use game::{Game, MAX_PLY, Score};
use table::{Entry, Table};

/// The search was told to stop: the score that was being computed is of no use to anyone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut;

/// What strands of one search have in common.
pub(crate) struct Surroundings<'a> {
    pub(crate) table: Option<&'a Table>,
    pub(crate) watch: &'a dyn Watch,
}

/// Nodes between two looks at the outside world: well under a millisecond.
const POLL_INTERVAL: u64 = 1024;

/// One sequential line of control of a search.
pub(crate) struct Strand<'a, G: Game, R: Rules<G>> {
    pub(crate) around: Surroundings<'a>,
    pub(crate) rules: &'a mut R,
    pub(crate) path: Path<G, R>,
    pub(crate) root: Root<G::Move>,
    /// Keys of the positions of the game before the root, oldest first.
    pub(crate) history: &'a [u64],
    pub(crate) nodes: u64,
    pub(crate) known_hits: u64,
    /// The longest path of this iteration.
    pub(crate) reach: usize,
    node_limit: u64,
    next_poll: u64,
}

impl<'a, G: Game, R: Rules<G>> Strand<'a, G, R> {
    pub(crate) fn new(
        around: Surroundings<'a>,
        rules: &'a mut R,
        position: &G,
        history: &'a [u64],
        root: Root<G::Move>,
        node_limit: u64,
    ) -> Self {
        let path = Path::new(position);
        let next_poll = node_limit.min(POLL_INTERVAL);
        Strand { around, rules, path, root, history, nodes: 0, known_hits: 0, reach: 0, node_limit, next_poll }
    }

    /// Counts a node, and now and then looks whether the search has to stop.
    #[inline]
    pub(crate) fn visit(&mut self, ply: usize) -> Result<(), Cut> {
        if self.nodes >= self.next_poll {
            self.poll()?;
        }
        self.nodes += 1;
        self.reach = self.reach.max(ply);
        Ok(())
    }

    #[cold]
    fn poll(&mut self) -> Result<(), Cut> {
        if self.nodes >= self.node_limit || self.around.watch.expired() {
            return Err(Cut);
        }
        self.next_poll = self.node_limit.min(self.nodes + POLL_INTERVAL);
        Ok(())
    }

    /// The score of a node that needs no search: the game is over, has come back to where it was, or the path is full.
    #[inline]
    pub(crate) fn ended(&mut self, ply: usize) -> Option<Score> {
        if let Some(ending) = self.path[ply].position.ending() {
            return Some(ending.score(ply));
        }
        if self.repeats(ply) {
            return Some(Score::DRAW);
        }
        (ply >= MAX_PLY).then(|| self.rules.evaluate(&mut self.path, ply))
    }

    /// Has the position occurred before: once since the root, or twice in the game before it?
    #[inline]
    fn repeats(&self, ply: usize) -> bool {
        let frame = &self.path[ply];
        let most = frame.position.reversible_plies().min(ply + self.history.len());
        let mut times_before_root = 0;
        for back in (4..=most).step_by(2) {
            if back <= ply {
                if self.path[ply - back].key == frame.key {
                    return true;
                }
            } else if self.history[self.history.len() + ply - back] == frame.key {
                times_before_root += 1;
                if times_before_root == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Looks the node up in the table; its frame then has the hit, the score seen from the root, and the legal move.
    #[inline]
    pub(crate) fn look_up(&mut self, ply: usize) {
        let frame = &mut self.path[ply];
        frame.hit = self.around.table.and_then(|table| table.probe(frame.key));
        frame.table_move = frame.hit.as_mut().and_then(|hit| {
            hit.score = hit.score.to_root(ply);
            if hit.mv == 0 { None } else { frame.position.unpack(hit.mv) }
        });
    }

    /// Stores what was found out about the node.
    #[inline]
    pub(crate) fn store(&self, ply: usize, entry: Entry) {
        if let Some(table) = self.around.table {
            table.store(self.path[ply].key, Entry { score: entry.score.to_node(ply), ..entry });
        }
    }

    /// Plays a move into the next frame and fetches its table entry ahead of time.
    #[inline]
    pub(crate) fn play(&mut self, ply: usize, mv: G::Move) {
        self.path.play(ply, mv);
        if let Some(table) = self.around.table {
            table.prefetch(self.path[ply + 1].key);
        }
    }
}
