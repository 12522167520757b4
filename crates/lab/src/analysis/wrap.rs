//! Breaking words into lines.

/// Words filled into lines of bounded width.
#[derive(Debug)]
pub struct Lines {
    width: usize,
    indent: usize,
    text: String,
    /// Characters on the last line.
    column: usize,
}

impl Lines {
    /// Lines of at most `width` characters, all but the first indented.
    pub fn new(width: usize, indent: usize) -> Lines {
        Lines { width, indent, text: String::new(), column: 0 }
    }

    /// Adds a word. One that is longer than a line gets a line of its own.
    pub fn push(&mut self, word: &str) {
        let length = word.chars().count();
        if !self.text.is_empty() {
            if self.column + 1 + length > self.width {
                self.text.push('\n');
                self.text.extend(std::iter::repeat_n(' ', self.indent));
                self.column = self.indent;
            } else {
                self.text.push(' ');
                self.column += 1;
            }
        }
        self.text.push_str(word);
        self.column += length;
    }

    /// Adds a line of moves; each move number stays with its move.
    pub fn push_line(&mut self, line: &str) {
        let mut number = String::new();
        for word in line.split(' ') {
            if word.ends_with('.') {
                number = format!("{word} ");
            } else {
                self.push(&format!("{number}{word}"));
                number.clear();
            }
        }
    }

    /// The text, without a line break at its end.
    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrap(text: &str, width: usize, indent: usize) -> String {
        let mut lines = Lines::new(width, indent);
        text.split(' ').for_each(|word| lines.push(word));
        lines.finish()
    }

    #[test]
    fn lines_are_filled_but_not_over() {
        assert_eq!(wrap("aa bb cc dd", 5, 0), "aa bb\ncc dd");
        assert_eq!(wrap("aa bb cc dd", 6, 2), "aa bb\n  cc\n  dd");
        assert_eq!(wrap("éé éé", 5, 0), "éé éé");
        assert_eq!(wrap("a bbbbbbbbb c", 5, 0), "a\nbbbbbbbbb\nc");
    }

    #[test]
    fn numbers_stay_with_their_moves() {
        let mut lines = Lines::new(15, 0);
        lines.push_line("(12. Nf3 d5 13. O-O)");
        assert_eq!(lines.finish(), "(12. Nf3 d5\n13. O-O)");
    }
}
