//! The search of one strand: values, bounds, limits, and the theorems of the papers.

use super::*;
use crate::searcher::{on_strand, work_of_one_search};
use crate::{FrameMemory, Limits, Path, Plain, Searcher};
use game::negamax;
use game::tree::{Branch, Order, Tree};
use std::sync::Arc;
use table::Table;

fn trees() -> impl Iterator<Item = Tree> {
    let orders = [Order::BestFirst, Order::WorstFirst, Order::Random, Order::Ragged, Order::Strong { percent: 65 }];
    (0..400u64).map(move |seed| {
        let order = orders[(seed % 5) as usize];
        Tree::new(order, 1 + (seed / 5 % 5) as usize, 1 + (seed / 25 % 5) as i32, seed).unwrap()
    })
}

#[test]
fn the_value_is_that_of_negamax() {
    for tree in trees() {
        let depth = tree.height();
        let outcome = Searcher::new(Plain::default()).run(&tree, &[], &Limits::depth(depth));
        let expected = negamax(&tree, depth, 0);
        assert_eq!(outcome.score(), Some(expected), "{tree:?}");
        let after = tree.play(outcome.moves[0].mv);
        assert_eq!(-negamax(&after, depth - 1, 1), expected, "the best move is not best: {tree:?}");
    }
}

#[test]
fn several_lines_are_the_best_ones_in_order() {
    for tree in trees().filter(|tree| tree.degree() >= 3) {
        let limits = Limits { lines: 3, ..Limits::depth(tree.height()) };
        let outcome = Searcher::new(Plain::default()).run(&tree, &[], &limits);
        let mut moves = Vec::new();
        tree.moves(&mut moves);
        let mut values: Vec<_> = moves.iter().map(|&mv| -negamax(&tree.play(mv), tree.height() - 1, 1)).collect();
        values.sort_by_key(|&value| std::cmp::Reverse(value));
        let found: Vec<_> = outcome.moves.iter().take(3).map(|root| root.score).collect();
        assert_eq!(found, values.into_iter().take(3).collect::<Vec<_>>(), "{tree:?}");
    }
}

#[test]
fn refutation_lines_are_legal() {
    // In ragged trees the game often ends after a root move: then nothing refutes it.
    for tree in trees().filter(|tree| tree.order() == Order::Ragged) {
        let mut searcher = Searcher::new(Plain::default());
        searcher.algorithm = crate::algorithms::by_name("jubilee+refutation-lines").unwrap();
        for root in searcher.run(&tree, &[], &Limits::depth(tree.height())).moves {
            root.line.iter().fold(tree, |at, &mv| {
                assert_eq!(at.unpack(Tree::pack(mv)), Some(mv), "{:?} in {tree:?}", root.line);
                at.play(mv)
            });
        }
    }
}

#[test]
fn only_the_wanted_moves_are_searched() {
    let tree = Tree::new(Order::Random, 5, 4, 3).unwrap();
    let mut moves = Vec::new();
    tree.moves(&mut moves);
    let limits = Limits { only: moves[2..4].to_vec(), ..Limits::depth(4) };
    let outcome = Searcher::new(Plain::default()).run(&tree, &[], &limits);
    let best = moves[2..4].iter().map(|&mv| -negamax(&tree.play(mv), 3, 1)).max();
    assert_eq!((outcome.moves.len(), outcome.score()), (2, best));
}

#[test]
fn every_window_gives_a_true_bound() {
    for tree in trees() {
        let value = negamax(&tree, tree.height(), 0);
        for alpha in [-40, -5, 0, 7, 300] {
            for width in [1, 2, 50] {
                let window = Window::new(value + alpha, value + alpha + width);
                let score = on_strand(&tree, |strand| {
                    // The node is searched at ply 1: the root's moves come from a list of their own.
                    strand.path.descend(0, tree);
                    let Ok(score) = strand.search(1, window, tree.height(), Kind::Pv) else { panic!("cut") };
                    assert!(strand.path.moves.is_empty(), "moves left over");
                    score
                });
                match window.bound(score) {
                    Bound::Exact => assert_eq!(score, value, "{tree:?} {window:?}"),
                    Bound::Lower => assert!(score <= value, "{tree:?} {window:?}"),
                    Bound::Upper => assert!(score >= value, "{tree:?} {window:?}"),
                }
            }
        }
    }
}

/// Full width, with searches that a node makes on its own frame before its moves. The note counts the moves tried
/// since the node was entered.
#[derive(Clone)]
struct SideSearches {
    recursive_deepening: fn(Depth) -> bool,
    /// Razoring and singular searches, of which the first may change the value.
    others: bool,
}

