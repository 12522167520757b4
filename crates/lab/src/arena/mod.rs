//! A match of two engines: which one is stronger, by how much, and with which error.
//!
//! | file | about |
//! |---|---|
//! | `settings` | what a match is |
//! | [`contender`](Contender) | which engines play |
//! | [`spec`](Spec), `option`, `player` | UCI programs, and talking to them |
//! | [`virtual_player`](VirtualSpec) | engines on virtual processors, in this process |
//! | [`openings`] | where the games begin |
//! | `clock`, `adjudicate`, `game` | playing one game |
//! | `race`, `race_folder`, `race_page` | time to depth, kept in a folder, and its page |
//! | `own`, [`fastchess`] | playing all games, by this program or by fastchess |
//! | `record`, `pgn`, `journal` | keeping the games |
//! | `statistics`, `sprt`, `report` | the results |
//! | `course`, `match_page` | the page of a match |

mod adjudicate;
mod clock;
mod contender;
mod course;
pub mod fastchess;
mod game;
mod journal;
mod match_page;
mod opening_file;
pub mod openings;
mod option;
mod own;
mod pgn;
mod player;
mod race;
mod race_folder;
mod race_page;
mod record;
mod report;
mod settings;
mod spec;
mod sprt;
mod statistics;
mod virtual_player;

pub use adjudicate::{DrawRule, ResignRule};
pub use clock::{Limit, MatchClock};
pub use contender::Contender;
pub use game::MatchRules;
pub use opening_file::read_openings;
pub use openings::{Opening, Openings};
pub use race::{EachLap, Lap, Laps, Race, Ratio, Standing};
pub use race_folder::race_in_folder;
pub use record::{EndKind, EngineScore, GameResult, PlayedGame, Ply};
pub use report::{Fault, MatchReport, MatchTally, SprtResult};
pub use settings::MatchSettings;
pub use spec::Spec;
pub use sprt::{Sprt, SprtVerdict};
pub use statistics::{Counts, Estimate};
pub use virtual_player::{VirtualDefaults, VirtualSpec};

use player::EngineProcess;

/// Plays a match and reports every finished game.
///
/// # Errors
/// If an engine, fastchess or the folder for the games can't be used.
pub fn run(settings: &MatchSettings, each: &mut dyn FnMut(&MatchTally)) -> Result<MatchReport, String> {
    for (contender, name) in [&settings.a, &settings.b].into_iter().zip(settings.names()) {
        // An engine that can't be used is an error here, not a lost game later.
        let tried = contender.start(settings.rules.patience);
        tried.map_err(|trouble| format!("the engine '{name}' can't play: it {trouble}"))?;
    }
    match &settings.fastchess {
        Some(program) => fastchess::run(settings, program, each),
        None => own::run(settings, each),
    }
}

#[cfg(test)]
mod tests {
    use super::player::tests::shell;
    use super::*;
    use std::time::Duration;

    /// A match of two shell scripts in which White always mates at once.
    pub(super) fn settings() -> MatchSettings {
        let opening = openings::from_epd("7k/8/5KQ1/8/8/8/8/8 w - -", &mut |_| {});
        let mut engine = shell("echo bestmove g6g7");
        engine.wish("Hash", 16);
        let (margin, patience) = (Duration::from_millis(50), Duration::from_secs(20));
        let resign = Some(ResignRule { moves: 4, score: 800 });
        MatchSettings {
            a: Contender::Program(engine.clone()),
            b: Contender::Program(engine),
            games: 4,
            openings: Openings::given(opening, 1).unwrap(),
            rules: MatchRules { limit: Limit::Nodes(100), margin, patience, draw: None, resign },
            concurrency: 2,
            sprt: None,
            out: None,
            origin: crate::report::Origin::default(),
            fastchess: None,
        }
    }

    #[test]
    fn every_opening_is_played_with_both_colours() {
        let mut told = Vec::new();
        let report = run(&settings(), &mut |tally| told.push(tally.finished)).unwrap();
        assert_eq!(report.counts, Counts { wins: 2, draws: 0, losses: 2, pairs: [0, 0, 2, 0, 0] });
        assert_eq!(told, [0, 1, 2, 3, 4]);
        assert_eq!((report.a.as_str(), report.b.as_str()), ("sh (A)", "sh (B)"));
    }

    #[test]
    fn a_sequential_test_stops_the_match() {
        let mut settings = settings();
        settings.a = Contender::Program(shell("echo bestmove a1a1"));
        (settings.games, settings.sprt) = (400, Some("0,300".parse().unwrap()));
        let report = run(&settings, &mut |_| {}).unwrap();
        assert_eq!(report.sprt.unwrap().verdict, Some(SprtVerdict::Rejected));
        assert!(report.games < 100 && report.counts.losses == report.games, "{report}");
        // A plays no legal move; as Black it is mated before it has to move.
        assert_eq!(report.faults.len() as u64, report.games / 2);
        assert!(report.faults.iter().all(|fault| fault.by_a && fault.kind == EndKind::Illegal));
    }

    #[test]
    fn in_virtual_time_the_same_seed_gives_the_same_games() {
        let games = |seed: u64, concurrency: usize| {
            let scratch = tempfile::tempdir().unwrap();
            let defaults = VirtualDefaults { ticks: 40, hash: 1, seed };
            let virtual_engine = |text| Contender::Virtual(VirtualSpec::parse(text, defaults).unwrap());
            let mut settings = settings();
            (settings.a, settings.b) = (virtual_engine("ybw:4"), virtual_engine("lazy-smp:2,Ticks=50"));
            (settings.games, settings.concurrency) = (6, concurrency);
            settings.openings = Openings::made(1).unwrap();
            (settings.rules.limit, settings.out) = (Limit::Ticks(40), Some(scratch.path().to_owned()));
            let report = run(&settings, &mut |_| {}).unwrap();
            assert_eq!((report.games, report.faults.len()), (6, 0));
            let text = std::fs::read_to_string(scratch.path().join("games.jsonl")).unwrap();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(games(1, 1), games(1, 3));
        assert_ne!(games(1, 1), games(2, 1));
    }

    #[test]
    fn an_engine_that_can_not_play_is_told_before_the_first_game() {
        let mut settings = settings();
        let mut skilled = shell("true");
        skilled.options.push(("Skill".into(), "3".into()));
        settings.b = Contender::Program(skilled);
        let error = run(&settings, &mut |_| {}).unwrap_err();
        assert_eq!(error, "the engine 'sh (B)' can't play: it has no option 'Skill'; it has Hash");
    }
}
