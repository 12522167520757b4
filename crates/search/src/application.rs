//! The search as the scheduler sees it: what a strand does that starts, helps, or works for another rank.

use crate::algorithms::Together;
use crate::context::{SearchContext, StrandState};
use crate::remote_task::{RemoteResult, RemoteTask};
use crate::split_point::{SplitPath, SplitState};
use crate::strand::Strand;
use crate::work::{ParallelismProfile, Work};
use crate::{Path, Rules};
use game::{Game, Score};
use parking_lot::Mutex;
use scheduler::{Application, ApplicationTypes, ProcessorContext, SplitPointOf, Waiting};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl<'a, G: Game, R: Rules<G>> ApplicationTypes for SearchContext<'a, G, R> {
    type StrandState = StrandState<G, R>;
    type SplitPath = SplitPath<G, R>;
    type SplitState = SplitState<G::Move>;
    type RemoteTask = RemoteTask;
    type RemoteResult = RemoteResult;
}

// SAFETY: the driver keeps no lock guard, `Rc` or reference to a thread-local across the calls of `ProcessorContext` that
// suspend a strand: `tick` is called by `tell` and `wait` by `search_shared`, both with no lock held, `cross` likewise, and
// `send_away` by a remote helper that holds nothing but its own path.
unsafe impl<'a, G: Game, R: Rules<G>> Application for SearchContext<'a, G, R> {
    fn new_strand_state(&self) -> StrandState<G, R> {
        let path = Path::new(self.position);
        StrandState {
            path_and_rules: Some((path, self.rules.clone())),
            work: Work::default(),
            profile: ParallelismProfile::default(),
        }
    }

    fn start(&self, processor: &ProcessorContext<'_, Self>, strand_state: &mut StrandState<G, R>) {
        if processor.index() != 0 {
            let root = Arc::new(Mutex::new(self.root.lock().clone()));
            let mut strand = Strand::new(self, Some(processor), processor.control(), strand_state, root);
            strand.run_along(processor.index());
            let path_and_rules = strand.end();
            strand_state.path_and_rules = Some(path_and_rules);
            return;
        }
        let mut strand = Strand::new(self, Some(processor), processor.control(), strand_state, Arc::clone(&self.root));
        strand.run_to_end();
        let path_and_rules = strand.end();
        strand_state.path_and_rules = Some(path_and_rules);
        // Stops strands that are still running below a cut.
        self.tally.stopped.store(true, Ordering::Relaxed);
    }

    fn starts_everywhere(&self) -> bool {
        self.algorithm.together != Together::OnRequest
    }

    fn starts_here(&self) -> bool {
        self.leads
    }

    fn run_remote_task(
        &self,
        processor: &ProcessorContext<'_, Self>,
        strand_state: &mut StrandState<G, R>,
        task: RemoteTask,
    ) -> Option<RemoteResult> {
        let mut strand = Strand::new(self, Some(processor), processor.control(), strand_state, Arc::clone(&self.root));
        let result = strand.run_remote_task(&task);
        let path_and_rules = strand.end();
        strand_state.path_and_rules = Some(path_and_rules);
        result
    }

    fn bound(&self, state: &mut SplitState<G::Move>) -> i32 {
        state.window.alpha.value()
    }

    fn raise(&self, state: &mut SplitState<G::Move>, bound: i32) {
        state.raise(Score::from_value(bound));
    }

    fn stop(&self) {
        self.tally.stopped.store(true, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.tally.is_stopped()
    }

    fn check_limits(&self) {
        if self.leads && self.watch.expired() {
            self.stop();
        }
    }

    fn progress(&self) -> u64 {
        self.tally.nodes.load(Ordering::Relaxed)
    }

    fn count(&self, nodes: u64) {
        self.tally.nodes.fetch_add(nodes, Ordering::Relaxed);
        self.tally.elsewhere.fetch_add(nodes, Ordering::Relaxed);
    }

    fn help(
        &self,
        processor: &ProcessorContext<'_, Self>,
        strand_state: &mut StrandState<G, R>,
        split: &SplitPointOf<Self>,
    ) {
        let root = Arc::clone(&split.path.root);
        let mut strand = Strand::new(self, Some(processor), processor.control(), strand_state, root);
        strand.help(split);
        let path_and_rules = strand.end();
        strand_state.path_and_rules = Some(path_and_rules);
    }

    fn has_work(&self, state: &mut SplitState<G::Move>) -> bool {
        state.has_task(self.algorithm.valuing)
    }

    fn waiting(&self) -> Waiting {
        self.algorithm.waiting
    }

    fn retire(&self, strand_state: StrandState<G, R>) {
        let mut work = self.work.lock();
        work.add(&strand_state.work);
        work.profile.add(&strand_state.profile);
    }
}
