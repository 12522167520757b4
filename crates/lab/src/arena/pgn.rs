//! Writes games as PGN.

use super::openings::Opening;
use super::record::{PlayedGame, Ply};
use chess::board::Color;
use chess::{Position, parse_move, san};
use game::Game;
use std::fmt::Write as _;

/// The width of a line of moves.
const WIDTH: usize = 80;

/// A game with its tags; `names` are those of A and B.
pub(super) fn game(record: &PlayedGame, names: [&str; 2], control: &str) -> String {
    let [white, black] = if record.a_is_white { names } else { [names[1], names[0]] };
    let round = format!("{}.{}", record.pair() + 1, 2 - record.game % 2);
    let mut tags = vec![
        ("Event", format!("{} against {}", names[0], names[1])),
        ("Site", "?".into()),
        ("Date", "????.??.??".into()),
        ("Round", round),
        ("White", white.into()),
        ("Black", black.into()),
        ("Result", record.result.to_string()),
    ];
    let start = record.start.parse::<Position>().unwrap_or_default();
    tags.extend(start_tags(&start));
    tags.push(("TimeControl", control.into()));
    tags.push(("Termination", record.reason.clone()));
    let mut words = words(&start, &record.moves);
    words.push(record.result.to_string());
    text(&tags, &words)
}

/// Openings as games without a result, for fastchess.
pub(super) fn openings(openings: &[Opening]) -> String {
    let one = |opening: &Opening| {
        let plies = opening.moves_shown().into_iter().map(|mv| Ply { mv, score: None, depth: None, seconds: None });
        let mut words = words(&opening.start, &plies.collect::<Vec<_>>());
        words.push("*".into());
        let mut tags = vec![("Event", "opening".to_owned()), ("Result", "*".into())];
        tags.extend(start_tags(&opening.start));
        text(&tags, &words)
    };
    openings.iter().map(one).collect()
}

/// The tags for the first position; none if it is the usual one.
fn start_tags(start: &Position) -> Vec<(&'static str, String)> {
    if *start == Position::default() {
        return Vec::new();
    }
    vec![("SetUp", "1".into()), ("FEN", start.to_string())]
}

/// The moves with their numbers and the engines' scores.
fn words(start: &Position, moves: &[Ply]) -> Vec<String> {
    let mut words = Vec::new();
    let mut position = start.clone();
    for (index, ply) in moves.iter().enumerate() {
        let Ok(mv) = parse_move(&position, &ply.mv) else { break };
        match (position.board().side_to_move(), index) {
            (Color::White, _) => words.push(format!("{}.", position.board().fullmove_number())),
            (Color::Black, 0) => words.push(format!("{}...", position.board().fullmove_number())),
            (Color::Black, _) => {}
        }
        words.push(san(&position, mv));
        words.extend(comment(ply));
        position = position.play(mv);
    }
    words
}

/// `{+0.35/12 0.054s}`, or `{+0.35/12}` in virtual time; empty for a move of the opening.
fn comment(ply: &Ply) -> Option<String> {
    let depth = ply.depth.map_or(String::new(), |depth| format!("/{depth}"));
    let score = ply.score.map(|score| format!("{score}{depth}"));
    let seconds = ply.seconds.map(|seconds| format!("{seconds:.3}s"));
    let words: Vec<String> = [score, seconds].into_iter().flatten().collect();
    (!words.is_empty()).then(|| format!("{{{}}}", words.join(" ")))
}

/// Tags and wrapped moves, with an empty line after each.
fn text(tags: &[(&str, String)], words: &[String]) -> String {
    let mut text = String::new();
    for (name, value) in tags {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    let mut width = 0;
    for word in words {
        let length = word.chars().count();
        let fits = width > 0 && width + 1 + length <= WIDTH;
        text.push(if fits { ' ' } else { '\n' });
        width = if fits { width + 1 + length } else { length };
        text.push_str(word);
    }
    text.push_str("\n\n");
    text
}

#[cfg(test)]
mod tests {
    use super::super::record::{EndKind, EngineScore, GameResult};
    use super::*;

    #[test]
    fn a_game_is_written() {
        let ply = |mv: &str, seconds| Ply { mv: mv.into(), score: Some(EngineScore::Mate(1)), depth: Some(9), seconds };
        let opening = Ply { mv: "f2f3".into(), score: None, depth: None, seconds: None };
        let record = PlayedGame {
            game: 2,
            a_is_white: false,
            result: GameResult::Black,
            kind: EndKind::Board,
            reason: "Black \"mates\"".into(),
            start: Position::default().to_string(),
            moves: vec![opening, ply("e7e5", None), ply("g2g4", Some(0.5)), ply("d8h4", Some(0.0521))],
        };
        let expected = "[Event \"me against you\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"1.2\"]\n\
            [White \"you\"]\n[Black \"me\"]\n[Result \"0-1\"]\n[TimeControl \"3+0.03\"]\n\
            [Termination \"Black \\\"mates\\\"\"]\n\n\
            1. f3 e5 {+M1/9} 2. g4 {+M1/9 0.500s} Qh4# {+M1/9 0.052s} 0-1\n\n";
        assert_eq!(game(&record, ["me", "you"], "3+0.03"), expected);
    }

    #[test]
    fn lines_are_wrapped() {
        let words: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        assert!(text(&[], &words).lines().all(|line| line.len() <= WIDTH));
    }

    #[test]
    fn openings_start_where_they_should() {
        let start: Position = "4k3/8/8/8/8/8/4p3/4K2R b K - 0 9".parse().unwrap();
        let opening = Opening { moves: vec![parse_move(&start, "e8d8").unwrap()], start };
        let text = openings(&[opening]);
        assert!(text.contains("[FEN \"4k3/8/8/8/8/8/4p3/4K2R b K - 0 9\"]"), "{text}");
        assert!(text.ends_with("\n\n9... Kd8 *\n\n"), "{text}");
    }
}
