//! `jamboree cluster --check`: what the ranks are, how fast they reach each other, and what is wrong.

use crate::threads;
use clap::Args;

/// What the cluster is to have in the games to come.
#[derive(Args, Clone, Debug)]
pub(crate) struct CheckSettings {
    /// Play no game: print what the hosts are and how fast they reach each other, then what is wrong and what to do about it;
    /// the exit code is 1 if something is wrong
    #[arg(long)]
    pub(super) check: bool,
    /// With --check: the `Threads` to come, of all ranks together [default: one for each core]
    #[arg(long, value_name = "NUMBER", requires = "check", value_parser = threads::parse)]
    threads: Option<usize>,
    /// With --check: the `Hash` to come, in MiB, of all ranks together [default: 64]
    #[arg(long, value_name = "MIB", requires = "check", value_parser = clap::value_parser!(u32).range(1..=1 << 25))]
    hash: Option<u32>,
    /// With --check: the `EvalFile` to come
    #[arg(long, value_name = "FILE", requires = "check")]
    eval_file: Option<String>,
    /// With --check: the `SyzygyPath` to come
    #[arg(long, value_name = "FOLDERS", requires = "check")]
    syzygy: Option<String>,
}

impl CheckSettings {
    /// These settings as arguments, for the ranks that the front starts.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [name.to_string(), value]));
        };
        add("--threads", self.threads.map(|number| number.to_string()));
        add("--hash", self.hash.map(|mib| mib.to_string()));
        add("--eval-file", self.eval_file.clone());
        add("--syzygy", self.syzygy.clone());
        words.extend(self.check.then(|| "--check".to_string()));
        words
    }
}

#[cfg(feature = "mpi")]
pub(super) use with_mpi::run;

#[cfg(feature = "mpi")]
mod with_mpi {
    use super::CheckSettings;
    use crate::{Failure, version};
    use cluster::Transport;
    use cluster::check::{
        Facts, FileFact, Plan, Survey, Wanted, faults, follow, intervals, lead, show_rate, show_time,
    };
    use jamboree_io::outln;
    use std::path::Path;

    /// MiB of the table by default, as the option `Hash` has it.
    const HASH_MIB: u32 = 64;
    /// Maximum number of ways that are printed.
    const MOST_WAYS: usize = 12;
    /// Maximum length of a network file.
    const LARGEST_NETWORK: u64 = 16 << 20;

    /// One rank of the check. The first one prints.
    pub(crate) fn run(transport: &mut dyn Transport, settings: &CheckSettings) -> Result<(), Failure> {
        let own = facts(settings);
        if transport.rank() != 0 {
            follow(transport, &own);
            return Ok(());
        }
        let survey = lead(transport, &own);
        let hash_mib = u64::from(settings.hash.unwrap_or(HASH_MIB));
        let wanted = Wanted { threads: settings.threads.map(|number| number as u64), hash_mib };
        let plan = Plan::new(&survey.facts, &wanted);
        for line in aligned(&ranks(&survey, &plan)).into_iter().chain(aligned(&ways(&survey))) {
            outln!("{line}")?;
        }
        let faults = faults(&survey, &wanted);
        for fault in &faults {
            outln!("wrong: {fault}")?;
        }
        match faults.len() {
            0 => Ok(outln!("nothing is wrong")?),
            1 => Err("the check has found a fault".into()),
            count => Err(format!("the check has found {count} faults").into()),
        }
    }

    /// What this rank is.
    fn facts(settings: &CheckSettings) -> Facts {
        let mib = |bytes: Option<usize>| bytes.map_or(0, |bytes| (bytes >> 20) as u64);
        let network = settings.eval_file.clone().map(network_file);
        let tables = settings.syzygy.clone().map(table_folders);
        Facts {
            host: engine::host(),
            boot: read("/proc/sys/kernel/random/boot_id").trim().to_string(),
            version: version::VERSION.to_string(),
            mpi: cluster::Job::library(),
            cpu: format!("{}, {}", version::network_path(), value(&read("/proc/cpuinfo"), "model name")),
            cores: engine::cores(),
            core_list: numbers(&value(&read("/proc/self/status"), "Cpus_allowed_list")),
            memory_mib: mib(table::available_bytes()),
            host_memory_mib: mib(table::host_available_bytes()),
            files: network.into_iter().chain(tables).collect(),
        }
    }

