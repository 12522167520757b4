//! Synthetic game trees whose values are known: for tests, and for the theorems of the papers.
//!
//! StarTech section 3 bounds the work and the critical path of Jamboree search on uniform *best-ordered* trees
//! (theorem 1) and *worst-ordered* trees (theorem 2) of degree `d` and height `h`. Marsland and Campbell ("Parallel
//! Search of Strongly Ordered Game Trees", 1982) describe the trees between them that real games resemble.
//!
//! A tree takes no memory: everything about a node follows from the hash of the path to it. In ordered trees values are
//! passed down: a node of value `v` gives its best child `-v` and every other child a value that is better for the
//! opponent. So each node knows its negamax value without a search. In random trees only the leaves know theirs.
//!
//! ```
//! use jamboree_game::tree::{Order, Tree};
//! use jamboree_game::negamax;
//!
//! let tree = Tree::new(Order::Strong { percent: 70 }, 3, 5, 42)?;
//! assert_eq!(tree.value(), Some(negamax(&tree, tree.height(), 0)));
//! # Ok::<(), jamboree_game::tree::TreeError>(())
//! ```

use crate::{Depth, Ending, Game, Hints, Score};
use std::error::Error;
use std::fmt;

/// The most children a node may have.
pub const MAX_DEGREE: usize = 200;
/// The most plies a tree may have.
pub const MAX_HEIGHT: Depth = 60;

/// No value in a tree is larger than this.
const LARGEST: i32 = 9_999;
/// No root is worth more than this.
const LARGEST_ROOT: i32 = 500;
/// A move that is not the best is at most this much worse (best-first and strong trees).
const LARGEST_MISTAKE: i32 = 120;
/// The estimate of an inner node is at most this far off (strong trees).
const LARGEST_NOISE: i32 = 25;
/// Leaves of random trees are worth at most this much.
const LARGEST_RANDOM: i32 = 1_000;
/// Leaves of ragged trees are worth at most this much: little, so that equal values are common.
const LARGEST_RAGGED: i32 = 20;

/// Where the good moves of a tree are, and with them its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// At every node the first move is best; others may be as good. A search sees the fewest leaves it can.
    BestFirst,
    /// At every node each move is better than the one before it, and the best comes last.
    ///
    /// Alpha-beta cuts nothing off as long as `degree^ceil(height / 2)` is at most 10 000; in larger trees, where the
    /// scores are too few for that, this holds for the subtrees near the leaves only.
    WorstFirst,
    /// The values of the leaves are independent and uniform. Inner nodes do not know their value.
    Random,
    /// As `Random`, with often equal values, and every node but the root has from none to `degree` moves.
    Ragged,
    /// At every node the first move is the only best one in `percent` of the cases, and the best is among the first
    /// quarter of the moves (at least two of them) in 90 percent, or in `percent` if that is more.
    Strong {
        /// How often the first move is best; Marsland and Campbell ask for 70.
        percent: u8,
    },
}

impl Order {
    /// Do inner nodes know their value?
    fn is_known(self) -> bool {
        !matches!(self, Order::Random | Order::Ragged)
    }
}

/// Why a tree could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeError {
    /// The degree is not in `1..=MAX_DEGREE`.
    Degree(usize),
    /// The height is not in `0..=MAX_HEIGHT`.
    Height(Depth),
    /// More than 100 percent of first moves should be best.
    Percent(u8),
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeError::Degree(degree) => write!(f, "a tree of degree {degree}: it must be from 1 to {MAX_DEGREE}"),
            TreeError::Height(height) => write!(f, "a tree of height {height}: it must be from 0 to {MAX_HEIGHT}"),
            TreeError::Percent(percent) => write!(f, "{percent} percent of first moves best: at most 100 can be"),
        }
    }
}

impl Error for TreeError {}

/// A move: the number of a child, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Branch(u16);

impl Branch {
    /// The number of the child, counted from zero.
    pub fn number(self) -> usize {
        usize::from(self.0)
    }
}

/// A node of a synthetic tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    order: Order,
    /// How many moves this node has; zero at a leaf.
    moves: u16,
    /// How many moves a node of this tree has at most.
    degree: u16,
    /// How many plies are left below.
    height: Depth,
    /// The negamax value in ordered trees; a random estimate in random trees.
    value: i32,
    /// The largest difference between successive moves of a worst-first tree.
    largest_step: i32,
    /// The hash of the path from the root, from which all random numbers of this node come.
    key: u64,
}

