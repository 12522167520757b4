//! Pairs of games between two settings of the search, played in this process.

use super::Contest;
use crate::random::Random;
use crate::selfplay::Play;
use chess::RuleSet;
use engine::EngineCore;
use serde::Serialize;

/// How the games are played.
#[derive(Clone, Debug, Serialize)]
pub struct SelfPlayGames {
    /// The rules of both engines, and their numbers where they are not tuned.
    pub rules: String,
    /// Nodes a move.
    pub nodes: u64,
    /// The size of each engine's table in MiB.
    pub hash: usize,
    /// Decides the openings.
    pub seed: u64,
}

/// Random plies of an opening, and how far ahead a side may be after them.
const PLIES: std::ops::RangeInclusive<usize> = 6..=9;
const BALANCED: i32 = 60;
const OPENING_NODES: u64 = 1000;

/// Two engines that play each other.
pub struct SelfPlay {
    engines: [EngineCore; 2],
    profile: RuleSet,
    names: Vec<String>,
    games: SelfPlayGames,
}

impl SelfPlay {
    /// Engines for games in which these parameters are set.
    ///
    /// # Errors
    /// If a rule is unknown, or there is no memory for the tables.
    pub fn new(games: SelfPlayGames, names: Vec<String>) -> Result<SelfPlay, String> {
        let profile = RuleSet::parse(&games.rules)?;
        let engine = || EngineCore::with(profile.clone(), games.hash).map_err(|error| error.to_string());
        let engines = [engine()?, engine()?];
        Ok(SelfPlay { engines, profile, names, games })
    }

    /// The profile with these values.
    fn with(&self, values: &[i32]) -> RuleSet {
        let mut profile = self.profile.clone();
        for (name, &value) in self.names.iter().zip(values) {
            // Names and ranges were checked when the list was made.
            let _ = profile.parameters.set(name, value);
        }
        profile
    }

    /// The opening of a pair. It does not depend on the parameters.
    fn opening(&mut self, pair: u64) -> Play {
        let mut random = Random::for_item(self.games.seed, pair.wrapping_neg());
        let engine = &mut self.engines[0];
        engine.set_profile(self.profile.clone());
        loop {
            if let Some(play) = Play::opening(&mut random, PLIES, engine, OPENING_NODES, BALANCED) {
                return play;
            }
        }
    }

    /// Plays a game; the half points of White. `white` is the engine that plays White.
    fn game(&mut self, mut play: Play, white: usize) -> u8 {
        self.engines.iter_mut().for_each(EngineCore::new_game);
        loop {
            if let Some(half_points) = play.finished() {
                return half_points;
            }
            let is_white = play.is_white();
            let engine = &mut self.engines[if is_white { white } else { 1 - white }];
            let Some((mv, score)) = play.search(engine, self.games.nodes) else { return 1 };
            let seen_by_white = if is_white { score.value() } else { -score.value() };
            if let Some(half_points) = play.adjudicated(seen_by_white) {
                return half_points;
            }
            play.make(mv);
        }
    }
}

impl Contest for SelfPlay {
    fn play(&mut self, pair: u64, first: &[i32], second: &[i32]) -> u8 {
        let opening = self.opening(pair);
        let profiles = [self.with(first), self.with(second)];
        for (engine, profile) in self.engines.iter_mut().zip(profiles) {
            engine.set_profile(profile);
        }
        self.game(opening.clone(), 0) + 2 - self.game(opening, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_engines_share_the_points_and_pairs_are_the_same_every_time() {
        let games = SelfPlayGames { rules: "modern".into(), nodes: 60, hash: 1, seed: 5 };
        let contest = || SelfPlay::new(games.clone(), vec!["null_depth".into()]).unwrap();
        let mut one = contest();
        assert!((1..=3).all(|pair| one.play(pair, &[3], &[3]) == 2));
        let results = |contest: &mut SelfPlay| (1..=6).map(|pair| contest.play(pair, &[2], &[9])).collect::<Vec<_>>();
        assert_eq!(results(&mut one), results(&mut contest()));
        assert!(SelfPlay::new(SelfPlayGames { rules: "nonsense".into(), ..games }, Vec::new()).is_err());
    }
}
