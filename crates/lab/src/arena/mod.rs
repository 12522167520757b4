//! A match of two engines: which one is stronger, by how much, and with which error.
//!
//! | file | about |
//! |---|---|
//! | `settings` | what a match is |
//! | [`spec`](Spec), `option`, `player` | which engines play, and talking to them |
//! | [`openings`] | where the games begin |
//! | `clock`, `adjudicate`, `game` | playing one game |
//! | `race` | time to depth |
//! | `own`, [`fastchess`] | playing all games, by this program or by fastchess |
//! | `record`, `pgn`, `journal` | keeping the games |
//! | `statistics`, `sprt`, `report` | the results |

mod adjudicate;
mod clock;
pub mod fastchess;
mod game;
mod journal;
mod opening_file;
pub mod openings;
mod option;
mod own;
mod pgn;
mod player;
mod race;
mod record;
mod report;
mod settings;
mod spec;
mod sprt;
mod statistics;

pub use adjudicate::{DrawRule, ResignRule};
pub use clock::{Limit, MatchClock};
pub use game::MatchRules;
pub use opening_file::read_openings;
pub use openings::{Opening, Openings};
pub use race::{Race, Standing, race};
pub use record::{EndKind, EngineScore, GameResult, PlayedGame, Ply};
pub use report::{Fault, MatchReport, MatchTally, SprtResult};
pub use settings::MatchSettings;
pub use spec::Spec;
pub use sprt::{Sprt, SprtVerdict};
pub use statistics::{Counts, Estimate};

use player::EngineProcess;

/// Plays a match and reports every finished game.
///
/// # Errors
/// If an engine, fastchess or the folder for the games can't be used.
pub fn run(settings: &MatchSettings, each: &mut dyn FnMut(&MatchTally)) -> Result<MatchReport, String> {
    for (spec, name) in [&settings.a, &settings.b].into_iter().zip(settings.names()) {
        // An engine that can't be used is an error here, not a lost game later.
        let tried = EngineProcess::start(spec, settings.rules.patience);
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
            a: engine.clone(),
            b: engine,
            games: 4,
            openings: Openings::given(opening, 1).unwrap(),
            rules: MatchRules { limit: Limit::Nodes(100), margin, patience, draw: None, resign },
            concurrency: 2,
            sprt: None,
            out: None,
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
        settings.a = shell("echo bestmove a1a1");
        (settings.games, settings.sprt) = (400, Some("0,300".parse().unwrap()));
        let report = run(&settings, &mut |_| {}).unwrap();
        assert_eq!(report.sprt.unwrap().verdict, Some(SprtVerdict::Rejected));
        assert!(report.games < 100 && report.counts.losses == report.games, "{report}");
        // A plays no legal move; as Black it is mated before it has to move.
        assert_eq!(report.faults.len() as u64, report.games / 2);
        assert!(report.faults.iter().all(|fault| fault.by_a && fault.kind == EndKind::Illegal));
    }

    #[test]
    fn an_engine_that_can_not_play_is_told_before_the_first_game() {
        let mut settings = settings();
        settings.b.options.push(("Skill".into(), "3".into()));
        let error = run(&settings, &mut |_| {}).unwrap_err();
        assert_eq!(error, "the engine 'sh (B)' can't play: it has no option 'Skill'; it has Hash");
    }
}
