//! Jamboree search on uniform trees: theorems 1 and 2 of StarTech and *Socrates.

use super::plans::Size;
use super::sheet::{Row, Said, Sheet};
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
        Size::Usual | Size::Full => {
            &[(4, 4), (4, 6), (4, 8), (4, 10), (8, 4), (8, 6), (8, 8), (16, 4), (16, 6), (32, 4)]
        }
    };
    let worst: &[(usize, i32)] = match size {
        Size::Quick => &[(2, 8), (4, 4), (4, 6), (8, 4)],
        Size::Usual | Size::Full => &[(2, 8), (2, 12), (4, 4), (4, 6), (4, 8), (8, 4), (8, 6), (16, 4)],
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
    sheet.page.table(table.note("Best first: the last column is the constant that the theorem's order leaves open, the lower the \
        higher the tree at these small heights. Alpha-beta has no tests, so on best-ordered trees it visits the same nodes."));
    write_best(sheet, paper, &best);
    write_worst(sheet, paper, &worst);
}

/// The order of a quantity is that of the formula if both grow alike: from one height to that two plies higher.
fn write_best(sheet: &mut Sheet, paper: &str, trees: &[Uniform]) {
    let Some(high) = trees.iter().max_by(|a, b| a.work.total_cmp(&b.work)) else { return };
    let is_lower = |tree: &&Uniform| tree.degree == high.degree && tree.height + 2 == high.height;
    let Some(low) = trees.iter().find(is_lower) else { return };
    let id = |name: &str| format!("{paper}-theorem-1-{name}");
    let degree = high.degree as f64;
    let growth = |name: &str, what: &str, said: f64, of: fn(&Uniform) -> f64| {
        let what = format!("{what}, times from height {} to {}, degree {degree}", low.height, high.height);
        Row::new(&id(name), what, Said::Number(said), of(high) / of(low))
    };
    let efficiency = format!("efficiency, height {}, degree {degree}", high.height);
    let mut rows = vec![
        Row::of(&id("efficiency"), efficiency, high.efficiency()),
        growth("parallelism", "W/C", degree / 2.0, Uniform::parallelism),
    ];
    if paper == "socrates" {
        rows.push(growth("work", "work", degree, |tree| tree.work));
        rows.push(growth("span", "critical path", 2.0, |tree| tree.span));
    }
    sheet.compare(
        &id("efficiency"),
        &rows,
        "the formulas give orders: what is compared is how much two plies more multiply.",
    );
}

fn write_worst(sheet: &mut Sheet, paper: &str, trees: &[Uniform]) {
    let Some(bad) = trees.iter().max_by(|a, b| a.work.total_cmp(&b.work)) else { return };
    let id = |name: &str| format!("{paper}-theorem-2-{name}");
    let row = |name: &str, what: &str, ours| {
        Row::of(&id(name), format!("{what}, height {}, degree {}", bad.height, bad.degree), ours)
    };
    let mut rows =
        vec![row("efficiency", "efficiency", bad.efficiency()), row("parallelism", "W/C", bad.parallelism())];
    let speedup = bad.serial / bad.span;
    if paper == "startech" {
        rows.push(row("speedup", "speedup on as many processors as one likes", speedup));
    } else {
        rows.push(row("work", "work over that of alpha-beta", bad.work / bad.serial));
        rows.push(row("span", "critical path over the work of alpha-beta", 1.0 / speedup));
    }
    sheet.compare(&id("efficiency"), &rows, "these are limits for large degrees and heights.");
}
