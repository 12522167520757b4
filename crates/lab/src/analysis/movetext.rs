//! The moves, comments, glyphs and variations of a game, written in lines of PGN.

use super::judge::{Judgement, MoveVerdict};
use super::pgn_game::{PgnGame, PgnMove, Token};
use super::score::eval;
use super::wrap::Lines;
use chess::{Move, Position, san};
use game::Game;

/// Lines of movetext have fewer than 80 characters (PGN standard, 8.2.1).
pub(super) const WIDTH: usize = 79;
/// The length to which a better line is shown, in plies. A mate is shown to its end.
const BETTER: usize = 10;
/// Glyphs up to this number judge the move.
const LAST_JUDGING: u8 = 6;

/// The movetext of a game with its verdicts, of which there may be none.
pub(super) fn write(game: &PgnGame, verdicts: &[MoveVerdict]) -> String {
    let mut writer = Writer::new(&game.start);
    writer.comment(&game.comments, Commands::All, &[]);
    let mut position = game.start.clone();
    let nothing = MoveVerdict::default();
    for (index, played) in game.moves.iter().enumerate() {
        let verdict = verdicts.get(index).unwrap_or(&nothing);
        writer.played(&position, played, verdict);
        position = position.play(played.mv);
    }
    writer.comment(game.cut.as_slice(), Commands::All, &[]);
    writer.word(game.result().to_string());
    writer.finish()
}

/// Which commands of a comment are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Commands {
    All,
    /// An evaluation in the file is replaced by ours.
    WithoutEval,
}

/// Words on their way into lines.
struct Writer {
    lines: Lines,
    /// The last word: a parenthesis may still close behind it.
    last: String,
    /// Parentheses that open before the next word.
    open: String,
    /// The number of the next ply: twice the move number, and one more for Black.
    ply: usize,
    /// The next plies of the lines that the open variations are part of.
    outer: Vec<usize>,
    /// Black's move has a number only where something stands between White's move and it.
    is_interrupted: bool,
}

impl Writer {
    fn new(start: &Position) -> Writer {
        let number = start.board().fullmove_number() as usize;
        Writer {
            lines: Lines::new(WIDTH, 0),
            last: String::new(),
            open: String::new(),
            ply: 2 * number + usize::from(!start.is_white_to_move()),
            outer: Vec::new(),
            is_interrupted: true,
        }
    }

    fn finish(mut self) -> String {
        self.word(String::new());
        self.lines.finish()
    }

    /// Adds a word that no line break may divide.
    fn word(&mut self, word: String) {
        let word = std::mem::take(&mut self.open) + &word;
        let before = std::mem::replace(&mut self.last, word);
        if !before.is_empty() {
            self.lines.push(&before);
        }
    }

    /// Adds a move with its number, where it needs one, and what stands behind it.
    fn mv(&mut self, text: &str, glyphs: &str) {
        let number = self.ply / 2;
        let word = match (self.ply.is_multiple_of(2), self.is_interrupted) {
            (true, _) => format!("{number}. {text}{glyphs}"),
            (false, true) => format!("{number}... {text}{glyphs}"),
            (false, false) => format!("{text}{glyphs}"),
        };
        self.word(word);
        self.ply += 1;
        self.is_interrupted = false;
    }

    /// A variation begins: it replaces the last move.
    fn open(&mut self) {
        self.open.push('(');
        self.outer.push(self.ply);
        self.ply = self.ply.saturating_sub(1);
        self.is_interrupted = true;
    }

    fn close(&mut self) {
        self.last.push(')');
        self.ply = self.outer.pop().unwrap_or(self.ply);
        self.is_interrupted = true;
    }

    /// A move of the game with everything that stands with it, ours before what the file has.
    fn played(&mut self, position: &Position, played: &PgnMove, verdict: &MoveVerdict) {
        self.mv(&san(position, played.mv), &glyphs(played, verdict));
        let mut ours: Vec<String> =
            verdict.eval.map(|outlook| format!("[%eval {}]", eval(&outlook))).into_iter().collect();
        let told = verdict.missed_mate.map(|moves| format!("Missed mate in {moves}."));
        // An earlier analysis may have said the same.
        let is_news = |text: &String| !played.comments.iter().any(|comment| comment.contains(text));
        ours.extend(told.filter(is_news).iter().flat_map(|text| text.split(' ')).map(str::to_string));
        let commands = if verdict.eval.is_some() { Commands::WithoutEval } else { Commands::All };
        self.comment(&played.comments, commands, &ours);
        self.better(position, played, verdict);
        self.tokens(&played.variations);
    }

