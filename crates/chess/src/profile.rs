//! Profiles: which rules are on, and every number they use.

use game::Depth;

/// Defines the switches once: the fields, their names, and what they are in the two profiles.
macro_rules! switches {
    ($($(#[$doc:meta])* $name:ident: $classic:literal, $modern:literal;)*) => {
        /// Which rules are on. The classic profile has few, the modern one those that have earned their place.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Switches {
            $($(#[$doc])* pub $name: bool,)*
        }

        impl Switches {
            /// The names of all switches.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            const CLASSIC: Switches = Switches { $($name: $classic),* };
            const MODERN: Switches = Switches { $($name: $modern),* };

            /// The switch of this name.
            fn get_mut(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)*
                    _ => None,
                }
            }
        }
    };
}

switches! {
    /// The network evaluates, not the tuned sum of terms.
    network: false, true;
    /// Reverse futility pruning.
    reverse_futility: false, true;
    /// Razoring.
    razoring: false, false;
    /// Null-move pruning.
    null_move: false, true;
    /// ProbCut.
    probcut: false, true;
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
    /// Continuation histories.
    continuation_history: false, true;
    /// Correction history.
    correction_history: false, true;
    /// Search the root less deep after a fail high.
    relaxation: false, true;
    /// Prune and reduce less when the evaluation is improving.
    improving: false, true;
}

/// A setting of the search: switches and numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Which rules are on.
    pub switches: Switches,
    /// The numbers they use.
    pub parameters: Parameters,
}

impl Default for Profile {
    fn default() -> Profile {
        Profile::modern()
    }
}

impl Profile {
    /// Full width with quiescence and check extension, as the programs of the papers searched.
    pub fn classic() -> Profile {
        Profile { switches: Switches::CLASSIC, parameters: Parameters::default() }
    }

    /// What today's programs do.
    pub fn modern() -> Profile {
        Profile { switches: Switches::MODERN, parameters: Parameters::default() }
    }

    /// A profile from its name and changes to it: `modern`, `classic,null_move`, `modern,-probcut,-singular`.
    ///
    /// # Errors
    /// A line that names what is not known and what would be.
    pub fn parse(text: &str) -> Result<Profile, String> {
        let mut profile = Profile::modern();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let (name, on) = word.strip_prefix('-').map_or((word, true), |name| (name, false));
            match (name, profile.switches.get_mut(name)) {
                ("modern", _) if on => profile = Profile::modern(),
                ("classic", _) if on => profile = Profile::classic(),
                (_, Some(switch)) => *switch = on,
                _ => {
                    return Err(format!(
                        "no rule '{name}'; there are modern, classic and {}",
                        Switches::NAMES.join(", ")
                    ));
                }
            }
        }
        Ok(profile)
    }
}

/// Every number the rules use. Margins are in hundredths of a pawn, reductions in 1024ths of a ply.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Deepest node that reverse futility prunes.
    pub reverse_futility_depth: Depth,
    /// Its margin for each ply.
    pub reverse_futility_margin: i32,
    /// Deepest node that razoring prunes.
    pub razor_depth: Depth,
    /// Its margin, and its margin for each squared ply.
    pub razor_margin: [i32; 2],
    /// Shallowest node at which to pass.
    pub null_depth: Depth,
    /// Reduction after passing: plies, depth divisor, margin divisor.
    pub null_reduction: [i32; 3],
    /// Depth from which a passed node is verified.
    pub null_verify_depth: Depth,
    /// Shallowest node for ProbCut.
    pub probcut_depth: Depth,
    /// How far ProbCut raises beta.
    pub probcut_margin: i32,
    /// Shallowest node for internal iterative reduction.
    pub iterative_reduction_depth: Depth,
    /// Shallowest node for singular extensions.
    pub singular_depth: Depth,
    /// Singular margin for each ply, in 16ths.
    pub singular_margin: i32,
    /// Below the singular beta by this much, the move is extended twice.
    pub double_extension_margin: i32,
    /// Reduction of quiet moves: base, and what the product of logarithms is divided by (hundredths).
    pub reduction_quiet: [i32; 2],
    /// Reduction of noisy moves, likewise.
    pub reduction_noisy: [i32; 2],
    /// Less reduction on the principal variation.
    pub reduction_pv: i32,
    /// More reduction at expected cut nodes.
    pub reduction_cut: i32,
    /// More reduction when not improving.
    pub reduction_worsening: i32,
    /// Less reduction for killers.
    pub reduction_killer: i32,
    /// Less reduction for checks.
    pub reduction_check: i32,
    /// History for which a move is reduced by one ply less.
    pub reduction_history: i32,
    /// Deepest node for late-move pruning.
    pub late_move_depth: Depth,
    /// Moves before late-move pruning begins, at depth 0.
    pub late_move_base: i32,
    /// Deepest reduced depth for futility pruning.
    pub futility_depth: Depth,
    /// Its margin, and its margin for each ply.
    pub futility_margin: [i32; 2],
    /// Deepest reduced depth for history pruning.
    pub history_pruning_depth: Depth,
    /// History below which a quiet move is pruned, for each ply.
    pub history_pruning_margin: i32,
    /// Deepest node for pruning by exchange.
    pub see_depth: Depth,
    /// What a quiet move may lose, for each squared ply of reduced depth.
    pub see_quiet_margin: i32,
    /// What a capture may lose, for each ply.
    pub see_noisy_margin: i32,
    /// What a capture in quiescence must add to reach alpha.
    pub quiescence_margin: i32,
    /// History bonus: for each ply, offset, and maximum.
    pub bonus: [i32; 3],
    /// History malus: likewise.
    pub malus: [i32; 3],
    /// Weights of the correction histories: pawns, other pieces, last move.
    pub correction_weights: [i32; 3],
    /// Smallest depth at which endgame tables are probed.
    pub tables_depth: Depth,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            reverse_futility_depth: 8,
            reverse_futility_margin: 75,
            razor_depth: 3,
            razor_margin: [400, 250],
            null_depth: 3,
            null_reduction: [4, 4, 200],
            null_verify_depth: 14,
            probcut_depth: 5,
            probcut_margin: 180,
            iterative_reduction_depth: 4,
            singular_depth: 7,
            singular_margin: 24,
            double_extension_margin: 16,
            reduction_quiet: [900, 225],
            reduction_noisy: [300, 330],
            reduction_pv: 1024,
            reduction_cut: 1024,
            reduction_worsening: 700,
            reduction_killer: 1024,
            reduction_check: 900,
            reduction_history: 9000,
            late_move_depth: 8,
            late_move_base: 4,
            futility_depth: 8,
            futility_margin: [90, 85],
            history_pruning_depth: 4,
            history_pruning_margin: 4000,
            see_depth: 9,
            see_quiet_margin: 22,
            see_noisy_margin: 170,
            quiescence_margin: 150,
            bonus: [180, -100, 1700],
            malus: [180, -100, 1500],
            correction_weights: [64, 64, 64],
            tables_depth: 1,
        }
    }
}
