//! The papers' tables and figures, run again: published values beside ours. docs/papers.md says how each is made, and
//! how it differs from the paper.

mod bench;
mod cray_blitz;
mod cycles;
mod dts;
mod fit;
mod plans;
mod sheet;
mod socrates;
mod startech;
mod theorems;
mod today;
mod zugzwang;

use crate::experiment::{Folder, LabError, Progress};
use crate::report::Origin;
use bench::Bench;
pub use plans::Size;
use sheet::Sheet;

/// The papers, by the names on the command line.
pub const PAPERS: &[&str] = &["dts", "cray-blitz", "startech", "socrates", "zugzwang", "today"];

/// What to run again.
#[derive(Clone, Debug)]
pub struct PapersSettings {
    /// How large the searches are.
    pub size: Size,
    /// Only this paper.
    pub paper: Option<String>,
    /// How many searches run at the same time.
    pub jobs: usize,
}

impl PapersSettings {
    fn wants(&self, paper: &str) -> bool {
        self.paper.as_deref().is_none_or(|name| name == paper)
    }
}

/// Runs the papers again, and writes page, pairs and rows into the folder.
///
/// # Errors
/// If there is no such paper, or something can't be written.
pub fn study(
    settings: &PapersSettings,
    folder: &Folder,
    origin: Origin,
    watch: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<(), LabError> {
    if let Some(name) = settings.paper.as_deref().filter(|name| !PAPERS.contains(name)) {
        return Err(LabError::Settings(format!("no paper '{name}'; there are {}", PAPERS.join(", "))));
    }
    let size = settings.size;
    let mut bench = Bench { folder, jobs: settings.jobs, watch, rows: Vec::new() };
    let mut plans = Vec::new();
    if settings.wants("dts") {
        plans.push(plans::dts(size)?);
    }
    if settings.wants("cray-blitz") {
        plans.extend(plans::cray_blitz(size)?);
    }
    if settings.wants("startech") {
        plans.push(plans::startech(size)?);
        plans.extend(plans::startech_strategies(size)?);
    }
    if settings.wants("socrates") {
        plans.extend([plans::socrates(size)?, plans::socrates_scheduler(size)?]);
    }
    if settings.wants("zugzwang") {
        plans.push(plans::zugzwang(size)?);
        plans.extend(plans::zugzwang_tables(size)?);
    }
    if settings.wants("today") {
        plans.push(plans::today(size)?);
    }
    bench.prepare(&plans.iter().collect::<Vec<_>>())?;
    let mut sheet = Sheet::new("The papers' tables, run again");
    sheet.page.text(INTRODUCTION);
    if size == Size::Quick {
        sheet.page.text(QUICK);
    }
    if settings.wants("dts") {
        dts::write(&mut sheet, &bench.measured(&plans::dts(size)?)?);
    }
    if settings.wants("cray-blitz") {
        let [root_split, pvs] = plans::cray_blitz(size)?;
        cray_blitz::write(&mut sheet, &bench.measured(&root_split)?, &bench.measured(&pvs)?);
    }
    if settings.wants("startech") {
        startech::write(&mut sheet, &mut bench, size)?;
    }
    if settings.wants("socrates") {
        let (machines, scheduler) = (plans::socrates(size)?, plans::socrates_scheduler(size)?);
        socrates::write(&mut sheet, &bench.measured(&machines)?, &bench.measured(&scheduler)?, size);
    }
    if settings.wants("zugzwang") {
        let [local, distributed] = plans::zugzwang_tables(size)?;
        let tables = [bench.measured(&local)?, bench.measured(&distributed)?];
        zugzwang::write(&mut sheet, &bench.measured(&plans::zugzwang(size)?)?, &tables);
    }
    if settings.wants("today") {
        today::write(&mut sheet, &bench.measured(&plans::today(size)?)?);
    }
    folder.write_data("papers", sheet.pairs())?;
    folder.write_data("rows", &bench.rows)?;
    sheet.page.how_it_was_made(&origin.fact("seed", "1"));
    sheet.page.write(folder)
}

const INTRODUCTION: &str = "Every table and figure of five papers on parallel game-tree search, measured again with one \
    program: the published value, ours, and their ratio. The machines are virtual, with costs from the papers; the searches \
    are real. Other evaluations, other move orders and smaller trees than theirs: look at the shape of the numbers more than \
    at the numbers.";
const QUICK: &str = "This is the quick version, with searches of about a hundred thousand nodes where the papers had millions: \
    there is less to do in parallel, so that large machines look worse here than in the full version.";
