//! What is searched: a synthetic tree, a position of Connect Four, or a position of chess, in one word.

use crate::random::Random;
use chess::{Position, RuleSet};
use game::Game;
use game::connect_four::ConnectFour;
use game::tree::{Order, Tree};
use std::fmt;
use std::str::FromStr;

/// What is searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Play {
    /// A synthetic tree: `tree:strong65:4:5:77`.
    Tree {
        /// Where its good moves are.
        order: Order,
        /// Moves of a node.
        degree: usize,
        /// Plies.
        height: i32,
        /// Its seed.
        seed: u64,
    },
    /// Connect Four after these columns: `four:4412`.
    Four {
        /// The columns, 1 to 7.
        moves: String,
    },
    /// Chess after random moves: `chess:12:99:classic`.
    Chess {
        /// The number of moves from the start.
        walk: usize,
        /// The seed of the moves.
        seed: u64,
        /// The rules of the search.
        rules: String,
    },
}

/// The most random moves of a chess game.
const LONGEST_WALK: usize = 500;

impl Play {
    /// The name of the game.
    pub fn name(&self) -> &'static str {
        match self {
            Play::Tree { .. } => "tree",
            Play::Four { .. } => "four",
            Play::Chess { .. } => "chess",
        }
    }

    /// Says why it can't be searched, if so.
    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Play::Tree { order, degree, height, seed } => {
                if *height < 1 {
                    return Err(format!("'{self}': a tree has at least one ply"));
                }
                Tree::new(*order, *degree, *height, *seed).map(|_| ()).map_err(|error| error.to_string())
            }
            Play::Four { moves } => moves.parse::<ConnectFour>().map(|_| ()).map_err(|error| error.to_string()),
            Play::Chess { walk, .. } if *walk > LONGEST_WALK => {
                Err(format!("'{self}': at most {LONGEST_WALK} random moves lead to a position"))
            }
            Play::Chess { rules, .. } => RuleSet::parse(rules).map(|_| ()),
        }
    }
}

/// The position after this many random moves, or at the end of the game if that comes first.
pub(super) fn random_position(walk: usize, seed: u64) -> Position {
    let mut random = Random::new(seed);
    let mut position = Position::default();
    for _ in 0..walk {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.is_empty() || position.ending().is_some() {
            break;
        }
        position = position.play(moves[random.below(moves.len())]);
    }
    position
}

fn order_text(order: Order) -> String {
    match order {
        Order::BestFirst => "best".into(),
        Order::WorstFirst => "worst".into(),
        Order::Random => "random".into(),
        Order::Ragged => "ragged".into(),
        Order::Strong { percent } => format!("strong{percent}"),
    }
}

fn order(text: &str) -> Option<Order> {
    match text {
        "best" => Some(Order::BestFirst),
        "worst" => Some(Order::WorstFirst),
        "random" => Some(Order::Random),
        "ragged" => Some(Order::Ragged),
        _ => Some(Order::Strong { percent: text.strip_prefix("strong")?.parse().ok()? }),
    }
}

impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Play::Tree { order, degree, height, seed } => {
                write!(f, "tree:{}:{degree}:{height}:{seed}", order_text(*order))
            }
            Play::Four { moves } => write!(f, "four:{moves}"),
            Play::Chess { walk, seed, rules } => write!(f, "chess:{walk}:{seed}:{rules}"),
        }
    }
}

impl FromStr for Play {
    type Err = String;

    fn from_str(text: &str) -> Result<Play, String> {
        let words: Vec<&str> = text.split(':').collect();
        let read = || match words[..] {
            ["tree", name, degree, height, seed] => Some(Play::Tree {
                order: order(name)?,
                degree: degree.parse().ok()?,
                height: height.parse().ok()?,
                seed: seed.parse().ok()?,
            }),
            ["four", moves] => Some(Play::Four { moves: moves.to_owned() }),
            ["chess", walk, seed, rules] => {
                Some(Play::Chess { walk: walk.parse().ok()?, seed: seed.parse().ok()?, rules: rules.to_owned() })
            }
            _ => None,
        };
        read().ok_or_else(|| {
            format!("'{text}' is no game: write for example tree:strong65:4:5:77, four:4412 or chess:12:99:classic")
        })
    }
}
