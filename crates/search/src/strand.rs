//! A strand: one sequential line of control of a search, with its own frames and its own rules.

use crate::algorithms::View;
use crate::party::{Body, Party};
use crate::root::Root;
use crate::sharing::Seed;
use crate::split_point::Open;
use crate::work::{Profile, Work};
use crate::{Path, Rules};
use game::{Game, MAX_PLY, Score};
use scheduler::{Bell, Hand, Handle, SplitOf, Vessel};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use table::Entry;

/// What was being computed is of no use to anyone any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut;

/// What others may touch of a strand of this search.
pub(crate) type HandleIn<'a, G, R> = Handle<Seed<G, R>, Open<<G as Game>::Move>, Vessel<Party<'a, G, R>>>;

/// Nodes between two looks at the clock: well under a millisecond.
const WATCH_INTERVAL: u64 = 1024;

/// Nodes between two looks when a request was put off.
const DELAY: u64 = 4;

/// One sequential line of control of a search.
pub(crate) struct Strand<'s, 'a, G: Game, R: Rules<G>> {
    pub(crate) around: &'s Party<'a, G, R>,
    /// The processor it runs on; none where the search runs without a scheduler.
    pub(crate) hand: Option<&'s Hand<'s, Party<'a, G, R>>>,
    pub(crate) handle: &'s HandleIn<'a, G, R>,
    pub(crate) rules: R,
    pub(crate) path: Path<G, R>,
    pub(crate) work: &'s mut Work,
    profile: &'s mut Profile,
    pub(crate) root: Arc<Mutex<Root<G::Move>>>,
    /// Its own frames that are shared, from the root down.
    pub(crate) shared: Vec<SplitOf<Party<'a, G, R>>>,
    pub(crate) is_helper: bool,
    /// Does it stand for a processor of another machine, which does its work?
    pub(crate) is_guest: bool,
    /// It looks up when this is rung.
    bell: Bell,
    /// The ply of the split point whose members have been gathered to help this strand.
    pub(crate) helped_at: Option<usize>,
    /// Until then nobody is listened to who asks for work.
    pub(crate) deaf_until: u64,
    /// Room for the views of the path's frames, and for those that may be shared.
    pub(crate) views: Vec<View>,
    pub(crate) ranked: Vec<(i64, usize)>,
    /// Makes the keys of this processor's table entries different from those of all others, where each has its own table.
    salt: u64,
    pub(crate) nodes: u64,
    /// Nodes that helpers searched for it.
    pub(crate) helped: u64,
    pub(crate) known_hits: u64,
    /// The longest path since it last told.
    reach: usize,
    /// Nodes it has told of.
    counted: u64,
    next_watch: u64,
    /// What is to be added to `nodes` for the stamp, and the stamp of the last leap.
    lag: u64,
    leapt: u64,
}

impl<'s, 'a, G: Game, R: Rules<G>> Strand<'s, 'a, G, R> {
    pub(crate) fn new(
        around: &'s Party<'a, G, R>,
        hand: Option<&'s Hand<'s, Party<'a, G, R>>>,
        handle: &'s HandleIn<'a, G, R>,
        body: &'s mut Body<G, R>,
        root: Arc<Mutex<Root<G::Move>>>,
    ) -> Self {
        let Body { kit, work, profile } = body;
        let (mut path, rules) = kit.take().unwrap_or_else(|| unreachable!("a body has one strand at a time"));
        path.moves.clear();
        Strand {
            around,
            hand,
            handle,
            rules,
            path,
            work,
            profile,
            root,
            shared: Vec::new(),
            is_helper: false,
            is_guest: hand.is_some_and(Hand::is_guest),
            bell: hand.map_or_else(Bell::silent, Hand::bell),
            helped_at: None,
            deaf_until: 0,
            views: Vec::new(),
            ranked: Vec::new(),
            salt: hand.map_or(0, |hand| around.salt(hand.processor())),
            nodes: 0,
            helped: 0,
            known_hits: 0,
            reach: 0,
            counted: 0,
            next_watch: 0,
            lag: 0,
            leapt: 0,
        }
    }

    /// Counts a node, and looks up where something may have happened.
    #[inline]
    pub(crate) fn visit(&mut self, ply: usize) -> Result<(), Cut> {
        if self.nodes >= self.handle.look_up_at() || self.bell.is_rung() {
            self.look_up(ply)?;
        }
        self.nodes += 1;
        self.reach = self.reach.max(ply);
        Ok(())
    }

    /// Has the search to stop, is what is being done here of no use any more, does somebody ask for work?
    #[cold]
    fn look_up(&mut self, ply: usize) -> Result<(), Cut> {
        self.tell();
        let tally = &self.around.tally;
        let total = tally.nodes.load(Ordering::Relaxed);
        let limit = self.around.limits.nodes;
        if total >= limit || self.is_time_up() {
            tally.stopped.store(true, Ordering::Relaxed);
            if let Some(hand) = self.hand {
                hand.poke_all();
            }
        }
        let interval = self.hand.map_or(WATCH_INTERVAL, Hand::interval).min(limit.saturating_sub(total));
        self.handle.next_look(self.nodes + interval);
        if tally.is_stopped() || self.handle.keep() <= ply {
            // Whoever asks for work is heard at the next node, wherever the strand goes on.
            self.handle.poke();
            return Err(Cut);
        }
        if let Some(hand) = self.hand {
            while let Some(request) = hand.request() {
                if !self.answer(hand, request, ply) {
                    self.handle.next_look(self.nodes + interval.min(DELAY));
                    break;
                }
            }
        }
        Ok(())
    }

