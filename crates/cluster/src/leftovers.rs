//! Files of shared memory that killed jobs leave behind.
//!
//! MPI makes files in `/dev/shm` and removes them at its end, which a job that is killed does not come to. So every rank writes
//! down which files it shares, in a register of its own. The next rank on the host that starts takes the registers of dead
//! processes, and removes the files in them that no living process uses. Nothing else is touched: files of other users, of
//! programs other than this one, and of jobs that live are in no such register.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What their names begin with.
const NAME: &str = "jamboree-rank";
/// Maximum length of a register in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The register of this process; removed when it is dropped.
pub(crate) struct Register {
    path: PathBuf,
}

impl Register {
    /// Writes down the files that this process shares with others now. None if there is no such folder, or no file.
    pub(crate) fn new(folder: &Path) -> Option<Register> {
        let files = shared_files(std::process::id(), Sharing::Written);
        let path = folder.join(Owner::this_process()?.name());
        if files.is_empty() {
            return None;
        }
        // Never through a link that another user has put there.
        let mut file = fs::File::create_new(&path).ok()?;
        let register = Register { path };
        for path in files {
            writeln!(file, "{}", path.display()).ok()?;
        }
        Some(register)
    }
}

impl Drop for Register {
    fn drop(&mut self) {
        // If it stays, the next rank removes it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes what dead ranks of this user have left.
pub(crate) fn clean(folder: &Path) {
    let Some((this, user)) = Owner::this_process().zip(user()) else { return };
    let is_own = |path: &Path| fs::symlink_metadata(path).is_ok_and(|file| file.is_file() && file.uid() == user);
    let is_dead = |owner: Owner| owner.space == this.space && started(owner.process) != Some(owner.started);
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let registers = entries.filter(|entry| Owner::from_name(&entry.file_name().to_string_lossy()).is_some_and(is_dead));
    let registers: Vec<PathBuf> = registers.map(|entry| entry.path()).filter(|path| is_own(path)).collect();
    if registers.is_empty() {
        return;
    }
    let used = used_files();
    for register in registers {
        let is_short = fs::metadata(&register).is_ok_and(|file| file.len() <= MOST_BYTES);
        let text = if is_short { fs::read_to_string(&register).unwrap_or_default() } else { String::new() };
        let files: Vec<&Path> = text.lines().map(Path::new).filter(|path| is_own(path)).collect();
        // Another rank may do the same now.
        files.iter().filter(|path| !used.contains(**path)).for_each(|path| drop(fs::remove_file(path)));
        // A file that is still used, as by an `mpirun` that ends, is for the next rank.
        if files.iter().all(|path| !used.contains(*path)) {
            let _ = fs::remove_file(register);
        }
    }
}

/// The process that a register belongs to. The same number comes again, in other containers and later; the start does not.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Owner {
    /// The number of its space of process numbers: a container has its own, and may share the folder with others.
    space: u64,
    process: u32,
    /// When it started, in ticks since the start of the host.
    started: u64,
}

impl Owner {
    fn this_process() -> Option<Owner> {
        let process = std::process::id();
        let space = fs::metadata("/proc/self/ns/pid").ok()?.ino();
        Some(Owner { space, process, started: started(process)? })
    }

    fn name(self) -> String {
        format!("{NAME}.{}.{}.{}", self.space, self.process, self.started)
    }