    /// What should have been played, unless the file has the same line.
    fn better(&mut self, position: &Position, played: &PgnMove, verdict: &MoveVerdict) {
        let most = if verdict.missed_mate.is_some() { usize::MAX } else { BETTER };
        let shown = &verdict.better[..verdict.better.len().min(most)];
        let line = line_tokens(position, shown);
        let is_there = played.variations.windows(line.len()).any(|tokens| tokens == line);
        if !shown.is_empty() && !is_there {
            self.tokens(&line);
        }
    }

    fn tokens(&mut self, tokens: &[Token]) {
        for token in tokens {
            match token {
                Token::Open => self.open(),
                Token::Close => self.close(),
                Token::Move(text) => self.mv(text, ""),
                Token::Nag(number) => self.word(format!("${number}")),
                Token::Comment(text) => self.comment(std::slice::from_ref(text), Commands::All, &[]),
            }
        }
    }

    /// `{ [%eval 0.53] words }`, or nothing: our words, then those of the file.
    fn comment(&mut self, comments: &[String], commands: Commands, ours: &[String]) {
        let mut words = ours.to_vec();
        comments.iter().for_each(|comment| add_words(&mut words, comment, commands));
        let Some(last) = words.last_mut() else { return };
        last.push_str(" }");
        words[0].insert_str(0, "{ ");
        words.into_iter().for_each(|word| self.word(word));
        self.is_interrupted = true;
    }
}

/// The glyphs after a move: those of the file, and ours if none of them judges the move.
fn glyphs(played: &PgnMove, verdict: &MoveVerdict) -> String {
    let is_judged = played.nags.iter().any(|nag| (1..=LAST_JUDGING).contains(nag));
    let ours = verdict.judgement.map(Judgement::nag).filter(|_| !is_judged);
    ours.into_iter().chain(played.nags.iter().copied()).map(|nag| format!(" ${nag}")).collect()
}

/// A line of moves as a variation.
fn line_tokens(position: &Position, moves: &[Move]) -> Vec<Token> {
    let mut position = position.clone();
    let mut tokens = vec![Token::Open];
    for &mv in moves {
        tokens.push(Token::Move(san(&position, mv)));
        position = position.play(mv);
    }
    tokens.push(Token::Close);
    tokens
}

