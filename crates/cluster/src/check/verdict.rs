//! What is wrong with a job, from what its ranks have told and measured.

use crate::Shares;
use crate::check::facts::Facts;
use crate::check::survey::{Survey, Way};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Formatter};
use std::time::Duration;

/// The longest round trip that is not slow: many times what the network of one room has. Not measured as a limit of the search.
const LONGEST_TRIP: Duration = Duration::from_millis(1);
/// A round trip is slow if it takes this many times what a quarter of all takes at most, and more than `SHORT_TRIP`. A quarter: of
/// the ways between three hosts, two may end at the slow one.
const SLOW: u32 = 8;
const SHORT_TRIP: Duration = Duration::from_micros(500);
/// The fewest bytes a second that are not slow: those of an Ethernet of 100 Mbit/s.
const LEAST_RATE: f64 = 12e6;
/// MiB that a rank needs besides its table.
const BESIDES_TABLE_MIB: u64 = 64;

/// What the job is to have, all ranks together.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Threads; none: as many as there are cores.
    pub threads: Option<u64>,
    /// MiB of the table.
    pub hash_mib: u64,
}

/// What each rank gets of what the job is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Threads of each rank.
    pub threads: Vec<u64>,
    /// MiB of each rank's table.
    pub hash_mib: Vec<u64>,
}

impl Plan {
    /// Divides what is wanted as the engine does.
    pub fn new(facts: &[Option<Facts>], wanted: &Wanted) -> Plan {
        let ranks: Vec<_> = facts.iter().map(|facts| facts.as_ref().map(|f| (f.cores, f.host.as_str()))).collect();
        let shares = Shares::new(&ranks);
        let cores = || by_host(facts).values().map(|ranks| usable_cores(facts, ranks)).sum::<usize>() as u64;
        Plan { threads: shares.divide(wanted.threads.unwrap_or_else(cores)), hash_mib: shares.divide(wanted.hash_mib) }
    }
}

/// Something that is wrong with a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Ranks have not told what they are.
    NoAnswer {
        /// The ranks.
        ranks: Vec<usize>,
    },
    /// Ranks run another program, or use another MPI, than most others.
    Different {
        /// What is different.
        what: &'static str,
        /// The ranks, and their hosts.
        ranks: String,
        /// What they have.
        has: String,
        /// What most others have.
        others: String,
    },
    /// Hosts that are not the same have one name.
    SameName {
        /// The name.
        host: String,
        /// The ranks there.
        ranks: Vec<usize>,
    },
    /// Ranks are to run more threads than there are cores for them.
    TooFewCores {
        /// The ranks, and their host.
        ranks: String,
        /// Number of threads that they are to run.
        threads: u64,
        /// Cores that all of them together may use.
        cores: usize,
        /// The numbers of these cores.
        list: String,
    },
    /// A table does not fit.
    TooLittleMemory {
        /// The ranks, and their host.
        ranks: String,
        /// MiB that they need.
        needs: u64,
        /// MiB that they can have.
        has: u64,
    },
    /// A file is missing, or different from what most others have.
    File {
        /// The ranks, and their hosts.
        ranks: String,
        /// What is wrong with which file.
        wrong: String,
    },
    /// Messages between two hosts take too long, or do not arrive.
    SlowWay {
        /// The hosts.
        hosts: String,
        /// What was measured.
        measured: String,
    },
}

impl Display for Fault {
    /// What is wrong, and what to do about it.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::NoAnswer { ranks } => write!(
                f,
                "{} did not answer: look whether the program runs on their hosts, and whether a firewall closes MPI's ports",
                numbered(ranks)
            ),
            Fault::Different { what, ranks, has, others } => {
                write!(f, "{ranks}: {what} {has}, others have {others}: install the same one on every host")
            }
            Fault::SameName { host, ranks } => write!(
                f,
                "{} are on different hosts that are all named {host}: give each host a name of its own, for ranks on hosts of the \
                 same name share cores",
                numbered(ranks)
            ),
            Fault::TooFewCores { ranks, threads, cores, list } => write!(
                f,
                "{ranks}: {threads} threads on {} ({list}): start ranks with `--bind-to none` (Slurm: `--cpu-bind=none` and \
                 `--cpus-per-task`), or set fewer Threads, or fewer ranks",
                counted(*cores as u64, "core")
            ),
            Fault::TooLittleMemory { ranks, needs, has } => write!(
                f,
                "{ranks}: the table and the program need {needs} MiB, {has} MiB can be had: set a smaller Hash, or raise the limit \
                 (Slurm: `--mem`; shell: `ulimit -v`)"
            ),
            Fault::File { ranks, wrong } => {
                write!(f, "{ranks}: {wrong}: put the same file under the same path on every host")
            }
            Fault::SlowWay { hosts, measured } => write!(
                f,
                "{hosts}: {measured}: look at the cable, the switch and which network MPI uses (docs/cluster.md, Ports), or leave the \
                 host out"
            ),
        }
    }
}

