//! The ranks of a cluster, which search as one engine.
//!
//! The first rank has the engine that the user sees. It tells the others what to set, what to search and when to stop;
//! all of them have an engine of the same kind. `Threads` and `Hash` are those of all ranks together and are divided
//! by the cores of the hosts.

use crate::EngineCore;
use crate::rank_group::{ClusterSettings, RankGroup, cores, host, understand};
use chess::Position;
use cluster::{Message, Transport};
use search::{Limits, Machine, NoWatch, Ranks, Threads};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A rank without a search sleeps this long between two looks for messages: at first, and after a while without any.
const IDLE: Duration = Duration::from_micros(500);
const LONG_IDLE: Duration = Duration::from_millis(2);
const A_WHILE: Duration = Duration::from_millis(100);

impl EngineCore {
    /// Makes this engine the first rank: it searches together with all others from now on, if there are any.
    pub fn lead(&mut self, transport: Box<dyn Transport>, settings: ClusterSettings) {
        if transport.ranks() == 1 {
            return;
        }
        let mut ranks = RankGroup::new(transport, settings, &self.table);
        ranks.wait_for_greetings();
        self.ranks = Some(ranks);
        let (hash, ranks) = (self.options().hash_mib.to_string(), self.rank_count().to_string());
        for (name, value) in [("Hash", &hash), ("Threads", &ranks)] {
            // A part of what the whole engine has can be had.
            let _ = self.set_option(name, Some(value));
        }
    }

    /// Makes this engine another rank: it works for the first one until it is told to end.
    pub fn follow(&mut self, transport: Box<dyn Transport>, settings: ClusterSettings) {
        let mut ranks = RankGroup::new(transport, settings, &self.table);
        ranks.rank.link.send(0, &Message::Hello { cores: cores(), host: host() });
        self.ranks = Some(ranks);
        self.set_machine(Machine::Threads(Threads::new(1)));
        let mut idle_since = Instant::now();
        loop {
            let Some(ranks) = &mut self.ranks else { return };
            let message = ranks.rank.listen();
            if message.is_none() {
                std::thread::sleep(if idle_since.elapsed() < A_WHILE { IDLE } else { LONG_IDLE });
                continue;
            }
            let refused = match message {
                Some((_, Message::SetOption { name, value })) => self.set_option(&name, value.as_deref()).err(),
                Some((_, Message::NewGame)) => {
                    self.new_game();
                    None
                }
                Some((from, Message::Prepare)) => {
                    self.prepare_table();
                    if let Some(ranks) = &mut self.ranks {
                        ranks.rank.link.send(from, &Message::Prepared);
                    }
                    None
                }
                Some((_, Message::Start { search, what })) => {
                    ranks.rank.join(search);
                    if let Some((position, history)) = understand(&what) {
                        self.prepare_table();
                        self.work_along(&position, &history);
                    }
                    None
                }
                Some((_, Message::Quit)) => return,
                _ => None,
            };
            idle_since = Instant::now();
            if let (Some(error), Some(ranks)) = (refused, &mut self.ranks) {
                ranks.rank.link.send(0, &Message::Note { text: error.to_string() });
            }
        }
    }

    /// Works for the other ranks until the search is over.
    fn work_along(&mut self, position: &Position, history: &[u64]) {
        let (table, threads) = (Arc::clone(&self.table), self.threads());
        table.age();
        let Some(ranks) = &mut self.ranks else { return };
        let (mut pump, remote_table) = ranks.parts(&table, threads, self.searcher.rules.shared_statistics());
        let others = Ranks { messages: &mut pump, table: Some(remote_table), leads: false };
        let mut listener = |_: search::Report<'_, _>| ControlFlow::Continue(());
        let limits = Limits::default();
        self.searcher.run_among(position, history, &limits, &NoWatch, &mut listener, Some(others));
    }

    /// How many ranks search together.
    fn rank_count(&self) -> usize {
        self.ranks.as_ref().map_or(1, |ranks| ranks.rank.link.ranks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, GoLimits, SearchRequest, Signals};
    use chess::RuleSet;
    use cluster::{Link, Loopback, NetworkConditions, Rank};
    use game::Game;

    #[test]
    fn what_the_first_rank_refuses_no_other_rank_is_told() {
        let mut ends = Loopback::ranks(2, NetworkConditions::default()).into_iter();
        let first = ends.next().unwrap();
        let mut other = Rank::new(Link::new(Box::new(ends.next().unwrap())));
        other.link.send(0, &Message::Hello { cores: 1, host: "another".to_string() });
        let mut engine = EngineCore::with(RuleSet::modern(), 8).unwrap();
        engine.lead(Box::new(first), ClusterSettings::default());
        assert!(engine.set_option("EvalFile", Some("/does/not/exist")).is_err());
        assert!(engine.set_option("Rules", Some("modern,-nonsense")).is_err());
        engine.set_option("Rules", Some("modern,-network")).unwrap();
        let mut told = Vec::new();
        while let Some((_, message)) = other.listen() {
            if let Message::SetOption { name, .. } = message {
                told.push(name);
            }
        }
        assert_eq!(told, ["Hash", "Threads", "Rules"]);
    }

    /// An engine of three ranks in one process answers as an engine does.
    #[test]
    fn three_ranks_play() {
        let mut ends = Loopback::ranks(3, NetworkConditions::default()).into_iter();
        let first = ends.next().unwrap();
        std::thread::scope(|scope| {
            for end in ends {
                scope.spawn(move || {
                    let mut engine = EngineCore::with(RuleSet::modern(), 2).unwrap();
                    engine.follow(Box::new(end), ClusterSettings::default());
                });
            }
            let mut engine = EngineCore::with(RuleSet::modern(), 8).unwrap();
            engine.lead(
                Box::new(first),
                ClusterSettings { grain: Some(1), is_talkative: true, ..ClusterSettings::default() },
            );
            engine.set_option("Threads", Some("4")).unwrap();
            let mut notes = String::new();
            let mut last = 0;
            let mate: Position = "7k/8/6K1/8/8/8/8/R7 w - - 0 1".parse().unwrap();
            for (position, depth) in [(Position::default(), 9), (mate, 6)] {
                let request =
                    SearchRequest::new(position.clone(), GoLimits { depth: Some(depth), ..GoLimits::default() });
                let answer = engine.search(&request, &Signals::new(), &mut |event| match event {
                    Event::Note(note) => notes = note.to_string(),
                    Event::Info(info) => last = info.nodes,
                    _ => {}
                });
                let mut legal = Vec::new();
                position.moves(&mut legal);
                assert!(answer.best.is_some_and(|best| legal.contains(&best)));
                assert!(answer.nodes >= last, "{} of {last} nodes", answer.nodes);
                if depth == 6 {
                    assert_eq!(answer.score.and_then(game::Score::plies_to_end), Some(1));
                }
            }
            assert!(notes.contains("tasks given"), "{notes}");
            engine.new_game();
        });
    }
}
