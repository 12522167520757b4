//! Words of a report that not every reader knows: each is explained where it is used, and again at the end.

use super::html::escape;

/// The words, and what they mean. A word that contains another stands before it.
pub(super) const TERMS: &[(&str, &str)] = &[
    ("W/C", "Average parallelism: work over critical path. More processors than this can't all be busy."),
    ("W/P", "Work over processors: the time of a machine whose processors are never idle."),
    (
        "critical path",
        "C: the time of a machine with as many processors as there is work for, in nodes of one processor.",
    ),
    ("split point", "A node whose moves are shared among several processors."),
    (
        "strand",
        "The search of one subtree by one processor, from the moment it takes it up until it has an answer or is cut.",
    ),
    ("tick", "The unit of virtual time: a node on the ideal machine, a microsecond on the machines of the papers."),
    ("overhead", "Nodes beyond those that one processor visits, or their number relative to it."),
    ("load", "The share of the processors' time in which they have work."),
    ("cutoff work", "Nodes below moves that come after the one that cuts their parent off."),
    ("failed work", "Nodes of tests that failed, so that the move had to be searched again for its value."),
    ("type 2", "After Knuth and Moore: a node off the principal variation that one move should refute (a CUT node)."),
    ("type 3", "After Knuth and Moore: a node all of whose moves must be searched (an ALL node)."),
    ("deferred reads", "A processor that comes to a position another is searching waits for its result."),
    ("recursive deepening", "At a position without a move from the table, a search one ply shallower finds one."),
];

/// Text as HTML, its first use of each word explained.
pub(super) fn explained(text: &str) -> String {
    let mut html = escape(text);
    for (term, meaning) in TERMS {
        if let Some(start) = whole_word(&html, term) {
            let end = start + term.len();
            let abbreviation = format!("<abbr title=\"{}\">{}</abbr>", escape(meaning), &html[start..end]);
            html.replace_range(start..end, &abbreviation);
        }
    }
    html
}

/// Where a word stands by itself, outside of what was explained before.
fn whole_word(html: &str, term: &str) -> Option<usize> {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '/');
    let mut from = 0;
    while let Some(found) = html[from..].find(term) {
        let start = from + found;
        let end = start + term.len();
        // A plural is the same word.
        let rest = html[end..].strip_prefix('s').unwrap_or(&html[end..]);
        let is_inside = html[..start].matches("<abbr").count() > html[..start].matches("</abbr>").count();
        if !is_letter(html[..start].chars().next_back()) && !is_letter(rest.chars().next()) && !is_inside {
            return Some(start);
        }
        from = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_explained_once_and_nothing_inside_another() {
        let html = explained("W/C and W/C of strands < 2, overhead; restrand and type 20");
        assert_eq!(html.matches("<abbr").count(), 3, "{html}");
        assert!(html.contains(">strand</abbr>s &lt; 2"), "{html}");
        for (term, _) in TERMS {
            let html = explained(term);
            assert_eq!(html.matches("<abbr").count(), 1, "{html}");
            assert!(html.ends_with(&format!(">{term}</abbr>")), "{html}");
        }
    }
}
