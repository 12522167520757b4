//! Machine profiles by name, with single costs changed: `cm5`, `ideal,message=10`, or `host` as it was measured.

use super::LabError;
use search::Costs;

/// The names of all machine profiles. `host` is the computer that measures itself.
pub const PROFILES: [&str; 6] = ["ideal", "host", "workstation", "cray-c90", "cm5", "transputer"];

/// The costs that a profile may change, by name.
fn cost<'a>(costs: &'a mut Costs, name: &str) -> Option<&'a mut u64> {
    Some(match name {
        "node_alone" => &mut costs.node_alone,
        "node" => &mut costs.node,
        "message" => &mut costs.message,
        "answer" => &mut costs.answer,
        "split" => &mut costs.split,
        "start" => &mut costs.start,
        "probe" => &mut costs.probe,
        _ => return None,
    })
}

/// The costs that a profile such as `cm5` or `ideal,message=10,grain=2` names. `host` alone has no costs: it has to be
/// [`measured`] first.
///
/// # Errors
/// If there is no such profile or cost.
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
        let unknown = || LabError::Profile(format!("'{word}' is no cost; write for example 'message=10'"));
        let (name, value) = word.split_once('=').ok_or_else(unknown)?;
        if name == "grain" {
            costs.grain = value.parse().map_err(|_| unknown())?;
        } else {
            *cost(&mut costs, name).ok_or_else(unknown)? = value.parse().map_err(|_| unknown())?;
        }
    }
    if costs.node == 0 || costs.node_alone == 0 {
        return Err(LabError::Profile("a node must cost something".into()));
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
        assert_eq!(costs("cm5").unwrap(), Costs::cm5());
        let expected = Costs { message: 10, grain: 2, ..Costs::ideal() };
        assert_eq!(costs("ideal,message=10, grain=2").unwrap(), expected);
    }

    #[test]
    fn what_is_no_profile_is_said_to_be_none() {
        for bad in ["", "cray", "ideal,massage=1", "ideal,message", "ideal,message=-1", "ideal,node=0"] {
            assert!(costs(bad).is_err(), "{bad}");
        }
    }
}