impl Tree {
    /// The root of the tree of this order, degree and height that belongs to the seed.
    ///
    /// # Errors
    ///
    /// The degree must be in `1..=MAX_DEGREE`, the height in `0..=MAX_HEIGHT`, and a percentage at most 100.
    pub fn new(order: Order, degree: usize, height: Depth, seed: u64) -> Result<Tree, TreeError> {
        if !(1..=MAX_DEGREE).contains(&degree) {
            return Err(TreeError::Degree(degree));
        }
        if !(0..=MAX_HEIGHT).contains(&height) {
            return Err(TreeError::Height(height));
        }
        let kind = match order {
            Order::BestFirst => 0,
            Order::WorstFirst => 1,
            Order::Random => 2,
            Order::Ragged => 3,
            Order::Strong { percent } if percent > 100 => return Err(TreeError::Percent(percent)),
            Order::Strong { percent } => 4 + u64::from(percent),
        };
        let shape = kind << 32 | (degree as u64) << 16 | height as u64;
        let key = mix(mix(seed).wrapping_add(shape));
        let degree = degree as u16;
        let moves = if height == 0 { 0 } else { degree };
        let largest_step = largest_step(i32::from(degree), height);
        let mut root = Tree { order, moves, degree, height, value: 0, largest_step, key };
        root.value = root.root_value();
        Ok(root)
    }

    /// The negamax value of this node, where it is known: at every node of an ordered tree, at the leaves of a random
    /// or ragged one.
    pub fn value(&self) -> Option<Score> {
        (self.order.is_known() || self.is_leaf()).then_some(Score::estimate(self.value))
    }

    /// The order of the tree.
    pub fn order(&self) -> Order {
        self.order
    }

    /// How many moves a node of this tree has at most; in all but ragged trees, every inner node has as many.
    pub fn degree(&self) -> usize {
        usize::from(self.degree)
    }

    /// How many plies lie below this node at most: a search this deep finds the value.
    pub fn height(&self) -> Depth {
        self.height
    }

    /// Has this node no moves?
    pub fn is_leaf(&self) -> bool {
        self.moves == 0
    }

    fn root_value(&self) -> i32 {
        let largest = match self.order {
            Order::WorstFirst => {
                LARGEST_ROOT.min(LARGEST - reach(i32::from(self.degree), self.height, self.largest_step))
            }
            _ => LARGEST_ROOT,
        };
        if self.order.is_known() { self.draw(Purpose::Value).within(largest) } else { self.random_value() }
    }

    fn random_value(&self) -> i32 {
        let largest = if self.order == Order::Ragged { LARGEST_RAGGED } else { LARGEST_RANDOM };
        self.draw(Purpose::Value).within(largest)
    }

    /// How much worse than the best move the move to this child is, for the side that makes it.
    fn mistake(&self, number: u16, child: &Tree) -> i32 {
        let random = child.draw(Purpose::Mistake);
        match self.order {
            Order::BestFirst if number == 0 => 0,
            Order::BestFirst => random.below(LARGEST_MISTAKE as u32 + 1) as i32,
            Order::WorstFirst => i32::from(self.moves - 1 - number) * self.step(),
            Order::Strong { percent } if number == self.best_of_strong(percent) => 0,
            Order::Strong { .. } => 1 + random.below(LARGEST_MISTAKE as u32) as i32,
            Order::Random | Order::Ragged => unreachable!("random trees hand no values down"),
        }
    }

    /// How much better each move of a worst-first tree is than the one before it.
    fn step(&self) -> i32 {
        full_step(i32::from(self.degree), self.height).min(self.largest_step)
    }

    /// Which move of a strongly ordered tree is best.
    fn best_of_strong(&self, percent: u8) -> u16 {
        let percent = u32::from(percent);
        let quarter = self.moves.div_ceil(4).max(2).min(self.moves);
        let chance = self.draw(Purpose::Chance).below(100);
        let (from, to) = if chance < percent {
            (0, 1)
        } else if chance < 90 {
            (1, quarter)
        } else {
            (quarter, self.moves)
        };
        // With few moves a part may be empty. Then any move but the first is chosen, or the only move.
        let (from, to) = if from < to { (from, to) } else { (1.min(self.moves - 1), self.moves) };
        from + self.draw(Purpose::Best).below(u32::from(to - from)) as u16
    }

    fn draw(&self, purpose: Purpose) -> Draw {
        Draw(mix(self.key ^ mix(purpose as u64)))
    }
}

impl Game for Tree {
    type Move = Branch;

    fn key(&self) -> u64 {
        self.key
    }

    fn moves(&self, out: &mut Vec<Branch>) {
        out.extend((0..self.moves).map(Branch));
    }

