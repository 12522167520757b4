//! The search of an engine whose strength is limited: all moves to a small depth, then those that may be played.
//!
//! What it costs depends on the player, not on the time there is; the answer comes after a natural thinking time. It has a
//! table of its own, which is empty at first: deep results of earlier moves would let the player see too far.

use crate::clock::{Timer, hard_limit};
use crate::run_search::info;
use crate::strength::RootScores;
use crate::{Answer, EngineCore, Event, Outlook, SearchRequest, Signals};
use chess::{ChessRules, Move};
use game::{Bound, Depth, Game};
use search::{Limits, Report, Searcher, Watch};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::Table;

/// How deep all moves are searched. It takes some milliseconds, and nothing stops it, so that there is always an answer.
const DEPTH_OF_ALL: Depth = 3;
/// Size of the table in MiB.
const TABLE_MIB: usize = 8;

impl EngineCore {
    /// The answer of a weaker player, if the strength is limited.
    pub(crate) fn limited_answer(
        &mut self,
        request: &SearchRequest,
        signals: &Signals,
        listener: &mut (dyn FnMut(Event) + Send),
    ) -> Option<Answer> {
        let player = self.options.player().filter(|_| request.position.has_moves())?;
        let began = Instant::now();
        let table = Table::new(TABLE_MIB).map_or_else(|_| Arc::clone(&self.table), Arc::new);
        let time = request.limits.time;
        let mut search = LimitedSearch {
            searcher: Searcher::with_table(self.searcher.rules.clone(), table),
            request,
            watch: TimerWatch { timer: Timer::new(signals, time, self.options.overhead), is_asked: false },
            lines: self.options.lines,
            scores: RootScores::default(),
            told: 0,
            nodes: 0,
        };
        let depth = request.limits.depth.map_or(player.depth(), |depth| depth.clamp(1, player.depth()));
        let mut moves = request.limits.only.clone();
        if moves.is_empty() {
            request.position.moves(&mut moves);
        }
        search.moves(moves, depth.min(DEPTH_OF_ALL), listener);
        let candidates = search.scores.candidates(player.margin());
        if depth > DEPTH_OF_ALL && candidates.len() > 1 {
            search.watch.is_asked = true;
            search.moves(candidates, depth, listener);
        }
        let chosen = search.scores.choose(player, &mut self.random)?;
        let answer = Answer {
            best: Some(chosen.mv),
            ponder: chosen.line.get(1).copied(),
            score: chosen.score(),
            line: chosen.line.clone(),
            nodes: search.nodes,
            depth: search.told,
            ..Answer::default()
        };
        let thought = search.scores.thinking_time(time, &mut self.random);
        signals.wait(false);
        signals.pause(began + thought.min(hard_limit(time, self.options.overhead).unwrap_or(Duration::ZERO)));
        Some(answer)
    }
}

/// The two searches of one position.
struct LimitedSearch<'a> {
    searcher: Searcher<ChessRules>,
    request: &'a SearchRequest,
    watch: TimerWatch<'a>,
    /// How many lines are told.
    lines: usize,
    scores: RootScores,
    /// The depth that was told last.
    told: Depth,
    nodes: u64,
}

impl LimitedSearch<'_> {
    /// Searches each of these moves for its own score.
    fn moves(&mut self, moves: Vec<Move>, depth: Depth, listener: &mut (dyn FnMut(Event) + Send)) {
        let LimitedSearch { searcher, request, watch, lines, scores, told, nodes } = self;
        let nodes_left = request.limits.nodes.map_or(u64::MAX, |most| most.saturating_sub(*nodes).max(1));
        let limits = Limits { lines: moves.len(), only: moves, nodes: nodes_left, ..Limits::depth(depth) };
        let (timer, before) = (&watch.timer, *told);
        let mut report = |report: Report<'_, Move>| {
            if report.bound == Bound::Exact && report.depth > before {
                scores.note(report.depth, report.score, report.line);
                if report.line_number < *lines {
                    let outlook = Outlook::of(report.score, &request.position);
                    listener(Event::Info(info(&report, outlook, timer.elapsed(), 0)));
                }
                *told = report.depth;
            }
            ControlFlow::Continue(())
        };
        *nodes += searcher.run_watched(&request.position, &request.history, &limits, watch, &mut report).nodes;
    }
}

/// Watches the clock, if it is asked to.
struct TimerWatch<'a> {
    timer: Timer<'a>,
    is_asked: bool,
}

