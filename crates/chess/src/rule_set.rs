//! Profiles: which rules are on, and every number they use.

use crate::Parameters;
use crate::parameters::unknown;
use game::Depth;

/// Defines the switches once: the fields by what they are for, their names, and what they are in the two profiles.
macro_rules! switches {
    ($($(#[$group_doc:meta])* $group:ident: $Group:ident {
        $($(#[$doc:meta])* $name:ident: $classic:literal, $modern:literal;)*
    })*) => {
        /// Which rules are on. The classic profile has few, the modern one those that have earned their place.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Switches {
            $($(#[$group_doc])* pub $group: $Group,)*
        }

        $(
            $(#[$group_doc])*
            #[derive(Clone, Debug, PartialEq, Eq)]
            pub struct $Group {
                $($(#[$doc])* pub $name: bool,)*
            }
        )*

        impl Switches {
            /// The names of all switches.
            pub const NAMES: &'static [&'static str] = &[$($(stringify!($name),)*)*];

            const CLASSIC: Switches = Switches { $($group: $Group { $($name: $classic),* }),* };
            const MODERN: Switches = Switches { $($group: $Group { $($name: $modern),* }),* };

            /// The switch of this name.
            fn get_mut(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $($(stringify!($name) => Some(&mut self.$group.$name),)*)*
                    _ => None,
                }
            }
        }
    };
}

switches! {
    /// What concerns the whole search.
    general: GeneralSwitches {
        /// The network evaluates, not the tuned sum of terms.
        network: false, true;
        /// Continuation histories.
        continuation_history: false, true;
        /// Correction history.
        correction_history: false, true;
        /// Search the root less deep after a fail high.
        relaxation: false, true;
        /// Prune and reduce less when the evaluation is improving.
        improving: false, true;
    }
    /// Nodes that need not be searched.
    prune: PruneSwitches {
        /// Reverse futility pruning.
        reverse_futility: false, true;
        /// Razoring.
        razoring: false, false;
        /// Null-move pruning.
        null_move: false, true;
        /// ProbCut.
        probcut: false, true;
        /// A shallow preliminary search that looks really bad is believed (*Socrates section 2.4).
        preliminary_search: false, false;
    }
    /// How deep to search.
    depth: DepthSwitches {
        /// Internal iterative reduction.
        iterative_reduction: false, true;
        /// Recursive iterative deepening (StarTech section 4).
        recursive_deepening: false, false;
        /// Singular extensions and multicut.
        singular: false, true;
        /// Check extension.
        check_extension: true, false;
        /// Late-move reductions.
        late_move_reductions: false, true;
    }
    /// Moves that need not be searched.
    skip: SkipSwitches {
        /// Late-move pruning.
        late_move_pruning: false, true;
        /// Futility pruning of quiet moves.
        futility: false, true;
        /// Pruning of quiet moves with a bad history.
        history_pruning: false, false;
        /// Pruning by static exchange evaluation.
        see_pruning: false, true;
        /// Futility pruning in quiescence.
        quiescence_futility: false, true;
        /// In quiescence, captures that lose material by exchange are skipped.
        skip_losing_captures: true, true;
        /// In quiescence, when an evasion of a check is known that does not lose, quiet evasions and losing captures are
        /// skipped. What a position in check is worth then depends on the order of its moves.
        skip_evasions: true, true;
    }
    /// The order of the moves.
    order: OrderSwitches {
        /// Killers: the moves that cut off siblings of a node are searched before other quiet moves.
        killers: true, true;
        /// Killers by bonus points for each ply, captures among them, searched right after the table move (Zugzwang section
        /// 2).
        counted_killers: false, false;
        /// History tables: moves in the order of what they have done elsewhere.
        histories: true, true;
        /// A history that counts the nodes at which a move was best, and nothing else (Zugzwang section 2).
        counted_histories: false, false;
    }
}

/// Profiles by name: what they stand for, from left to right. Those of the papers' programs have what the paper says and
/// nothing that it says the program lacked; where it says nothing they are as classic.
const PRESETS: &[(&str, &str)] = &[
    // Exhaustive to the nominal depth, extensions, killers "and so forth" (DTS sections 1 and 3; Hyatt 1985).
    ("cray-blitz", "classic,-skip_evasions"),
    // Full width without extensions, counted histories and killers (section 2). Its quiescence had checks as well. Only nodes
    // of the regular depth are in its table: algorithm +interior-table.
    ("zugzwang", "classic,-skip_evasions,-check_extension,counted_killers,counted_histories"),
    // No null move, no killers, no history table (section 4); check extension (section 1); all captures in quiescence
    // (section 5).
    ("startech", "classic,-skip_evasions,-skip_losing_captures,recursive_deepening,-killers,-histories"),
    // A preliminary search in place of the null move (section 2.4). Its extensions are not described.
    ("socrates", "classic,-skip_evasions,preliminary_search"),
];

/// A setting of the search: switches and numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSet {
    /// Which rules are on.
    pub switches: Switches,
    /// The numbers they use.
    pub parameters: Parameters,
    /// Smallest depth at which endgame tables are probed. An option of the user, not a rule: [`RuleSet::parse`] keeps
    /// it.
    pub tables_depth: Depth,
}

impl Default for RuleSet {
    fn default() -> RuleSet {
        RuleSet::modern()
    }
}

impl RuleSet {
    /// Full width with quiescence and check extension, as the programs of the papers searched.
    pub fn classic() -> RuleSet {
        RuleSet { switches: Switches::CLASSIC, parameters: Parameters::default(), tables_depth: 1 }
    }

    /// The rules of today's programs.
    pub fn modern() -> RuleSet {
        RuleSet { switches: Switches::MODERN, parameters: Parameters::default(), tables_depth: 1 }
    }

    /// A profile from its name and changes to it, from left to right: `modern`, `classic,null_move`, `startech,killers`,
    /// `modern,-probcut,null_depth=4,razor_margin.0=350`.
    ///
    /// # Errors
    /// A line with the unknown name and the names that exist.
    pub fn parse(text: &str) -> Result<RuleSet, String> {
        let mut profile = RuleSet::modern();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            if let Some((name, value)) = word.split_once('=') {
                profile.set(name.trim(), value.trim())?;
                continue;
            }
            if let Some((_, meaning)) = PRESETS.iter().find(|(name, _)| *name == word) {
                profile = RuleSet::parse(meaning)?;
                continue;
            }
            let (name, on) = word.strip_prefix('-').map_or((word, true), |name| (name, false));
            match (name, profile.switches.get_mut(name)) {
                ("modern", _) if on => profile = RuleSet::modern(),
                ("classic", _) if on => profile = RuleSet::classic(),
                (_, Some(switch)) => *switch = on,
                _ if Parameters::NAMES.contains(&name) => {
                    return Err(format!("'{name}' is a number: write for example {name}={}", profile.number(name)));
                }
                _ => {
                    let presets = PRESETS.iter().map(|&(name, _)| name).collect::<Vec<_>>().join(", ");
                    let switches = Switches::NAMES.join(", ");
                    return Err(format!("no rule '{name}'; there are modern, classic, {presets} and {switches}"));
                }
            }
        }
        Ok(profile)
    }

    /// Is the value of a node the same, whatever the window and the order of the moves? Then nothing is pruned or reduced by
    /// what was found before, and a parallel search can be compared with a serial one, node by node.
    pub fn is_full_width(&self) -> bool {
        let Switches { prune, depth, skip, general, .. } = &self.switches;
        let none = Switches::CLASSIC;
        let reduces = depth.iterative_reduction || depth.singular || depth.late_move_reductions;
        let skip_none =
            SkipSwitches { skip_losing_captures: skip.skip_losing_captures, skip_evasions: false, ..none.skip };
        *prune == none.prune && *skip == skip_none && !reduces && !general.correction_history
    }

    /// Sets a parameter from text.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        if Switches::NAMES.contains(&name) {
            return Err(format!("'{name}' is a switch: write {name} or -{name}"));
        }
        if !Parameters::NAMES.contains(&name) {
            return Err(unknown(name));
        }
        let value = value.parse().map_err(|_| format!("{name} takes a whole number, not '{value}'"))?;
        self.parameters.set(name, value)
    }

    fn number(&self, name: &str) -> i32 {
        self.parameters.get(name).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_by_name_from_left_to_right() {
        let profile = RuleSet::parse("classic, null_move, null_depth = 4,reduction_quiet.0=-950,null_depth=5").unwrap();
        let mut expected = RuleSet::classic();
        expected.switches.prune.null_move = true;
        expected.parameters.prune.null_depth = 5;
        expected.parameters.reduction.reduction_quiet[0] = -950;
        assert_eq!(profile, expected);
        assert_eq!(RuleSet::parse("null_depth=4,modern").unwrap(), RuleSet::modern());
    }

    #[test]
    fn the_programs_of_the_papers_are_presets() {
        for (name, meaning) in PRESETS {
            assert_eq!(RuleSet::parse(&format!("modern,{name}")), RuleSet::parse(meaning), "{name}");
        }
        let startech = RuleSet::parse("startech,killers").unwrap().switches;
        assert!(startech.depth.recursive_deepening && startech.order.killers);
        assert!(!startech.order.histories && !startech.prune.null_move);
        assert!(RuleSet::parse("-startech").is_err(), "a preset can't be switched off");
    }

    #[test]
    fn rules_that_prune_are_told_from_those_that_do_not() {
        for (rules, expected) in [
            ("classic", false),
            ("classic,-skip_evasions", true),
            ("classic,-skip_evasions,-skip_losing_captures", true),
            ("startech", true),
            ("zugzwang", true),
            ("socrates", false),
            ("modern", false),
            ("classic,null_move", false),
            ("classic,late_move_reductions", false),
            ("classic,quiescence_futility", false),
        ] {
            assert_eq!(RuleSet::parse(rules).unwrap().is_full_width(), expected, "{rules}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_would() {
        for (text, expected) in [
            (
                "modern,castling",
                "no rule 'castling'; there are modern, classic, cray-blitz, zugzwang, startech, socrates and network",
            ),
            ("null_dept=4", "no parameter 'null_dept'; there is null_depth"),
            ("razor_margin=4", "no parameter 'razor_margin'; there is razor_margin.0, razor_margin.1"),
            ("razor_margin.2=4", "there is razor_margin.0, razor_margin.1"),
            ("null_depth=99", "null_depth is from 1 to 12, not 99"),
            ("null_depth=four", "null_depth takes a whole number, not 'four'"),
            ("null_depth=4.5", "null_depth takes a whole number, not '4.5'"),
            ("null_depth=99999999999", "null_depth takes a whole number"),
            ("null_depth=", "null_depth takes a whole number, not ''"),
            ("null_depth", "'null_depth' is a number: write for example null_depth=3"),
            ("null_move=1", "'null_move' is a switch: write null_move or -null_move"),
            ("-null_depth=4", "no parameter '-null_depth'"),
            ("=4", "no parameter ''"),
        ] {
            let message = RuleSet::parse(text).unwrap_err();
            assert!(message.contains(expected) && message.lines().count() == 1, "{text}: {message}");
        }
    }
}
