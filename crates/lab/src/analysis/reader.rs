//! Reading the games of a PGN file.
//! The tokens come from pgn-reader, which skips what it can't read; what they mean on the board is decided here. Since
//! pgn-reader ends a game at every empty line, movetext without tags is taken as the continuation of a game that has
//! no result yet.

use super::line_comments;
use super::pgn_game::{PgnGame, PgnMove, Token, start};
use chess::{Position, parse_san};
use game::Game;
use pgn_reader::{Nag, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::{Color, KnownOutcome, Outcome};
use std::io;
use std::ops::ControlFlow;

/// The games of a file. An error becomes a warning, and the rest of the file is read.
pub fn read(bytes: &[u8], warn: &mut dyn FnMut(String)) -> Vec<PgnGame> {
    let bytes = line_comments::in_braces(bytes);
    let mut reader = Reader::build(&bytes[..]).set_supported_tag_line_length(1 << 12).finish();
    let mut collector = Collector { games: Vec::new(), current: None, comment: Vec::new(), count: 0, warn };
    loop {
        match reader.read_game(&mut collector) {
            Ok(Some(())) => {}
            Ok(None) => break,
            // The reader has skipped what it could not read.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                (collector.warn)(format!("in or after game {}: {error}", collector.count));
            }
            Err(error) => {
                (collector.warn)(format!("reading stopped after game {}: {error}", collector.count));
                break;
            }
        }
    }
    collector.finish();
    collector.games
}

/// Decodes text as UTF-8, or else as Latin-1, which older files use. Control characters become spaces.
pub fn decode(bytes: &[u8]) -> String {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    };
    text.chars().map(|symbol| if symbol.is_control() { ' ' } else { symbol }).collect()
}

/// A game being read.
struct Draft {
    record: PgnGame,
    /// The position after the moves so far; none after an illegal move.
    position: Option<Position>,
    /// Variations that have begun and not ended.
    open: usize,
}

struct Collector<'a> {
    games: Vec<PgnGame>,
    current: Option<Draft>,
    /// The beginning of a comment too long for the reader's buffer.
    comment: Vec<u8>,
    count: usize,
    warn: &'a mut dyn FnMut(String),
}

impl Collector<'_> {
    /// Adds the game being read to the others, unless it is empty.
    fn finish(&mut self) {
        let Some(Draft { mut record, open, .. }) = self.current.take() else { return };
        if let Some(last) = record.moves.last_mut() {
            (0..open).for_each(|_| close(&mut last.variations));
        }
        if record.tags.is_empty() && record.moves.is_empty() {
            self.count -= 1;
        } else {
            self.games.push(record);
        }
    }

    fn begin(&mut self, tags: Vec<(String, String)>) {
        self.finish();
        self.count += 1;
        let position = start(&tags);
        let mut record = PgnGame { number: self.count, tags, ..PgnGame::default() };
        match position {
            Ok(position) => {
                record.start = position.clone();
                self.current = Some(Draft { record, position: Some(position), open: 0 });
            }
            Err(message) => {
                (self.warn)(format!("{} left out: {message}", record.name()));
                self.current = None;
            }
        }
    }

    /// Does the movetext belong to the tags just read, of which there may be none?
    fn goes_on(&self, tags: &[(String, String)]) -> bool {
        let open = |draft: &Draft| !draft.record.tags.is_empty() && draft.record.outcome.is_none();
        tags.is_empty() && self.current.as_ref().is_some_and(open)
    }

    fn play(&mut self, text: &str) {
        let Some(Draft { record, position: place, .. }) = &mut self.current else { return };
        let Some(position) = place.take() else { return };
        match parse_san(&position, text) {
            Ok(mv) => {
                *place = Some(position.play(mv));
                record.moves.push(PgnMove::new(mv));
            }
            Err(error) => {
                let ply = record.moves.len() + 1;
                (self.warn)(format!("{} cut at ply {ply}: {error}", record.name()));
                record.cut = Some(format!("The record goes on with '{text}', which is not a legal move."));
            }
        }
    }

    /// Where annotations are stored; none after a cut.
    fn last_move(&mut self) -> Option<&mut PgnMove> {
        let draft = self.current.as_mut().filter(|draft| draft.position.is_some())?;
        draft.record.moves.last_mut()
    }

    /// The variations of the last move, while one of them is open.
    fn variation(&mut self) -> Option<&mut Vec<Token>> {
        self.current.as_ref().filter(|draft| draft.open > 0)?;
        Some(&mut self.last_move()?.variations)
    }

    /// The variation that is being read begins or ends another one.
    fn nest(&mut self, change: fn(usize) -> usize) {
        if let Some(draft) = &mut self.current {
            draft.open = change(draft.open);
        }
    }
}

/// Ends a variation. One without anything in it is left out.
fn close(variations: &mut Vec<Token>) {
    if variations.last() == Some(&Token::Open) {
        variations.pop();
    } else {
        variations.push(Token::Close);
    }
}

