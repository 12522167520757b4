//! Lines of bounded length.

use std::error::Error;
use std::io::BufRead;
use std::{fmt, io};

/// Why a line could not be read.
#[derive(Debug)]
pub enum LineError {
    /// The line is longer than the limit. The reader goes on with the next line.
    TooLong {
        /// The number of the line, from 1.
        number: u64,
        /// The largest number of bytes a line may have.
        limit: usize,
    },
    /// The input can't be read. No line follows.
    Unreadable {
        /// The number of the line, from 1.
        number: u64,
        /// What the operating system says.
        source: io::Error,
    },
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::TooLong { number, limit } => {
                write!(f, "line {number} is longer than {limit} bytes; it was skipped")
            }
            LineError::Unreadable { number, source } => write!(f, "line {number} cannot be read: {source}"),
        }
    }
}

impl Error for LineError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            LineError::TooLong { .. } => None,
            LineError::Unreadable { source, .. } => Some(source),
        }
    }
}

/// Reads lines without holding more than `limit` bytes of any of them.
///
/// A line is returned without its line feed and without carriage returns before it. An over-long line is reported as
/// soon as it passes the limit, so that an endless one is reported too.
///
/// ```
/// use jamboree_io::LineReader;
/// let lines: Vec<_> = LineReader::new(&b"one\r\nfar too long\ntwo"[..], 5).map(|line| line.ok()).collect();
/// assert_eq!(lines, [Some("one".to_owned()), None, Some("two".to_owned())]);
/// ```
#[derive(Debug)]
pub struct LineReader<R> {
    reader: R,
    limit: usize,
    line: Vec<u8>,
    number: u64,
    skips_rest: bool,
    has_ended: bool,
}

/// How the bytes of a line ended.
enum End {
    LineFeed,
    Limit,
    Input,
}

impl<R: BufRead> LineReader<R> {
    /// A reader of lines of at most `limit` bytes each.
    pub fn new(reader: R, limit: usize) -> LineReader<R> {
        LineReader { reader, limit, line: Vec::new(), number: 0, skips_rest: false, has_ended: false }
    }

    /// The number of the line that was read last, from 1.
    pub fn line_number(&self) -> u64 {
        self.number
    }

    /// The next line as bytes, without a copy; `None` at the end of the input.
    pub fn next_bytes(&mut self) -> Option<Result<&[u8], LineError>> {
        if self.has_ended {
            return None;
        }
        let end = self.read_line();
        self.number += 1;
        let (number, limit) = (self.number, self.limit);
        match end {
            Ok(End::Input) if self.line.is_empty() => {
                self.number -= 1;
                self.has_ended = true;
                None
            }
            Ok(End::Limit) => {
                self.skips_rest = true;
                Some(Err(LineError::TooLong { number, limit }))
            }
            Ok(end) => {
                self.has_ended = matches!(end, End::Input);
                while self.line.last() == Some(&b'\r') {
                    self.line.pop();
                }
                Some(Ok(&self.line))
            }
            Err(source) => {
                self.has_ended = true;
                Some(Err(LineError::Unreadable { number, source }))
            }
        }
    }

    /// Fills `self.line` with the next line, after what is left of an over-long one.
    fn read_line(&mut self) -> io::Result<End> {
        self.line.clear();
        loop {
            let available = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if available.is_empty() {
                return Ok(End::Input);
            }
            let line_feed = available.iter().position(|&byte| byte == b'\n');
            let length = line_feed.unwrap_or(available.len());
            let used = length + usize::from(line_feed.is_some());
            if self.skips_rest {
                self.skips_rest = line_feed.is_none();
                self.reader.consume(used);
                continue;
            }
            // A carriage return does not count, since it is not part of the line.
            let counted = self.line.len() + length;
            if counted > self.limit + usize::from(available[..length].last() == Some(&b'\r')) {
                self.reader.consume(if line_feed.is_some() { length } else { used });
                return Ok(End::Limit);
            }
            self.line.extend_from_slice(&available[..length]);
            self.reader.consume(used);
            if line_feed.is_some() {
                return Ok(End::LineFeed);
            }
        }
    }
}

/// Lines as text. Bytes that are not UTF-8 become replacement characters.
impl<R: BufRead> Iterator for LineReader<R> {
    type Item = Result<String, LineError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_bytes().map(|line| line.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::{BufReader, Read};

    fn lines(input: &[u8], limit: usize) -> Vec<Result<String, u64>> {
        LineReader::new(input, limit)
            .map(|line| {
                line.map_err(|error| match error {
                    LineError::TooLong { number, .. } => number,
                    LineError::Unreadable { .. } => panic!("{error}"),
                })
            })
            .collect()
    }

    #[test]
    fn an_over_long_line_is_an_error_and_the_next_one_is_read() {
        assert_eq!(
            lines(b"a\n123456\nb\r\n12345\n\nlast", 5),
            [Ok("a".into()), Err(2), Ok("b".into()), Ok("12345".into()), Ok(String::new()), Ok("last".into())]
        );
        assert_eq!(lines(b"123456", 5), [Err(1)]);
        assert_eq!(lines(b"12345\r\n", 5), [Ok("12345".into())]);
        assert_eq!(lines(b"", 5), []);
        assert_eq!(lines(b"\xff\n", 5), [Ok("\u{fffd}".into())]);
    }

    #[test]
    fn an_endless_line_is_reported_at_once() {
        let mut reader = LineReader::new(BufReader::new(io::repeat(b'x')), 1000);
        assert!(matches!(reader.next(), Some(Err(LineError::TooLong { number: 1, limit: 1000 }))));
        assert!(reader.line.capacity() < 20_000);
    }

    #[test]
    fn a_reader_that_fails_ends() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let mut reader = LineReader::new(BufReader::new(b"one\n".chain(Broken)), 10);
        assert_eq!(reader.next().and_then(Result::ok).as_deref(), Some("one"));
        let message = reader.next().and_then(Result::err).map(|error| error.to_string());
        assert_eq!(message.as_deref(), Some("line 2 cannot be read: broken"));
        assert!(reader.next().is_none());
    }

    proptest! {
        /// Whatever the size of the buffer behind it, the reader agrees with splitting the whole text.
        #[test]
        fn lines_are_those_of_the_text(
            text in prop::collection::vec(prop::sample::select(b"ab\n\r".to_vec()), 0..60),
            limit in 1usize..8,
            buffer in 1usize..10,
        ) {
            let mut expected: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
            if expected.last().is_some_and(|last| last.is_empty()) {
                expected.pop();
            }
            let mut reader = LineReader::new(BufReader::with_capacity(buffer, text.as_slice()), limit);
            for line in expected {
                let content = line.iter().rposition(|&byte| byte != b'\r').map_or(0, |last| last + 1);
                match reader.next_bytes() {
                    Some(Ok(found)) => prop_assert_eq!(found, &line[..content]),
                    Some(Err(LineError::TooLong { .. })) => prop_assert!(line.len() > limit),
                    other => prop_assert!(false, "{:?}", other),
                }
            }
            prop_assert!(reader.next_bytes().is_none());
        }
    }
}
