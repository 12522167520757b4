//! What to run again, and at what size.

use super::plans::{Extent, of_paper};
use crate::experiment::{Folder, LabError, Plan};

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

    /// The papers to write about: those that are wanted, and those whose searches the folder has.
    pub(super) fn papers(&self, folder: &Folder) -> Result<Vec<&'static str>, LabError> {
        let mut papers = Vec::new();
        for &paper in PAPERS {
            if self.wants(paper) || of_paper(paper, &self.extent)?.iter().all(|plan| plan.left(folder).is_empty()) {
                papers.push(paper);
            }
        }
        Ok(papers)
    }
}