impl Visitor for Collector<'_> {
    type Tags = Vec<(String, String)>;
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Self::Tags> {
        self.comment.clear();
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        let name = decode(name).trim().to_string();
        if !name.is_empty() && name.chars().all(|symbol| symbol.is_ascii_alphanumeric() || symbol == '_') {
            tags.push((name, decode(&value.decode()).trim().to_string()));
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<(), ()> {
        if !self.goes_on(&tags) {
            self.begin(tags);
        }
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        if let Some(variation) = self.variation() {
            variation.push(Token::Move(san.to_string()));
            return ControlFlow::Continue(());
        }
        // A move after a result begins another game, one without tags.
        if self.current.as_ref().is_some_and(|draft| draft.record.outcome.is_some()) {
            self.begin(Vec::new());
        }
        self.play(&san.to_string());
        ControlFlow::Continue(())
    }

    fn nag(&mut self, (): &mut (), nag: Nag) -> ControlFlow<()> {
        if let Some(variation) = self.variation() {
            variation.push(Token::Nag(nag.0));
        } else if let Some(played) = self.last_move() {
            played.nags.push(nag.0);
        }
        ControlFlow::Continue(())
    }

    fn partial_comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        self.comment.extend_from_slice(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        let mut bytes = std::mem::take(&mut self.comment);
        bytes.extend_from_slice(comment.as_bytes());
        let text = decode(&bytes).trim().to_string();
        if text.is_empty() {
            return ControlFlow::Continue(());
        }
        match self.last_move() {
            Some(played) if played.variations.is_empty() => played.comments.push(text),
            Some(played) => played.variations.push(Token::Comment(text)),
            None => {
                if let Some(draft) = &mut self.current
                    && draft.record.moves.is_empty()
                    && draft.position.is_some()
                {
                    draft.record.comments.push(text);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        let Some(played) = self.last_move() else {
            let name = self.current.as_ref().filter(|draft| draft.position.is_some()).map(|draft| draft.record.name());
            if let Some(name) = name {
                (self.warn)(format!("{name}: a variation before the first move is left out"));
            }
            return ControlFlow::Continue(Skip(true));
        };
        played.variations.push(Token::Open);
        self.nest(|open| open + 1);
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, (): &mut ()) -> ControlFlow<()> {
        if let Some(variation) = self.variation() {
            close(variation);
            self.nest(|open| open - 1);
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, (): &mut (), outcome: Outcome) -> ControlFlow<()> {
        // A result in a variation is not that of the game.
        if let Some(draft) = self.current.as_mut().filter(|draft| draft.open == 0) {
            draft.record.outcome = Some(match outcome {
                Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => "1-0",
                Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => "0-1",
                Outcome::Known(KnownOutcome::Draw) => "1/2-1/2",
                Outcome::Unknown => "*",
            });
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use chess::san_line;
    use proptest::prelude::*;

    /// The games and the warnings of a text.
    pub(crate) fn read_text(text: impl AsRef<[u8]>) -> (Vec<PgnGame>, Vec<String>) {
        let mut warnings = Vec::new();
        let games = read(text.as_ref(), &mut |warning| warnings.push(warning));
        (games, warnings)
    }

    pub(crate) fn line(game: &PgnGame) -> String {
        san_line(&game.start, &game.moves.iter().map(|played| played.mv).collect::<Vec<_>>())
    }

    #[test]
    fn tags_moves_comments_and_results_are_kept() {
        let text = b"[White \"M\xfcller \\\"Max\\\"\"]\n[Black \"B\"]\n\n{first} 1. e4! {good; [%clk 0:01:00]} e5 (1... c5 2. Nf3 {no})\n2. 0-0 1-0\n";
        let (games, warnings) = read_text(text);
        assert_eq!(games.len(), 1);
        let game = &games[0];
        assert_eq!(game.tags[0], ("White".to_string(), "Müller \"Max\"".to_string()));
        assert_eq!((game.comments.as_slice(), game.moves[0].nags.as_slice()), (&["first".to_string()][..], &[1][..]));
        assert_eq!(game.moves[0].comments, ["good; [%clk 0:01:00]"]);
        assert_eq!((line(game).as_str(), game.result()), ("1. e4 e5", "1-0"));
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0].starts_with("game 1 (Müller \"Max\" - B) cut at ply 3: 'O-O' is not a legal move"),
            "{warnings:?}"
        );
    }

    /// The tokens of a move's variations in one line.
    fn tokens(played: &PgnMove) -> String {
        let words = played.variations.iter().map(|token| match token {
            Token::Open => "(".to_string(),
            Token::Close => ")".to_string(),
            Token::Move(text) => text.clone(),
            Token::Nag(number) => format!("${number}"),
            Token::Comment(text) => format!("{{{text}}}"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn variations_are_kept_as_they_stand() {
        let text =
            "1. e4 {a} ({b} 1. d4 $1 d5 (1... Nf6 {c} (1... -- 2. Ke8)) 2. c4 *) {d} $14 () e5\n\n2. Nf3 (2. f4 1-0\n";
        let (games, warnings) = read_text(format!("[White \"a\"]\n\n{text}"));
        let moves = &games[0].moves;
        assert_eq!((line(&games[0]).as_str(), games[0].result()), ("1. e4 e5 2. Nf3", "*"), "{warnings:?}");
        assert_eq!(tokens(&moves[0]), "( {b} d4 $1 d5 ( Nf6 {c} ( -- Ke8 ) ) c4 ) {d}");
        assert_eq!((moves[0].comments.as_slice(), moves[0].nags.as_slice()), (&["a".to_string()][..], &[14][..]));
        assert_eq!((tokens(&moves[1]).as_str(), tokens(&moves[2]).as_str()), ("", "( f4 )"));
        let (games, warnings) = read_text("[White \"a\"]\n\n(1. d4 d5) 1. e4) e5 *");
        assert_eq!(line(&games[0]), "1. e4 e5");
        assert_eq!(warnings, ["game 1: a variation before the first move is left out"]);
    }

    #[test]
    fn the_rest_of_the_file_goes_on() {
        let text = "[White \"a\"]\n\n1. e4 e5 2. Ke3 Ke6 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n\n\
            [FEN \"junk\"]\n\n1. e4 *\n\n[White \"b\"]\n\n1. d4 1/2-1/2\n";
        let (games, warnings) = read_text(text);
        let lines: Vec<_> = games.iter().map(|game| (game.number, line(game), game.result())).collect();
        assert_eq!(lines, [(1, "1. e4 e5".to_string(), "*"), (4, "1. d4".to_string(), "1/2-1/2")]);
        assert_eq!(warnings.len(), 3);
        assert!(warnings[1].starts_with("game 2 left out: the variant 'Atomic'"), "{warnings:?}");
        assert!(warnings[2].starts_with("game 3 left out: bad FEN 'junk'"), "{warnings:?}");
    }

    #[test]
    fn an_empty_line_ends_no_game_and_a_result_does() {
        let (games, _) = read_text("[White \"a\"]\n\n1. e4 e5\n\n2. Nf3 1-0\n1. d4 d5 0-1 1. c4 *\n");
        let lines: Vec<_> = games.iter().map(|game| (line(game), game.result())).collect();
        let expected = [("1. e4 e5 2. Nf3", "1-0"), ("1. d4 d5", "0-1"), ("1. c4", "*")];
        assert_eq!(lines, expected.map(|(moves, result)| (moves.to_string(), result)));
    }

    #[test]
    fn long_comments_stay_whole() {
        let comment = "é".repeat(40_000);
        let (games, warnings) = read_text(format!("1. e4 {{{comment}}} e5 *\n"));
        assert!(games[0].moves[0].comments == [comment] && warnings.is_empty());
        let (games, warnings) = read_text("1. e4 {never closed\n\n1. d4 *");
        assert_eq!((games.len(), line(&games[0]).as_str(), warnings.len()), (1, "1. e4", 1));
    }

    #[test]
    fn both_encodings_are_read() {
        assert_eq!(decode("Müller".as_bytes()), "Müller");
        assert_eq!(decode(b"M\xfcller\0"), "Müller ");
    }

    #[test]
    fn junk_is_no_game() {
        for text in ["", "\n\n\n", "hello world", "%\n;\n", "{}", "\u{feff}", "*", "Ke9 Ke2"] {
            assert!(read_text(text).0.is_empty(), "{text:?}");
        }
    }

    /// Random bytes that resemble a game.
    pub(crate) fn soup() -> impl Strategy<Value = String> {
        let tags = r#"[White "a"]|[FEN "8/8/8/8/5k2/8/4PK2/8 w - - 0 1"]|[Annotator "x|[|]|"|\"#;
        let moves = "1.|1...|e4|e5|d4|d5|exd5|Nf3|Nc6|Qh5|Ke2|Kf3|O-O|0-0-0|e8=Q|P@e4|--|1-0|*|½";
        let rest = "\n|\n\n|\r\n|{|}|(|)|{ c [%eval 1.0] }|[%clk 1]|$|$300|$4|!?|%|%x|;";
        let words: Vec<&str> = [tags, moves, rest].into_iter().flat_map(|list| list.split('|')).collect();
        prop::collection::vec(prop::sample::select(words), 0..60).prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
            read_text(bytes);
        }

        #[test]
        fn random_tokens_do_not_panic(text in soup()) {
            for game in read_text(text).0 {
                prop_assert_eq!(game.positions().len(), game.moves.len() + 1);
            }
        }
    }
}
