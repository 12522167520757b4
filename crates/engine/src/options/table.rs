//! The table of options.

use super::entry::{Effect, Kind, OptionEntry};
use crate::engine_core::EMBEDDED_NETWORK;
use crate::rank_group::RankScope;
use crate::strength::{MAX_ELO, MAX_SKILL, MIN_ELO};
use std::time::Duration;
use table::Table;

/// The option that the protocol handles: a file that records everything said.
pub(crate) const LOG_FILE: &str = "Debug Log File";

const EMPTY: &str = "<empty>";
const ABOUT: &str = "Jamboree, a parallel chess program and the laboratory that explains it";

/// Every option, in the order in which it is announced.
pub(crate) const TABLE: [OptionEntry; 26] = [
    OptionEntry {
        name: "Hash",
        kind: Kind::Number {
            least: Table::MIN_MIB as u64,
            most: 1 << 25,
            default: 64,
            effect: Effect::Engine(|core, mib| core.resize_table(mib as usize)),
        },
        ranks: RankScope::Divided,
        front: false,
        about: "size of the transposition table in MiB",
    },
    OptionEntry {
        name: "Threads",
        kind: Kind::Number {
            least: 1,
            most: 1024,
            default: 1,
            effect: Effect::Engine(|core, threads| {
                core.set_threads(threads as usize);
                Ok(None)
            }),
        },
        ranks: RankScope::Divided,
        front: false,
        about: "number of threads that search",
    },
    OptionEntry {
        name: "Algorithm",
        kind: Kind::Choice {
            default: search::algorithms::DEFAULT,
            of: search::algorithms::NAMES,
            set: |core, name| core.set_algorithm_by_name(name),
        },
        ranks: RankScope::Each,
        front: false,
        about: "how threads divide the tree",
    },
    OptionEntry {
        name: "MultiPV",
        kind: Kind::Number {
            least: 1,
            most: 256,
            default: 1,
            effect: Effect::Value(|options, lines| options.lines = lines as usize),
        },
        ranks: RankScope::First,
        front: false,
        about: "number of best lines to show",
    },
    OptionEntry {
        name: "Ponder",
        kind: Kind::Switch { default: false, effect: Effect::Outside },
        ranks: RankScope::First,
        front: false,
        about: "tells that the user interface may ponder; nothing else changes",
    },
    OptionEntry {
        name: "Move Overhead",
        kind: Kind::Number {
            least: 0,
            most: 10_000,
            default: 20,
            effect: Effect::Value(|options, ms| options.overhead = Duration::from_millis(ms)),
        },
        ranks: RankScope::First,
        front: true,
        about: "time lost between the engine and the clock on every move, in ms",
    },
    OptionEntry {
        name: "Clear Hash",
        kind: Kind::Button(|core| {
            core.new_game();
            Ok(None)
        }),
        ranks: RankScope::First,
        front: true,
        about: "forgets everything about earlier searches",
    },
    OptionEntry {
        name: "Hash File",
        kind: Kind::Text {
            default: EMPTY,
            set: |core, path| {
                core.options.hash_file = path.to_string();
                Ok(None)
            },
        },
        ranks: RankScope::First,
        front: false,
        about: "the file of the two buttons below",
    },
    OptionEntry {
        name: "Save Hash",
        kind: Kind::Button(|core| core.save_table()),
        ranks: RankScope::First,
        front: false,
        about: "writes the transposition table to Hash File",
    },
    OptionEntry {
        name: "Load Hash",
        kind: Kind::Button(|core| core.load_table()),
        ranks: RankScope::First,
        front: false,
        about: "reads it again: the same Hash, Rules and EvalFile are needed",
    },
    OptionEntry {
        name: "UCI_Chess960",
        kind: Kind::Switch { default: false, effect: Effect::Value(|options, on| options.chess960 = on) },
        ranks: RankScope::First,
        front: true,
        about: "castling is written as king takes rook",
    },
    OptionEntry {
        name: "UCI_ShowWDL",
        kind: Kind::Switch { default: false, effect: Effect::Value(|options, on| options.show_wdl = on) },
        ranks: RankScope::First,
        front: true,
        about: "shows the chances to win, draw and lose beside the score",
    },
    OptionEntry {
        name: "UCI_LimitStrength",
        kind: Kind::Switch { default: false, effect: Effect::Value(|options, on| options.limit_strength = on) },
        ranks: RankScope::First,
        front: true,
        about: "plays at the strength of UCI_Elo",
    },
    OptionEntry {
        name: "UCI_Elo",
        kind: Kind::Number {
            least: MIN_ELO as u64,
            most: MAX_ELO as u64,
            default: MAX_ELO as u64,
            effect: Effect::Value(|options, elo| options.elo = elo as u32),
        },
        ranks: RankScope::First,
        front: true,
        about: "the strength to play at",
    },
    OptionEntry {
        name: "Skill Level",
        kind: Kind::Number {
            least: 0,
            most: MAX_SKILL as u64,
            default: MAX_SKILL as u64,
            effect: Effect::Value(|options, skill| options.skill = skill as u32),
        },
        ranks: RankScope::First,
        front: true,
        about: "below 20 it plays weaker; UCI_LimitStrength goes before it",
    },
    OptionEntry {
        name: "UCI_AnalyseMode",
        kind: Kind::Switch { default: false, effect: Effect::Outside },
        ranks: RankScope::First,
        front: false,
        about: "accepted, without effect",
    },
    OptionEntry {
        name: "UCI_EngineAbout",
        kind: Kind::Text { default: ABOUT, set: |_, _| Ok(None) },
        ranks: RankScope::First,
        front: false,
        about: "what this program is; setting it has no effect",
    },
    OptionEntry {
        name: "SyzygyPath",
        kind: Kind::Text { default: EMPTY, set: |core, folders| core.load_tablebases(folders) },
        ranks: RankScope::Each,
        front: true,
        about: "folders of Syzygy endgame tables",
    },
    OptionEntry {
        name: "SyzygyProbeDepth",
        kind: Kind::Number {
            least: 1,
            most: 100,
            default: 1,
            effect: Effect::Engine(|core, depth| core.set_probe_depth(depth as i32)),
        },
        ranks: RankScope::Each,
        front: true,
        about: "least depth left at which the largest tables are asked",
    },
    OptionEntry {
        name: "Syzygy50MoveRule",
        kind: Kind::Switch { default: true, effect: Effect::Engine(|core, on| core.set_fifty_move_rule(on)) },
        ranks: RankScope::Each,
        front: true,
        about: "a table win that the fifty-move rule takes away is a draw",
    },
    OptionEntry {
        name: "SyzygyProbeLimit",
        kind: Kind::Number {
            least: 0,
            most: 7,
            default: 7,
            effect: Effect::Engine(|core, pieces| core.set_probe_limit(pieces as usize)),
        },
        ranks: RankScope::Each,
        front: true,
        about: "tables of more pieces are not asked",
    },
    OptionEntry {
        name: "OwnBook",
        kind: Kind::Switch { default: false, effect: Effect::Value(|options, on| options.own_book = on) },
        ranks: RankScope::First,
        front: false,
        about: "plays from the opening book while it knows the position",
    },
    OptionEntry {
        name: "BookFile",
        kind: Kind::Text { default: EMPTY, set: |core, path| core.load_book(path) },
        ranks: RankScope::First,
        front: false,
        about: "an opening book in the Polyglot format",
    },
    OptionEntry {
        name: LOG_FILE,
        kind: Kind::Text { default: EMPTY, set: |_, _| Ok(None) },
        ranks: RankScope::First,
        front: false,
        about: "a file that records everything said",
    },
    OptionEntry {
        name: "EvalFile",
        kind: Kind::Text { default: EMBEDDED_NETWORK, set: |core, path| core.load_network(path) },
        ranks: RankScope::Each,
        front: true,
        about: "the network that evaluates positions",
    },
    OptionEntry {
        name: "Rules",
        kind: Kind::Text { default: "modern", set: |core, text| core.set_rules(text) },
        ranks: RankScope::Each,
        front: true,
        about: "rules of the search to switch on or off, and its numbers: modern,-null_move,see_depth=7",
    },
];
