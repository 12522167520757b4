//! Writes an annotated game in PGN's export format.

use super::accuracy::Accuracy;
use super::judge::MoveVerdict;
use super::movetext;
use super::openings::Opening;
use super::pgn_game::PgnGame;

/// The tags that every game has, and their values if unknown.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Our name in the `Annotator` tag.
fn signature() -> String {
    format!("Jamboree {}", env!("CARGO_PKG_VERSION"))
}

/// The game in PGN, with an empty line at its end. Without verdicts it has no evaluations.
pub fn write(game: &PgnGame, verdicts: &[MoveVerdict]) -> String {
    let tags: String =
        tags(game, verdicts).iter().map(|(name, value)| format!("[{name} \"{}\"]\n", escape(value))).collect();
    format!("{tags}\n{}\n\n", movetext::write(game, verdicts))
}

/// The seven tags of every game, then the others in their order, then ours.
fn tags(game: &PgnGame, verdicts: &[MoveVerdict]) -> Vec<(String, String)> {
    let mut tags: Vec<(String, String)> = Vec::new();
    for (name, unknown) in ROSTER {
        let unknown = if name == "Result" { game.result() } else { unknown };
        tags.push((name.to_string(), game.tag(name).unwrap_or(unknown).to_string()));
    }
    let ours = our_tags(game, verdicts);
    let is_written =
        |name: &str| ROSTER.iter().any(|(known, _)| *known == name) || ours.iter().any(|(own, _)| *own == name);
    tags.extend(game.tags.iter().filter(|(name, _)| !is_written(name)).cloned());
    tags.extend(ours.into_iter().map(|(name, value)| (name.to_string(), value)));
    tags
}

/// The opening, as far as the file does not name it; the players' accuracy; and the annotators, with us as the last.
fn our_tags(game: &PgnGame, verdicts: &[MoveVerdict]) -> Vec<(&'static str, String)> {
    let mut tags = Vec::new();
    if let Some(Opening { eco, name }) = Opening::of(game) {
        let told = [("ECO", eco), ("Opening", name)].into_iter().filter(|(tag, _)| game.tag(tag).is_none());
        tags.extend(told.map(|(tag, value)| (tag, value.to_string())));
    }
    let Accuracy { white, black } = Accuracy::of(game, verdicts);
    for (name, value) in [("WhiteAccuracy", white), ("BlackAccuracy", black)] {
        tags.extend(value.map(|value| (name, format!("{value:.1}"))));
    }
    let before = game.tag("Annotator").unwrap_or_default();
    let others = before.split("; ").filter(|name| !name.is_empty() && !name.starts_with("Jamboree "));
    let names: Vec<&str> = others.collect();
    tags.push(("Annotator", [names, vec![&signature()]].concat().join("; ")));
    tags
}

fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::super::judge::review;
    use super::super::reader::tests::{line, read_text, soup};
    use super::super::study::tests::quick;
    use super::*;
    use proptest::prelude::*;

    fn annotated(text: &str, nodes: u64) -> (PgnGame, String) {
        let game = read_text(text).0.remove(0);
        let mut analyst = quick(nodes, 1);
        let analyses: Vec<_> = game.positions().iter().map(|at| analyst.study(at, &[], &mut |_| {})).collect();
        let written = write(&game, &review(&game, &analyses));
        (game, written)
    }

    #[test]
    fn an_annotated_game_is_read_back() {
        let text = "[Event \"a \\\"b\\\"\"]\n[WhiteElo \"1500\"]\n[Result \"0-1\"]\n\n1. f3 e5 {[%clk 0:01:00] so far} 2. g4 Qh4# 0-1\n";
        let (game, written) = annotated(text, 500);
        let (again, warnings) = read_text(&written);
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!((line(&again[0]), again[0].result()), (line(&game), "0-1"));
        for (name, value) in &game.tags {
            assert_eq!(again[0].tag(name), Some(value.as_str()));
        }
        assert_eq!(again[0].tag("Annotator"), Some(signature().as_str()));
        assert!(again[0].moves[2].nags == [4], "2. g4 is a blunder: {written}");
        assert!(written.contains("[%clk 0:01:00] so far }"), "{written}");
        assert!(written.trim_end().ends_with("2... Qh4# 0-1"), "mate has no evaluation: {written}");
        assert!(written.lines().all(|line| line.chars().count() <= movetext::WIDTH), "{written}");
        assert_eq!((again[0].tag("ECO"), again[0].tag("Opening")), (Some("A00"), Some("Barnes Opening")));
        let accuracy = |name| again[0].tag(name).and_then(|value| value.parse::<f64>().ok()).unwrap();
        assert!(accuracy("WhiteAccuracy") < accuracy("BlackAccuracy"), "{written}");
    }

    #[test]
    fn the_opening_of_the_file_stays() {
        let (_, written) = annotated("[ECO \"C20\"]\n[Opening \"Mine\"]\n\n1. e4 c5 *", 100);
        assert!(written.contains("[ECO \"C20\"]\n[Opening \"Mine\"]"), "{written}");
        assert_eq!(written.matches("[Opening ").count() + written.matches("[ECO ").count(), 2, "{written}");
    }

    #[test]
    fn games_from_other_positions_keep_them() {
        let text = "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w KQkq - 0 1\"]\n\n\
            1. g3 g6 2. Nf3 $14 Nf6 3. Bg2 O-O *\n";
        let (game, written) = annotated(text, 200);
        assert_eq!(game.moves.len(), 6, "{written}");
        let again = read_text(&written).0.remove(0);
        assert_eq!((line(&again), again.tag("FEN")), (line(&game), game.tag("FEN")));
        assert!(again.moves[2].nags.contains(&14), "{written}");
    }

    #[test]
    fn an_older_evaluation_and_signature_are_replaced() {
        let text = "[Annotator \"Fine; Jamboree 0.0.1\"]\n\n1. e4 ?! {[%eval 9.99] [%clk 0:00:01]} *";
        let (_, written) = annotated(text, 200);
        assert!(written.contains(&format!("[Annotator \"Fine; {}\"]", signature())), "{written}");
        assert!(
            !written.contains("9.99") && written.contains("1. e4 $6 {") && written.contains("] [%clk 0:00:01] }"),
            "{written}"
        );
    }

    proptest! {
        #[test]
        fn whatever_was_read_is_written_and_read_again(text in soup()) {
            for game in read_text(text).0 {
                let (again, warnings) = read_text(write(&game, &[]));
                prop_assert!(warnings.is_empty(), "{:?}", warnings);
                prop_assert_eq!(again.len(), 1);
                prop_assert_eq!(line(&again[0]), line(&game));
            }
        }
    }
}
