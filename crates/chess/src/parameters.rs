//! Every number that a rule of the search uses, by name, with its range.
//!
//! Not here: units (1024ths of a ply, the limits of the histories and the values of exchanges in terms of which the
//! numbers below are given), sizes of tables, and limits that only keep the search safe.

use game::Depth;

/// A number, its range, and the step by which it is tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name: that of the field, followed by an index if the field is an array (`razor_margin.0`).
    pub name: &'static str,
    /// Its value in the built-in profiles.
    pub default: i32,
    /// The least it can be set to.
    pub low: i32,
    /// The most it can be set to.
    pub high: i32,
    /// By how much a tuner changes it near the end: enough to make a difference.
    pub step: i32,
}

impl Parameter {
    /// The parameter of this name.
    pub fn named(name: &str) -> Option<&'static Parameter> {
        Parameters::ALL.iter().find(|parameter| parameter.name == name)
    }
}

/// Defines the numbers once: the fields by what they are for, their names, values, ranges and steps. Numbers of an array
/// carry their place.
macro_rules! parameters {
    ($($(#[$group_doc:meta])* $group:ident: $Group:ident {
        $($(#[$doc:meta])* $field:ident: $type:ty {
            $($([$place:literal])? $value:literal in $low:literal..=$high:literal by $step:literal),+
        };)*
    })*) => {
        /// Every number the rules use. Margins are in hundredths of a pawn, reductions in 1024ths of a ply.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Parameters {
            $($(#[$group_doc])* pub $group: $Group,)*
        }

        $(
            $(#[$group_doc])*
            #[derive(Clone, Debug, PartialEq)]
            pub struct $Group {
                $($(#[$doc])* pub $field: $type,)*
            }

            impl Default for $Group {
                fn default() -> $Group {
                    let mut numbers = $Group { $($field: Default::default()),* };
                    $($(numbers.$field $([$place])? = $value;)+)*
                    numbers
                }
            }
        )*

        impl Parameters {
            /// All parameters.
            pub const ALL: &'static [Parameter] = &[$($($(Parameter {
                name: concat!(stringify!($field) $(, ".", $place)?),
                default: $value,
                low: $low,
                high: $high,
                step: $step,
            },)+)*)*];

            /// The names of all parameters.
            pub const NAMES: &'static [&'static str] = &[$($($(concat!(stringify!($field) $(, ".", $place)?),)+)*)*];

            /// The number of this name.
            pub fn get(&self, name: &str) -> Option<i32> {
                match name {
                    $($($(concat!(stringify!($field) $(, ".", $place)?) => Some(self.$group.$field $([$place])?),)+)*)*
                    _ => None,
                }
            }

            fn get_mut(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $($($(
                        concat!(stringify!($field) $(, ".", $place)?) => Some(&mut self.$group.$field $([$place])?),
                    )+)*)*
                    _ => None,
                }
            }
        }
    };
}

impl Parameters {
    /// Sets the number of this name.
    ///
    /// # Errors
    /// A line that says which names or values there are.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), String> {
        let (Some(parameter), Some(number)) = (Parameter::named(name), self.get_mut(name)) else {
            return Err(unknown(name));
        };
        if !(parameter.low..=parameter.high).contains(&value) {
            return Err(format!("{name} is from {} to {}, not {value}", parameter.low, parameter.high));
        }
        *number = value;
        Ok(())
    }
}

/// The message that there is no such parameter, with the parameters of similar names.
pub(crate) fn unknown(name: &str) -> String {
    let field = name.split('.').next().unwrap_or_default();
    let word = field.split('_').next().unwrap_or_default();
    let of_field = |known: &&&str| known.split('.').next() == Some(field);
    let alike = |known: &&&str| !word.is_empty() && known.starts_with(word);
    let mut names: Vec<&str> = Parameters::NAMES.iter().filter(of_field).copied().collect();
    if names.is_empty() {
        names = Parameters::NAMES.iter().filter(alike).copied().collect();
    }
    if names.is_empty() {
        names = Parameters::NAMES.to_vec();
    }
    format!("no parameter '{name}'; there is {}", names.join(", "))
}

