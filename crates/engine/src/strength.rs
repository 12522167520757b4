//! Limited strength: what a weaker player sees, and what it plays.
//!
//! A person sees at once what can be taken and what mates, sees quiet replies less surely and long lines seldom, and weighs
//! positions roughly. So a search finds the score of every move at every depth ([`RootScores`]). The [`Player`] sees all moves to a
//! depth that grows with its skill, some of them a little further, misjudges each by a random error, and plays what then seems
//! best. At the least depth captures are played out and a mate in one is found, so it does not leave a queen to be taken, but misses
//! what is quiet or deep. `limited_search` has the search.

use crate::clock::TimeControl;
use chess::Move;
use game::{Depth, Score};
use rand_distr::{Distribution, LogNormal, Normal, Poisson, StandardUniform};
use rand_xoshiro::rand_core::Rng;
use std::time::Duration;

/// The lowest rating.
pub const MIN_ELO: u32 = 800;
/// The highest rating.
pub const MAX_ELO: u32 = 2800;
/// The skill level of full strength.
pub(crate) const MAX_SKILL: u32 = 20;

/// The most moves that are searched further than all.
const CANDIDATES: usize = 8;
/// How many plies a player sees beyond those it sees in every line, in the mean.
const FURTHER_PLIES: f64 = 0.6;
/// A limited engine answers after this many seconds at the latest, however much time there is.
const LONGEST_THOUGHT: f64 = 30.0;

/// Skills and their ratings, as measured up to 16 and guessed above: docs/strength.md.
const RATINGS: [(f64, f64); 7] =
    [(0.0, 800.0), (4.0, 1200.0), (8.0, 1620.0), (12.0, 1900.0), (16.0, 2080.0), (19.0, 2380.0), (23.0, 2800.0)];

/// What a player of some strength can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Player {
    /// How many plies beyond the first it sees in every line.
    sure_plies: f64,
    /// The standard deviation of its errors of judgement, in units of the evaluation.
    judgement_error: f64,
    /// How much the score at depth 1 counts, where it sees further: from 0 to 1.
    first_impression: f64,
}

impl Player {
    /// The player of a skill level.
    pub(crate) fn of_skill(skill: f64) -> Player {
        Player {
            sure_plies: skill * skill / 30.0,
            judgement_error: 150.0 * (-skill / 6.0).exp(),
            first_impression: (-skill / 6.0).exp(),
        }
    }

    /// The player of a rating.
    pub(crate) fn of_rating(elo: u32) -> Player {
        let elo = f64::from(elo);
        let above = RATINGS.partition_point(|&(_, rating)| rating < elo).clamp(1, RATINGS.len() - 1);
        let ((low_skill, low), (high_skill, high)) = (RATINGS[above - 1], RATINGS[above]);
        let part = ((elo - low) / (high - low)).clamp(0.0, 1.0);
        Player::of_skill(low_skill + part * (high_skill - low_skill))
    }

    /// No move is seen further.
    pub(crate) fn depth(&self) -> Depth {
        1 + (self.sure_plies + FURTHER_PLIES + 2.0 * FURTHER_PLIES.sqrt()).ceil() as Depth
    }

    /// A move worse by this than the best is not searched further.
    pub(crate) fn margin(&self) -> i32 {
        120 + (3.0 * self.judgement_error) as i32
    }

    /// How deep this player looks at every move of a position.
    fn sure_depth(&self, random: &mut impl Rng) -> usize {
        let rounding: f64 = StandardUniform.sample(random);
        1 + (self.sure_plies + rounding).floor() as usize
    }

    /// How much further it looks at one of them.
    fn further_plies(random: &mut impl Rng) -> usize {
        Poisson::new(FURTHER_PLIES).map_or(0.0, |plies| plies.sample(random)) as usize
    }

    /// By how much this player misjudges a position.
    fn misjudgement(&self, random: &mut impl Rng) -> f64 {
        Normal::new(0.0, self.judgement_error).map_or(0.0, |judgement_error| judgement_error.sample(random))
    }
}

/// A move of the root and what was found about it.
#[derive(Clone, Debug)]
pub(crate) struct ScoredMove {
    pub(crate) mv: Move,
    /// Its scores from depth 1 on.
    scores: Vec<Score>,
    /// The line behind the last score.
    pub(crate) line: Vec<Move>,
}

impl ScoredMove {
    /// Its score at the last depth.
    pub(crate) fn score(&self) -> Option<Score> {
        self.scores.last().copied()
    }