    fn play(&self, Branch(number): Branch) -> Tree {
        debug_assert!(number < self.moves, "branch {number} of a node with {} moves", self.moves);
        let mut child = *self;
        child.key = mix(self.key.wrapping_add(mix(u64::from(number) + 1)));
        child.height -= 1;
        child.moves = match self.order {
            _ if child.height == 0 => 0,
            Order::Ragged => child.draw(Purpose::Moves).below(u32::from(self.degree) + 1) as u16,
            _ => self.degree,
        };
        child.value =
            if self.order.is_known() { self.mistake(number, &child) - self.value } else { child.random_value() };
        child
    }

    fn evaluate(&self) -> Score {
        let noise = match self.order {
            Order::Strong { .. } if !self.is_leaf() => self.draw(Purpose::Noise).within(LARGEST_NOISE),
            _ => 0,
        };
        Score::estimate(self.value + noise)
    }

    fn stuck(&self) -> Ending {
        Ending::Worth(Score::estimate(self.value))
    }

    fn ending(&self) -> Option<Ending> {
        self.is_leaf().then(|| self.stuck())
    }

    fn pack(Branch(number): Branch) -> u32 {
        u32::from(number) + 1
    }

    fn unpack(&self, bits: u32) -> Option<Branch> {
        let number = u16::try_from(bits.checked_sub(1)?).ok()?;
        (number < self.moves).then_some(Branch(number))
    }
}

impl Hints for Tree {
    const HISTORY: usize = MAX_DEGREE;

    fn history_index(&self, branch: Branch) -> usize {
        branch.number()
    }
}

/// How much better each move must be than the one before it, `height` plies above the leaves, for alpha-beta to cut
/// nothing off.
///
/// A node is searched in full if its value is inside its window, and so are its children. Let a node need the room `L`
/// between alpha and its value, and `U` between its value and beta. Each of its `d` moves must beat the one before by
/// the room that its child needs on the other side, `U` of one ply less: `L(h) = d U(h-1)`. The last child needs its
/// own room: `U(h) = L(h-1)`. From one at the leaves, `U(h) = d^floor(h/2)`.
fn full_step(degree: i32, height: Depth) -> i32 {
    degree.saturating_pow(((height - 1).max(0) / 2) as u32)
}

/// The largest distance between the values of the root and a leaf in a worst-first tree. It is reached if the side to
/// move at the root errs at each of its plies; errors of the opponent at the other plies lead no further away.
fn reach(degree: i32, height: Depth, largest_step: i32) -> i32 {
    (1..=height).rev().step_by(2).fold(0, |sum: i32, height| {
        let step = full_step(degree, height).min(largest_step);
        sum.saturating_add(step.saturating_mul(degree - 1))
    })
}

/// The largest step with which the values of a worst-first tree stay in range.
fn largest_step(degree: i32, height: Depth) -> i32 {
    (1..=height)
        .rev()
        .map(|height| full_step(degree, height))
        .find(|&step| reach(degree, height, step) <= LARGEST)
        .unwrap_or(1)
}

/// What a random number of a node is used for. Each purpose has numbers of its own.
#[derive(Clone, Copy)]
enum Purpose {
    Value = 1,
    Moves,
    Mistake,
    Chance,
    Best,
    Noise,
}

/// 64 random bits.
struct Draw(u64);

impl Draw {
    /// A number below `limit`.
    fn below(&self, limit: u32) -> u32 {
        ((u128::from(self.0) * u128::from(limit)) >> 64) as u32
    }

    /// A number between `-largest` and `largest`.
    fn within(&self, largest: i32) -> i32 {
        self.below(2 * largest as u32 + 1) as i32 - largest
    }
}