    fn from_name(name: &str) -> Option<Owner> {
        let mut numbers = name.strip_prefix(NAME)?.strip_prefix('.')?.split('.');
        let mut next = || numbers.next()?.parse::<u64>().ok();
        let (space, process, started) = (next()?, next()?, next()?);
        Some(Owner { space, process: process.try_into().ok()?, started })
    }
}

/// When a process started, in ticks since the start of the host; none if there is no such process, or if it has ended.
fn started(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before the bracket may contain anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// The user that this process runs as.
fn user() -> Option<u32> {
    fs::metadata("/proc/self").ok().map(|file| file.uid())
}

/// Which files of a process are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// Those in its memory of which what it writes is seen by others.
    Written,
    /// All in its memory.
    Any,
}

/// Files in the memory of a process.
fn shared_files(process: u32, sharing: Sharing) -> BTreeSet<PathBuf> {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    let file = |line: &str| {
        let (numbers, path) = line.split_at(line.find(" /")?);
        let is_written = numbers.split_whitespace().nth(1)? == "rw-s";
        let is_file = !path.ends_with(" (deleted)") && (!path.starts_with(" /dev/") || path.starts_with(" /dev/shm/"));
        (is_file && (is_written || sharing == Sharing::Any)).then(|| PathBuf::from(path.trim_start()))
    };
    maps.lines().filter_map(file).collect()
}

/// Files in the memory of all processes.
fn used_files() -> BTreeSet<PathBuf> {
    let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.flat_map(|process| shared_files(process, Sharing::Any)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    /// A folder of this test, and a process that lives: its program is in that folder, and so in use.
    fn setting(name: &str) -> (PathBuf, PathBuf, Child) {
        let folder =
            std::env::temp_dir().canonicalize().unwrap().join(format!("jamboree-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let program = folder.join("program");
        fs::copy("/bin/sleep", &program).unwrap();
        let child = Command::new(&program).arg("60").spawn().unwrap();
        // A process that has just been started has not mapped its program yet.
        while !shared_files(child.id(), Sharing::Any).contains(&program) {
            std::thread::yield_now();
        }
        (folder, program, child)
    }

    fn register(folder: &Path, owner: Owner, files: &[&Path]) -> PathBuf {
        let path = folder.join(owner.name());
        let lines: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        fs::write(&path, lines.join("\n")).unwrap();
        path
    }

    #[test]
    fn only_what_dead_ranks_left_is_removed() {
        let (folder, program, mut child) = setting("leftovers");
        let [ours, other] = ["ours", "other"].map(|name| folder.join(name));
        [&ours, &other].iter().for_each(|path| fs::write(path, "x").unwrap());
        let owner =
            Owner { process: child.id(), started: started(child.id()).unwrap(), ..Owner::this_process().unwrap() };
        let alive = register(&folder, owner, &[&ours, &program]);
        clean(&folder);
        assert!(alive.exists() && ours.exists(), "its process lives");

        // The same number, of a process before or in another container.
        let before = register(&folder, Owner { started: owner.started - 1, ..owner }, &[&program]);
        let elsewhere = register(&folder, Owner { space: owner.space + 1, started: 0, ..owner }, &[&other]);
        clean(&folder);
        assert!(before.exists() && program.exists(), "a living process uses the file");
        assert!(elsewhere.exists() && other.exists(), "nothing is known of that process");

        child.kill().unwrap();
        child.wait().unwrap();
        clean(&folder);
        assert!(!alive.exists() && !ours.exists() && !program.exists() && !before.exists());
        assert!(other.exists() && elsewhere.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn links_are_not_followed() {
        let folder = std::env::temp_dir().join(format!("jamboree-links-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (target, link) = (folder.join("target"), folder.join("link"));
        fs::write(&target, "x").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let dead = Owner { started: 1, ..Owner::this_process().unwrap() };
        register(&folder, dead, &[&link]);
        clean(&folder);
        assert!(target.exists() && link.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_register_goes_with_its_process() {
        let folder = std::env::temp_dir().join(format!("jamboree-register-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        drop(Register::new(&folder));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        assert!(Register::new(&folder.join("nowhere")).is_none());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn names_of_other_files_are_no_registers() {
        let owner = Owner::this_process().unwrap();
        assert!(Owner::from_name(&owner.name()).is_some_and(|read| read == owner));
        for name in ["vader_segment.x", NAME, "jamboree-rank.1.2", "jamboree-rank.1.x.3", "jamboree-ranks.1.2.3"] {
            assert!(Owner::from_name(name).is_none(), "{name}");
        }
    }
}