    /// What a player thinks of the move that sees it to this depth: its score there, balanced with the one before, since scores go up
    /// and down as the one or the other side has the last move; and its first impression.
    fn impression(&self, depth: usize, player: Player) -> Option<f64> {
        let scores = &self.scores[..depth.min(self.scores.len())];
        let (&score, before) = scores.split_last()?;
        let value = |score: Score| f64::from(score.value());
        let is_open = |score: &&Score| !score.is_known();
        let (Some(last), Some(first), true) =
            (before.last().filter(is_open), scores.first().filter(is_open), is_open(&&score))
        else {
            return Some(value(score));
        };
        let further = (value(score) + value(*last)) / 2.0;
        Some(further + player.first_impression * (value(*first) - further))
    }
}

/// The scores of the moves at every depth that was searched.
#[derive(Debug, Default)]
pub(crate) struct RootScores {
    moves: Vec<ScoredMove>,
}

impl RootScores {
    /// A line has this score at this depth. The depths of a move come in order; one that is known already is not noted again.
    pub(crate) fn note(&mut self, depth: Depth, score: Score, line: &[Move]) {
        let Some(&mv) = line.first() else { return };
        let index = self.moves.iter().position(|seen| seen.mv == mv).unwrap_or_else(|| {
            self.moves.push(ScoredMove { mv, scores: Vec::new(), line: Vec::new() });
            self.moves.len() - 1
        });
        let seen = &mut self.moves[index];
        if usize::try_from(depth).is_ok_and(|depth| depth > seen.scores.len()) {
            seen.scores.push(score);
            seen.line = line.to_vec();
        }
    }

    fn last_scores(&self) -> impl Iterator<Item = (Move, Score)> {
        self.moves.iter().filter_map(|seen| Some((seen.mv, seen.score()?)))
    }

    /// The moves that are worth a further search: the best few, none worse than the best by more than the margin.
    pub(crate) fn candidates(&self, margin: i32) -> Vec<Move> {
        let mut moves: Vec<(Move, Score)> = self.last_scores().collect();
        moves.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
        let best = moves.first().map_or(Score::DRAW, |&(_, score)| score);
        let is_near = |&(_, score): &(Move, Score)| best - score <= margin;
        moves.into_iter().filter(is_near).take(CANDIDATES).map(|(mv, _)| mv).collect()
    }

