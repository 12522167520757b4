//! Machine profiles by name, with single settings changed: `startech`, `ideal,message=10`, `zugzwang,table=global`, or
//! `host` as it was measured.

use super::LabError;
use search::{Asking, Costs, Network, TablePlace, Waiting};

/// The names of all machine profiles. `host` is the computer that measures itself.
pub const PROFILES: [&str; 7] = ["ideal", "host", "workstation", "cray-c90", "startech", "socrates", "zugzwang"];

/// The numbers that a profile may change, by name.
fn number<'a>(costs: &'a mut Costs, name: &str) -> Option<&'a mut u64> {
    Some(match name {
        "node_alone" => &mut costs.node_alone,
        "node" => &mut costs.node,
        "message" => &mut costs.message,
        "route" => &mut costs.route,
        "answer" => &mut costs.answer,
        "split" => &mut costs.split,
        "start" => &mut costs.start,
        "probe" => &mut costs.probe,
        "back_off" => &mut costs.stealing.back_off,
        "longest_back_off" => &mut costs.stealing.longest_back_off,
        "serve" => &mut costs.table.serve,
        "overlap" => &mut costs.table.overlap,
        _ => return None,
    })
}

/// Changes a setting of a profile; none if there is no such setting or value.
fn set(costs: &mut Costs, name: &str, value: &str) -> Option<()> {
    if let Some(number) = number(costs, name) {
        *number = value.parse().ok()?;
        return Some(());
    }
    match name {
        "grain" => costs.grain = value.parse().ok()?,
        "deferrals" => costs.stealing.deferrals = value.parse().ok()?,
        "one_child" => costs.stealing.one_child = yes(value)?,
        "dismissal" => costs.stealing.dismissal = yes(value)?,
        "asking" => {
            costs.stealing.asking = match value {
                "busy" => Asking::BusyAtRandom,
                "any" => Asking::AnyAtRandom,
                "nobody" => Asking::Nobody,
                _ => return None,
            }
        }
        "waiting" => {
            costs.stealing.waiting = match value {
                "carry" => Waiting::Carry,
                "hold" => Waiting::Hold,
                "level" => Waiting::Level,
                "preempt" => Waiting::Preempt,
                _ => return None,
            }
        }
        "network" => {
            costs.network = match value {
                "memory" => Network::CommonMemory,
                "uniform" => Network::Uniform,
                "debruijn" => Network::DeBruijn,
                _ => return None,
            }
        }
        "table" => {
            costs.table.place = match value {
                "common" => TablePlace::Common,
                "distributed" => TablePlace::Distributed,
                "global" => TablePlace::Global,
                _ => return None,
            }
        }
        _ => return None,
    }
    Some(())
}

fn yes(value: &str) -> Option<bool> {
    match value {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// The machine that a profile such as `startech` or `ideal,message=10,grain=2` names. `host` alone has no costs: it has to be
/// [`measured`] first.
///
/// # Errors
/// If there is no such profile or setting.
pub fn costs(profile: &str) -> Result<Costs, LabError> {
    let mut words = profile.split(',').map(str::trim);
    let name = words.next().unwrap_or_default();
    let mut costs = if name.eq_ignore_ascii_case("host") {
        Costs { name: "host", tick: "nanosecond", ..Costs::ideal() }
    } else {
        Costs::by_name(name).ok_or_else(|| {
            LabError::Profile(format!("no machine profile '{name}'; there are {}", PROFILES.join(", ")))
        })?
    };
    for word in words {
        let changed = word.split_once('=').and_then(|(name, value)| set(&mut costs, name, value));
        changed.ok_or_else(|| {
            LabError::Profile(format!("'{word}' is no setting of a machine; write for example 'message=10'"))
        })?;
    }
    if costs.node == 0 || costs.node_alone == 0 {
        return Err(LabError::Profile("a node must cost something".into()));
    }
    if costs.message == 0 && costs.stealing.asking == Asking::AnyAtRandom {
        return Err(LabError::Profile("where any processor is asked, a message must cost something".into()));
    }
    Ok(costs)
}

/// `host` with all its costs, measured now; any other profile as it is.
///
/// # Errors
/// If there is no such profile, or no memory for the tables of the measurement.
pub fn measured(profile: &str) -> Result<String, LabError> {
    costs(profile)?;
    if !profile.eq_ignore_ascii_case("host") {
        return Ok(profile.to_owned());
    }
    let Costs { node_alone, node, message, answer, split, start, probe, grain, .. } = crate::calibrate::host()?;
    Ok(format!(
        "host,node_alone={node_alone},node={node},message={message},answer={answer},split={split},start={start},\
         probe={probe},grain={grain}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_has_a_name_and_costs() {
        for name in PROFILES {
            assert_eq!(costs(name).unwrap().name, name);
        }
    }

    #[test]
    fn single_costs_can_be_changed() {
        assert_eq!(costs("startech").unwrap(), Costs::startech());
        let expected = Costs { message: 10, grain: 2, ..Costs::ideal() };
        assert_eq!(costs("ideal,message=10, grain=2").unwrap(), expected);
        let words = "asking=any,one_child=yes,waiting=preempt,network=debruijn,table=global,serve=5,back_off=3";
        let costs = costs(&format!("ideal,{words}")).unwrap();
        assert_eq!((costs.stealing.asking, costs.stealing.one_child), (Asking::AnyAtRandom, true));
        assert_eq!((costs.stealing.waiting, costs.stealing.back_off), (Waiting::Preempt, 3));
        assert_eq!((costs.network, costs.table.place, costs.table.serve), (Network::DeBruijn, TablePlace::Global, 5));
    }

    #[test]
    fn what_is_no_profile_is_said_to_be_none() {
        for bad in
            ["", "cray", "ideal,massage=1", "ideal,message", "ideal,message=-1", "ideal,node=0", "ideal,asking=me"]
        {
            assert!(costs(bad).is_err(), "{bad}");
        }
    }
}