impl FrameMemory for SideSearches {
    type Note = usize;
    type Picker = (usize, usize);
}

impl Rules<Tree> for SideSearches {
    fn enter(&mut self, path: &mut Path<Tree, Self>, ply: usize) {
        path[ply].note = 0;
    }

    fn stand_pat(&mut self, path: &mut Path<Tree, Self>, ply: usize) -> Option<Score> {
        path[ply].note = 50;
        Some(self.evaluate(path, ply))
    }

    fn recursive_deepening(&self, frame: &crate::Frame<Tree, Self>) -> bool {
        (self.recursive_deepening)(frame.depth)
    }

    fn razors(&self, path: &Path<Tree, Self>, ply: usize) -> bool {
        self.others && path[ply].depth == 3
    }

    fn singular(&self, path: &Path<Tree, Self>, ply: usize) -> Option<crate::Singular> {
        let frame = &path[ply];
        let fits = self.others && frame.table_move.is_some() && frame.depth > 1;
        fits.then_some(crate::Singular { beta: frame.window.alpha, depth: frame.depth / 2 })
    }

    fn begin_moves(&mut self, path: &mut Path<Tree, Self>, ply: usize, wanted: Wanted) {
        let start = path.moves.len();
        path[ply].picker = (start, start);
        let mut moves = Vec::new();
        if wanted == Wanted::All {
            path[ply].position.moves(&mut moves);
        }
        path.moves.extend(moves.into_iter().map(|mv| crate::Scored { mv, priority: 0 }));
    }

    fn next(&mut self, path: &mut Path<Tree, Self>, ply: usize) -> Option<Branch> {
        path[ply].picker.1 += 1;
        path.moves.get(path[ply].picker.1 - 1).map(|scored| scored.mv)
    }

    fn moves_left(&self, path: &Path<Tree, Self>, ply: usize) -> Vec<Branch> {
        path.moves_of(ply, path[ply].picker.1).iter().map(|scored| scored.mv).collect()
    }

    fn end_moves(&mut self, path: &mut Path<Tree, Self>, ply: usize) {
        let start = path[ply].picker.0;
        path.moves.truncate(start);
    }

    fn skips(&mut self, path: &mut Path<Tree, Self>, ply: usize, _mv: Branch) -> bool {
        path[ply].note += 1;
        false
    }

    fn learn(&mut self, path: &mut Path<Tree, Self>, ply: usize, _bound: Bound) {
        let frame = &path[ply];
        assert!(ply == 0 || frame.note == frame.tried, "the note at ply {ply} counts moves of another search");
    }
}

#[test]
fn side_searches_leave_nothing_behind() {
    for tree in trees() {
        let rules = SideSearches { recursive_deepening: |depth| depth == 2, others: true };
        let table = Arc::new(Table::new(1).unwrap());
        Searcher::with_table(rules, table).run(&tree, &[], &Limits::depth(tree.height()));
    }
}

#[test]
fn recursive_deepening_changes_no_value() {
    for tree in trees() {
        let outcome = Searcher::new(SideSearches { recursive_deepening: |_| true, others: false }).run(
            &tree,
            &[],
            &Limits::depth(tree.height()),
        );
        assert_eq!(outcome.score(), Some(negamax(&tree, tree.height(), 0)), "{tree:?}");
    }
}

#[test]
fn a_table_changes_no_value_on_trees() {
    // All nodes of a tree are different, so whatever the table answers was searched from that very node.
    for tree in trees() {
        let table = Arc::new(Table::new(1).unwrap());
        let mut searcher = Searcher::with_table(Plain::default(), table);
        for _ in 0..2 {
            let outcome = searcher.run(&tree, &[], &Limits::depth(tree.height()));
            assert_eq!(outcome.score(), Some(negamax(&tree, tree.height(), 0)), "{tree:?}");
        }
    }
}

#[test]
fn best_first_trees_cost_the_least_possible() {
    // Knuth & Moore 1975: d^ceil(h/2) + d^floor(h/2) - 1 leaves.
    for (degree, height) in [(2, 6), (3, 5), (5, 4), (8, 3)] {
        let tree = Tree::new(Order::BestFirst, degree, height, 1).unwrap();
        let nodes = on_strand(&tree, |strand| {
            strand.path.descend(0, tree);
            assert!(strand.search(1, Window::FULL, height, Kind::Pv).is_ok());
            strand.clock.nodes()
        });
        // All nodes of the minimal tree: the minimal leaves of every height from 0 to h.
        let d = degree as u64;
        let leaves = |h: u32| d.pow(h.div_ceil(2)) + d.pow(h / 2) - 1;
        assert_eq!(nodes, (0..=height as u32).map(leaves).sum::<u64>(), "degree {degree} height {height}");
    }
}

