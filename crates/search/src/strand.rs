//! A strand: one sequential line of control of a search, with its own frames and its own rules.

use crate::algorithms::FrameView;
use crate::context::{SearchContext, StrandState};
use crate::foreseen::Ahead;
use crate::lost_stack::LostStack;
use crate::root::Root;
use crate::split_point::{SplitPath, SplitState};
use crate::tag::tagged;
use crate::work::{Work, WorkClock};
use crate::{Kind, Path, Rules};
use game::{Depth, Game, MAX_PLY, Score, Window};
use parking_lot::Mutex;
use scheduler::{Doorbell, ProcessorContext, SplitPointOf, StrandControl, SuspendedStrand};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use table::Entry;

/// What was being computed is not wanted any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut;

/// What others may touch of a strand of this search.
pub(crate) type ControlIn<'a, G, R> =
    StrandControl<SplitPath<G, R>, SplitState<<G as Game>::Move>, SuspendedStrand<SearchContext<'a, G, R>>>;

/// One sequential line of control of a search.
pub(crate) struct Strand<'s, 'a, G: Game, R: Rules<G>> {
    pub(crate) context: &'s SearchContext<'a, G, R>,
    /// The processor it runs on; none where the search runs without a scheduler.
    pub(crate) processor: Option<&'s ProcessorContext<'s, SearchContext<'a, G, R>>>,
    pub(crate) control: &'s ControlIn<'a, G, R>,
    pub(crate) rules: R,
    pub(crate) path: Path<G, R>,
    pub(crate) root: Arc<Mutex<Root<G::Move>>>,
    pub(crate) clock: WorkClock<'s>,
    pub(crate) work: &'s mut Work,
    pub(crate) lost: LostStack,
    pub(crate) links: Links<'a, G, R>,
    pub(crate) ahead: Ahead<G::Move>,
    /// Is it a remote helper, whose work a processor of another rank does?
    pub(crate) is_remote: bool,
    /// Where this machine is one of several ranks: the strand looks up when it is rung.
    pub(crate) doorbell: Option<Doorbell>,
    /// Makes the keys of this processor's table entries different from those of all others, where each has its own table.
    salt: u64,
    pub(crate) news: News,
}

/// How a strand is connected with others.
pub(crate) struct Links<'a, G: Game, R: Rules<G>> {
    /// Its frames that are shared, from the root down.
    pub(crate) shared: Vec<SplitPointOf<SearchContext<'a, G, R>>>,
    /// The ply of the split point that it helps at, if it was started to help. Split points of its own lie deeper.
    pub(crate) helps_at: Option<usize>,
    /// The ply of the split point whose members have been gathered to help this strand.
    pub(crate) helped_at: Option<usize>,
    /// Has it taken a move at the split point that it helps at?
    pub(crate) has_taken: bool,
    /// Node count until which requests are ignored.
    pub(crate) deaf_until: u64,
    /// Is what this strand does only probably wanted? It is certain as soon as the flag is false.
    pub(crate) speculation: Option<Arc<AtomicBool>>,
    /// Room for what algorithms see of the path's frames, so that an answer allocates nothing.
    pub(crate) views: Vec<FrameView>,
    /// Room for the frames that may be shared: priority and ply.
    pub(crate) candidates: Vec<(i64, usize)>,
    /// For whom they were listed, if that was at this node.
    pub(crate) listed: Option<Suiting>,
    /// Has a frame become sharable since there was last nothing to put on the board?
    pub(crate) is_fresh: bool,
}

/// Which frames suit a processor that looks for work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suiting {
    /// Only frames at least this far from the root.
    pub(crate) floor: usize,
    /// Only frames at least this deep.
    pub(crate) grain: Depth,
    /// Only frames whose results are wanted with some certainty.
    pub(crate) is_certain: bool,
}

impl<G: Game, R: Rules<G>> Default for Links<'_, G, R> {
    fn default() -> Self {
        Links {
            shared: Vec::new(),
            helps_at: None,
            helped_at: None,
            has_taken: false,
            deaf_until: 0,
            speculation: None,
            views: Vec::new(),
            candidates: Vec::new(),
            listed: None,
            is_fresh: false,
        }
    }
}

/// What a strand tells the search from time to time, and when it asks whether time is up.
#[derive(Default)]
pub(crate) struct News {
    /// The longest path since the strand last told.
    pub(crate) reach: usize,
    /// Nodes it has told of.
    pub(crate) counted: u64,
    /// Positions answered by tables outside the search.
    pub(crate) known_hits: u64,
    /// Node count at which the watch is asked again.
    pub(crate) next_watch: u64,
    /// Node count of the next look at everything; looks before it are at the doorbell only.
    pub(crate) next_look: u64,
}