    /// The best impression of all moves that were searched to this depth.
    fn best_impression(&self, depth: usize, player: Player) -> f64 {
        let searched = self.moves.iter().filter(|seen| seen.scores.len() >= depth);
        searched.filter_map(|seen| seen.impression(depth, player)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The move that seems best to a player. Each is compared with the best one at the same depth: deeper scores of all moves may be
    /// worse, or better, and then what was seen least would be chosen, or what was seen most.
    pub(crate) fn choose(&self, player: Player, random: &mut impl Rng) -> Option<&ScoredMove> {
        let mut best: Option<(f64, &ScoredMove)> = None;
        let sure_depth = player.sure_depth(random);
        for seen in self.moves.iter().filter(|seen| !seen.scores.is_empty()) {
            let depth = (sure_depth + Player::further_plies(random)).min(seen.scores.len());
            let Some(impression) = seen.impression(depth, player) else { continue };
            // A mate that is seen is seen.
            let error = if seen.scores[depth - 1].is_known() { 0.0 } else { player.misjudgement(random) };
            let believed = impression - self.best_impression(depth, player) + error;
            if best.is_none_or(|(most, _)| believed > most) {
                best = Some((believed, seen));
            }
        }
        best.map(|(_, seen)| seen)
    }

    /// How many moves seem about as good as the best.
    fn rivals(&self) -> usize {
        self.candidates(40).len()
    }

    /// How long a person would think about this, under this control: longer where several moves seem good, and never the same.
    pub(crate) fn thinking_time(&self, control: TimeControl, random: &mut impl Rng) -> Duration {
        let usual = match control {
            TimeControl::Unlimited => return Duration::ZERO,
            TimeControl::PerMove(time) => time.as_secs_f64() * 0.3,
            TimeControl::Game(clock) => {
                let moves = clock.moves_to_go.map_or(40.0, |moves| f64::from(moves.clamp(2, 40)));
                clock.remaining.as_secs_f64() / moves + clock.increment.as_secs_f64() * 0.5
            }
        };
        let choice = match (self.moves.len(), self.rivals()) {
            (0 | 1, _) => 0.2,
            (_, 0 | 1) => 0.5,
            (_, 2) => 0.9,
            _ => 1.2,
        };
        let variation = LogNormal::new(-0.12, 0.5).map_or(1.0, |variation| variation.sample(random));
        Duration::from_secs_f64((usual * choice * variation).clamp(0.0, LONGEST_THOUGHT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use chess::Position;
    use game::Game;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    fn three_moves() -> [Move; 3] {
        let mut moves = Vec::new();
        Position::default().moves(&mut moves);
        [moves[0], moves[1], moves[2]]
    }

    /// The first move seems best up to depth 4, and loses a knight at depth 5; the second is a little worse at first; the third
    /// loses the queen at once.
    fn trap() -> (RootScores, [Move; 3]) {
        let moves = three_moves();
        let mut scores_of_moves = RootScores::default();
        for depth in 1..=8 {
            scores_of_moves.note(depth, Score::estimate(if depth < 5 { 60 } else { -300 }), &[moves[0]]);
            scores_of_moves.note(depth, Score::estimate(20), &[moves[1]]);
            scores_of_moves.note(depth, Score::estimate(-900), &[moves[2]]);
        }
        (scores_of_moves, moves)
    }

    /// How often of a thousand times each of the moves is chosen.
    fn chosen(scores_of_moves: &RootScores, moves: [Move; 3], player: Player) -> [usize; 3] {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut counts = [0; 3];
        for _ in 0..1000 {
            let mv = scores_of_moves.choose(player, &mut random).unwrap().mv;
            counts[moves.iter().position(|&other| other == mv).unwrap()] += 1;
        }
        counts
    }

    #[test]
    fn the_weak_fall_into_the_trap_and_no_player_gives_the_queen_away() {
        let (scores_of_moves, moves) = trap();
        let weak = chosen(&scores_of_moves, moves, Player::of_rating(1200));
        let strong = chosen(&scores_of_moves, moves, Player::of_rating(2700));
        assert!(weak[0] > 400, "{weak:?}");
        assert!(strong[0] < 150 && strong[1] > 850, "{strong:?}");
        assert!(weak[2] <= 5 && strong[2] == 0, "{weak:?} {strong:?}");
    }

    #[test]
    fn a_mate_in_one_is_played() {
        let moves = three_moves();
        let mut scores_of_moves = RootScores::default();
        for depth in 1..=3 {
            scores_of_moves.note(depth, Score::estimate(900), &[moves[0]]);
            scores_of_moves.note(depth, -Score::loss_in(1), &[moves[1]]);
            scores_of_moves.note(depth, Score::estimate(0), &[moves[2]]);
        }
        assert_eq!(chosen(&scores_of_moves, moves, Player::of_rating(MIN_ELO)), [0, 1000, 0]);
    }

    #[test]
    fn a_higher_rating_sees_further_and_clearer() {
        let players: Vec<Player> = (MIN_ELO..=MAX_ELO).step_by(50).map(Player::of_rating).collect();
        assert!(players.is_sorted_by(|a, b| a.sure_plies < b.sure_plies
            && a.judgement_error > b.judgement_error
            && a.depth() <= b.depth()));
        for (skill, rating) in RATINGS {
            assert_eq!(Player::of_rating(rating as u32), Player::of_skill(skill));
        }
    }

    #[test]
    fn candidates_are_the_best_at_the_last_depth() {
        let (scores_of_moves, moves) = trap();
        assert_eq!(scores_of_moves.candidates(200), [moves[1]]);
        assert_eq!(scores_of_moves.candidates(400), [moves[1], moves[0]]);
    }

    #[test]
    fn a_depth_that_is_searched_again_is_not_noted_again() {
        let mv = three_moves()[0];
        let mut scores_of_moves = RootScores::default();
        (1..=3).chain(1..=4).for_each(|depth| scores_of_moves.note(depth, Score::estimate(depth), &[mv]));
        assert_eq!(scores_of_moves.moves[0].scores, (1..=4).map(Score::estimate).collect::<Vec<_>>());
    }

    #[test]
    fn a_thought_leaves_time_for_others() {
        let (scores_of_moves, _) = trap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        for seconds in [1, 60, 3600] {
            let clock = Clock { remaining: Duration::from_secs(seconds), increment: Duration::ZERO, moves_to_go: None };
            let mut thought = || scores_of_moves.thinking_time(TimeControl::Game(clock), &mut random).as_secs_f64();
            let thoughts: Vec<f64> = (0..1000).map(|_| thought()).collect();
            assert!(thoughts.iter().all(|&thought| thought < (seconds as f64 * 0.25).min(30.1)));
            let mean = thoughts.iter().sum::<f64>() / 1000.0;
            assert!(mean > (seconds as f64 / 200.0).min(10.0), "{mean} of {seconds}");
        }
        assert_eq!(scores_of_moves.thinking_time(TimeControl::Unlimited, &mut random), Duration::ZERO);
    }
}
