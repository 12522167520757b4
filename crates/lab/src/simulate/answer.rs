//! What must hold of the answer of a search: one answer, legal lines, and the value of negamax.

use super::case::{Case, MachineKind};
use super::claims::{Claims, Failure};
use super::play::Play;
use super::subject::{Seen, Told};
use game::{Bound, Depth, Game, Score, negamax};
use search::Outcome;

/// By how many plies an iteration may be deeper than the one before.
fn steps(case: &Case) -> impl Iterator<Item = Depth> {
    let may_be_two = case.processors > 1 && case.algorithm.contains("two-ply-iterations");
    if may_be_two { 1..=2 } else { 1..=1 }
}

/// What holds of every answer.
pub(super) fn check_answer<G: Game>(
    case: &Case,
    root: &G,
    seen: &Seen<G::Move>,
    claims: &mut Claims,
) -> Result<(), Failure> {
    let outcome = &seen.outcome;
    check_root_moves(root, outcome, claims)?;
    for found in &outcome.moves {
        let is_whole = found.line.first() == Some(&found.mv) && is_legal(root, &found.line);
        claims.check("lines are legal", is_whole, || format!("{:?} begins with {:?}", found.line, found.mv))?;
    }
    let complete: Vec<Depth> = seen.told.iter().filter(|told| told.complete).map(|told| told.depth).collect();
    // A listener that ends the search at one of several lines has not heard of the last one.
    let are_all =
        |finished: &[Depth]| complete == finished || case.reports.is_some() && finished.starts_with(&complete);
    let is_told = steps(case).any(|step| {
        let wanted = (1..=outcome.depth).filter(|&depth| depth == 1 || (case.depth - depth) % step == 0);
        are_all(&wanted.collect::<Vec<Depth>>())
    });
    claims.check("every iteration ends once", is_told, || {
        format!("reports of finished depths {complete:?}, and depth {} in the end", outcome.depth)
    })?;
    let is_ordered = seen.told.is_sorted_by_key(|told| (told.nodes, told.ticks));
    let most = seen.told.last().map_or(0, |told| told.nodes);
    let counts = is_ordered && (most <= outcome.nodes || case.machine != MachineKind::Virtual);
    claims
        .check("nodes and time only grow", counts, || format!("{:?}, {} nodes in the end", seen.told, outcome.nodes))?;
    let ends = case.is_limited() || outcome.depth == case.depth || outcome.moves.is_empty();
    claims.check("a search without limits reaches its depth", ends, || format!("depth {}", outcome.depth))
}

/// The root moves of the answer are the legal moves.
fn check_root_moves<G: Game>(root: &G, outcome: &Outcome<G::Move>, claims: &mut Claims) -> Result<(), Failure> {
    let mut legal = Vec::new();
    root.moves(&mut legal);
    let answered: Vec<G::Move> = outcome.moves.iter().map(|found| found.mv).collect();
    let is_same = answered.len() == legal.len() && legal.iter().all(|mv| answered.contains(mv));
    claims.check("one answer for every legal move", is_same, || format!("{answered:?} instead of {legal:?}"))
}

fn is_legal<G: Game>(root: &G, line: &[G::Move]) -> bool {
    let mut position = root.clone();
    line.iter().all(|&mv| {
        let is_legal = position.unpack(G::pack(mv)) == Some(mv);
        if is_legal {
            position = position.play(mv);
        }
        is_legal
    })
}

/// Two runs of the same case are the same.
pub(super) fn check_same<M: Copy + PartialEq + std::fmt::Debug>(
    one: &Seen<M>,
    other: &Seen<M>,
    claims: &mut Claims,
) -> Result<(), Failure> {
    let essence = |seen: &Seen<M>| {
        let moves: Vec<_> =
            seen.outcome.moves.iter().map(|found| (found.mv, found.score, found.line.clone())).collect();
        (seen.outcome.nodes, seen.outcome.work.span, seen.outcome.accounts.clone(), moves, seen.told.clone())
    };
    let (first, second) = (essence(one), essence(other));
    claims.check("the same case is the same run", first == second, || format!("{first:?} and then {second:?}"))
}