impl<'s, 'a, G: Game, R: Rules<G>> Strand<'s, 'a, G, R> {
    pub(crate) fn new(
        context: &'s SearchContext<'a, G, R>,
        processor: Option<&'s ProcessorContext<'s, SearchContext<'a, G, R>>>,
        control: &'s ControlIn<'a, G, R>,
        strand_state: &'s mut StrandState<G, R>,
        root: Arc<Mutex<Root<G::Move>>>,
    ) -> Self {
        let StrandState { path_and_rules, lost, work, profile } = strand_state;
        let (mut path, mut rules) =
            path_and_rules.take().unwrap_or_else(|| unreachable!("a strand state has one strand at a time"));
        path.moves.clear();
        rules.move_to(processor.map_or(0, ProcessorContext::index));
        Strand {
            context,
            processor,
            control,
            rules,
            path,
            root,
            clock: WorkClock::new(profile, context.algorithm.switches.without),
            work,
            lost: std::mem::take(lost),
            links: Links::default(),
            ahead: Ahead::default(),
            is_remote: processor.is_some_and(ProcessorContext::is_remote),
            doorbell: processor.and_then(ProcessorContext::doorbell),
            salt: processor.map_or(0, |processor| context.tables.map.salt(processor.index())),
            news: News::default(),
        }
    }

    /// The strand goes on on this processor.
    pub(crate) fn moved_to(&mut self, processor: usize) {
        self.salt = self.context.tables.map.salt(processor);
        self.rules.move_to(processor);
    }

    /// The strand ends; its path, its rules and the memory of what it has lost can be used again.
    pub(crate) fn end(mut self) -> (Path<G, R>, R, LostStack) {
        self.tell();
        self.context.tally.known_hits.fetch_add(self.news.known_hits, Ordering::Relaxed);
        self.work.nodes += self.clock.nodes();
        self.work.lost.add(&self.lost.take_since(0).lost);
        self.work.lost.add(&self.lost.pass_up_since(0).lost);
        self.clock.leap(self.clock.stamp());
        (self.path, self.rules, self.lost)
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
        let history = self.context.history;
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
        if self.context.algorithm.switches.interior_table && self.path[ply].depth <= 0 {
            (self.path[ply].hit, self.path[ply].table_move) = (None, None);
            return;
        }
        if self.context.tables.is_far
            && let Some(processor) = self.processor
        {
            processor.look_up(self.path[ply].key);
        }
        let frame = &mut self.path[ply];
        let key = frame.key ^ self.salt;
        let window = frame.window;
        frame.hit = self.context.tables.local.and_then(|table| table.probe_within(key, window, ply));
        if frame.depth >= self.context.tables.map.common {
            self.probe_common(ply);
        }
        let (frame, room) = self.path.frame_and_room(ply);
        self.work.probes += 1;
        self.work.hits += u64::from(frame.hit.is_some());
        frame.table_move = frame.hit.as_mut().and_then(|hit| {
            hit.score = hit.score.to_root(ply);
            tagged(&frame.position, hit.mv, room)
        });
    }

    /// Probes what all hosts find; waits for the answer where it is not asked for early enough.
    #[cold]
    fn probe_common(&mut self, ply: usize) {
        let (key, window) = (self.path[ply].key, self.path[ply].window);
        if let (Some(processor), Some(home)) = (self.processor, self.context.tables.map.home(key)) {
            processor.cross(home);
            processor.cross(home);
        }
        let common = self.context.tables.local.and_then(|table| table.probe_within(key, window, ply));
        let frame = &mut self.path[ply];
        frame.hit = common.or(frame.hit);
    }

    /// The node has been searched with this window: would the table have known the result by now? Then another strand has
    /// searched it meanwhile (*Socrates section 5.1).
    #[inline]
    pub(crate) fn note_duplicate(&mut self, ply: usize, window: Window) {
        let frame = &self.path[ply];
        if !self.context.terms.is_virtual || frame.kind == Kind::Pv {
            return;
        }
        let settles = |hit: Entry| hit.depth >= frame.depth && hit.bound.settles(hit.score, window);
        let hit = self.context.tables.local.and_then(|table| table.probe(frame.key ^ self.salt));
        let is_known = hit.is_some_and(|hit| settles(Entry { score: hit.score.to_root(ply), ..hit }));
        self.work.duplicates += u64::from(is_known && !frame.hit.is_some_and(settles));
    }

    /// Stores what was found out about the node.
    #[inline]
    pub(crate) fn store(&mut self, ply: usize, entry: Entry) {
        if self.context.algorithm.switches.interior_table && self.path[ply].depth <= 0 {
            return;
        }
        if let Some(table) = self.context.tables.local {
            self.work.stores += 1;
            if self.context.tables.is_far
                && let Some(processor) = self.processor
            {
                processor.put(self.path[ply].key);
            }
            let entry = Entry { score: entry.score.to_node(ply), ..entry };
            table.store(self.path[ply].key ^ self.salt, entry);
            if entry.depth >= self.context.tables.map.common {
                table.store(self.path[ply].key, entry);
            }
            if let Some(remote) = self.context.tables.remote
                && entry.depth >= remote.depth()
            {
                remote.tell(self.path[ply].key, entry);
            }
        }
    }

    /// Plays a move into the next frame and fetches its table entry ahead of time, if possible before the move is played.
    #[inline]
    pub(crate) fn play(&mut self, ply: usize, mv: G::Move) {
        let foretold = self.path[ply].position.foretold_key(mv);
        if let (Some(table), Some(key)) = (self.context.tables.local, foretold) {
            table.prefetch(key ^ self.salt);
        }
        self.path.play(ply, mv);
        if let (Some(table), None) = (self.context.tables.local, foretold) {
            table.prefetch(self.path[ply + 1].key ^ self.salt);
        }
        self.rules.expect(&self.path, ply + 1);
    }
}
