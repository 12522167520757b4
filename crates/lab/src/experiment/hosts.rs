//! The hosts of a virtual cluster as a row writes them:
//! `ranks=4,latency=1000,kilobyte=0,grain=6,tables=distributed,depth=4`; empty for one host.
use super::LabError;
use search::{Hosts, Tables};

/// The default least depth of results that all hosts find.
const DEPTH: i32 = 4;

/// The tables of this name: `shared`, `local`, `distributed` or `blocking`, the last two from `depth` on.
///
/// # Errors
/// If there are no such tables.
pub fn tables(name: &str, depth: i32) -> Result<Tables, LabError> {
    match name {
        "shared" => Ok(Tables::Shared),
        "local" => Ok(Tables::Local),
        "distributed" | "blocking" => Ok(Tables::Distributed { depth, blocking: name == "blocking" }),
        _ => Err(LabError::Settings(format!("no tables '{name}'; they are shared, local, distributed or blocking"))),
    }
}

/// Reads what [`hosts_text`] has written.
///
/// # Errors
/// If a word of it is unknown.
pub fn hosts(text: &str) -> Result<Hosts, LabError> {
    let mut hosts = Hosts::one();
    let (mut name, mut depth) = ("shared", DEPTH);
    for word in text.split(',').filter(|word| !word.is_empty()) {
        let unknown = || LabError::Settings(format!("'{word}' says nothing about hosts; write for example 'ranks=4'"));
        let (key, value) = word.split_once('=').ok_or_else(unknown)?;
        let number = || value.parse::<u64>().map_err(|_| unknown());
        match key {
            "ranks" => hosts.count = number()? as usize,
            "latency" => hosts.latency = number()?,
            "kilobyte" => hosts.kilobyte = number()?,
            "grain" => hosts.grain = value.parse().map_err(|_| unknown())?,
            "tables" => name = value,
            "depth" => depth = value.parse().map_err(|_| unknown())?,
            _ => return Err(unknown()),
        }
    }
    Ok(Hosts { tables: tables(name, depth)?, ..hosts })
}

/// Hosts in one word for a row; empty for one host.
pub fn hosts_text(hosts: &Hosts) -> String {
    let Hosts { count: ranks, latency, kilobyte, grain, tables } = hosts;
    if *ranks == 1 {
        return String::new();
    }
    let tables = match tables {
        Tables::Shared => "shared".to_owned(),
        Tables::Local => "local".to_owned(),
        Tables::Distributed { depth, blocking: false } => format!("distributed,depth={depth}"),
        Tables::Distributed { depth, blocking: true } => format!("blocking,depth={depth}"),
    };
    format!("ranks={ranks},latency={latency},kilobyte={kilobyte},grain={grain},tables={tables}")
}

/// Checks that processors can be divided equally among hosts.
///
/// # Errors
/// If not.
pub fn check_ranks(processors: usize, ranks: usize) -> Result<(), LabError> {
    if ranks == 0 || !processors.is_multiple_of(ranks) {
        let message =
            format!("{processors} processors can't be divided among {ranks} hosts: name a multiple of {ranks}");
        return Err(LabError::Processors(if ranks == 0 { "0 hosts: there is at least one".into() } else { message }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        assert_eq!((hosts("").unwrap(), hosts_text(&Hosts::one())), (Hosts::one(), String::new()));
        for name in ["shared", "local", "distributed", "blocking"] {
            let tables = tables(name, 7).unwrap();
            let some = Hosts { count: 8, latency: 1500, kilobyte: 80, grain: 6, tables };
            assert_eq!(hosts(&hosts_text(&some)).unwrap(), some);
        }
        for bad in ["ranks", "ranks=-1", "tables=round", "colour=red"] {
            assert!(hosts(bad).is_err(), "{bad}");
        }
        assert!(check_ranks(8, 4).is_ok() && check_ranks(8, 3).is_err() && check_ranks(8, 0).is_err());
    }
}
