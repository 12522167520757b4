//! Runs a case and checks what must hold of it.

use super::case::{Case, MachineKind};
use super::claims::{Claims, Failure};
use super::counted::Counted;
use super::panics::caught;
use super::play::{Play, random_position};
use super::subject::{Manner, Seen, machine, search, unusable};
use super::{accounts, answer, ranks};
use chess::{ChessRules, Position, RuleSet};
use game::Game;
use game::connect_four::ConnectFour;
use game::tree::Tree;
use search::{Machine, Oracle, Plain, Rules};

/// Runs a case and checks it. A panic is a failure, where panics unwind.
///
/// # Errors
/// What does not hold.
pub fn check(case: &Case) -> Result<Claims, Failure> {
    case.check().map_err(unusable)?;
    let mut claims = Claims::default();
    caught(|| match &case.play {
        Play::Tree { order, degree, height, seed } => {
            let tree = Tree::new(*order, *degree, *height, *seed).map_err(unusable)?;
            check_plain(case, tree, &mut claims)
        }
        Play::Four { moves } => check_plain(case, moves.parse::<ConnectFour>().map_err(unusable)?, &mut claims),
        Play::Chess { walk, seed, rules } => {
            let rules = RuleSet::parse(rules).map_err(unusable)?;
            check_chess(case, &random_position(*walk, *seed), &rules, &mut claims)
        }
    })?;
    Ok(claims)
}

/// A game that is searched full width.
fn check_plain<G: Game>(case: &Case, game: G, claims: &mut Claims) -> Result<(), Failure> {
    let root = Counted::new(game);
    if case.machine == MachineKind::Ranks {
        ranks::check(case, &root, claims)?;
    } else {
        let seen = check_search(case, &root, &|| Plain::default(), claims)?;
        answer::check_values(case, &root, &seen, claims)?;
        if is_verified(case) {
            let oracle = if case.seed % 16 == 1 { Oracle::Negamax } else { Oracle::SerialSearch };
            let manner = Manner { verify: Some(oracle), ..Manner::on(machine(case)?) };
            let verified = search(case, &root, Plain::default(), manner)?.outcome;
            let failure = verified.verification.and_then(|verification| verification.failure);
            claims.check("every node has its value", failure.is_none(), || failure.unwrap_or_default())?;
        }
    }
    let count = root.count();
    claims.check("nothing is left of the search", count == 1, || format!("{} positions are left", count - 1))
}

/// Is every node of the case compared with an oracle? It takes long.
fn is_verified(case: &Case) -> bool {
    let is_small = matches!(case.play, Play::Tree { degree, height, .. } if degree.pow(height as u32) <= 300);
    case.seed % 8 == 1 && is_small && case.table == "none"
}

/// Rules by which the value of a node depends neither on the window nor on the order of its moves.
const EXACT_RULES: [&str; 3] = ["classic,-skip_evasions", "startech", "zugzwang"];

/// Chess. Where the rules do not prune and there is no table, the value is that of the serial search.
fn check_chess(case: &Case, root: &Position, rules: &RuleSet, claims: &mut Claims) -> Result<(), Failure> {
    let fresh = || ChessRules::new(rules.clone());
    let seen = check_search(case, root, &fresh, claims)?;
    let is_exact = matches!(&case.play, Play::Chess { rules, .. } if EXACT_RULES.contains(&rules.as_str()));
    if is_exact && case.table == "none" && seen.outcome.depth == case.depth {
        let serial = Case { algorithm: "serial".into(), stop: None, nodes: None, reports: None, ..case.clone() };
        let expected = search(&serial, root, fresh(), Manner::on(Machine::Alone))?.outcome.score();
        let score = seen.outcome.score();
        claims.check("the value is that of the serial search", score == expected, || {
            format!("{score:?} instead of {expected:?}")
        })?;
    }
    Ok(())
}

/// What holds of every search on one machine.
fn check_search<G: Game, R: Rules<G>>(
    case: &Case,
    root: &G,
    rules: &dyn Fn() -> R,
    claims: &mut Claims,
) -> Result<Seen<G::Move>, Failure> {
    let seen = search(case, root, rules(), Manner::on(machine(case)?))?;
    claims.nodes += seen.outcome.nodes;
    answer::check_answer(case, root, &seen, claims)?;
    accounts::check(case, &seen, claims)?;
    if case.machine == MachineKind::Virtual {
        if case.processors == 1 && case.ticks.is_none() {
            let alone = search(case, root, rules(), Manner::on(Machine::Alone))?;
            let (nodes, expected) = (seen.outcome.nodes, alone.outcome.nodes);
            claims.check("one processor visits the nodes of the serial search", nodes == expected, || {
                format!("{nodes} nodes instead of {expected}")
            })?;
        }
        if case.seed.is_multiple_of(4) {
            let manner = Manner { records: true, ..Manner::on(machine(case)?) };
            let again = search(case, root, rules(), manner)?;
            answer::check_same(&seen, &again, claims)?;
            accounts::check_splits(case, &again.outcome, claims)?;
        }
    }
    Ok(seen)
}
