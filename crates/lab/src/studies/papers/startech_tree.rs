//! StarTech (Kuszmaul 1995): what its trees were like. How often the first move was right, and how large stolen work was.

use super::measured::Measured;
use super::plans::{STARTECH_ALGORITHM, STRATEGY_PROCESSORS};
use super::sheet::{Row, Sheet};
use crate::experiment::Measurement;
use crate::report::{ReportTable, fixed, significant, thousands};
use crate::tree_row::TreeRow;

/// Nodes at which a move beat alpha, and those among them whose first move was the best one.
type Count = fn(&TreeRow) -> (u64, u64);

/// Types of nodes as the paper numbers them, and all together.
const TYPES: [(&str, Count); 4] = [
    ("type 1, %", |tree| (tree.with_best_type_1, tree.first_best_type_1)),
    ("type 2, %", |tree| (tree.with_best_type_2, tree.first_best_type_2)),
    ("type 3, %", |tree| (tree.with_best_type_3, tree.first_best_type_3)),
    ("all, %", |tree| (tree.with_best(), tree.first_best())),
];

/// How often the first move was the right one, by type of node, with recursive deepening and without.
pub(super) fn first_moves(sheet: &mut Sheet, with: &Measured, without: &Measured) {
    let columns = ["recursive deepening", "processors"].into_iter().chain(TYPES.map(|(name, _)| name));
    let mut table = ReportTable::new(columns.chain(["nodes with a best move"]))
        .title("Section 4: how often the first move was right, by type of node");
    for (name, measured) in [("without", without), ("with", with)] {
        for (algorithm, processors) in [("serial", 1), ("jamboree", STRATEGY_PROCESSORS)] {
            let searches = measured.searches(algorithm, processors);
            let mut row = vec![name.to_owned(), processors.to_string()];
            row.extend(TYPES.map(|(_, count)| {
                let (nodes, right) = sum(&searches, count);
                if nodes == 0 { String::new() } else { fixed(100.0 * right as f64 / nodes as f64, 1) }
            }));
            row.push(thousands(sum(&searches, TYPES[3].1).0 as f64));
            table.push(row);
        }
    }
    sheet.page.table(table.note(
        "Of the nodes of the full-width search at which a move beat alpha: was the best move the first one? Sums over all positions. The \
        paper gives 85 to 95 % without recursive deepening, and does not say by type.",
    ));
}

fn sum(searches: &[&Measurement], count: Count) -> (u64, u64) {
    let counts = searches.iter().map(|row| count(&row.accounts.tree));
    counts.fold((0, 0), |(nodes, right), (more, more_right)| (nodes + more, right + more_right))
}

/// How large stolen work was on each size of machine.
pub(super) fn stolen_work(sheet: &mut Sheet, machines: &Measured) {
    let counts = machines.processors(STARTECH_ALGORITHM);
    let mut table =
        ReportTable::new(["processors", "stolen positions", "% of all positions", "nodes below each, mean"])
            .title("Section 4: stolen work by size of machine");
    let mut sizes = Vec::new();
    for &processors in &counts {
        let searches = machines.every(STARTECH_ALGORITHM, processors);
        let (stolen, below) = sum(&searches, |tree| (tree.stolen_positions, tree.stolen_nodes));
        let nodes: u64 = searches.iter().map(|row| row.nodes).sum();
        let size = below as f64 / stolen.max(1) as f64;
        let share = 100.0 * stolen as f64 / nodes.max(1) as f64;
        table.push([processors.to_string(), thousands(stolen as f64), significant(share), significant(size)]);
        sizes.push(size);
    }
    sheet.page.table(table.note("Sums over all searches. Work that was stolen again from a thief counts at both."));
    if let (&[small, .., large], &[size, .., least]) = (counts.as_slice(), sizes.as_slice()) {
        let what = format!("mean size on {small} processors over that on {large}, times");
        let row = Row::of("startech-stolen-size", what, size / f64::max(least, 1.0));
        sheet.compare("startech-stolen-size", &[row], "nodes below a stolen position, from the table above.");
    }
}
