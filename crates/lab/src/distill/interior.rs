//! Positions from the interior of our own search trees: what the network is asked about.
//!
//! Fast games are played as for `datagen`. While they are searched, some of the positions that the search evaluates are set
//! aside, and labelled by the teacher when the game has ended. They are never in check, but often far from quiet.

use super::teacher::{Teacher, TeacherNetwork};
use crate::datagen::{BALANCED, MORE_PLIES, SelfGame};
use crate::random::Random;
use crate::selfplay::Play;
use crate::tune::Sample;
use chess::board::Board;
use chess::{EvaluationObserver, RuleSet};
use engine::EngineCore;
use parking_lot::Mutex;
use std::sync::Arc;

/// How to play, and what to keep.
#[derive(Clone, Debug)]
pub struct InteriorSettings {
    /// Nodes a move.
    pub nodes: u64,
    /// The least number of random moves at the beginning of a game.
    pub random_plies: usize,
    /// Decides the random moves and which positions are kept, together with the game's number.
    pub seed: u64,
    /// One of so many positions that are evaluated is kept, on average.
    pub every: usize,
}

/// Sets some of the positions that it is shown aside.
struct Sampler {
    every: usize,
    state: Mutex<SamplerState>,
}

struct SamplerState {
    random: Random,
    /// So many more are passed over.
    skip: usize,
    boards: Vec<Board>,
}

impl EvaluationObserver for Sampler {
    fn evaluated(&self, board: &Board) {
        let mut state = self.state.lock();
        if state.skip > 0 {
            state.skip -= 1;
            return;
        }
        state.skip = state.random.below(2 * self.every - 1);
        state.boards.push(board.clone());
    }
}

/// Plays games and labels what their searches evaluate.
pub struct InteriorPlayer {
    engine: EngineCore,
    settings: InteriorSettings,
    sampler: Arc<Sampler>,
    teacher: Teacher,
}

impl InteriorPlayer {
    /// A player with an engine and a teacher of its own.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn new(settings: InteriorSettings, network: Arc<TeacherNetwork>) -> Result<InteriorPlayer, table::TableError> {
        let mut engine = EngineCore::with(RuleSet::modern(), 4)?;
        let state = SamplerState { random: Random::new(0), skip: 0, boards: Vec::new() };
        let sampler = Arc::new(Sampler { every: settings.every.max(1), state: Mutex::new(state) });
        engine.observe_evaluations(Arc::clone(&sampler) as Arc<dyn EvaluationObserver>);
        Ok(InteriorPlayer { engine, settings, sampler, teacher: Teacher::new(network) })
    }

    /// Plays the game of a number; none if its opening leaves one side far ahead, or nothing was kept.
    pub fn play(&mut self, number: u32) -> Option<SelfGame> {
        let InteriorSettings { nodes, random_plies, seed, .. } = self.settings;
        let mut random = Random::for_item(seed, u64::from(number));
        let plies = random_plies..=random_plies + MORE_PLIES;
        let play = Play::opening(&mut random, plies, &mut self.engine, nodes, BALANCED)?;
        self.engine.new_game();
        let mut state = self.sampler.state.lock();
        state.random = Random::for_item(seed ^ 1 << 63, u64::from(number));
        state.skip = 0;
        state.boards.clear();
        drop(state);
        let result = f64::from(self.play_out(play)) / 2.0;
        let boards = std::mem::take(&mut self.sampler.state.lock().boards);
        let label = |board: Board| Sample { score: self.teacher.label(&board), board, result };
        let samples: Vec<Sample> = boards.into_iter().map(label).collect();
        (!samples.is_empty()).then_some(SelfGame { number, samples })
    }

    /// Plays to the end: the half points of White.
    fn play_out(&mut self, mut play: Play) -> u8 {
        loop {
            if let Some(half_points) = play.finished() {
                return half_points;
            }
            let Some((mv, score)) = play.search(&mut self.engine, self.settings.nodes) else { return 1 };
            let white = if play.is_white() { score.value() } else { -score.value() };
            if let Some(half_points) = play.adjudicated(white) {
                return half_points;
            }
            play.make(mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_one_of_so_many_is_kept_and_the_same_every_time() {
        let kept = |seed| {
            let state = SamplerState { random: Random::new(seed), skip: 0, boards: Vec::new() };
            let sampler = Sampler { every: 8, state: Mutex::new(state) };
            let mut engine = EngineCore::with(RuleSet::modern(), 1).unwrap();
            let sampler = Arc::new(sampler);
            engine.observe_evaluations(Arc::clone(&sampler) as Arc<dyn EvaluationObserver>);
            Play::default().search(&mut engine, 4000);
            let boards = std::mem::take(&mut sampler.state.lock().boards);
            assert!((150..=500).contains(&boards.len()), "{}", boards.len());
            assert!(boards.iter().all(|board| board.checkers().is_empty()));
            boards
        };
        assert_eq!(kept(1), kept(1));
        assert_ne!(kept(1), kept(2));
    }
}