parameters! {
    /// Windows around the last score.
    aspiration: AspirationParameters {
        /// Depth from which the last score is trusted to be near the next.
        aspiration_depth: Depth { 4 in 2..=12 by 1 };
        /// First half-width of the aspiration window.
        aspiration_width: i32 { 12 in 4..=100 by 2 };
        /// By how many percent the half-width grows after a fail.
        aspiration_growth: i32 { 50 in 20..=300 by 8 };
        /// Past this half-width a side of the window is opened altogether.
        aspiration_widest: i32 { 600 in 100..=2000 by 60 };
    }
    /// Nodes that need not be searched.
    prune: PruneParameters {
        /// Deepest node that reverse futility prunes.
        reverse_futility_depth: Depth { 8 in 0..=20 by 1 };
        /// Its margin for each ply, and by how much it is less when improving.
        reverse_futility_margin: [i32; 2] { [0] 75 in 10..=250 by 6, [1] 75 in 0..=250 by 8 };
        /// How much of the evaluation, and not beta, is in the score of a node pruned so: 128ths.
        reverse_futility_share: i32 { 64 in 0..=128 by 8 };
        /// Deepest node that razoring prunes.
        razor_depth: Depth { 3 in 0..=12 by 1 };
        /// Its margin, and its margin for each squared ply.
        razor_margin: [i32; 2] { [0] 400 in 0..=1500 by 35, [1] 250 in 0..=1000 by 25 };
        /// Shallowest node at which to pass.
        null_depth: Depth { 3 in 1..=12 by 1 };
        /// Reduction after passing: plies, depth divisor, margin divisor, and the most plies for the margin.
        null_reduction: [i32; 4] {
            [0] 4 in 1..=10 by 1, [1] 4 in 2..=12 by 1, [2] 200 in 40..=800 by 20, [3] 3 in 0..=8 by 1
        };
        /// Depth from which a passed node is verified.
        null_verify_depth: Depth { 14 in 4..=60 by 1 };
        /// Shallowest node for ProbCut.
        probcut_depth: Depth { 5 in 2..=15 by 1 };
        /// By how many plies ProbCut searches less deep.
        probcut_reduction: Depth { 4 in 2..=8 by 1 };
        /// How far ProbCut raises beta.
        probcut_margin: i32 { 180 in 30..=600 by 15 };
        /// Shallowest node for a preliminary search.
        preliminary_depth: Depth { 3 in 2..=12 by 1 };
        /// By how many plies it is less deep.
        preliminary_reduction: Depth { 2 in 1..=8 by 1 };
        /// How far below alpha it must end to be believed.
        preliminary_margin: i32 { 100 in 0..=600 by 15 };
    }
    /// Extensions, and reductions of whole nodes.
    extension: ExtensionParameters {
        /// Shallowest node for internal iterative reduction.
        iterative_reduction_depth: Depth { 4 in 2..=15 by 1 };
        /// Shallowest node for singular extensions.
        singular_depth: Depth { 7 in 4..=16 by 1 };
        /// By how much shallower than the node its table entry may be.
        singular_table_plies: Depth { 3 in 1..=6 by 1 };
        /// Singular margin for each ply, in 16ths.
        singular_margin: i32 { 24 in 4..=100 by 3 };
        /// Below the singular beta by this much, the move is extended twice.
        double_extension_margin: i32 { 16 in 0..=150 by 4 };
        /// By how many plies to reduce a table move that is not singular: where the table has it above beta, and at other
        /// expected cut nodes.
        singular_reduction: [Depth; 2] { [0] 2 in 0..=4 by 1, [1] 1 in 0..=4 by 1 };
    }
    /// Late-move reductions.
    reduction: ReductionParameters {
        /// Shallowest node for late-move reductions.
        reduction_depth: Depth { 3 in 2..=8 by 1 };
        /// How many moves are not reduced: at tested nodes, and on the principal variation.
        reduction_moves: [i32; 2] { [0] 1 in 1..=8 by 1, [1] 2 in 1..=8 by 1 };
        /// Reduction of quiet moves: base, and what the product of logarithms is divided by (hundredths).
        reduction_quiet: [i32; 2] { [0] 900 in -1024..=3072 by 64, [1] 225 in 100..=600 by 12 };
        /// Reduction of noisy moves, likewise.
        reduction_noisy: [i32; 2] { [0] 300 in -1024..=3072 by 64, [1] 330 in 100..=800 by 16 };
        /// Less reduction on the principal variation.
        reduction_pv: i32 { 1024 in 0..=3072 by 100 };
        /// More reduction at expected cut nodes.
        reduction_cut: i32 { 1024 in 0..=3072 by 100 };
        /// More reduction when not improving.
        reduction_worsening: i32 { 700 in 0..=3072 by 100 };
        /// Less reduction for killers.
        reduction_killer: i32 { 1024 in 0..=3072 by 100 };
        /// Less reduction for checks.
        reduction_check: i32 { 900 in 0..=3072 by 100 };
        /// History for which a move is reduced by one ply less.
        reduction_history: i32 { 9000 in 1000..=40000 by 900 };
    }
    /// Moves that need not be searched.
    skip: SkipParameters {
        /// Deepest node for late-move pruning.
        late_move_depth: Depth { 8 in 0..=20 by 1 };
        /// Moves before late-move pruning begins, at depth 0.
        late_move_base: i32 { 4 in 0..=20 by 1 };
        /// How many of these moves, and of one more for each squared ply, there are: percent when improving, and otherwise.
        late_move_share: [i32; 2] { [0] 100 in 20..=300 by 8, [1] 50 in 10..=200 by 5 };
        /// Deepest reduced depth for futility pruning.
        futility_depth: Depth { 8 in 0..=20 by 1 };
        /// Its margin, and its margin for each ply.
        futility_margin: [i32; 2] { [0] 90 in 0..=500 by 10, [1] 85 in 10..=400 by 8 };
        /// Deepest reduced depth for history pruning.
        history_pruning_depth: Depth { 4 in 0..=15 by 1 };
        /// History below which a quiet move is pruned, for each ply.
        history_pruning_margin: i32 { 4000 in 500..=16000 by 400 };
        /// Deepest node for pruning by exchange.
        see_depth: Depth { 9 in 0..=20 by 1 };
        /// What a quiet move may lose, for each squared ply of reduced depth.
        see_quiet_margin: i32 { 22 in 0..=120 by 3 };
        /// What a capture may lose, for each ply.
        see_noisy_margin: i32 { 170 in 20..=500 by 12 };
        /// What a capture in quiescence must add to reach alpha.
        quiescence_margin: i32 { 150 in 0..=600 by 15 };
        /// What a capture in quiescence must win by exchange.
        quiescence_exchange: i32 { 0 in -200..=200 by 12 };
    }
    /// The order of the moves, and the histories behind it.
    order: OrderParameters {
        /// History bonus: for each ply, offset, and maximum.
        bonus: [i32; 3] { [0] 180 in 20..=600 by 15, [1] -100 in -600..=600 by 30, [2] 1700 in 200..=8000 by 150 };
        /// History malus: likewise.
        malus: [i32; 3] { [0] 180 in 20..=600 by 15, [1] -100 in -600..=600 by 30, [2] 1500 in 200..=8000 by 150 };
        /// By how much a counted history must have grown for the neighbours to be told, where they share histories.
        history_update: i32 { 16 in 1..=1000 by 8 };
        /// What is learned at nodes with at least this many plies left is told to all, where groups of processors learn apart.
        told_depth: i32 { 4 in 0..=30 by 1 };
        /// How much earlier than its history says a check is searched.
        check_rank: i32 { 10000 in 0..=40000 by 1000 };
        /// The rank of a capture for each hundredth of a pawn of its victim.
        victim_rank: i32 { 16 in 1..=64 by 2 };
        /// What a promotion to a queen counts as a victim.
        promotion_value: i32 { 900 in 100..=1500 by 50 };
    }
    /// How far evaluations and stored results are trusted.
    evaluation: EvaluationParameters {
        /// Weights of the correction histories: pawns, other pieces, last move.
        correction_weights: [i32; 3] { [0] 64 in 0..=200 by 6, [1] 64 in 0..=200 by 6, [2] 64 in 0..=200 by 6 };
        /// The most that one result changes a correction history, in 64ths of a score unit.
        correction_step: i32 { 2048 in 128..=8192 by 150 };
        /// Plies without progress after which an evaluation has faded to nothing.
        fading: i32 { 200 in 110..=1000 by 15 };
        /// Plies without progress after which results of other paths are not trusted.
        trusted_plies: i32 { 90 in 40..=100 by 4 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_number_and_all_numbers_have_names() {
        let mut parameters = Parameters::default();
        for (parameter, &name) in Parameters::ALL.iter().zip(Parameters::NAMES) {
            let Parameter { default, low, high, step, .. } = *parameter;
            assert_eq!((parameter.name, parameters.get(name)), (name, Some(default)));
            assert!(low <= default && default <= high && step > 0 && step < high - low, "{name}");
            for value in [low, high] {
                parameters.set(name, value).unwrap();
                assert_eq!(parameters.get(name), Some(value));
                let differing = Parameters::NAMES
                    .iter()
                    .filter(|name| parameters.get(name) != Parameters::default().get(name))
                    .count();
                assert_eq!(differing, usize::from(value != default), "{name}");
            }
            for value in [low - 1, high + 1] {
                let message = parameters.set(name, value).unwrap_err();
                assert_eq!(message, format!("{name} is from {low} to {high}, not {value}"));
            }
            parameters.set(name, default).unwrap();
        }
        assert_eq!(parameters, Parameters::default());
        assert_eq!(Parameters::ALL.len(), Parameters::NAMES.len());
        assert_eq!(size_of::<Parameters>(), Parameters::NAMES.len() * size_of::<i32>());
    }

    #[test]
    fn a_wrong_name_is_answered_by_right_ones() {
        assert_eq!(unknown("razor_margin"), "no parameter 'razor_margin'; there is razor_margin.0, razor_margin.1");
        assert!(unknown("razor_margins").ends_with("there is razor_depth, razor_margin.0, razor_margin.1"));
        assert!(unknown("").contains("null_depth") && unknown("xyz").contains("null_depth"));
    }
}