/// All that is wrong.
pub fn faults(survey: &Survey, wanted: &Wanted) -> Vec<Fault> {
    let facts = &survey.facts;
    let mut faults = Vec::new();
    let silent: Vec<usize> = (0..facts.len()).filter(|&rank| facts[rank].is_none()).collect();
    if !silent.is_empty() {
        faults.push(Fault::NoAnswer { ranks: silent });
    }
    faults.extend(different(facts, "program", |facts| &facts.version));
    faults.extend(different(facts, "MPI", |facts| &facts.mpi));
    faults.extend(same_names(facts));
    let plan = Plan::new(facts, wanted);
    for ranks in by_host(facts).values() {
        faults.extend(too_few_cores(facts, ranks, &plan));
        faults.extend(too_little_memory(facts, ranks, &plan));
    }
    faults.extend(files(facts));
    faults.extend(slow_ways(survey));
    faults
}

/// The ranks of each host.
fn by_host(facts: &[Option<Facts>]) -> BTreeMap<&str, Vec<usize>> {
    groups(facts, |facts| facts.host.as_str())
}

/// The ranks that have told the same.
fn groups<'f, K: Ord>(facts: &'f [Option<Facts>], key: impl Fn(&'f Facts) -> K) -> BTreeMap<K, Vec<usize>> {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (rank, facts) in facts.iter().enumerate() {
        if let Some(facts) = facts {
            groups.entry(key(facts)).or_default().push(rank);
        }
    }
    groups
}

/// The largest group; of two the one with the lower rank.
fn most<K: Ord>(groups: &BTreeMap<K, Vec<usize>>) -> Option<&K> {
    groups.iter().max_by_key(|(_, ranks)| (ranks.len(), std::cmp::Reverse(ranks[0]))).map(|(key, _)| key)
}

fn different<'f>(
    facts: &'f [Option<Facts>],
    what: &'static str,
    of: impl Fn(&'f Facts) -> &'f String,
) -> impl Iterator<Item = Fault> {
    let groups = groups(facts, of);
    let usual = most(&groups).copied().cloned().unwrap_or_default();
    let others: Vec<(String, Vec<usize>)> =
        groups.into_iter().filter(|(has, _)| **has != usual).map(|(has, ranks)| (has.clone(), ranks)).collect();
    others.into_iter().map(move |(has, ranks)| Fault::Different {
        what,
        ranks: located(facts, &ranks),
        has,
        others: usual.clone(),
    })
}

fn same_names(facts: &[Option<Facts>]) -> impl Iterator<Item = Fault> {
    by_host(facts).into_iter().filter_map(|(host, ranks)| {
        let boots: BTreeSet<&str> = present(facts, &ranks).map(|facts| facts.boot.as_str()).collect();
        (boots.len() > 1).then(|| Fault::SameName { host: host.to_string(), ranks })
    })
}

/// The facts of these ranks.
fn present<'f>(facts: &'f [Option<Facts>], ranks: &'f [usize]) -> impl Iterator<Item = &'f Facts> {
    ranks.iter().filter_map(|&rank| facts[rank].as_ref())
}

/// The cores that ranks of one host are bound to.
fn core_set(facts: &[Option<Facts>], ranks: &[usize]) -> BTreeSet<u32> {
    present(facts, ranks).flat_map(|facts| facts.core_list.iter().copied()).collect()
}

/// How many cores ranks of one host may use together: those that they are bound to, or less if their time is limited.
fn usable_cores(facts: &[Option<Facts>], ranks: &[usize]) -> usize {
    let allowed = present(facts, ranks).map(|facts| facts.cores as usize).sum();
    match core_set(facts, ranks).len() {
        0 => present(facts, ranks).map(|facts| facts.cores as usize).max().unwrap_or(0),
        bound => bound.min(allowed),
    }
}