    /// Lets a node's time go by, waiting for another strand.
    pub(crate) fn linger(&mut self, ply: usize) -> Result<(), Cut> {
        if let Some(hand) = self.hand {
            hand.linger();
        }
        self.look_up(ply)
    }

    fn is_time_up(&mut self) -> bool {
        if self.nodes < self.next_watch {
            return false;
        }
        self.next_watch = self.nodes + WATCH_INTERVAL;
        self.around.watch.expired()
    }

    /// Tells of the nodes searched since the last time. On a virtual machine others may run now.
    pub(crate) fn tell(&mut self) {
        let fresh = self.nodes - self.counted;
        self.counted = self.nodes;
        let tally = &self.around.tally;
        tally.nodes.fetch_add(fresh, Ordering::Relaxed);
        tally.reach.fetch_max(self.reach, Ordering::Relaxed);
        if let Some(hand) = self.hand {
            hand.tick(fresh);
        }
    }

    /// The strand goes on on this processor.
    pub(crate) fn moved_to(&mut self, processor: usize) {
        self.salt = self.around.salt(processor);
    }

    /// The strand ends; what its body is made of.
    pub(crate) fn end(mut self) -> (Path<G, R>, R) {
        self.tell();
        self.around.tally.known_hits.fetch_add(self.known_hits, Ordering::Relaxed);
        self.work.nodes += self.nodes;
        self.leap(self.stamp());
        (self.path, self.rules)
    }

    /// Nodes spent so far, by this strand and by those who helped it.
    #[inline]
    pub(crate) fn effort(&self) -> u64 {
        self.nodes + self.helped
    }

    /// When an ideal machine would be here.
    #[inline]
    pub(crate) fn stamp(&self) -> u64 {
        self.nodes.wrapping_add(self.lag)
    }

    /// What comes next begins at that stamp.
    #[inline]
    pub(crate) fn leap(&mut self, stamp: u64) {
        let now = self.stamp();
        if now > self.leapt {
            self.profile.busy(self.leapt, now);
        }
        self.leapt = stamp;
        self.lag = stamp.wrapping_sub(self.nodes);
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
        let history = self.around.history;
        let most = frame.position.reversible_plies().min(ply + history.len());
        let mut times_before_root = 0;
        for back in (4..=most).step_by(2) {
            if back <= ply {
                if self.path[ply - back].key == frame.key {
                    return true;
                }
            } else if history[history.len() + ply - back] == frame.key {
                times_before_root += 1;
                if times_before_root == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Probes the table for the node; its frame then has the hit, the score seen from the root, and the legal move.
    #[inline]
    pub(crate) fn probe(&mut self, ply: usize) {
        let frame = &mut self.path[ply];
        let key = frame.key ^ self.salt;
        frame.hit = self.around.table.and_then(|table| table.probe(key));
        if frame.depth >= self.around.tables.common {
            self.probe_common(ply);
        }
        let frame = &mut self.path[ply];
        self.work.probes += 1;
        self.work.hits += u64::from(frame.hit.is_some());
        frame.table_move = frame.hit.as_mut().and_then(|hit| {
            hit.score = hit.score.to_root(ply);
            if hit.mv == 0 { None } else { frame.position.unpack(hit.mv) }
        });
    }

    /// Probes what all hosts find; waits for the answer where it is not asked for early enough.
    #[cold]
    fn probe_common(&mut self, ply: usize) {
        let key = self.path[ply].key;
        if let (Some(hand), Some(home)) = (self.hand, self.around.tables.home(key)) {
            hand.cross(home);
            hand.cross(home);
        }
        let common = self.around.table.and_then(|table| table.probe(key));
        let frame = &mut self.path[ply];
        frame.hit = common.or(frame.hit);
    }

    /// Stores what was found out about the node.
    #[inline]
    pub(crate) fn store(&mut self, ply: usize, entry: Entry) {
        if let Some(table) = self.around.table {
            self.work.stores += 1;
            let entry = Entry { score: entry.score.to_node(ply), ..entry };
            table.store(self.path[ply].key ^ self.salt, entry);
            if entry.depth >= self.around.tables.common {
                table.store(self.path[ply].key, entry);
            }
            if let Some(far) = self.around.far
                && entry.depth >= far.depth()
            {
                far.tell(self.path[ply].key, entry);
            }
        }
    }

    /// Plays a move into the next frame and fetches its table entry ahead of time.
    #[inline]
    pub(crate) fn play(&mut self, ply: usize, mv: G::Move) {
        self.path.play(ply, mv);
        if let Some(table) = self.around.table {
            table.prefetch(self.path[ply + 1].key ^ self.salt);
        }
    }
}