/// Adds the words of a comment. A command such as `[%clk 0:01:00]` is kept together with the word before it: at the
/// beginning of a line some readers would take it for a tag, and a word that begins with a percent sign for a line that is
/// not for them.
fn add_words(words: &mut Vec<String>, comment: &str, commands: Commands) {
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
            if word.starts_with("[%eval ") && commands == Commands::WithoutEval {
                continue;
            }
        }
        match words.last_mut() {
            Some(last) if word.starts_with(['[', '%']) => *last = format!("{last} {word}"),
            _ => words.push(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reader::tests::{line, read_text, soup};
    use super::*;
    use ::game::Score;
    use engine::Outlook;
    use proptest::prelude::*;

    fn pawns(hundredths: i32) -> Outlook {
        Outlook { hundredths, ..Outlook::of(Score::estimate(1), &Position::default()) }
    }

    /// A game and the movetext that is written of it without verdicts.
    fn rewritten(text: &str) -> String {
        write(&read_text(text).0[0], &[])
    }

    #[test]
    fn a_mistake_gets_its_mark_and_the_better_line() {
        let game = read_text("1. e4 e5 2. Ke2 {why} *").0.remove(0);
        let better: Vec<_> =
            read_text("1. e4 e5 2. Nf3 Nc6 *").0[0].moves[2..].iter().map(|played| played.mv).collect();
        let judged = |eval, judgement, better| MoveVerdict { eval, loss: 0.1, judgement, better, missed_mate: None };
        let mut verdicts = [
            judged(Some(pawns(30)), None, Vec::new()),
            judged(Some(pawns(-7)), None, Vec::new()),
            judged(Some(Outlook::of(Score::loss_in(6), &Position::default())), Some(Judgement::Mistake), better),
        ];
        let expected = "1. e4 { [%eval 0.30] } 1... e5 { [%eval -0.07] } 2. Ke2 $2 { [%eval #-3] why }\n(2. Nf3 Nc6) *";
        assert_eq!(write(&game, &verdicts), expected);
        verdicts[2].missed_mate = Some(3);
        let written = write(&game, &verdicts).replace('\n', " ");
        assert!(written.contains("{ [%eval #-3] Missed mate in 3. why } (2. Nf3 Nc6) *"), "{written}");
    }

    #[test]
    fn what_the_file_has_stays_and_is_not_said_twice() {
        let text = "1. e4 e5 2. Ke2 $1 $14 {[%eval 1.0] why Missed mate in 3. x} (2. Nf3 Nc6) (2. d4) {then} Nc6 *";
        let game = read_text(text).0.remove(0);
        let better: Vec<_> =
            read_text("1. e4 e5 2. Nf3 Nc6 *").0[0].moves[2..].iter().map(|played| played.mv).collect();
        let bad = MoveVerdict {
            eval: Some(Outlook::DRAWN),
            judgement: Some(Judgement::Blunder),
            missed_mate: Some(3),
            better,
            ..MoveVerdict::default()
        };
        let written = write(&game, &[MoveVerdict::default(), MoveVerdict::default(), bad]).replace('\n', " ");
        let expected =
            "1. e4 e5 2. Ke2 $1 $14 { [%eval 0.00] why Missed mate in 3. x } (2. Nf3 Nc6) (2. d4) { then } 2... Nc6 *";
        assert_eq!(written, expected);
    }

    #[test]
    fn variations_are_numbered_from_the_move_they_replace() {
        let text = "1. e4 e5 ({a} 1... c5 2. Nf3 $1 (2. c3 d5 (2... e6)) 2... d6 {b}) (1... e6) {c} 2. Nf3 *";
        let expected = "1. e4 e5 ({ a } 1... c5 2. Nf3 $1 (2. c3 d5 (2... e6)) 2... d6 { b }) (1... e6) { c } 2. Nf3 *";
        assert_eq!(rewritten(text).replace('\n', " "), expected);
        let black = "[FEN \"6k1/5ppp/8/8/8/8/8/R5K1 b - - 0 9\"]\n\n9... h6 10. Ra8+ (10. Kf2 Kf8) Kh7 *";
        assert_eq!(rewritten(black), "9... h6 10. Ra8+ (10. Kf2 Kf8) 10... Kh7 *");
    }

    #[test]
    fn no_line_begins_with_what_is_no_comment_to_others() {
        for filler in 0..90 {
            let words = "x".repeat(filler);
            for special in ["%", "[%csl Gd4]"] {
                let written = rewritten(&format!("1. e4 {{{words} a {special} b}} *"));
                assert!(written.lines().all(|line| !line.starts_with(['%', '['])), "{written}");
            }
        }
    }

    /// All annotations of a game, comments with single spaces.
    fn annotations(game: &PgnGame) -> Vec<(Vec<u8>, String, Vec<Token>)> {
        let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut all = vec![(Vec::new(), spaced(&game.comments.join(" ")), Vec::new())];
        for played in &game.moves {
            let tokens = played.variations.iter().map(|token| match token {
                Token::Comment(text) => Token::Comment(spaced(text)),
                token => token.clone(),
            });
            all.push((played.nags.clone(), spaced(&played.comments.join(" ")), tokens.collect()));
        }
        all
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in soup()) {
            for game in read_text(text).0.into_iter().filter(|game| game.cut.is_none()) {
                let written = format!("[Site \"x\"]\n[FEN \"{}\"]\n\n{}\n", game.start, write(&game, &[]));
                let again = read_text(&written).0;
                prop_assert_eq!(again.len(), 1, "{}", &written);
                prop_assert_eq!(line(&again[0]), line(&game));
                prop_assert_eq!(annotations(&again[0]), annotations(&game), "{}", &written);
            }
        }
    }
}