/// On one host: for every set of cores that a rank is bound to, the ranks that can't leave it; the same for all ranks, and
/// for each one alone.
fn too_few_cores(facts: &[Option<Facts>], ranks: &[usize], plan: &Plan) -> Vec<Fault> {
    let set = |rank: usize| core_set(facts, &[rank]);
    let inside = |bound: &BTreeSet<u32>| ranks.iter().copied().filter(|&rank| set(rank).is_subset(bound)).collect();
    let mut crowds: BTreeSet<Vec<usize>> = ranks.iter().map(|&rank| inside(&set(rank))).collect();
    crowds.insert(ranks.to_vec());
    crowds.extend(ranks.iter().map(|&rank| vec![rank]));
    let threads = |crowd: &[usize]| crowd.iter().map(|&rank| plan.threads[rank]).sum::<u64>();
    crowds.retain(|crowd| threads(crowd) > usable_cores(facts, crowd) as u64);
    // What is wrong with some ranks is not told again of more of them.
    let is_part =
        |some: &[usize], crowd: &[usize]| some.len() < crowd.len() && some.iter().all(|rank| crowd.contains(rank));
    let smallest = crowds.iter().filter(|crowd| !crowds.iter().any(|other| is_part(other, crowd)));
    let fault = |crowd: &Vec<usize>| Fault::TooFewCores {
        ranks: located(facts, crowd),
        threads: threads(crowd),
        cores: usable_cores(facts, crowd),
        list: intervals(&core_set(facts, crowd)),
    };
    smallest.map(fault).collect()
}

fn too_little_memory(facts: &[Option<Facts>], ranks: &[usize], plan: &Plan) -> Vec<Fault> {
    let needs = |rank: usize| plan.hash_mib[rank] + BESIDES_TABLE_MIB;
    let of = |rank: usize| present(facts, std::slice::from_ref(&rank)).map(|facts| facts.memory_mib).sum::<u64>();
    let host = present(facts, ranks).map(|facts| facts.host_memory_mib).min().unwrap_or(0);
    let all = ranks.iter().map(|&rank| needs(rank)).sum::<u64>();
    let fault = |ranks: &[usize], needs, has| Fault::TooLittleMemory { ranks: located(facts, ranks), needs, has };
    let alone = ranks.iter().filter(|&&rank| needs(rank) > of(rank)).map(|&rank| fault(&[rank], needs(rank), of(rank)));
    let alone: Vec<Fault> = alone.collect();
    if alone.is_empty() && all > host { vec![fault(ranks, all, host)] } else { alone }
}

fn files(facts: &[Option<Facts>]) -> Vec<Fault> {
    let paths: BTreeSet<&str> =
        facts.iter().flatten().flat_map(|facts| &facts.files).map(|file| file.path.as_str()).collect();
    let mut faults = Vec::new();
    for path in paths {
        let missing = Err(format!("{path}: this rank was not told of it"));
        let found = |facts: &Facts| {
            let file = facts.files.iter().find(|file| file.path == path);
            file.map_or_else(|| missing.clone(), |file| file.found.clone())
        };
        let groups = groups(facts, found);
        let there =
            groups.iter().filter(|(found, _)| found.is_ok()).map(|(found, ranks)| (found.clone(), ranks.clone()));
        let usual = most(&there.collect()).cloned();
        for (found, ranks) in groups.iter().filter(|(found, _)| Some(*found) != usual.as_ref()) {
            let wrong = match (found, &usual) {
                (Ok(found), Some(Ok(usual))) => format!("{path} has {found}, others have {usual}"),
                (Ok(found), _) => found.clone(),
                (Err(reason), _) => reason.clone(),
            };
            faults.push(Fault::File { ranks: located(facts, ranks), wrong });
        }
    }
    faults
}

/// The ways that are too slow; if they are all those of one host, and there are others, that host once.
fn slow_ways(survey: &Survey) -> Vec<Fault> {
    let host = |rank: usize| survey.facts[rank].as_ref().map_or("?", |facts| facts.host.as_str());
    let between: Vec<&Way> = survey.ways.iter().filter(|way| host(way.ends[0]) != host(way.ends[1])).collect();
    let mut trips: Vec<Duration> = between.iter().filter_map(|way| way.round_trip).collect();
    trips.sort_unstable();
    let usual = trips.get(trips.len().saturating_sub(1) / 4).copied().unwrap_or_default();
    let mut slow: Vec<&Way> = between.iter().copied().filter(|way| is_slow(way, usual)).collect();
    let mut faults = Vec::new();
    let ends: BTreeSet<usize> = between.iter().flat_map(|way| way.ends).collect();
    for end in ends {
        let of = |ways: &[&Way]| ways.iter().filter(|way| way.ends.contains(&end)).count();
        let (own, all) = (of(&slow), of(&between));
        if own == all && own > 1 && all < between.len() && slow.len() - own <= (between.len() - all) / 2 {
            let longest = slow.iter().copied().filter(|way| way.ends.contains(&end)).max_by_key(|way| way.round_trip);
            let hosts = format!("host {} and all others", host(end));
            faults.extend(longest.map(|way| Fault::SlowWay { hosts, measured: describe(way, usual) }));
            slow.retain(|way| !way.ends.contains(&end));
        }
    }
    faults.extend(slow.into_iter().map(|way| Fault::SlowWay {
        hosts: format!("hosts {} and {}", host(way.ends[0]), host(way.ends[1])),
        measured: describe(way, usual),
    }));
    faults
}

