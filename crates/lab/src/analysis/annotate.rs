//! Writes an annotated game in PGN's export format.

use super::judge::{Judgement, MoveVerdict};
use super::pgn_game::{PgnGame, PgnMove};
use super::score::eval;
use super::wrap::Lines;
use chess::{Position, san, san_line};
use game::Game;

/// Lines of movetext have fewer than 80 characters (PGN standard, 8.2.1).
const WIDTH: usize = 79;
/// The length to which a better line is shown, in plies.
const BETTER: usize = 10;
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

/// The game in PGN, with an empty line at its end.
pub fn write(game: &PgnGame, verdicts: &[MoveVerdict]) -> String {
    let tags: String = tags(game).iter().map(|(name, value)| format!("[{name} \"{}\"]\n", escape(value))).collect();
    format!("{tags}\n{}\n\n", movetext(game, verdicts))
}

/// The seven tags of every game, then the others in their order, then the annotator.
fn tags(game: &PgnGame) -> Vec<(&str, String)> {
    let in_roster = |name: &str| ROSTER.iter().any(|(known, _)| *known == name);
    let mut tags: Vec<(&str, String)> = Vec::new();
    for (name, unknown) in ROSTER {
        let unknown = if name == "Result" { game.result() } else { unknown };
        tags.push((name, game.tag(name).unwrap_or(unknown).to_string()));
    }
    for (name, value) in &game.tags {
        if !in_roster(name) && name != "Annotator" {
            tags.push((name, value.clone()));
        }
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

fn movetext(game: &PgnGame, verdicts: &[MoveVerdict]) -> String {
    let mut lines = Lines::new(WIDTH, 0);
    push_comment(&mut lines, None, &game.comments);
    let mut position = game.start.clone();
    let nothing = MoveVerdict::default();
    // Black's move has a number only where something stands between White's move and it.
    let mut is_interrupted = true;
    for (index, played) in game.moves.iter().enumerate() {
        let verdict = verdicts.get(index).unwrap_or(&nothing);
        let is_numbered = position.is_white_to_move() || is_interrupted;
        let mv = if is_numbered { san_line(&position, &[played.mv]) } else { san(&position, played.mv) };
        is_interrupted = verdict.eval.is_some() || !verdict.better.is_empty() || !played.comments.is_empty();
        lines.push(&[mv, glyphs(played, verdict)].concat());
        push_comment(&mut lines, verdict.eval.map(eval).as_deref(), &played.comments);
        push_variation(&mut lines, &position, verdict);
        position = position.play(played.mv);
    }
    if let Some(cut) = &game.cut {
        push_comment(&mut lines, None, std::slice::from_ref(cut));
    }
    lines.push(game.result());
    lines.finish()
}

/// The glyphs after a move: ours, and those of the file except 1 to 6, which judge the move.
fn glyphs(played: &PgnMove, verdict: &MoveVerdict) -> String {
    let ours = verdict.judgement.map(Judgement::nag);
    let kept = played.nags.iter().copied().filter(|nag| *nag > 6);
    ours.into_iter().chain(kept).map(|nag| format!(" ${nag}")).collect()
}

/// `{ [%eval 0.53] words }`, or an empty text.
fn push_comment(lines: &mut Lines, eval: Option<&str>, comments: &[String]) {
    let mut words: Vec<String> = eval.map(|eval| format!("[%eval {eval}]")).into_iter().collect();
    comments.iter().for_each(|comment| add_words(&mut words, comment));
    if let Some(first) = words.first_mut() {
        first.insert_str(0, "{ ");
    }
    if let Some(last) = words.last_mut() {
        last.push_str(" }");
    }
    words.iter().for_each(|word| lines.push(word));
}

/// Adds the words of a comment. A command such as `[%clk 0:01:00]` is kept together with the word before it: at the
/// beginning of a line, some readers would take it for a tag. An evaluation in the file is replaced by ours.
fn add_words(words: &mut Vec<String>, comment: &str) {
    let mut rest = comment.split_whitespace().peekable();
    while let Some(word) = rest.next() {
        // A brace would close the comment too early.
        let mut word = word.replace('}', ")");
        if word.starts_with("[%") {
            while !word.ends_with(']')
                && let Some(next) = rest.next_if(|next| !next.starts_with('['))
            {
                word = format!("{word} {}", next.replace('}', ")"));
            }
            if word.starts_with("[%eval ") {
                continue;
            }
        }
        match words.last_mut() {
            Some(last) if word.starts_with('[') => *last = format!("{last} {word}"),
            _ => words.push(word),
        }
    }
}

/// `(12. Nf3 d5 13. O-O)`: what should have been played, or an empty text.
fn push_variation(lines: &mut Lines, position: &Position, verdict: &MoveVerdict) {
    if verdict.better.is_empty() {
        return;
    }
    let shown = &verdict.better[..verdict.better.len().min(BETTER)];
    lines.push_line(&format!("({})", san_line(position, shown)));
}

#[cfg(test)]
mod tests {
    use super::super::judge::review;
    use super::super::reader::tests::{line, read_text, soup};
    use super::super::study::tests::quick;
    use super::*;
    use game::Score;
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
        assert!(written.lines().all(|line| line.chars().count() <= WIDTH), "{written}");
    }

    #[test]
    fn a_mistake_gets_its_mark_and_the_better_line() {
        let game = read_text("1. e4 e5 2. Ke2 {why} *").0.remove(0);
        let better = read_text("1. e4 e5 2. Nf3 Nc6 *").0.remove(0).moves[2..].iter().map(|played| played.mv).collect();
        let judged = |eval, judgement, better| MoveVerdict { eval, loss: 0.1, judgement, better };
        let verdicts = [
            judged(Some(Score::estimate(30)), None, Vec::new()),
            judged(Some(Score::estimate(-7)), None, Vec::new()),
            judged(Some(Score::loss_in(6)), Some(Judgement::Mistake), better),
        ];
        let expected = "1. e4 { [%eval 0.30] } 1... e5 { [%eval -0.07] } 2. Ke2 $2 { [%eval #-3] why }\n(2. Nf3 Nc6) *";
        assert_eq!(movetext(&game, &verdicts), expected);
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
            !written.contains("9.99") && !written.contains("$6") && written.contains("] [%clk 0:00:01] }"),
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
