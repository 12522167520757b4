//! The papers' tables and figures, run again: what was published beside what we measure. docs/papers.md says how each is
//! made, and in what it differs.

mod check;
mod cray_blitz;
mod cycles;
mod dts;
mod fit;
mod headlines;
mod index;
mod machine_figures;
mod measured;
mod outlook;
mod plans;
mod reasons;
mod settings;
mod sheet;
mod socrates;
mod startech;
mod startech_figures;
mod startech_tree;
mod theorems;
mod today;
mod zugzwang;

use crate::experiment::{Folder, LabError, Progress};
use crate::report::{Origin, Page};
pub use check::{CheckedClaim, check};
pub use index::summary;
use measured::Bench;
pub use outlook::{Outlook, outlook};
pub use plans::{Extent, Size};
pub use settings::{PAPERS, PapersSettings};
pub use sheet::PaperPair;
use sheet::Sheet;

/// Runs the papers again, and writes page, pairs and rows into the folder. What the folder has of other papers at the same
/// size stays on the page.
///
/// # Errors
/// If there is no such paper, or something can't be written.
pub fn study(
    settings: &PapersSettings,
    folder: &Folder,
    origin: Origin,
    watch: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<(), LabError> {
    settings.check()?;
    let size = settings.extent.size;
    let mut bench = Bench { folder, jobs: settings.jobs, watch, rows: Vec::new() };
    bench.prepare(&settings.plans()?)?;
    settings.remember(folder)?;
    let papers = settings.papers(folder)?;
    let mut sheet = Sheet::new(size);
    for (paper, extent) in &papers {
        sheet.difference = extent.difference();
        match *paper {
            "dts" => {
                let forerunners = bench.measured(&plans::forerunners(extent)?)?;
                dts::write(&mut sheet, &bench.measured(&plans::dts(extent)?)?, &forerunners);
            }
            "cray-blitz" => {
                let [root_split, pvs] = plans::cray_blitz(extent)?;
                cray_blitz::write(&mut sheet, &bench.measured(&root_split)?, &bench.measured(&pvs)?);
            }
            "startech" => startech::write(&mut sheet, &mut bench, extent)?,
            "socrates" => {
                let (machines, scheduler) = (plans::socrates(extent)?, plans::socrates_scheduler(extent)?);
                socrates::write(&mut sheet, &bench.measured(&machines)?, &bench.measured(&scheduler)?, size);
            }
            "zugzwang" => {
                let [near, global, distributed] = plans::zugzwang_tables(extent)?;
                let tables = [bench.measured(&near)?, bench.measured(&global)?, bench.measured(&distributed)?];
                let [silent, asking, without] = plans::zugzwang_traffic(extent)?;
                let traffic = [bench.measured(&silent)?, bench.measured(&asking)?, bench.measured(&without)?];
                zugzwang::write(&mut sheet, &bench.measured(&plans::zugzwang(extent)?)?, &tables, &traffic);
            }
            _ => today::write(&mut sheet, &bench.measured(&plans::today(extent)?)?),
        }
    }
    folder.write_data("papers", sheet.pairs())?;
    folder.write_data("rows", &bench.rows)?;
    folder.write("size.txt", &format!("{}\n", size.name()))?;
    folder.write("summary.txt", &format!("{}\n", index::summary(sheet.pairs())))?;
    folder.write("headlines.md", &headlines::markdown(sheet.pairs(), size))?;
    let lines = index::lines(sheet.pairs(), &papers.iter().map(|&(paper, _)| paper).collect::<Vec<_>>());
    let mut page = Page::new("The papers' tables, run again");
    page.text(INTRODUCTION).text(&index::summary(sheet.pairs()));
    page.text(match size {
        Size::Quick => QUICK,
        Size::Usual => USUAL,
        Size::Full => FULL,
    });
    page.files(&[
        ("papers.csv", "every pair of numbers"),
        ("rows.csv", "every search"),
        ("papers.json", "the pairs as JSON"),
    ]);
    headlines::write(page.section("Headlines"), sheet.pairs(), size);
    page.section("Index").table(index::table(&lines));
    page.append(&sheet.page);
    page.glossary();
    let mut origin = origin.fact("searches made by", folder.versions().join(", then ")).fact("size", size.name());
    for (paper, extent) in &papers {
        let difference = extent.difference();
        let own = if difference.is_empty() { "the size's own searches".to_owned() } else { difference };
        origin = origin.fact(*paper, format!("{own}; seeds 1 to {}, one for each repetition", extent.repeats()));
    }
    page.how_it_was_made(&origin);
    page.write(folder)
}

const INTRODUCTION: &str = "Every table and figure of five papers on parallel game-tree search, measured again with one \
    program: the published value, ours, and their ratio. The machines are virtual, with costs from the papers; the searches \
    are real. Evaluation and move order are ours, not theirs. Intervals are 95 %, from drawing the positions again.";
const QUICK: &str = "This is the quick version, with searches of about a hundred thousand nodes where the papers had millions: \
    there is less to do in parallel, so that large machines look worse here than in the full version.";
const USUAL: &str =
    "This is the default version, with searches of one or two million nodes: smaller than most of the papers'.";
const FULL: &str = "This is the full version, with searches of the papers' own sizes, unless it is said at a paper that they are smaller.";

#[cfg(test)]
mod tests;
