//! The formats of game files: text, or 32 bytes a position.
//!
//! Each position has the number of its game, and the last position of a game is marked. So a file can be cut back to
//! complete games, and itself says which games it has. In text a line is `FEN;score;result;game`, with `;end` after it
//! for the last position of a game; score and result are seen by White, the score in hundredths of a pawn as the search
//! found it, the result as 1, 0.5 or 0. The other format is that of the trainer (`train::record`); the number of the
//! game is in its last four bytes, with the highest bit set at the last position.

use super::SelfGame;
use crate::train::record::{MAGIC, PackedPosition, SIZE};
use crate::tune::parse_line;
use std::fmt::Write as _;
use std::io::{BufRead, Read};
use std::path::Path;

/// Set in the mark of a game's last position.
const LAST: u32 = 1 << 31;
/// The largest number of a game.
pub const LARGEST_NUMBER: u32 = LAST - 1;
/// The longest line.
const LONGEST_LINE: u64 = 256;

/// The format of a file of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A line a position.
    Text,
    /// 32 bytes a position.
    Records,
}

/// What comes next in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A whole position of this game, and its number of bytes.
    Position { game: u32, last: bool, bytes: u64 },
    /// The beginning of a position, which a killed process has left.
    Torn,
    /// Something that `datagen` has not written.
    Foreign,
    /// Nothing more.
    End,
}

/// The game of a position in a `.jpos` file, and whether the position is its last; none if that is not known.
pub fn read_mark(bytes: &[u8; SIZE]) -> Option<(u32, bool)> {
    let mark = u32::from_le_bytes([bytes[28], bytes[29], bytes[30], bytes[31]]);
    let number = mark & !LAST;
    (number > 0).then_some((number, mark & LAST != 0))
}

impl Format {
    /// The format of a file: names that end in `.jpos` are not text.
    pub fn of(path: &Path) -> Format {
        if path.extension().is_some_and(|ending| ending == "jpos") { Format::Records } else { Format::Text }
    }

    /// How a file begins.
    pub(super) fn header(self) -> &'static [u8] {
        match self {
            Format::Text => &[],
            Format::Records => MAGIC,
        }
    }

    /// A game as it is written.
    pub fn encode(self, game: &SelfGame) -> Vec<u8> {
        let count = game.samples.len();
        let mut text = String::new();
        let mut records = Vec::new();
        for (index, sample) in game.samples.iter().enumerate() {
            let last = index + 1 == count;
            match self {
                Format::Text => {
                    let end = if last { ";end" } else { "" };
                    let (board, score, result) = (&sample.board, sample.score, sample.result);
                    let _ = writeln!(text, "{board};{score};{result};{}{end}", game.number);
                }
                Format::Records => {
                    let mut bytes = PackedPosition::new(sample).to_bytes();
                    let mark = game.number | if last { LAST } else { 0 };
                    bytes[28..].copy_from_slice(&mark.to_le_bytes());
                    records.extend_from_slice(&bytes);
                }
            }
        }
        if self == Format::Text { text.into_bytes() } else { records }
    }

    /// The next piece of a file, after its header.
    pub(super) fn next(self, reader: &mut impl BufRead) -> std::io::Result<Piece> {
        match self {
            Format::Text => next_line(reader),
            Format::Records => next_record(reader),
        }
    }
}

fn next_record(reader: &mut impl BufRead) -> std::io::Result<Piece> {
    let mut bytes = Vec::with_capacity(SIZE);
    reader.by_ref().take(SIZE as u64).read_to_end(&mut bytes)?;
    let Ok(bytes) = <[u8; SIZE]>::try_from(bytes.as_slice()) else {
        return Ok(if bytes.is_empty() { Piece::End } else { Piece::Torn });
    };
    let mark = read_mark(&bytes).filter(|_| PackedPosition::from_bytes(&bytes).is_some());
    Ok(mark.map_or(Piece::Foreign, |(game, last)| Piece::Position { game, last, bytes: SIZE as u64 }))
}

fn next_line(reader: &mut impl BufRead) -> std::io::Result<Piece> {
    let mut bytes = Vec::new();
    reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
    let length = bytes.len() as u64;
    if length == 0 {
        return Ok(Piece::End);
    }
    if bytes.last() != Some(&b'\n') {
        // Nothing else may be cut off: the file may have been named by mistake.
        let of_line = |byte: &u8| b"pnbrqkPNBRQK12345678/ wb-acdefgh09;.".contains(byte);
        let torn = length < LONGEST_LINE && bytes.iter().all(of_line);
        return Ok(if torn { Piece::Torn } else { Piece::Foreign });
    }
    let line = String::from_utf8_lossy(&bytes);
    let line = line.trim_end_matches('\n');
    let mark = || {
        parse_line(line).ok()?;
        let mut fields = line.split(';').skip(3);
        let game = fields.next()?.parse().ok().filter(|number| (1..=LARGEST_NUMBER).contains(number))?;
        Some((game, fields.next().is_some()))
    };
    Ok(mark().map_or(Piece::Foreign, |(game, last)| Piece::Position { game, last, bytes: length }))
}

#[cfg(test)]
mod tests {
    use super::super::tests::player;
    use super::*;

    #[test]
    fn what_is_written_is_read_and_both_formats_say_the_same() {
        let mut player = player(2);
        let games: Vec<SelfGame> = (1..=6).filter_map(|number| player.play(number)).collect();
        for format in [Format::Text, Format::Records] {
            for game in &games {
                let bytes = format.encode(game);
                let mut reader = bytes.as_slice();
                for index in 1..=game.samples.len() {
                    let Piece::Position { game: number, last, .. } = format.next(&mut reader).unwrap() else {
                        panic!("position {index} of {format:?} can't be read");
                    };
                    assert_eq!((number, last), (game.number, index == game.samples.len()));
                }
                assert_eq!(format.next(&mut reader).unwrap(), Piece::End);
            }
        }
        for game in &games {
            let text = String::from_utf8(Format::Text.encode(game)).unwrap();
            let records = Format::Records.encode(game);
            for (line, bytes) in text.lines().zip(records.chunks(SIZE)) {
                let record = PackedPosition::from_bytes(bytes.try_into().unwrap()).unwrap();
                assert_eq!(PackedPosition::new(&parse_line(line).unwrap()), record);
            }
        }
    }

    #[test]
    fn what_others_wrote_is_told_from_what_was_torn() {
        let line = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1;120;1";
        let next = |text: &str| Format::Text.next(&mut text.as_bytes()).unwrap();
        assert_eq!(
            next(&format!("{line};7\n")),
            Piece::Position { game: 7, last: false, bytes: line.len() as u64 + 3 }
        );
        assert_eq!(next(&format!("{line};7;en")), Piece::Torn);
        for foreign in [&format!("{line}\n"), &format!("{line};0\n"), "# Read me", "Read me\n", &" ".repeat(400)] {
            assert_eq!(next(foreign), Piece::Foreign, "{foreign}");
        }
        let mut bytes = PackedPosition::new(&parse_line(line).unwrap()).to_bytes();
        assert_eq!(Format::Records.next(&mut bytes.as_slice()).unwrap(), Piece::Foreign);
        bytes[28] = 7;
        assert_eq!(Format::Records.next(&mut &bytes[..31]).unwrap(), Piece::Torn);
        assert_eq!(
            Format::Records.next(&mut bytes.as_slice()).unwrap(),
            Piece::Position { game: 7, last: false, bytes: SIZE as u64 }
        );
        assert_eq!(Format::Records.next(&mut [0; SIZE].as_slice()).unwrap(), Piece::Foreign);
    }
}