/// Nodes of the minimal tree of a uniform node that a test cuts off, and of one that it does not.
fn minimal(degree: u64, height: i32) -> (u64, u64) {
    (0..height).fold((1, 1), |(cut, all), _| (1 + all, 1 + degree * cut))
}

#[test]
fn without_its_surplus_a_test_visits_the_minimal_tree() {
    // Whatever the order of the moves: a node that is cut off needs one move, any other needs all.
    let mut surpluses = 0;
    for seed in 0..60 {
        let order = [Order::Random, Order::Strong { percent: 60 }, Order::WorstFirst][seed as usize % 3];
        let (degree, height) = (2 + seed as usize % 4, 1 + seed as i32 % 6);
        let tree = Tree::new(order, degree, height, seed).unwrap();
        let value = negamax(&tree, height, 0);
        for alpha in [value - 1, value] {
            let window = Window::test_above(alpha);
            let (nodes, surplus) = on_strand(&tree, |strand| {
                strand.path.descend(0, tree);
                assert!(strand.search(1, window, height, Kind::Cut).is_ok());
                (strand.clock.nodes(), strand.path[1].sharing.surplus)
            });
            let (cut, all) = minimal(degree as u64, height);
            assert_eq!(nodes - surplus, if alpha < value { cut } else { all }, "{tree:?} {window:?}");
            surpluses += surplus;
        }
    }
    assert!(surpluses > 0);
}

#[test]
fn the_first_move_is_right_where_it_is_best() {
    for (order, least, most) in
        [(Order::BestFirst, 100, 100), (Order::Strong { percent: 80 }, 60, 95), (Order::WorstFirst, 0, 60)]
    {
        let tree = Tree::new(order, 4, 6, 2).unwrap();
        let outcome = Searcher::new(Plain::default()).run(&tree, &[], &Limits::depth(6));
        let counts = [Kind::Pv, Kind::Cut, Kind::All].map(|kind| outcome.work.order.of_type(kind));
        let sum = |of: fn(&crate::OrderCount) -> u64| counts.iter().map(of).sum::<u64>();
        let (nodes, first_best) = (sum(|count| count.nodes), sum(|count| count.first_best));
        let percent = 100 * first_best / nodes;
        assert!((least..=most).contains(&percent), "{order:?}: {percent} % of {nodes}");
        let by_depth = outcome.work.order.by_depth(Kind::Cut).map(|(_, count)| count.nodes).sum::<u64>();
        assert_eq!(by_depth, counts[1].nodes);
        assert!(sum(|count| count.without_best) > 0);
    }
}

#[test]
fn jamboree_on_best_ordered_trees() {
    // StarTech, theorem 1: efficiency 1 (see the test above), and parallelism about (d/2)^(h/2).
    for degree in [8, 12] {
        let parallelism =
            |height| work_of_one_search(&Tree::new(Order::BestFirst, degree, height, 1).unwrap(), height).parallelism();
        let half = degree as f64 / 2.0;
        for height in [4, 6] {
            let growth = parallelism(height + 2) / parallelism(height);
            assert!((0.7..1.3).contains(&(growth / half)), "degree {degree}: {growth}, not {half}");
        }
    }
}

#[test]
fn jamboree_on_worst_ordered_trees() {
    // StarTech, theorem 2: efficiency about 1/3, parallelism about 3, speedup always below 1.
    for (degree, height) in [(4, 5), (6, 4), (3, 7)] {
        let tree = Tree::new(Order::WorstFirst, degree, height, 1).unwrap();
        let serial = game::alpha_beta_nodes(&tree, height) as f64;
        let work = work_of_one_search(&tree, height);
        let (work, span) = (work.nodes as f64, work.span as f64);
        println!("degree {degree} height {height}: efficiency {:.2}, parallelism {:.2}", serial / work, work / span);
        assert!(span > serial, "speedup {}", serial / span);
        assert!((0.2..0.7).contains(&(serial / work)), "efficiency {}", serial / work);
        assert!((1.0..4.0).contains(&(work / span)), "parallelism {}", work / span);
    }
}

#[test]
fn the_node_limit_is_kept_to_the_node() {
    let tree = Tree::new(Order::Strong { percent: 65 }, 20, 10, 5).unwrap();
    for nodes in [1, 2, 777, 1024, 5000, 12_345] {
        let outcome = Searcher::new(Plain::default()).run(&tree, &[], &Limits::nodes(nodes));
        assert_eq!(outcome.nodes, nodes);
        assert!(outcome.best_move().is_some());
    }
}
