//! What started this process: `mpirun` and `srun` tell a rank by the environment.

/// How a launcher counts its processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Launcher {
    /// What it is called.
    name: &'static str,
    /// The number of this process.
    rank: usize,
    /// How many there are, if it says so.
    size: Option<usize>,
}

/// Launchers, with the variables for the number of a process and for how many there are. The first one that is there
/// counts: inside a Slurm job `mpirun` starts its helpers by `srun`.
const LAUNCHERS: [(&str, &str, &str); 3] = [
    ("Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("the launcher", "PMI_RANK", "PMI_SIZE"),
    ("the launcher", "PMIX_RANK", SRUN.1),
];

/// The variables that `srun` sets for all processes, even if it does not tell them of each other.
const SRUN: (&str, &str) = ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS");

/// Reads a number from the environment.
pub(super) fn environment(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

impl Launcher {
    /// What started this process as a rank, by the numbers in its environment.
    pub(super) fn new(number: impl Fn(&str) -> Option<usize>) -> Option<Launcher> {
        let found = |(name, rank, size): (&'static str, &str, &str)| {
            Some(Launcher { name, rank: number(rank)?, size: number(size) })
        };
        LAUNCHERS.into_iter().find_map(found)
    }

    /// Compares with the number of ranks that MPI sees; none if the program has no MPI.
    ///
    /// # Errors
    /// If MPI sees others, or none: then each process would be alone.
    pub(super) fn compare(&self, seen: Option<(usize, &str)>) -> Result<(), String> {
        let started = self.size.unwrap_or(1);
        let (name, rank, host) = (self.name, self.rank, engine::host());
        match seen {
            Some((ranks, _)) if self.size.is_none_or(|size| size == ranks) => Ok(()),
            Some((ranks, library)) => Err(format!(
                "rank {rank} on {host}: {name} started {started} processes, but the MPI of this build ({library}) sees {ranks}, so that \
                 each would be alone: use the mpirun of the same MPI, or build again with this one"
            )),
            None => Err(format!(
                "rank {rank} on {host}: {name} started {started} processes, but this build has no MPI, so that each would be alone: \
                 build it with `cargo build --release --features mpi`"
            )),
        }
    }
}

/// A process of `srun` that was not told of the others.
///
/// # Errors
/// If this is one.
pub(super) fn refuse_lonely(number: impl Fn(&str) -> Option<usize>) -> Result<(), String> {
    match (number(SRUN.0), number(SRUN.1)) {
        (Some(rank), Some(tasks)) if tasks > 1 => Err(format!(
            "rank {rank} on {}: srun started {tasks} processes and told them nothing of each other: say `srun --mpi=pmix` (Open MPI) \
             or `srun --mpi=pmi2` (MPICH)",
            engine::host()
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, usize)]) -> Option<Launcher> {
        Launcher::new(|name| variables.iter().find(|(other, _)| *other == name).map(|(_, number)| *number))
    }

    #[test]
    fn the_launcher_is_known_by_its_variables() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("SLURM_PROCID", 0), ("SLURM_STEP_NUM_TASKS", 4)]), None, "a batch script of Slurm is no rank");
        for variables in [
            &[("OMPI_COMM_WORLD_RANK", 1), ("OMPI_COMM_WORLD_SIZE", 4), ("PMIX_RANK", 1), ("SLURM_STEP_NUM_TASKS", 2)]
                [..],
            &[("PMI_RANK", 1), ("PMI_SIZE", 4)],
            &[("PMIX_RANK", 1), ("SLURM_STEP_NUM_TASKS", 4)],
        ] {
            let launcher = of(variables).unwrap();
            assert_eq!((launcher.rank, launcher.size), (1, Some(4)), "{variables:?}");
        }
    }

    #[test]
    fn a_process_that_would_be_alone_is_told_so() {
        let launcher = of(&[("PMI_RANK", 1), ("PMI_SIZE", 4)]).unwrap();
        assert_eq!(launcher.compare(Some((4, "MPICH"))), Ok(()));
        assert!(
            launcher
                .compare(Some((1, "MPICH")))
                .is_err_and(|error| error.contains("MPICH") && error.contains("mpirun"))
        );
        assert!(
            launcher
                .compare(None)
                .is_err_and(|error| error.contains("4 processes") && error.contains("--features mpi"))
        );
        assert_eq!(of(&[("PMIX_RANK", 0)]).unwrap().compare(Some((3, ""))), Ok(()), "it did not say how many");
        assert!(refuse_lonely(|_| Some(2)).is_err_and(|error| error.contains("--mpi=pmix")));
        assert_eq!(refuse_lonely(|_| Some(1)), Ok(()));
        assert_eq!(refuse_lonely(|_| None), Ok(()));
    }
}