/// The mixer of SplitMix64 (Steele, Lea and Flood 2014): a permutation of the 64-bit numbers that looks random.
pub(crate) fn mix(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Window, negamax};
    use std::collections::HashSet;

    const STRONG: Order = Order::Strong { percent: 70 };

    fn tree(order: Order, degree: usize, height: Depth, seed: u64) -> Tree {
        Tree::new(order, degree, height, seed).expect("a tree of legal shape")
    }

    fn children(node: &Tree) -> Vec<Tree> {
        let mut moves = Vec::new();
        node.moves(&mut moves);
        moves.into_iter().map(|mv| node.play(mv)).collect()
    }

    fn for_all_nodes(node: &Tree, visit: &mut impl FnMut(&Tree)) {
        visit(node);
        children(node).iter().for_each(|child| for_all_nodes(child, visit));
    }

    /// What each move is worth to the side that makes it, by search.
    fn qualities(node: &Tree) -> Vec<Score> {
        children(node).iter().map(|child| -negamax(child, child.height(), 0)).collect()
    }

    /// Alpha-beta without any refinement; counts the leaves.
    fn alpha_beta(node: &Tree, window: Window, leaves: &mut usize) -> Score {
        if node.is_leaf() {
            *leaves += 1;
            return node.evaluate();
        }
        let mut best = -Score::INFINITE;
        for child in children(node) {
            let below = Window { alpha: window.alpha.max(best), beta: window.beta };
            best = best.max(-alpha_beta(&child, -below, leaves));
            if best >= window.beta {
                break;
            }
        }
        best
    }

    /// Small shapes of every kind, a few seeds each.
    fn shapes() -> impl Iterator<Item = (usize, Depth, u64)> {
        [(1, 0), (1, 5), (2, 1), (2, 7), (3, 4), (4, 4), (5, 3), (9, 2), (40, 1)]
            .into_iter()
            .flat_map(|(degree, height)| (0..20).map(move |seed| (degree, height, seed)))
    }

    #[test]
    fn known_values_are_negamax_values() {
        for (degree, height, seed) in shapes() {
            for order in [Order::BestFirst, Order::WorstFirst, STRONG, Order::Strong { percent: 0 }] {
                for_all_nodes(&tree(order, degree, height, seed), &mut |node| {
                    assert_eq!(node.value(), Some(negamax(node, node.height(), 0)), "{node:?}");
                    assert_eq!(node.value(), Some(negamax(node, node.height() + 3, 0)), "{node:?}");
                });
            }
        }
    }

    #[test]
    fn the_first_move_of_a_best_first_tree_is_best() {
        for (degree, height, seed) in shapes() {
            for_all_nodes(&tree(Order::BestFirst, degree, height, seed), &mut |node| {
                let qualities = qualities(node);
                assert_eq!(qualities.iter().max(), qualities.first());
            });
        }
    }

    #[test]
    fn moves_of_a_worst_first_tree_get_better_and_better() {
        for (degree, height, seed) in shapes() {
            for_all_nodes(&tree(Order::WorstFirst, degree, height, seed), &mut |node| {
                assert!(qualities(node).is_sorted_by(|earlier, later| earlier < later), "{node:?}");
            });
        }
    }

    #[test]
    fn alpha_beta_sees_the_fewest_leaves_of_best_first_trees_and_all_of_worst_first_trees() {
        for (degree, height, seed) in shapes().chain([(2, 14, 1), (3, 9, 2), (10, 5, 3), (30, 3, 4)]) {
            let all = degree.pow(height as u32);
            let fewest = degree.pow(height as u32 / 2) + degree.pow((height as u32).div_ceil(2)) - 1;
            for (order, expected) in [(Order::BestFirst, fewest), (Order::WorstFirst, all)] {
                let (tree, mut leaves) = (tree(order, degree, height, seed), 0);
                assert_eq!(Some(alpha_beta(&tree, Window::FULL, &mut leaves)), tree.value());
                assert_eq!(leaves, expected, "{tree:?}");
            }
        }
    }

    #[test]
    fn worst_first_trees_use_the_range_they_are_promised() {
        for (degree, height) in [(2, 26), (3, 16), (10, 8), (21, 6), (100, 4)] {
            assert_eq!(largest_step(degree, height), full_step(degree, height), "{degree}, {height}");
        }
        assert!(largest_step(101, 4) < full_step(101, 4));
    }

    #[test]
    fn strongly_ordered_trees_keep_their_percentages() {
        for percent in [60, 70, 95] {
            let (mut nodes, mut first, mut quarter) = (0, 0, 0);
            for seed in 0..4_000 {
                let node = tree(Order::Strong { percent }, 20, 2, seed);
                let best = children(&node).iter().position(|child| child.value() == node.value().map(|value| -value));
                nodes += 1;
                first += usize::from(best == Some(0));
                quarter += usize::from(best.is_some_and(|best| best < 5));
            }
            let percent = usize::from(percent);
            assert!((100 * first / nodes).abs_diff(percent) <= 3, "{first} of {nodes}, not {percent} %");
            assert!((100 * quarter / nodes).abs_diff(percent.max(90)) <= 3, "{quarter} of {nodes} in the quarter");
        }
    }

    #[test]
    fn estimates_of_strong_trees_are_near_the_value_and_exact_at_leaves() {
        let mut wrong = 0;
        for_all_nodes(&tree(STRONG, 4, 5, 9), &mut |node| {
            let value = node.value().expect("known");
            assert!((node.evaluate() - value).abs() <= if node.is_leaf() { 0 } else { LARGEST_NOISE });
            wrong += usize::from(node.evaluate() != value);
        });
        assert!(wrong > 100);
    }

    #[test]
    fn the_same_seed_is_the_same_tree_and_another_seed_another() {
        for order in [Order::BestFirst, Order::WorstFirst, Order::Random, Order::Ragged, STRONG] {
            let nodes = |seed| {
                let mut nodes = Vec::new();
                for_all_nodes(&tree(order, 3, 4, seed), &mut |node| nodes.push(*node));
                nodes
            };
            assert_eq!(nodes(5), nodes(5));
            assert_ne!(nodes(5), nodes(6));
        }
    }

    #[test]
    fn keys_are_distinct() {
        let (mut keys, mut nodes) = (HashSet::new(), 0);
        for order in [Order::BestFirst, Order::WorstFirst, Order::Random, Order::Ragged, STRONG] {
            for (degree, height, seed) in shapes() {
                for_all_nodes(&tree(order, degree, height, seed), &mut |node| {
                    keys.insert(node.key());
                    nodes += 1;
                });
            }
        }
        assert_eq!(keys.len(), nodes);
    }

    #[test]
    fn ragged_trees_have_early_leaves_and_every_number_of_moves() {
        let (mut early, mut degrees) = (0, HashSet::new());
        for seed in 0..50 {
            let root = tree(Order::Ragged, 4, 5, seed);
            assert!(!root.is_leaf());
            for_all_nodes(&root, &mut |node| {
                early += usize::from(node.is_leaf() && node.height() > 0);
                degrees.insert(children(node).len());
                assert_eq!(node.value().is_some(), node.is_leaf());
                assert_eq!(node.ending().is_some(), node.is_leaf());
            });
        }
        assert!(early > 0);
        assert_eq!(degrees, (0..=4).collect());
    }

    #[test]
    fn leaves_of_random_trees_are_spread_over_the_range() {
        let (mut sum, mut leaves, mut low, mut high) = (0, 0, 0, 0);
        for_all_nodes(&tree(Order::Random, 20, 3, 1), &mut |node| {
            if let Some(value) = node.value().map(Score::value) {
                leaves += 1;
                sum += value;
                low += usize::from(value < -LARGEST_RANDOM / 2);
                high += usize::from(value > LARGEST_RANDOM / 2);
            }
        });
        assert_eq!(leaves, 8_000);
        assert!((sum / leaves).abs() < 30);
        assert!(low.abs_diff(2_000) < 200 && high.abs_diff(2_000) < 200);
    }

    #[test]
    fn values_stay_in_range_on_every_path_of_the_largest_trees() {
        for order in [Order::BestFirst, Order::WorstFirst, STRONG, Order::Random, Order::Ragged] {
            for (degree, height) in [(2, 60), (10, 8), (10, 60), (200, 4), (200, 60), (1, 60)] {
                for seed in 0..6 {
                    let mut node = tree(order, degree, height, seed);
                    while !node.is_leaf() {
                        // Both sides err as much as they can, or only one of them does.
                        let worst = seed % 3 == 2 || seed % 3 == (node.height() % 2) as u64;
                        let key = |child: &Tree| if worst { child.value } else { -child.value };
                        node = children(&node).into_iter().max_by_key(key).expect("a move");
                        assert!(node.value.abs() <= LARGEST && node.evaluate().value().abs() < 10_000, "{node:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn packed_moves_come_back_and_others_are_rejected() {
        let root = tree(Order::Random, MAX_DEGREE, 1, 0);
        let mut moves = Vec::new();
        root.moves(&mut moves);
        assert_eq!(moves.len(), MAX_DEGREE);
        for mv in moves {
            assert_ne!(Tree::pack(mv), 0);
            assert_eq!(root.unpack(Tree::pack(mv)), Some(mv));
            assert_eq!(root.play(mv).unpack(Tree::pack(mv)), None);
        }
        for bits in [0, MAX_DEGREE as u32 + 1, 1 << 16, u32::MAX] {
            assert_eq!(root.unpack(bits), None);
        }
    }

    #[test]
    fn impossible_shapes_are_refused() {
        assert_eq!(Tree::new(Order::Random, 0, 3, 0), Err(TreeError::Degree(0)));
        assert_eq!(Tree::new(Order::Random, 201, 3, 0), Err(TreeError::Degree(201)));
        assert_eq!(Tree::new(Order::Random, 2, -1, 0), Err(TreeError::Height(-1)));
        assert_eq!(Tree::new(Order::Random, 2, 61, 0), Err(TreeError::Height(61)));
        assert_eq!(Tree::new(Order::Strong { percent: 101 }, 2, 2, 0), Err(TreeError::Percent(101)));
    }
}
