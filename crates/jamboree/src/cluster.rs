//! `jamboree cluster`: UCI in front of a job of many processes, and, inside the job, one of its ranks.

mod check;
mod launcher;
mod rank;

use crate::Failure;
use clap::Args;
use launcher::{Launcher, environment, refuse_lonely};
use std::path::PathBuf;
use std::time::Duration;

/// Play and analyse on many machines
///
/// Give this command to your chess user interface as an engine. It is the *front*:
/// it speaks UCI, starts a job of MPI ranks that search together, and passes
/// commands and answers on. Whatever happens to the job, the front answers in
/// time, because it also searches every position briefly itself. It ends a job that dies,
/// hangs or plays an illegal move, starts it again with the same settings, and
/// says so in an `info string cluster: ...`.
///
/// The job is any command that speaks UCI on standard input and output; --ranks
/// starts ranks of this program. Inside an MPI job (mpirun and srun set OMPI_COMM_WORLD_RANK,
/// PMIX_RANK or PMI_RANK) `jamboree cluster` is a rank, and the first rank speaks UCI.
///
/// Before the first game, --check tests the hosts and the network.
///
/// Examples:
///   jamboree cluster --ranks 4 --check --threads 4 --hash 4096
///   jamboree cluster --ranks 4
///   jamboree cluster --ranks 64 --hostfile hosts --overhead 50
///   jamboree cluster --job 'mpirun -n 4 --bind-to core jamboree cluster'
///   jamboree cluster --job jamboree          (no MPI: one process, started again if it dies)
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The command line of the job; quotes and backslashes as in a shell
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["ranks", "hostfile", "mpirun"])]
    job: Option<String>,
    /// Start this many ranks of this program by mpirun
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    ranks: Option<u32>,
    /// The machines to start ranks on, as mpirun reads them
    #[arg(long, value_name = "FILE", requires = "ranks")]
    hostfile: Option<PathBuf>,
    /// The program that starts ranks
    #[arg(long, value_name = "PROGRAM", default_value = "mpirun", requires = "ranks")]
    mpirun: String,
    /// Time lost between the engine and the clock on every move, in ms: sets the UCI option `Move Overhead`
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=10_000))]
    overhead: Option<u64>,
    #[command(flatten)]
    rank: rank::Settings,
    #[command(flatten)]
    check: check::CheckSettings,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(launcher) = Launcher::new(environment) {
        return rank::run(&arguments.rank, &arguments.check, &launcher);
    }
    let job = arguments.job()?;
    if arguments.check.check {
        return check_job(job);
    }
    front(job, arguments.overhead.map(Duration::from_millis))
}

/// Runs a job that checks itself and prints what it finds, in the place of this process: its exit code is that of the job.
#[cfg(unix)]
fn check_job(job: Vec<String>) -> Result<(), Failure> {
    let (program, words) = job.split_first().ok_or("the job is empty: name a command")?;
    let error = std::os::unix::process::CommandExt::exec(std::process::Command::new(program).args(words));
    Err(format!("can't start '{program}': {error}; name a program that starts ranks (--mpirun, --job)").into())
}

#[cfg(not(unix))]
fn check_job(_: Vec<String>) -> Result<(), Failure> {
    Err("--check needs a Unix system: run it there".into())
}

/// The table of the front's own search, in MiB.
#[cfg(unix)]
const HASH_MIB: usize = 16;

#[cfg(unix)]
fn front(job: Vec<String>, overhead: Option<Duration>) -> Result<(), Failure> {
    let engine = engine::EngineCore::with(chess::RuleSet::default(), HASH_MIB)?;
    Ok(engine::front::run(&engine::front::FrontSettings { job, overhead }, engine, std::io::stdin())?)
}

#[cfg(not(unix))]
fn front(_: Vec<String>, _: Option<Duration>) -> Result<(), Failure> {
    Err("the front needs process groups, which only Unix systems have: run it there".into())
}

impl Arguments {
    /// The words of the job's command line.
    fn job(&self) -> Result<Vec<String>, Failure> {
        if let Some(job) = &self.job {
            let mut words = split(job)?;
            words.extend(self.check.words());
            return Ok(words);
        }
        let Some(ranks) = self.ranks else {
            refuse_lonely(environment)?;
            return Err("no job is given: use --ranks N or --job 'COMMAND'; see --help".into());
        };
        if !cfg!(feature = "mpi") {
            return Err("this build has no MPI and can't start ranks: build it with `cargo build --release \
                        --features mpi`, or say --job 'COMMAND'"
                .into());
        }
        self.mpi_job(ranks)
    }

    /// The command line that starts ranks of this program.
    fn mpi_job(&self, ranks: u32) -> Result<Vec<String>, Failure> {
        let text =
            |path: PathBuf| path.into_os_string().into_string().map_err(|_| "a path is not valid UTF-8".to_string());
        let mut job = vec![self.mpirun.clone(), "-n".to_string(), ranks.to_string()];
        if let Some(file) = &self.hostfile {
            job.extend(["--hostfile".to_string(), text(file.clone())?]);
        }
        job.extend([text(std::env::current_exe()?)?, "cluster".to_string()]);
        job.extend(self.rank.words().into_iter().chain(self.check.words()));
        Ok(job)
    }
}

#[cfg(unix)]
use engine::front::split;

#[cfg(not(unix))]
fn split(job: &str) -> Result<Vec<String>, String> {
    Ok(job.split_whitespace().map(str::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn job(words: &[&str]) -> Result<Vec<String>, String> {
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        line.arguments.job().map_err(|error| error.to_string())
    }

    /// Without this check, the front would start ranks that end at once, again and again.
    #[test]
    fn a_build_without_mpi_starts_no_ranks() {
        let job = job(&["cluster", "--ranks", "2"]);
        assert_eq!(job.is_ok(), cfg!(feature = "mpi"), "{job:?}");
        assert!(job.is_ok() || job.is_err_and(|error| error.contains("--features mpi")));
    }

    #[test]
    fn ranks_are_started_by_mpirun() {
        let line = ["cluster", "--ranks", "4", "--hostfile", "my hosts", "--mpirun", "mpiexec"];
        let words = Line::try_parse_from(line).unwrap().arguments.mpi_job(4).unwrap();
        assert_eq!(words[..5], ["mpiexec", "-n", "4", "--hostfile", "my hosts"]);
        assert_eq!((words.len(), words[6].as_str()), (7, "cluster"));
        assert_eq!(job(&["cluster", "--job", "a 'b c'"]).unwrap(), ["a", "b c"]);
        let checked = ["cluster", "--job", "mpirun x cluster", "--check", "--hash", "9"];
        assert_eq!(job(&checked).unwrap()[3..], ["--hash", "9", "--check"]);
    }

    #[test]
    fn a_job_must_be_named_in_one_way() {
        for words in [&["cluster"][..], &["cluster", "--job", "a", "--ranks", "2"], &["cluster", "--hostfile", "x"]] {
            assert!(job(words).is_err(), "{words:?}");
        }
        assert!(job(&["cluster", "--ranks", "0"]).is_err() && job(&["cluster", "--job", "'"]).is_err());
    }
}
