//! How much memory this process can have, as far as the system says so.
//!
//! Linux maps more memory than it has and kills a process later, so we look before we take.

use std::path::Path;

/// Bytes that this process can have without swapping: what the machine has left, or less if its control groups or a limit of
/// its address space allow less.
pub fn available_bytes() -> Option<usize> {
    [host_available_bytes(), group_bytes(), address_bytes()].into_iter().flatten().min()
}

/// Bytes that the machine has left.
pub fn host_available_bytes() -> Option<usize> {
    kib("/proc/meminfo", "MemAvailable:")
}

/// What a line `name number kB` of a file says, in bytes.
fn kib(file: &str, name: &str) -> Option<usize> {
    named(&read(Path::new(file))?, name)?.checked_mul(1024)
}

/// What a limit on the address space (`ulimit -v`) leaves.
fn address_bytes() -> Option<usize> {
    let limit = named(&read(Path::new("/proc/self/limits"))?, "Max address space")?;
    Some(limit.saturating_sub(kib("/proc/self/status", "VmSize:")?))
}

/// The first number behind a name at the beginning of a line.
fn named(text: &str, name: &str) -> Option<usize> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// What the control groups of this process leave, those above its own too.
fn group_bytes() -> Option<usize> {
    let groups = read(Path::new("/proc/self/cgroup"))?;
    groups.lines().filter_map(group_path).filter_map(|(root, names, path)| least_room(root, names, path)).min()
}

/// The files of a control group with its limit and what is used of it.
type Names = [&'static str; 2];

/// Where the control groups of a line `number:controllers:path` limit memory: version 2 has no controllers there.
fn group_path(line: &str) -> Option<(&'static str, Names, &str)> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    match controllers {
        "" => Some(("/sys/fs/cgroup", ["memory.max", "memory.current"], path)),
        "memory" => Some(("/sys/fs/cgroup/memory", ["memory.limit_in_bytes", "memory.usage_in_bytes"], path)),
        _ => None,
    }
}

/// The least that a group or one above it leaves. Inside a container the path is often one of the host: then there are no
/// such files, and the container's own are those of the root.
fn least_room(root: &str, names: Names, path: &str) -> Option<usize> {
    let room = |group: &Path| {
        let folder = Path::new(root).join(group.strip_prefix("/").ok()?);
        let [limit, used] = names.map(|name| read(&folder.join(name))?.trim().parse::<usize>().ok());
        // The system takes files that it keeps in memory back before it refuses memory.
        let kept = read(&folder.join("memory.stat")).and_then(|text| named(&text, "inactive_file ")).unwrap_or(0);
        Some((limit? + kept).saturating_sub(used?))
    };
    Path::new(path).ancestors().filter_map(room).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_system_are_read() {
        assert_eq!(named("MemTotal: 5 kB\nMemAvailable:   7 kB\n", "MemAvailable:"), Some(7));
        assert_eq!(named("Max address space         unlimited   unlimited   bytes", "Max address space"), None);
        assert_eq!(named("Max address space         4096   unlimited   bytes", "Max address space"), Some(4096));
        assert_eq!(group_path("0::/a/b").map(|(_, _, path)| path), Some("/a/b"));
        assert_eq!(group_path("9:memory:/c").map(|(root, ..)| root), Some("/sys/fs/cgroup/memory"));
        assert!(group_path("8:cpu,cpuacct:/").is_none() && group_path("").is_none());
    }

    #[test]
    fn the_tightest_group_counts() {
        let root = std::env::temp_dir().join(format!("jamboree-groups-{}", std::process::id()));
        let inner = root.join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        for (folder, limit) in [(&root, "max"), (&root.join("a"), "1000"), (&inner, "5000")] {
            std::fs::write(folder.join("memory.max"), limit).unwrap();
            std::fs::write(folder.join("memory.current"), "400\n").unwrap();
            std::fs::write(folder.join("memory.stat"), "anon 1\ninactive_file 50\n").unwrap();
        }
        let names = ["memory.max", "memory.current"];
        assert_eq!(least_room(root.to_str().unwrap(), names, "/a/b"), Some(650));
        assert_eq!(least_room(root.to_str().unwrap(), names, "/nowhere"), None);
        std::fs::remove_dir_all(root).unwrap();
    }
}