fn is_slow(way: &Way, usual: Duration) -> bool {
    let is_late = way.round_trip.is_none_or(|trip| trip > LONGEST_TRIP || trip > SHORT_TRIP && trip > SLOW * usual);
    is_late || way.bytes_per_second.is_none_or(|rate| rate < LEAST_RATE)
}

/// What was measured, beside what a quarter of all round trips takes at most and the limits.
fn describe(way: &Way, usual: Duration) -> String {
    let Some(trip) = way.round_trip else { return "no message arrives".to_string() };
    let rate = way.bytes_per_second.map_or_else(|| "long messages do not arrive".to_string(), show_rate);
    format!(
        "slow: a round trip takes {} (the fastest quarter at most {}, the limit is {}), {rate} (the limit is {})",
        show_time(trip),
        show_time(usual),
        show_time(LONGEST_TRIP),
        show_rate(LEAST_RATE)
    )
}

/// A time for the user.
pub fn show_time(time: Duration) -> String {
    let us = time.as_secs_f64() * 1e6;
    if us < 1000.0 { format!("{us:.0} us") } else { format!("{:.1} ms", us / 1000.0) }
}

/// A number of bytes a second for the user.
pub fn show_rate(rate: f64) -> String {
    format!("{:.*} MB/s", if rate < 1e7 { 1 } else { 0 }, rate / 1e6)
}

/// Ranks by their numbers.
fn numbered(ranks: &[usize]) -> String {
    let list = intervals(&ranks.iter().map(|&rank| rank as u32).collect());
    if ranks.len() == 1 { format!("rank {list}") } else { format!("ranks {list}") }
}

/// Ranks and their hosts.
fn located(facts: &[Option<Facts>], ranks: &[usize]) -> String {
    const MOST: usize = 4;
    let hosts: BTreeSet<&str> = present(facts, ranks).map(|facts| facts.host.as_str()).collect();
    let more = hosts.len().saturating_sub(MOST);
    let names: Vec<&str> = hosts.iter().copied().take(MOST).collect();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} ({}{rest})", numbered(ranks), names.join(", "))
}

fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Numbers as intervals: 0-3,8.
pub fn intervals(numbers: &BTreeSet<u32>) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let show = |&(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    parts.iter().map(show).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::facts::FileFact;

    const WANTED: Wanted = Wanted { threads: None, hash_mib: 64 };

    fn facts(host: &str, core_list: &[u32]) -> Facts {
        Facts {
            host: host.into(),
            boot: host.into(),
            version: "1.0.0 (a)".into(),
            cores: core_list.len() as u32,
            core_list: core_list.to_vec(),
            memory_mib: 4096,
            host_memory_mib: 4096,
            ..Facts::default()
        }
    }

    fn way(ends: [usize; 2], us: u64, rate: f64) -> Way {
        Way { ends, round_trip: Some(Duration::from_micros(us)), bytes_per_second: Some(rate) }
    }

    /// Four hosts of two cores with nothing wrong.
    fn sound() -> Survey {
        let facts = ["a", "b", "c", "d"].map(|host| Some(facts(host, &[0, 1]))).to_vec();
        let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| [a, b]));
        Survey { facts, ways: pairs.map(|ends| way(ends, 50, 1e9)).collect() }
    }

    /// The sound job with one change.
    fn with(change: impl Fn(&mut Survey, &mut Wanted)) -> Vec<Fault> {
        let (mut survey, mut wanted) = (sound(), WANTED);
        change(&mut survey, &mut wanted);
        faults(&survey, &wanted)
    }

    fn of(survey: &mut Survey, rank: usize) -> &mut Facts {
        survey.facts[rank].as_mut().unwrap()
    }

    #[test]
    fn a_sound_job_has_no_fault() {
        assert_eq!(with(|_, _| ()), []);
        assert_eq!(with(|_, wanted| wanted.threads = Some(8)), []);
        let alone = Survey { facts: vec![Some(facts("a", &[0]))], ways: Vec::new() };
        assert_eq!(faults(&alone, &WANTED), []);
        // Ranks of one host that are bound to cores of their own.
        let bound = |list: [&[u32]; 2]| Survey {
            facts: list.map(|list| Some(facts("a", list))).to_vec(),
            ways: vec![way([0, 1], 5000, 1e6)],
        };
        assert_eq!(faults(&bound([&[0], &[1]]), &WANTED), [], "inside a host the way is not judged");
        assert_eq!(faults(&bound([&[0, 1], &[0, 1]]), &WANTED), []);
    }

    #[test]
    fn every_single_fault_is_found_and_no_other() {
        use Fault::*;
        type Change = fn(&mut Survey, &mut Wanted);
        let changes: [(&str, Change); 12] = [
            ("NoAnswer", |survey, _| survey.facts[3] = None),
            ("Different", |survey, _| of(survey, 2).version = "1.0.0 (b)".into()),
            ("Different", |survey, _| of(survey, 0).mpi = "another".into()),
            ("TooFewCores", |_, wanted| wanted.threads = Some(12)),
            ("TooFewCores", |survey, _| {
                let bound = facts("a", &[0]);
                survey.facts.extend([Some(bound.clone()), Some(bound)]);
                survey.facts.swap_remove(0);
            }),
            ("TooLittleMemory", |survey, _| of(survey, 1).memory_mib = 60),
            ("TooLittleMemory", |_, wanted| wanted.hash_mib = 17000),
            ("SlowWay", |survey, _| survey.ways[4].round_trip = None),
            ("SlowWay", |survey, _| survey.ways[0] = way([0, 1], 600, 1e9)),
            ("SlowWay", |survey, _| survey.ways[0] = way([0, 1], 50, 1e6)),
            ("SameName", |survey, wanted| {
                of(survey, 1).host = "a".into();
                wanted.threads = Some(4);
            }),
            ("File", |survey, _| {
                let file = |found| vec![FileFact { path: "/net".into(), found }];
                (0..3).for_each(|rank| of(survey, rank).files = file(Ok("9 bytes".to_string())));
                of(survey, 3).files = file(Err("no such file".to_string()));
            }),
        ];
        for (number, (name, change)) in changes.into_iter().enumerate() {
            let found = with(change);
            let kinds: BTreeSet<&str> = found
                .iter()
                .map(|fault| match fault {
                    NoAnswer { .. } => "NoAnswer",
                    Different { .. } => "Different",
                    SameName { .. } => "SameName",
                    TooFewCores { .. } => "TooFewCores",
                    TooLittleMemory { .. } => "TooLittleMemory",
                    File { .. } => "File",
                    SlowWay { .. } => "SlowWay",
                })
                .collect();
            assert_eq!(kinds, BTreeSet::from([name]), "{number}: {found:?}");
            assert!(found.iter().all(|fault| !fault.to_string().contains('\n')));
        }
    }

    #[test]
    fn ranks_bound_to_one_core_are_named() {
        let host = [&[0][..], &[0], &[1, 2]].map(|list| Some(facts("a", list))).to_vec();
        let found = faults(&Survey { facts: host, ways: Vec::new() }, &WANTED);
        let [Fault::TooFewCores { ranks, threads: 2, cores: 1, list }] = &found[..] else { panic!("{found:?}") };
        assert_eq!((ranks.as_str(), list.as_str()), ("ranks 0-1 (a)", "0"));
    }

    #[test]
    fn a_host_that_is_far_from_all_others_is_named_once() {
        let found = with(|survey, _| {
            let far = |way: &&mut Way| way.ends.contains(&2);
            survey.ways.iter_mut().filter(far).for_each(|way| way.round_trip = Some(Duration::from_millis(3)));
        });
        let [Fault::SlowWay { hosts, .. }] = &found[..] else { panic!("{found:?}") };
        assert_eq!(hosts, "host c and all others");
        let all =
            with(|survey, _| survey.ways.iter_mut().for_each(|way| way.round_trip = Some(Duration::from_millis(3))));
        assert_eq!(all.len(), 6);
    }

    #[test]
    fn numbers_are_shown_as_intervals() {
        assert_eq!(intervals(&[7, 0, 1, 2, 5, 6].into()), "0-2,5-7");
        assert_eq!(intervals(&BTreeSet::new()), "");
    }
}
