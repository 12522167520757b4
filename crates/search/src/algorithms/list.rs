//! All algorithms by their names.

use super::{
    ABDADA, Algorithm, DYNAMIC_TREE_SPLITTING, ENHANCED_PVS, JAMBOREE, JUBILEE, LAZY_SMP,
    PRINCIPAL_VARIATION_SPLITTING, ROOT_SPLIT, SERIAL, YOUNG_BROTHERS,
};
use scheduler::Waiting;

/// The names of all algorithms.
pub const NAMES: &[&str] =
    &["serial", "root-split", "pvs", "epvs", "dts", "ybw", "jamboree", "abdada", "lazy-smp", "jubilee"];
/// The name of the default. In games on two threads it cannot be told from lazy-smp.
pub const DEFAULT: &str = "jubilee";

/// All algorithms, in the order of [`NAMES`].
pub fn all() -> Vec<Algorithm> {
    vec![
        SERIAL,
        ROOT_SPLIT,
        PRINCIPAL_VARIATION_SPLITTING,
        ENHANCED_PVS,
        DYNAMIC_TREE_SPLITTING,
        YOUNG_BROTHERS,
        JAMBOREE,
        ABDADA,
        LAZY_SMP,
        JUBILEE,
    ]
}

/// The default algorithm.
pub fn default() -> Algorithm {
    JUBILEE
}

/// The algorithm of this name, with the switches after it turned on: `jamboree+deferred-reads`.
pub fn by_name(name: &str) -> Option<Algorithm> {
    let mut words = name.split('+');
    let base = words.next()?;
    let mut algorithm = all().into_iter().find(|algorithm| algorithm.name.eq_ignore_ascii_case(base))?;
    for switch in words {
        algorithm.switches.turn_on(switch)?;
    }
    if algorithm.switches.level_waiting {
        algorithm.waiting = Waiting::Level;
    }
    Some(algorithm)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_are_those_of_the_algorithms() {
        assert_eq!(super::all().iter().map(super::Algorithm::name).collect::<Vec<_>>(), super::NAMES);
        assert_eq!(super::default().name(), super::DEFAULT);
    }

    #[test]
    fn switches_follow_the_name() {
        let switched = super::by_name("jamboree+deferred-reads+level-waiting").unwrap();
        assert_eq!(switched.name(), "jamboree+deferred-reads+level-waiting");
        assert_eq!(switched.waiting, scheduler::Waiting::Level);
        let without = "jubilee+guess+without-test+without-eldest";
        assert_eq!(super::by_name(without).unwrap().name(), without);
        assert!(super::by_name("jubilee+without-coffee").is_none());
        assert!(super::by_name("jamboree+coffee").is_none() && super::by_name("coffee").is_none());
    }
}