/// How far the values of a full-width search are those of negamax.
enum Certain {
    /// In every iteration.
    Always,
    /// When the last iteration is finished.
    AtLast,
    /// Not at all: the table may hold results of deeper searches, or of other positions.
    Never,
}

fn certainty(case: &Case) -> Certain {
    // The 23 bits of the key that these entries have are shared by different positions now and then.
    let confuses = case.table.starts_with("socrates");
    // Ranks keep their table from one search to the next.
    let has_deeper = case.machine == MachineKind::Ranks || case.has_switch("overlap");
    let runs_ahead = ["lazy-smp", "abdada"].contains(&case.base()) || has_deeper;
    let is_whole = matches!(case.play, Play::Tree { height, .. } if case.depth >= height);
    match case.table.as_str() {
        "none" => Certain::Always,
        _ if confuses => Certain::Never,
        _ if !runs_ahead => Certain::Always,
        _ if is_whole => Certain::AtLast,
        _ => Certain::Never,
    }
}

/// The value is that of negamax, of every line and in every iteration that was finished.
pub(super) fn check_values<G: Game>(
    case: &Case,
    root: &G,
    seen: &Seen<G::Move>,
    claims: &mut Claims,
) -> Result<(), Failure> {
    let mut moves = Vec::new();
    root.moves(&mut moves);
    if moves.is_empty() {
        return Ok(());
    }
    // The values of the root moves, the best first, and the depth they belong to.
    let mut known: (Depth, Vec<Score>) = (0, Vec::new());
    let mut value = |depth: Depth, line_number: usize| {
        if known.0 != depth {
            let mut values: Vec<Score> = moves.iter().map(|&mv| -negamax(&root.play(mv), depth - 1, 1)).collect();
            values.sort_by_key(|&value| std::cmp::Reverse(value));
            known = (depth, values);
        }
        known.1.get(line_number).copied()
    };
    let is_over = seen.outcome.depth == case.depth;
    match certainty(case) {
        Certain::Always => {
            // The last report of a search that was stopped is of the move that is answered, which may not have been the best
            // when the last iteration ended.
            let is_of_end = |told: &&Told| told.complete || case.lines > 1;
            let finished = seen.told.iter().filter(|told| told.depth <= seen.outcome.depth).filter(is_of_end);
            let exact = finished.filter(|told| told.bound == Bound::Exact);
            for told in exact {
                let expected = value(told.depth, told.line_number);
                claims.check("every iteration has the value of negamax", Some(told.score) == expected, || {
                    format!("depth {}, line {}: {:?} instead of {expected:?}", told.depth, told.line_number, told.score)
                })?;
            }
        }
        Certain::AtLast if is_over => {}
        _ => return Ok(()),
    }
    if is_over {
        let (score, expected) = (seen.outcome.score(), value(case.depth, 0));
        claims.check("the value is that of negamax", score == expected, || {
            format!("{score:?} instead of {expected:?}")
        })?;
        check_line(case, root, &seen.outcome, claims)?;
    }
    Ok(())
}

/// The best line leads to a position from which the value comes.
fn check_line<G: Game>(case: &Case, root: &G, outcome: &Outcome<G::Move>, claims: &mut Claims) -> Result<(), Failure> {
    let line = outcome.line();
    let end = line.iter().fold(root.clone(), |position, &mv| position.play(mv));
    let value = negamax(&end, case.depth - line.len() as Depth, line.len());
    let reached = if line.len() % 2 == 0 { value } else { -value };
    let score = outcome.score();
    claims.check("the best line leads to its value", score == Some(reached), || {
        format!("{line:?} leads to {reached:?}, not {score:?}")
    })
}
