//! What must hold of the accounts of a search: they add up, and nothing is left open.

use super::case::{Case, MachineKind};
use super::claims::{Claims, Failure};
use super::subject::{Seen, unusable};
use crate::experiment::{costs, hosts};
use search::{Costs, Fate, Hosts, Outcome, TablePlace};

/// What holds of the accounts of every search on one machine.
pub(super) fn check<M: Copy>(case: &Case, seen: &Seen<M>, claims: &mut Claims) -> Result<(), Failure> {
    let outcome = &seen.outcome;
    let processors = outcome.accounts.processors.len();
    claims.check("every processor has an account", processors == case.processors, || format!("{processors}"))?;
    let profile: u64 = outcome.work.profile.buckets().iter().sum();
    claims.check("the nodes of the strands add up", profile == outcome.nodes, || {
        format!("{profile} nodes over ideal time, {} in all", outcome.nodes)
    })?;
    let (span, nodes) = (outcome.work.span, outcome.nodes);
    claims.check("the critical path is no longer than the work", span <= nodes, || format!("{span} of {nodes}"))?;
    if case.machine == MachineKind::Virtual {
        let (costs, hosts) = (costs(&case.profile).map_err(unusable)?, hosts(&case.hosts).map_err(unusable)?);
        check_times(case, outcome, &costs, &hosts, claims)?;
        check_limits(case, outcome, &costs, claims)?;
        check_work(case, outcome, claims)?;
    }
    Ok(())
}

/// The time of every account is that of the run; what was worked is what the nodes cost.
fn check_times<M: Copy>(
    case: &Case,
    outcome: &Outcome<M>,
    costs: &Costs,
    hosts: &Hosts,
    claims: &mut Claims,
) -> Result<(), Failure> {
    let accounts = &outcome.accounts;
    let slack = most_ahead(case, costs, hosts);
    // What a processor does for others, or waits for, is booked at once: where it serves tables or passes messages on,
    // that may be long.
    let is_bounded = costs.table.place == TablePlace::Common && costs.route == 0;
    for (index, account) in accounts.processors.iter().enumerate() {
        let time = account.time();
        let holds = time + slack >= accounts.time && (time <= accounts.time + slack || !is_bounded);
        claims.check("the accounts add up to the time of the run", holds, || {
            format!("processor {index} has {time} of {}, {slack} more or less are right: {account:?}", accounts.time)
        })?;
    }
    let total = accounts.total();
    let (least, cost) =
        ((outcome.nodes - outcome.nodes.min(case.processors as u64)) * costs.node, outcome.nodes * costs.node);
    claims.check("what was worked is what the nodes cost", (least..=cost).contains(&total.working), || {
        format!("{} ticks of work, {} nodes cost {cost}", total.working, outcome.nodes)
    })?;
    let helpers = outcome.work.stolen.helpers;
    claims.check("every steal is a helper", total.steals == helpers, || {
        format!("{} steals, {helpers} helpers", total.steals)
    })
}

/// How far the clock of a processor may be ahead when the run ends: what it does at a time is booked at once.
fn most_ahead(case: &Case, costs: &Costs, hosts: &Hosts) -> u64 {
    let path = (hosts.latency + 2 * hosts.kilobyte).max(1);
    let hops = 64 - u64::from((case.processors as u64).leading_zeros());
    let near = (costs.message + costs.route) * hops;
    4 * (costs.node + costs.start + costs.split + costs.answer + costs.probe + near + path)
}

/// The search keeps to its limits.
fn check_limits<M: Copy>(case: &Case, outcome: &Outcome<M>, costs: &Costs, claims: &mut Claims) -> Result<(), Failure> {
    if let Some(limit) = case.nodes {
        let most = limit + case.processors as u64 - 1;
        claims.check("the search keeps to its nodes", outcome.nodes <= most, || {
            format!("{} nodes, {most} at most", outcome.nodes)
        })?;
    }
    if let (Some(limit), "ideal", "") = (case.ticks, case.profile.as_str(), case.hosts.as_str()) {
        let most = limit + 8 * costs.node;
        claims.check("the search keeps to its ticks", outcome.accounts.time <= most, || {
            format!("{} ticks, {most} at most", outcome.accounts.time)
        })?;
    }
    Ok(())
}

/// The algorithms whose processors are never idle while there is work.
const GREEDY: [&str; 3] = ["jubilee", "ybw", "jamboree"];

/// Brent's bound for a scheduler that leaves no processor idle while there is work: T <= W/P + C. A request and its
/// answer take a few nodes' time, so the critical path counts several times.
fn check_work<M: Copy>(case: &Case, outcome: &Outcome<M>, claims: &mut Claims) -> Result<(), Failure> {
    let is_plain = is_ideal(case) && case.table == "none";
    if !is_plain || !GREEDY.contains(&case.algorithm.as_str()) || case.is_limited() || case.play.name() == "chess" {
        return Ok(());
    }
    let (time, work, span) = (outcome.accounts.time, outcome.nodes, outcome.work.span);
    let bound = work / case.processors as u64 + 4 * span;
    claims.check("no processor is idle while there is work", time <= bound, || {
        format!("{time} ticks, {bound} at most: work {work}, critical path {span}")
    })
}

/// On an ideal machine a helper goes on for at most this many ticks after a cut.
const LATE: u64 = 8;

/// Does the case run on an ideal machine, without waits that the algorithm adds?
fn is_ideal(case: &Case) -> bool {
    case.profile == "ideal" && case.hosts.is_empty() && !case.algorithm.contains('+')
}

/// Every split point of the log is closed, and they are all there.
pub(super) fn check_splits<M: Copy>(case: &Case, outcome: &Outcome<M>, claims: &mut Claims) -> Result<(), Failure> {
    let total = outcome.accounts.total();
    let (made, logged) = (total.splits, outcome.splits.len() as u64);
    claims.check("every split point is in the log", made == logged, || format!("{made} made, {logged} logged"))?;
    for (place, split) in outcome.splits.iter().enumerate() {
        let is_closed = split.fate == Fate::Abandoned || split.end >= split.start;
        let is_below = split.parent.is_none_or(|parent| parent < place && outcome.splits[parent].ply < split.ply);
        claims.check("every split point is closed", is_closed && is_below, || {
            format!("number {place} at ply {}: {:?}, from {} to {}", split.ply, split.fate, split.start, split.end)
        })?;
    }
    let came: u64 = outcome.splits.iter().map(|split| u64::from(split.helpers)).sum();
    claims.check("every helper is in the log", came == total.steals, || {
        format!("{came} helpers, {} steals", total.steals)
    })?;
    if is_ideal(case) { check_cuts(outcome, claims) } else { Ok(()) }
}

/// After a cut no processor goes on with what was cut.
fn check_cuts<M: Copy>(outcome: &Outcome<M>, claims: &mut Claims) -> Result<(), Failure> {
    let slices = outcome.trace.iter().flat_map(|trace| trace.processors.iter().flatten());
    for slice in slices {
        let cut_at = slice.split.and_then(|number| outcome.splits[number].cut_at);
        let Some(cut_at) = cut_at else { continue };
        claims.check("after a cut all helpers go at once", slice.to <= cut_at + LATE, || {
            format!("a helper worked until {}, and the cut was at {cut_at}", slice.to)
        })?;
    }
    Ok(())
}
