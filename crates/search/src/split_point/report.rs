//! The report at a split point: what a searched move means for the node.

use super::{MoveTask, SplitState};
use crate::algorithms::Valuing;
use game::{Bound, Score};

/// A move of a frame has been searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finished<M> {
    pub(crate) task: MoveTask<M>,
    /// Alpha when the search began.
    pub(crate) alpha: Score,
    pub(crate) score: Score,
    /// Nodes spent on it.
    pub(crate) effort: u64,
    /// How often the split point's members had been recalled when the move was taken.
    pub(crate) recalls: u32,
}

/// What else a report depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Witness {
    /// Was the split point over before the report?
    pub(crate) over: bool,
    /// Is the node the root, whose moves are valued even where they beat beta?
    pub(crate) is_root: bool,
    /// Is the node searched in quiescence, where moves are valued at once?
    pub(crate) is_quiescence: bool,
    pub(crate) valuing: Valuing,
    /// The stamp of the member that reports.
    pub(crate) stamp: u64,
}

/// What a report leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict<M> {
    /// The member was recalled since it took the move, which another member has now.
    Recalled,
    /// The split point was over before.
    Late {
        /// Was the member recalled as well?
        recalled: bool,
    },
    /// The move beat its test: the member that tested it values it at once.
    ValueNow(MoveTask<M>),
    /// The move beat its test: it will be valued when its turn comes.
    ValueLater,
    /// The move beat an alpha that has risen since: it has to be tested again.
    TestAgain,
    /// The move did not beat the guess: whether it is done is known when the first move is.
    Unproven,
    /// The move does not beat alpha.
    Failed,
    /// The move raised alpha.
    Raised,
    /// The move beats beta: the node is done.
    Cutoff,
}

impl<M: Copy> Verdict<M> {
    /// Was the search a test that failed, so that the move has to be valued?
    pub(crate) fn is_failed_test(&self) -> bool {
        matches!(self, Verdict::ValueNow(_) | Verdict::ValueLater)
    }

    /// What the score of the move says, if the move is the best one now.
    pub(crate) fn bound(&self) -> Option<Bound> {
        match self {
            Verdict::Raised => Some(Bound::Exact),
            Verdict::Cutoff => Some(Bound::Lower),
            _ => None,
        }
    }

    /// Is this all that the member has to say about the move?
    pub(crate) fn is_final(&self) -> bool {
        !matches!(self, Verdict::Recalled | Verdict::Late { recalled: true } | Verdict::ValueNow(_))
    }
}

impl<M: Copy> SplitState<M> {
    /// A member reports a move that it searched; `line` is the variation below it.
    pub(crate) fn report(&mut self, finished: &Finished<M>, line: &[M], witness: Witness) -> Verdict<M> {
        let Finished { task, alpha, score, effort, recalls, .. } = *finished;
        let (mv, index) = (task.mv(), task.index());
        self.times.reach = self.times.reach.max(witness.stamp);
        let recalled = recalls != self.recall.count;
        if !recalled {
            self.put_down(index);
            self.recall.gathered = false;
        }
        if witness.over {
            return Verdict::Late { recalled };
        }
        if recalled {
            return Verdict::Recalled;
        }
        if self.must_value(finished, witness) {
            self.spending.moves.push((index, mv, effort));
            let value = MoveTask::Value { mv, index, alpha };
            if witness.valuing == Valuing::AtOnce {
                self.in_hand.push(value);
                return Verdict::ValueNow(value);
            }
            self.waiting.push(value);
            return Verdict::ValueLater;
        }
        if self.is_batch && score > alpha && score <= self.window.alpha {
            // Whether it beats the new one is not known yet.
            self.waiting.push(MoveTask::Test { mv, index });
            return Verdict::TestAgain;
        }
        if score <= alpha && score > self.window.alpha {
            // It did not beat the guess, but it may beat alpha.
            self.unproven.push((MoveTask::Test { mv, index }, score));
            self.judge_unproven();
            return Verdict::Unproven;
        }
        self.spending.moves.push((index, mv, effort));
        self.best.score = self.best.score.max(score);
        if index == 0 {
            self.guess = None;
        }
        if score <= self.window.alpha {
            self.judge_unproven();
            return Verdict::Failed;
        }
        (self.best.mv, self.best.index) = (Some(mv), index);
        self.best.set_line(mv, line);
        if score < self.window.beta {
            self.window.alpha = score;
            self.judge_unproven();
            return Verdict::Raised;
        }
        self.cutter = Some((index, witness.stamp));
        self.ledger.cut(index);
        Verdict::Cutoff
    }

    /// Moves that did not beat the guess are done if they don't beat alpha either. Once there is no guess any more, the
    /// others are tested again.
    fn judge_unproven(&mut self) {
        let alpha = self.window.alpha;
        for (task, score) in std::mem::take(&mut self.unproven) {
            if score <= alpha {
                self.best.score = self.best.score.max(score);
            } else if self.guess.is_none() {
                self.waiting.push(task);
            } else {
                self.unproven.push((task, score));
            }
        }
    }

    /// Did the move beat its test, so that its value is wanted?
    fn must_value(&self, finished: &Finished<M>, witness: Witness) -> bool {
        let beats = finished.task.is_test() && !witness.is_quiescence && finished.score > finished.alpha;
        beats && (finished.score < self.window.beta || witness.is_root && !self.is_batch)
    }
}
