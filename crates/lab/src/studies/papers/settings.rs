//! What to run again, and at what size.

use super::plans::{Extent, of_paper};
use crate::experiment::{Folder, LabError, Plan};
use serde::{Deserialize, Serialize};

/// The papers, by the names on the command line.
pub const PAPERS: &[&str] = &["dts", "cray-blitz", "startech", "socrates", "zugzwang", "today"];

/// What to run again.
#[derive(Clone, Debug)]
pub struct PapersSettings {
    /// How large the searches are, and how many.
    pub extent: Extent,
    /// Only this paper.
    pub paper: Option<String>,
    /// How many searches at the same time.
    pub jobs: usize,
}

impl PapersSettings {
    /// Checks what can be checked without searching.
    ///
    /// # Errors
    /// If there is no such paper.
    pub(super) fn check(&self) -> Result<(), LabError> {
        match self.paper.as_deref().filter(|name| !PAPERS.contains(name)) {
            Some(name) => Err(LabError::Settings(format!("no paper '{name}'; there are {}", PAPERS.join(", ")))),
            None => Ok(()),
        }
    }

    fn wants(&self, paper: &str) -> bool {
        self.paper.as_deref().is_none_or(|name| name == paper)
    }

    /// The plans of the papers that are wanted.
    pub(super) fn plans(&self) -> Result<Vec<Plan>, LabError> {
        let wanted = PAPERS.iter().filter(|paper| self.wants(paper));
        let plans: Result<Vec<Vec<Plan>>, LabError> = wanted.map(|paper| of_paper(paper, &self.extent)).collect();
        Ok(plans?.into_iter().flatten().collect())
    }

    /// The papers to write about, each with its extent: those that are wanted, and those of the same size whose searches the
    /// folder has.
    pub(super) fn papers(&self, folder: &Folder) -> Result<Vec<(&'static str, Extent)>, LabError> {
        let mut papers = Vec::new();
        for &paper in PAPERS {
            let extent = if self.wants(paper) { self.extent } else { self.last_extent(folder, paper) };
            let is_there =
                || Ok::<_, LabError>(of_paper(paper, &extent)?.iter().all(|plan| plan.left(folder).is_empty()));
            if self.wants(paper) || is_there()? {
                papers.push((paper, extent));
            }
        }
        Ok(papers)
    }

    /// Keeps in the folder with which extent the wanted papers were run.
    pub(super) fn remember(&self, folder: &Folder) -> Result<(), LabError> {
        for &paper in PAPERS.iter().filter(|paper| self.wants(paper)) {
            if self.last_extent(folder, paper) != self.extent {
                folder.note(&PaperRun { paper: paper.to_owned(), extent: self.extent })?;
            }
        }
        Ok(())
    }

    /// With which extent a paper was last run in this folder at this size; as a whole, if nothing is known.
    fn last_extent(&self, folder: &Folder, paper: &str) -> Extent {
        let mut runs = folder.notes().into_iter().filter_map(|note| serde_json::from_value::<PaperRun>(note).ok());
        let last = runs.rfind(|run| run.paper == paper && run.extent.size == self.extent.size);
        last.map_or(Extent::whole(self.extent.size), |run| run.extent)
    }
}

/// A line of the journal: a paper was run with this extent.
#[derive(Serialize, Deserialize)]
struct PaperRun {
    paper: String,
    extent: Extent,
}
