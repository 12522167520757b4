//! How each published figure is measured, and why ours differs where it does. `data/reasons.toml` says how it is written.

use super::plans::Size;
use serde::Deserialize;
use std::sync::LazyLock;

/// Everything that is known about the figures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reasons {
    /// One for each published id.
    pub(super) about: Vec<About>,
    /// Why a ratio is what it is; the first that fits counts.
    pub(super) why: Vec<Why>,
}

/// How a published table or figure is measured again.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct About {
    pub(super) id: String,
    /// What is run, and what is read off it.
    #[serde(default)]
    pub(super) how: String,
    /// Why nothing of it can be measured.
    #[serde(default)]
    pub(super) cannot: String,
    /// Is ours set to it, so that an agreement proves nothing?
    #[serde(default)]
    pub(super) taken_over: bool,
}

/// Why a ratio lies outside of what counts as reproduced.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Why {
    pub(super) id: String,
    /// Words of the quantity; nothing for all of the id.
    #[serde(default)]
    quantity: String,
    /// The sizes for which it holds; nothing for all.
    #[serde(default)]
    sizes: Vec<String>,
    because: String,
}

static REASONS: LazyLock<Reasons> =
    LazyLock::new(|| toml::from_str(include_str!("../../../data/reasons.toml")).expect("built in, read by the tests"));

/// Everything that is known about the figures.
pub(super) fn reasons() -> &'static Reasons {
    &REASONS
}

impl Reasons {
    /// How a published table or figure is measured again.
    pub(super) fn about(&self, id: &str) -> Option<&About> {
        self.about.iter().find(|about| about.id == id)
    }

    /// Is ours set to a published figure, so that an agreement proves nothing?
    pub(super) fn is_taken_over(&self, id: &str) -> bool {
        self.about(id).is_some_and(|about| about.taken_over)
    }

    /// Why the ratio of a quantity lies where it lies.
    pub(super) fn why(&self, id: &str, quantity: &str, size: Size) -> Option<&str> {
        let fits = |why: &&Why| {
            why.id == id
                && quantity.contains(&why.quantity)
                && (why.sizes.is_empty() || why.sizes.iter().any(|name| name == size.name()))
        };
        self.why.iter().find(fits).map(|why| why.because.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::published;
    use std::collections::HashSet;

    /// The ids of everything that was published.
    fn ids() -> Vec<&'static str> {
        let all = published();
        let tables = all.tables.iter().map(|table| table.id.as_str());
        tables.chain(all.values.iter().map(|value| value.id.as_str())).collect()
    }

    #[test]
    fn every_published_id_says_how_it_is_measured_or_why_it_cannot_be() {
        let mut seen = HashSet::new();
        for about in &reasons().about {
            assert!(seen.insert(about.id.as_str()), "{} twice", about.id);
            assert!(about.how.is_empty() != about.cannot.is_empty(), "{}: how, or why it cannot be", about.id);
        }
        for id in ids() {
            assert!(seen.remove(id), "{id} is not in reasons.toml");
        }
        assert!(seen.is_empty(), "never published: {seen:?}");
    }

    #[test]
    fn reasons_are_about_what_was_published() {
        let known: HashSet<_> = ids().into_iter().collect();
        for why in &reasons().why {
            assert!(known.contains(why.id.as_str()), "{}", why.id);
            assert!(why.sizes.iter().all(|name| Size::ALL.iter().any(|size| size.name() == name)), "{:?}", why.sizes);
            assert!(!why.because.is_empty());
        }
    }

    #[test]
    fn the_first_reason_that_fits_counts() {
        let why = |quantity: &str, sizes: &[&str], because: &str| Why {
            id: "a".into(),
            quantity: quantity.into(),
            sizes: sizes.iter().map(|&size| size.to_owned()).collect(),
            because: because.into(),
        };
        let reasons = Reasons { about: Vec::new(), why: vec![why("hits", &[], "1"), why("", &["quick"], "2")] };
        assert_eq!(reasons.why("a", "table hits", Size::Full), Some("1"));
        assert_eq!(reasons.why("a", "speedup", Size::Quick), Some("2"));
        assert_eq!(reasons.why("a", "speedup", Size::Full), None);
        assert_eq!(reasons.why("b", "hits", Size::Quick), None);
    }
}
