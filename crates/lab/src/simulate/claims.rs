//! What is claimed of a search, and the first claim that does not hold.

/// A claim that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was checked.
    pub claim: String,
    /// What was found instead.
    pub message: String,
}

impl Failure {
    /// A claim that does not hold.
    pub fn new(claim: &str, message: String) -> Failure {
        Failure { claim: claim.to_owned(), message }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.claim, self.message)
    }
}

/// The claims that were checked and hold.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    held: Vec<&'static str>,
    /// Nodes of the searches that were made for it.
    pub nodes: u64,
}

impl Claims {
    /// The claims that hold, in the order in which they were checked.
    pub fn held(&self) -> &[&'static str] {
        &self.held
    }

    /// Checks a claim; `found` says what is there instead.
    pub(super) fn check(
        &mut self,
        claim: &'static str,
        holds: bool,
        found: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if !holds {
            return Err(Failure::new(claim, found()));
        }
        self.held.push(claim);
        Ok(())
    }
}
