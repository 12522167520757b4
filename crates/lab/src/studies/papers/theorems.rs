//! Jamboree search on uniform trees: theorems 1 and 2 of StarTech and *Socrates.

use super::plans::Size;
use super::sheet::{Said, Sheet};
use crate::report::{ReportTable, fixed, significant, thousands};
use game::alpha_beta_nodes;
use game::tree::{Order, Tree};
use search::work_of_one_search;

struct Uniform {
    degree: usize,
    height: i32,
    serial: f64,
    work: f64,
    span: f64,
}

impl Uniform {
    fn new(order: Order, degree: usize, height: i32) -> Option<Uniform> {
        let tree = Tree::new(order, degree, height, 1).ok()?;
        let serial = alpha_beta_nodes(&tree, height);
        let work = work_of_one_search(&tree, height);
        Some(Uniform { degree, height, serial: serial as f64, work: work.nodes as f64, span: work.span as f64 })
    }

    fn efficiency(&self) -> f64 {
        self.serial / self.work
    }

    fn parallelism(&self) -> f64 {
        self.work / self.span
    }

    /// The order of the parallelism on best-ordered trees.
    fn expected(&self) -> f64 {
        (self.degree as f64 / 2.0).powf(f64::from(self.height) / 2.0)
    }
}

pub(super) fn write(sheet: &mut Sheet, size: Size, paper: &str) {
    let best: &[(usize, i32)] = match size {
        Size::Quick => &[(4, 4), (4, 6), (4, 8), (8, 4), (8, 6), (16, 4)],
        Size::Full => &[(4, 4), (4, 6), (4, 8), (4, 10), (8, 4), (8, 6), (8, 8), (16, 4), (16, 6), (32, 4)],
    };
    let worst: &[(usize, i32)] = match size {
        Size::Quick => &[(2, 8), (4, 4), (4, 6), (8, 4)],
        Size::Full => &[(2, 8), (2, 12), (4, 4), (4, 6), (4, 8), (8, 4), (8, 6), (16, 4)],
    };
    let all = |order, shapes: &[(usize, i32)]| -> Vec<Uniform> {
        shapes.iter().filter_map(|&(degree, height)| Uniform::new(order, degree, height)).collect()
    };
    let (best, worst) = (all(Order::BestFirst, best), all(Order::WorstFirst, worst));
    let mut table = ReportTable::new([
        "order",
        "degree",
        "height",
        "alpha-beta nodes",
        "W",
        "C",
        "efficiency",
        "W/C",
        "(d/2)^(h/2)",
        "W/C over it",
    ])
    .title("Theorems 1 and 2: Jamboree search on uniform trees");
    for (order, trees) in [("best first", &best), ("worst first", &worst)] {
        for tree in trees {
            let is_best = order == "best first";
            let expected = if is_best { significant(tree.expected()) } else { String::new() };
            let over = if is_best { fixed(tree.parallelism() / tree.expected(), 2) } else { String::new() };
            let cells = [
                order.to_owned(),
                tree.degree.to_string(),
                tree.height.to_string(),
                thousands(tree.serial),
                thousands(tree.work),
                thousands(tree.span),
                fixed(tree.efficiency(), 3),
                significant(tree.parallelism()),
                expected,
                over,
            ];
            table.push(cells);
        }
    }
    sheet.page.table(table.note("Best first: the last column stays the same as the height grows. Alpha-beta has no tests, so on best-ordered trees it visits the same nodes."));
    let (Some(high), Some(bad)) =
        (best.iter().max_by(|a, b| a.work.total_cmp(&b.work)), worst.iter().max_by(|a, b| a.work.total_cmp(&b.work)))
    else {
        return;
    };
    let id = |name: &str| format!("{paper}-theorem-{name}");
    let shape = |tree: &Uniform| format!("degree {}, height {}", tree.degree, tree.height);
    sheet.compare(&id("1-efficiency"), &[(shape(high), Said::of(&id("1-efficiency")), high.efficiency())], "");
    sheet.compare(
        &id("1-parallelism"),
        &[(shape(high), Said::Number(high.expected()), high.parallelism())],
        "against the formula; it leaves a constant open.",
    );
    sheet.compare(
        &id("2-efficiency"),
        &[(shape(bad), Said::of(&id("2-efficiency")), bad.efficiency())],
        "tends to a third as degree and height grow.",
    );
    sheet.compare(&id("2-parallelism"), &[(shape(bad), Said::of(&id("2-parallelism")), bad.parallelism())], "");
    let speedup = bad.serial / bad.span;
    if paper == "startech" {
        sheet.compare(
            &id("2-speedup"),
            &[(shape(bad), Said::of(&id("2-speedup")), speedup)],
            "on any number of processors.",
        );
    } else {
        sheet.compare(&id("2-span"), &[(shape(bad), Said::of(&id("2-span")), 1.0 / speedup)], "");
    }
}
