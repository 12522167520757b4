//! Logs every split point of a search, if a log is wanted: which processor shared what, where, and what became of it.
//!
//! Only written where a frame is shared, helped at or closed; a search without a log pays nothing at its nodes.

use crate::Rules;
use crate::context::SearchContext;
use crate::split_record::{Fate, SplitRecord};
use crate::strand::Strand;
use game::Game;
use scheduler::{ProcessorContext, SplitPointOf};

impl<'a, G: Game, R: Rules<G>> Strand<'_, 'a, G, R> {
    /// A frame is about to be shared; its place in the log.
    pub(crate) fn log_share(&self, ply: usize, moves: usize) -> Option<usize> {
        let log = self.context.checks.log.as_ref()?;
        let above = self.links.shared.iter().rfind(|split| split.ply < ply);
        let parent = above.and_then(|split| split.with(|at| at.state.record));
        let from = above.map_or(0, |split| split.ply);
        let frame = &self.path[ply];
        log.add(SplitRecord {
            parent,
            line: (from..ply).map(|ply| self.path[ply].current).collect(),
            ply,
            depth: frame.depth,
            kind: frame.kind,
            moves,
            processor: self.processor.map_or(0, ProcessorContext::index),
            start: self.processor.map_or(0, ProcessorContext::now),
            end: 0,
            helpers: 0,
            help: 0,
            cut_at: None,
            fate: Fate::Abandoned,
        })
    }

    /// A helper has left a split point.
    pub(crate) fn log_help(&self, split: &SplitPointOf<SearchContext<'a, G, R>>, effort: u64) {
        self.log_at(split, |record| {
            record.helpers += 1;
            record.help += effort;
        });
    }

    /// A move has cut a split point off.
    pub(crate) fn log_cut(&self, split: &SplitPointOf<SearchContext<'a, G, R>>) {
        self.log_at(split, |record| record.cut_at = Some(self.processor.map_or(0, ProcessorContext::now)));
    }

    /// The owner of a split point goes on; its result counts, or not.
    pub(crate) fn log_end(&self, split: &SplitPointOf<SearchContext<'a, G, R>>, counts: bool) {
        if self.context.checks.log.is_none() {
            return;
        }
        let is_cut = split.with(|at| at.state.cutter.is_some());
        self.log_at(split, |record| {
            // On a virtual machine a strand may be some ticks ahead of the others.
            let now = self.processor.map_or(0, ProcessorContext::now);
            record.end = now.max(record.cut_at.unwrap_or(record.start));
            record.fate = match (counts, is_cut) {
                (false, _) => Fate::Abandoned,
                (true, true) => Fate::Cut,
                (true, false) => Fate::Kept,
            };
        });
    }

    fn log_at(&self, split: &SplitPointOf<SearchContext<'a, G, R>>, act: impl Fn(&mut SplitRecord<G::Move>)) {
        let Some(log) = &self.context.checks.log else { return };
        if let Some(place) = split.with(|at| at.state.record) {
            log.records.lock().get_mut(place).into_iter().for_each(act);
        }
    }
}