    fn network_file(path: String) -> FileFact {
        match jamboree_io::read_file(Path::new(&path), LARGEST_NETWORK) {
            Ok(bytes) => FileFact::of_bytes(path, &bytes),
            Err(error) => FileFact { path, found: Err(error.to_string()) },
        }
    }

    fn table_folders(path: String) -> FileFact {
        let found = engine::tablebase::Tablebases::open(&path);
        let describe = |tables: engine::tablebase::Tablebases| format!("{} tables", tables.count());
        FileFact { path, found: found.map(describe).map_err(|error| error.to_string()) }
    }

    fn read(path: &str) -> String {
        std::fs::read_to_string(path).unwrap_or_default()
    }

    /// What a line `name : value` says.
    fn value(text: &str, name: &str) -> String {
        let value = |line: &str| Some(line.strip_prefix(name)?.trim_start().strip_prefix(':')?.trim().to_string());
        text.lines().find_map(value).unwrap_or_else(|| "unknown".to_string())
    }

    /// The numbers of a list as 0-3,8.
    fn numbers(list: &str) -> Vec<u32> {
        let interval = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(first.parse::<u32>().ok()?..=last.parse().ok()?)
        };
        list.split(',').filter_map(interval).flatten().collect()
    }

    /// A row for each rank.
    fn ranks(survey: &Survey, plan: &Plan) -> Vec<Vec<String>> {
        let names = ["rank", "host", "cores", "threads", "memory MiB", "table MiB", "program", "CPU"];
        let mut rows = vec![names.map(str::to_string).to_vec()];
        for (rank, facts) in survey.facts.iter().enumerate() {
            let Some(facts) = facts else {
                rows.push(vec![rank.to_string(), "no answer".to_string()]);
                continue;
            };
            let cores = format!("{} ({})", facts.cores, intervals(&facts.core_list.iter().copied().collect()));
            let [threads, hash, memory] =
                [plan.threads[rank], plan.hash_mib[rank], facts.memory_mib].map(|n| n.to_string());
            let (host, program, cpu) = (facts.host.clone(), facts.version.clone(), facts.cpu.clone());
            rows.push(vec![rank.to_string(), host, cores, threads, memory, hash, program, cpu]);
        }
        rows
    }

    /// A row for each way, or for the slowest ones.
    fn ways(survey: &Survey) -> Vec<Vec<String>> {
        let mut ways = survey.ways.clone();
        if ways.len() > MOST_WAYS {
            // Those without an answer first.
            ways.sort_by_key(|way| std::cmp::Reverse((way.round_trip.is_none(), way.round_trip)));
            ways.truncate(MOST_WAYS);
        }
        let title = match survey.ways.len() {
            0 => return Vec::new(),
            all if all > ways.len() => format!("the {} slowest of {all} ways", ways.len()),
            _ => "way".to_string(),
        };
        let host = |rank: usize| {
            let name = survey.facts[rank].as_ref().map_or("?", |facts| facts.host.as_str());
            format!("{rank} ({name})")
        };
        let row = |way: &cluster::check::Way| {
            let trip = way.round_trip.map_or_else(|| "no answer".to_string(), show_time);
            let rate = way.bytes_per_second.map_or_else(|| "no answer".to_string(), show_rate);
            vec![format!("{} - {}", host(way.ends[0]), host(way.ends[1])), trip, rate]
        };
        let head = vec![title, "round trip".to_string(), "bandwidth".to_string()];
        std::iter::once(head).chain(ways.iter().map(row)).collect()
    }

    /// Rows as lines with columns.
    fn aligned(rows: &[Vec<String>]) -> Vec<String> {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
        };
        rows.iter().map(line).collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn what_the_system_says_is_read() {
            assert_eq!(numbers("0-2,5"), [0, 1, 2, 5]);
            assert_eq!(numbers("unknown"), [0; 0]);
            assert_eq!(value("a\t: b c\nd: e", "a"), "b c");
            assert_eq!(value("", "a"), "unknown");
        }

        #[test]
        fn columns_begin_below_each_other() {
            let rows = [["rank", "host"], ["0", "a"]].map(|row| row.map(str::to_string).to_vec());
            assert_eq!(aligned(&rows), ["rank  host", "0     a"]);
        }
    }
}
