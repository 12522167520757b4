//! Numbers of threads on the command line.

/// The most threads, engines or searches that a command runs at the same time.
const MOST: usize = 4096;

/// Reads a number of threads; for clap's `value_parser`.
///
/// # Errors
/// If it is not a number from 1 to 4096.
pub(crate) fn parse(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("give a number from 1 to {MOST}"))
}

/// The number of threads that was asked for, or else one for each processor that this process may use: the standard library looks
/// at its affinity and at the CPU limits of its control groups.
pub(crate) fn or_all(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_no_number_of_threads() {
        assert_eq!(parse("3"), Ok(3));
        for bad in ["0", "4097", "-1", "", "two"] {
            assert!(parse(bad).is_err_and(|message| message.contains("1 to 4096")), "{bad}");
        }
        assert!(or_all(None) >= 1 && or_all(Some(7)) == 7);
    }

    /// The number of threads by default on a thread that may use one processor only; none where `taskset` is missing.
    #[cfg(target_os = "linux")]
    fn default_on_one_processor() -> Option<usize> {
        let own = std::fs::read_link("/proc/thread-self").ok()?;
        let status = std::fs::read_to_string("/proc/thread-self/status").ok()?;
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim();
        let first = allowed.split(|c: char| !c.is_ascii_digit()).next()?;
        let mut taskset = std::process::Command::new("taskset");
        let done = taskset.args(["--pid", "--cpu-list", first]).arg(own.file_name()?).output().ok()?;
        done.status.success().then(|| or_all(None))
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_default_follows_the_affinity() {
        let default = std::thread::spawn(default_on_one_processor).join().unwrap();
        assert!(default.is_none_or(|threads| threads == 1), "{default:?}");
    }
}
