//! What a rank says of itself when the job is checked.
//!
//! As lines of text with a name each: ranks of different versions must understand each other here, to find out that they
//! are different. A name that is not known is skipped, one that is missing leaves its value empty.

use crate::link::checksum;

/// What a rank says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The name of its host.
    pub host: String,
    /// What tells this start of this host from all others, if the system says so.
    pub boot: String,
    /// The version of the program, with its commit.
    pub version: String,
    /// The name and version of its MPI.
    pub mpi: String,
    /// The CPU, and the instructions that compute the network on it.
    pub cpu: String,
    /// How many cores it may use.
    pub cores: u32,
    /// The numbers of the cores it is bound to, if the system says so.
    pub core_list: Vec<u32>,
    /// MiB that it can have: what the host has left, or less if there are limits.
    pub memory_mib: u64,
    /// MiB that its host has left.
    pub host_memory_mib: u64,
    /// Files and folders that it was asked for, and what it found there.
    pub files: Vec<FileFact>,
}

/// What a rank found where a file or a folder should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFact {
    /// The path, as it was asked for.
    pub path: String,
    /// What is there, in words that are the same for the same thing; or why it can't be read, with the path.
    pub found: Result<String, String>,
}

impl FileFact {
    /// A file with these bytes, which is the same as another one if its length and checksum are.
    pub fn of_bytes(path: String, bytes: &[u8]) -> FileFact {
        FileFact { path, found: Ok(format!("{} bytes, checksum {:08x}", bytes.len(), checksum(bytes))) }
    }
}

/// Between the parts of a line about a file; neither a path nor a reason that we print contains it.
const PART: char = '\t';

impl Facts {
    /// The lines.
    pub(crate) fn to_text(&self) -> String {
        let list: Vec<String> = self.core_list.iter().map(u32::to_string).collect();
        let mut text = String::new();
        let mut line = |name: &str, value: &str| {
            let clean = |c: char| if c.is_control() && c != PART { ' ' } else { c };
            text.extend(name.chars().chain(['=']).chain(value.chars().map(clean)).chain(['\n']));
        };
        line("host", &self.host);
        line("boot", &self.boot);
        line("version", &self.version);
        line("mpi", &self.mpi);
        line("cpu", &self.cpu);
        line("cores", &self.cores.to_string());
        line("core_list", &list.join(","));
        line("memory_mib", &self.memory_mib.to_string());
        line("host_memory_mib", &self.host_memory_mib.to_string());
        for FileFact { path, found } in &self.files {
            let (kind, words) = match found {
                Ok(words) => ("there", words),
                Err(words) => ("missing", words),
            };
            line("file", &format!("{path}{PART}{kind}{PART}{words}"));
        }
        text
    }

    /// The facts from their lines.
    pub(crate) fn from_text(text: &str) -> Facts {
        let mut facts = Facts::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once('=')) {
            let number = || value.parse().unwrap_or_default();
            match name {
                "host" => facts.host = value.into(),
                "boot" => facts.boot = value.into(),
                "version" => facts.version = value.into(),
                "mpi" => facts.mpi = value.into(),
                "cpu" => facts.cpu = value.into(),
                "cores" => facts.cores = value.parse().unwrap_or_default(),
                "core_list" => facts.core_list = value.split(',').filter_map(|core| core.parse().ok()).collect(),
                "memory_mib" => facts.memory_mib = number(),
                "host_memory_mib" => facts.host_memory_mib = number(),
                "file" => facts.files.extend(file(value)),
                _ => {}
            }
        }
        facts
    }
}

fn file(value: &str) -> Option<FileFact> {
    let mut parts = value.splitn(3, PART);
    let (path, kind, words) = (parts.next()?, parts.next()?, parts.next()?.to_string());
    Some(FileFact { path: path.into(), found: if kind == "there" { Ok(words) } else { Err(words) } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_arrive_as_they_were_sent_and_newer_ones_are_skipped() {
        let facts = Facts {
            host: "node01".into(),
            version: "1.2.3 (abc)".into(),
            cores: 3,
            core_list: vec![0, 2, 5],
            memory_mib: 1 << 40,
            files: vec![
                FileFact { path: "/a b=c".into(), found: Ok("3 bytes".into()) },
                FileFact { path: "/d".into(), found: Err("no such file".into()) },
            ],
            ..Facts::default()
        };
        assert_eq!(Facts::from_text(&facts.to_text()), facts);
        assert_eq!(Facts::from_text(&format!("colour=red\nfile=x\n\n{}", facts.to_text())), facts);
        assert_eq!(Facts::from_text("cores=many\nhost=a"), Facts { host: "a".into(), ..Facts::default() });
        let two_lines = Facts { cpu: "a\nhost=b".into(), ..Facts::default() };
        assert_eq!(Facts::from_text(&two_lines.to_text()).host, "");
    }
}