impl Watch<Move> for TimerWatch<'_> {
    fn expired(&self) -> bool {
        self.is_asked && self.timer.expired()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, TimeControl};
    use crate::{GoLimits, MIN_ELO};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    /// One move mates.
    const MATES: [(&str, &str); 20] = [
        ("r1b1k1nr/1p1p3p/4p1p1/p1p5/4P3/2N5/PQ1q1PPP/4R1K1 b kq - 3 10", "d2e1"),
        ("1nb2k2/rp1prp1Q/p7/3P4/4Pb2/PP3P1P/1p4P1/5KNR w - - 0 14", "h7h8"),
        ("5B2/7k/8/3P1pQB/5P2/1P5P/P4P2/NR3RK1 w - - 0 24", "g5g7"),
        ("2bn3r/6p1/1p1kp2p/2p2p2/1p3P2/6P1/7P/bq4NK b - - 1 25", "c8b7"),
        ("3k2nr/2p2pp1/p6p/3q1P1P/4p1P1/4K3/1r4b1/8 b - - 0 25", "d5d2"),
        ("4kb1r/4pp1p/6pn/2Q5/8/5NPB/1r2PP1P/4RRK1 w - - 0 13", "c5c8"),
        ("4kn2/5p2/6pQ/1Nq5/6pP/8/1r3P2/3R1K1b b - - 2 25", "c5f2"),
        ("4kb1r/1b3p1p/4P1p1/rp6/7q/p1N5/P4P2/R5K1 b k - 0 22", "h4h1"),
        ("2r2r2/4bpn1/2pp3k/P7/3qn3/P1R5/8/RN3K2 b - - 0 29", "d4f2"),
        ("3k4/8/3BP3/P7/P5Q1/2P2P2/8/RN3K2 w - - 1 31", "g4g8"),
        ("Q1n1k1r1/5p1p/6p1/p2pN1B1/P2P3P/N3P3/4KPP1/7R w - - 0 15", "a8c8"),
        ("5rk1/2p2p2/1p6/pP6/2P2p2/3P1Prn/P2RN2P/3R3K b - - 6 24", "h3f2"),
        ("1n4Q1/3k4/5q2/8/8/7K/1P6/6r1 b - - 0 28", "f6h6"),
        ("1B4r1/1p3k2/4bqpn/p1p2r2/1b2K3/8/8/8 b - - 8 30", "f6d4"),
        ("r1b1k3/1p1p1ppn/8/p1b5/1n2Pp1p/8/P4PPP/1q1Q1K1R b q - 1 14", "b1d1"),
        ("3k1b1r/1p2pppp/2p2nb1/8/8/7K/5q2/8 b - - 1 23", "g6f5"),
        ("r1b5/8/2p3p1/p1N2k1p/3PR3/P6N/1P6/1RB2K2 w - - 0 31", "e4f4"),
        ("r3kbn1/1p6/8/4p3/n6q/1p6/8/2K5 b - - 3 30", "h4e1"),
        ("7k/R7/4P1p1/p7/3R4/6P1/P7/2K1N3 w - - 1 31", "d4d8"),
        ("1nb2k2/1p2pp1p/3p4/2pP2P1/2P1N3/2Q2N2/4B1PP/r1R1K1R1 w - - 1 14", "c3h8"),
    ];

    /// One move takes a queen for nothing, and no other move is near it.
    const QUEENS: [(&str, &str); 20] = [
        ("rqbnr1k1/p4ppp/4p3/1pb5/2P4N/QPN3P1/P2BPPBP/R4RK1 b - - 6 7", "c5a3"),
        ("r3k1nr/5ppp/2Np4/1P2n1qb/1P5P/p1B2PP1/P1B1P3/1R1Q1RK1 w kq - 3 14", "h4g5"),
        ("4r1r1/q5k1/pP1pp2p/2p1p2P/1P2P1K1/2Q1P1P1/R1NB2B1/7R w - - 4 28", "b6a7"),
        ("1n1qk3/3nb2r/1r1p2p1/pp1P1pBp/P2PQP1P/1P1R4/2P1B1PR/2K4N b - - 1 15", "f5e4"),
        ("rn2qkr1/p7/1pp5/Q4PpP/2PP3P/7R/P2N2P1/R4K2 b - - 4 22", "b6a5"),
        ("r1b1k2r/3p1p1p/1p2p1n1/p1p5/2PbP1q1/PP5P/1NQ2P2/R1B2K1R w kq - 1 12", "h3g4"),
        ("r1bn2nr/p4kbp/1p1p2p1/2p1pp2/Q3PP1q/2PPB1P1/PP1NB2P/R3K2R w KQ - 3 4", "g3h4"),
        ("B1br2k1/p2n1ppp/1p2p3/7q/2p3P1/P3P3/1P2KP1P/1RBQ2R1 w - - 1 12", "g4h5"),
        ("3r2nr/2pk1pbp/pQ1p2p1/p2Pp1q1/2P5/P3PB2/1P3P1P/RN3R1K b - - 1 10", "c7b6"),
        ("r1q1kr2/p2pppbp/2n3p1/2N4Q/3N4/8/PPP2P2/1RB1KB1b b q - 0 8", "g6h5"),
        ("r3kb1r/1p2pp1p/p1n4p/2p5/2B5/2Q4P/qPP1NP1P/1R2K2R w Kkq - 1 10", "c4a2"),
        ("1rb1k1nr/pp3p1p/3qp1p1/1R1pP1B1/3P2QP/2P5/P1P3P1/4K1NR w Kk - 1 6", "e5d6"),
        ("r1br2k1/ppp1qpbp/6pn/3Nn3/2Pp4/1P3NP1/P2QPPBP/R1B2RK1 w - - 3 5", "d5e7"),
        ("r3k1nr/p2nbpp1/2p1p3/3b3p/PppP4/2N1P1q1/1P1Q1PP1/RNB1KBR1 w Qk - 2 9", "f2g3"),
        ("rnb1nrk1/pp2bpp1/3p3p/3Pp3/2P5/1Pq2NP1/P2BKPBP/R2Q3R w - - 0 6", "d2c3"),
        ("2bbqr2/1p3ppk/1Q2p3/p2pP2p/3N1P2/1NP5/PP5P/1RB2RK1 b - - 4 15", "d8b6"),
        ("rn2k2r/p2p1p2/1p1Bp3/1b1n2qp/3P4/5N2/PPP2PP1/R2QKB1R w KQkq - 2 5", "f3g5"),
        ("r1bqr1k1/1Q1npp1p/p2p1npB/2pP4/P1P5/1P3N1P/5PP1/RN2KB1R b KQ - 0 5", "c8b7"),
        ("rnb3rk/p3qppp/2p1p3/1p1N4/P2P1BP1/3QP3/1b4PP/R3KR2 w Q - 0 10", "d5e7"),
        ("3q1rk1/pr2bpBp/bp1p1n2/2pP4/2n1P3/2N2B2/PP1Q1PPP/R4RK1 b - - 0 6", "c4d2"),
    ];

    fn limited(elo: u32) -> EngineCore {
        let mut core = EngineCore::with(chess::RuleSet::default(), 1).unwrap();
        (core.options.limit_strength, core.options.elo) = (true, elo);
        core.random = Xoshiro256PlusPlus::seed_from_u64(7);
        core
    }

    fn play(core: &mut EngineCore, fen: &str, time: TimeControl, signals: &Signals) -> Answer {
        let request = SearchRequest::new(fen.parse().unwrap(), GoLimits { time, ..GoLimits::default() });
        core.search(&request, signals, &mut |_| ())
    }

    #[test]
    fn what_is_in_plain_sight_is_played() {
        for elo in [1200, 1600, 2000] {
            let mut core = limited(elo);
            for positions in [&MATES[..], &QUEENS[..]] {
                let mut is_played = |&(fen, best): &(&str, &str)| {
                    let answer = play(&mut core, fen, TimeControl::Unlimited, &Signals::new());
                    answer.best == chess::parse_move(&fen.parse().unwrap(), best).ok()
                };
                let played = positions.iter().filter(|&position| is_played(position)).count();
                assert!(played * 20 >= positions.len() * 19, "{played} of {} at {elo}", positions.len());
            }
        }
    }

    #[test]
    fn an_answer_takes_a_natural_time_but_not_after_a_stop() {
        let mut core = limited(MIN_ELO);
        let remaining = Duration::from_secs(20);
        let time = TimeControl::Game(Clock { remaining, increment: Duration::ZERO, moves_to_go: None });
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let mut took = || {
            let began = Instant::now();
            assert!(play(&mut core, start, time, &Signals::new()).best.is_some());
            began.elapsed()
        };
        let times: Vec<Duration> = (0..3).map(|_| took()).collect();
        assert!(times.iter().any(|&time| time > Duration::from_millis(100)), "{times:?}");
        assert!(times.iter().all(|&time| time < remaining / 3), "{times:?}");

        let signals = Signals::new();
        signals.stop();
        let began = Instant::now();
        assert!(play(&mut core, start, time, &signals).best.is_some());
        assert!(began.elapsed() < Duration::from_millis(900), "{:?}", began.elapsed());
    }

    #[test]
    fn the_limits_of_the_request_hold() {
        let mut core = limited(2800);
        let request = |limits| SearchRequest::new(chess::Position::default(), limits);
        let shallow = request(GoLimits { depth: Some(2), ..GoLimits::default() });
        assert_eq!(core.search(&shallow, &Signals::new(), &mut |_| ()).depth, 2);
        let only = chess::parse_san(&shallow.position, "a3").unwrap();
        let one = request(GoLimits { only: vec![only], ..GoLimits::default() });
        assert_eq!(core.search(&one, &Signals::new(), &mut |_| ()).best, Some(only));
    }
}
