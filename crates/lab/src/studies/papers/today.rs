//! The search of today, by the algorithms of the papers and of today: no published table.

use super::measured::Measured;
use super::sheet::Sheet;
use crate::report::{ReportTable, fixed, percent};

pub(super) fn write(sheet: &mut Sheet, measured: &Measured) {
    sheet.page.section("Today");
    sheet.page.text("The same machine with the modern search, which prunes and reduces, by every algorithm: what the papers' ideas \
        are worth now. Pruning leaves narrower and deeper trees with less parallelism, and an algorithm that waits for the first \
        move at every node waits most of the time.");
    let head = ["algorithm", "processors", "speedup, mean", "geometric mean", "95 % interval", "nodes", "load", "W/C"];
    let mut table = ReportTable::new(head).title("24 positions of the DTS paper, modern rules, ideal machine");
    for mean in &measured.comparison.means {
        table.push([
            mean.algorithm.clone(),
            mean.processors.to_string(),
            fixed(mean.arithmetic, 2),
            fixed(mean.geometric, 2),
            format!("{} to {}", fixed(mean.low, 1), fixed(mean.high, 1)),
            format!("\u{d7}{}", fixed(mean.factors.overhead, 2)),
            percent(mean.factors.load),
            fixed(mean.parallelism, 1),
        ]);
    }
    sheet.page.table(table);
}
