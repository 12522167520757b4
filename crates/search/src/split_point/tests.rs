//! Every branch of the report, and the order in which moves and waiting tasks are taken.

use super::*;
use crate::{Path, Plain};
use game::tree::{Branch, Order, Tree};

fn moves(count: usize) -> Vec<Branch> {
    let mut moves = Vec::new();
    Tree::new(Order::Random, count, 2, 1).unwrap().moves(&mut moves);
    moves
}

fn score(value: i32) -> Score {
    Score::estimate(value)
}

/// A split point with ten moves left, window (0, 100).
fn state() -> SplitState<Branch> {
    let mut path: Path<Tree, Plain<_>> = Path::new(&Tree::new(Order::Random, 2, 2, 1).unwrap());
    (path[1].window, path[1].tried) = (Window::new(score(0), score(100)), 5);
    SplitState::new(&path[1], moves(10))
}

fn keep(state: &SplitState<Branch>, _mv: Branch) -> Examined {
    Examined { is_skipped: false, best: state.best.score }
}

fn take(state: &mut SplitState<Branch>) -> MoveTask<Branch> {
    state.take_move(false, false, keep).unwrap()
}

/// The member that took `task` reports `value`, 10 nodes, with the window as it is now.
fn finished(state: &SplitState<Branch>, task: MoveTask<Branch>, value: i32) -> Finished<Branch> {
    Finished { task, alpha: state.window.alpha, score: score(value), effort: 10, recalls: state.recall.count }
}

fn witness(valuing: Valuing) -> Witness {
    Witness { over: false, is_root: false, is_quiescence: false, valuing, stamp: 70 }
}

#[test]
fn a_test_that_fails_changes_only_the_best_score() {
    let mut state = state();
    let task = take(&mut state);
    let verdict = state.report(&finished(&state, task, -20), &[], witness(Valuing::OneAtATime));
    assert!(verdict == Verdict::Failed && verdict.is_final());
    assert_eq!((state.best.score, state.best.mv, state.window.alpha), (score(-20), None, score(0)));
    assert!(state.in_hand.is_empty() && state.times.reach == 70);
    assert_eq!(state.spending.moves, [(5, task.mv(), 10)]);
}

#[test]
fn a_test_that_beats_alpha_is_valued_as_the_algorithm_says() {
    for valuing in [Valuing::AtOnce, Valuing::OneAtATime, Valuing::InTurn] {
        let mut state = state();
        let (first, second) = (take(&mut state), take(&mut state));
        let value = MoveTask::Value { mv: second.mv(), index: second.index(), alpha: score(0) };
        let verdict = state.report(&finished(&state, second, 20), &[], witness(valuing));
        assert_eq!(state.best.score, -Score::INFINITE, "only a value counts");
        if valuing == Valuing::AtOnce {
            assert_eq!((verdict, &state.in_hand), (Verdict::ValueNow(value), &vec![first, value]));
            assert!(!verdict.is_final());
            continue;
        }
        assert_eq!((verdict, &state.waiting), (Verdict::ValueLater, &vec![value]));
        // In turn, it waits for the test before it.
        assert_eq!(state.has_waiting(valuing), valuing == Valuing::OneAtATime);
        state.report(&finished(&state, first, -5), &[], witness(valuing));
        assert_eq!(state.take_waiting(valuing), Some(value));
        // One value at a time.
        let third = take(&mut state);
        state.report(&finished(&state, third, 30), &[], witness(valuing));
        assert!(!state.has_waiting(valuing) && state.waiting.len() == 1);
    }
}

#[test]
fn a_value_above_alpha_raises_it() {
    let mut state = state();
    let task = take(&mut state);
    let (mv, index) = (task.mv(), task.index());
    let value = MoveTask::Value { mv, index, alpha: score(0) };
    let line = moves(3);
    let verdict = state.report(&finished(&state, value, 40), &line[1..], witness(Valuing::InTurn));
    assert!(verdict == Verdict::Raised && verdict.bound() == Some(game::Bound::Exact));
    assert_eq!(
        (state.best.score, state.best.mv, state.window),
        (score(40), Some(mv), Window::new(score(40), score(100)))
    );
    assert_eq!(state.best.line, [mv, line[1], line[2]]);
}

#[test]
fn a_score_of_beta_cuts_off() {
    let mut state = state();
    let (first, second, third) = (take(&mut state), take(&mut state), take(&mut state));
    for task in [first, third] {
        assert_eq!(state.report(&finished(&state, task, -1), &[], witness(Valuing::InTurn)), Verdict::Failed);
    }
    // A test that beats beta needs no value.
    let verdict = state.report(&finished(&state, second, 100), &[], witness(Valuing::InTurn));
    assert_eq!(verdict, Verdict::Cutoff);
    assert_eq!((state.cutter, state.window.alpha), (Some((second.index(), 70)), score(0)));
    state.times.reach = 90;
    assert_eq!(state.close().end, 70, "the node ends with the move that cut it off");
}

#[test]
fn the_root_values_a_move_that_beats_beta() {
    let mut state = state();
    let task = take(&mut state);
    let witness = Witness { is_root: true, ..witness(Valuing::OneAtATime) };
    assert_eq!(state.report(&finished(&state, task, 120), &[], witness), Verdict::ValueLater);
}

#[test]
fn quiescence_needs_no_second_search() {
    let mut state = state();
    let task = take(&mut state);
    let witness = Witness { is_quiescence: true, ..witness(Valuing::AtOnce) };
    assert_eq!(state.report(&finished(&state, task, 30), &[], witness), Verdict::Raised);
}

#[test]
fn what_a_recalled_member_found_does_not_count() {
    let mut state = state();
    let (first, second) = (take(&mut state), take(&mut state));
    let stale = finished(&state, second, 50);
    assert_eq!(state.gather(), Some(first));
    assert_eq!((&state.in_hand, &state.waiting), (&vec![first], &vec![second]));
    assert!(!state.has_task(Valuing::AtOnce), "the others help the member that has the first move");
    let verdict = state.report(&stale, &[], witness(Valuing::AtOnce));
    assert!(verdict == Verdict::Recalled && !verdict.is_final());
    assert!(state.recall.gathered && state.best.mv.is_none() && state.in_hand == [first]);
    state.give_up(second, 0);
    assert_eq!(state.waiting, [second], "it was given up before");
    // The member that was helped ends the gathering.
    assert_eq!(state.report(&finished(&state, first, -5), &[], witness(Valuing::AtOnce)), Verdict::Failed);
    assert_eq!(state.take_waiting(Valuing::AtOnce), Some(second));
}

#[test]
fn a_batch_tests_again_when_alpha_rose_where_it_came_from() {
    let mut state = state();
    state.is_batch = true;
    let (first, second, third) = (take(&mut state), take(&mut state), take(&mut state));
    let value = |task: MoveTask<_>| MoveTask::Value { mv: task.mv(), index: task.index(), alpha: score(0) };
    let (tested, valued) = (finished(&state, first, 30), finished(&state, value(second), 40));
    let other = finished(&state, third, 60);
    state.raise(score(50));
    assert_eq!(state.window, Window::test_above(score(50)));
    // A value begins with a test against the new alpha.
    assert_eq!(state.report(&tested, &[], witness(Valuing::OneAtATime)), Verdict::ValueLater);
    assert_eq!((&state.waiting, state.spending.moves.len()), (&vec![value(first)], 1));
    // What was valued meanwhile beat an alpha that does not count any more.
    assert_eq!(state.report(&valued, &[], witness(Valuing::OneAtATime)), Verdict::TestAgain);
    assert_eq!((&state.waiting[1..], state.spending.moves.len()), (&[second][..], 1));
    // Beating beta ends a batch, even at the root: the rank that sent it values the move.
    let witness = Witness { is_root: true, ..witness(Valuing::OneAtATime) };
    assert_eq!(state.report(&other, &[], witness), Verdict::Cutoff);
}

#[test]
fn a_late_report_changes_nothing() {
    let mut state = state();
    let (first, second, third) = (take(&mut state), take(&mut state), take(&mut state));
    let late = finished(&state, third, 50);
    state.report(&finished(&state, second, 100), &[], witness(Valuing::AtOnce));
    let over = Witness { over: true, stamp: 80, ..witness(Valuing::AtOnce) };
    assert_eq!(state.report(&late, &[], over), Verdict::Late { recalled: false });
    assert_eq!(state.report(&finished(&state, first, 50), &[], over), Verdict::Late { recalled: false });
    let recalled = Finished { recalls: 7, ..late };
    assert_eq!(state.report(&recalled, &[], over), Verdict::Late { recalled: true });
    assert_eq!((state.best.score, state.times.reach, state.spending.moves.len()), (score(100), 80, 1));
}

#[test]
fn moves_that_were_skipped_too_early_come_back_if_the_node_is_lost() {
    let mut state = state();
    let all = moves(10);
    // No move has a score: what is skipped now is kept.
    let task = state
        .take_move(false, false, |state, mv| Examined { is_skipped: mv != all[2], best: state.best.score })
        .unwrap();
    assert_eq!(task, MoveTask::Test { mv: all[2], index: 5 });
    assert_eq!(state.take_move(false, false, |_, _| Examined { is_skipped: true, best: -Score::INFINITE }), None);
    let lost = Finished { score: -Score::KNOWN, ..finished(&state, task, 0) };
    state.report(&lost, &[], witness(Valuing::AtOnce));
    assert_eq!(take(&mut state).mv(), all[0]);
    // Now a move has a score: skipped moves are gone, and may raise it.
    let raised = |_: &SplitState<_>, _| Examined { is_skipped: true, best: score(-3) };
    assert_eq!((state.take_move(false, false, raised), state.best.score), (None, score(-3)));
    assert!(!state.has_task(Valuing::AtOnce));
}

#[test]
fn helpers_may_take_the_last_move_first() {
    let mut state = state();
    let all = moves(10);
    assert_eq!(state.take_move(true, false, keep).map(|task| (task.mv(), task.index())), Some((all[9], 5)));
    assert_eq!(state.take_move(false, false, keep).map(|task| (task.mv(), task.index())), Some((all[0], 6)));
    assert_eq!(state.queue.left(), (8, 7));
}

#[test]
fn halves_are_dealt_out_in_turn() {
    let mut state = state();
    let legal = moves(12);
    state.queue = MoveQueue::new(legal.iter().map(|&mv| MoveLeft { mv, index: None }).collect(), 5);
    let indices = |tasks: &[MoveTask<_>]| tasks.iter().map(MoveTask::index).collect::<Vec<_>>();
    let first = state.take_half(Some(legal[1])).unwrap();
    assert_eq!(indices(&first), [5, 7, 9, 11, 13, 15]);
    assert_eq!(first[1].mv(), legal[3]);
    let second = state.take_half(None).unwrap();
    assert_eq!(indices(&second), [6, 10, 14]);
    assert_eq!(state.in_hand.len(), 9);
    state.put_back(&second, |task| task.index() > 6);
    assert_eq!(state.in_hand.len(), 6);
    assert_eq!(state.queue.moves.iter().filter_map(|left| left.index).collect::<Vec<_>>(), [8, 10, 12, 14]);
    assert_eq!([2, 1, 1].map(|count| state.take_half(None).unwrap().len() - count), [0; 3]);
    assert!(state.take_half(None).is_none());
}

/// A split point whose first move is being searched, and probably worth 20.
fn guessing() -> (SplitState<Branch>, MoveTask<Branch>) {
    let first = MoveTask::Value { mv: moves(11)[10], index: 0, alpha: score(0) };
    (SplitState { guess: Some(score(20)), in_hand: vec![first], ..state() }, first)
}

/// A member that went by the guess reports.
fn guessed(state: &SplitState<Branch>, task: MoveTask<Branch>, value: i32) -> Finished<Branch> {
    Finished { alpha: state.search_window().alpha, ..finished(state, task, value) }
}

#[test]
fn moves_that_do_not_beat_a_guess_wait_until_it_is_confirmed() {
    let (mut state, first) = guessing();
    assert_eq!((state.search_window().alpha, state.lacks_score()), (score(20), false));
    let [low, high] = [take(&mut state), take(&mut state)];
    for (task, value) in [(low, 5), (high, 15)] {
        let verdict = state.report(&guessed(&state, task, value), &[], witness(Valuing::AtOnce));
        assert_eq!((verdict, state.waiting.len()), (Verdict::Unproven, 0));
    }
    assert_eq!(state.best.score, -Score::INFINITE, "nothing is known yet");
    // The first move is worth less than was guessed: one of the two may still be better.
    let verdict = state.report(&finished(&state, first, 10), &[], witness(Valuing::AtOnce));
    assert_eq!((verdict, state.window.alpha, state.best.score), (Verdict::Raised, score(10), score(10)));
    assert_eq!((state.guess, state.waiting.as_slice()), (None, [high].as_slice()));
    assert!(state.unproven.is_empty());
}

#[test]
fn a_confirmed_guess_settles_what_did_not_beat_it() {
    let (mut state, first) = guessing();
    let task = take(&mut state);
    state.report(&guessed(&state, task, 15), &[], witness(Valuing::AtOnce));
    state.report(&finished(&state, first, 20), &[], witness(Valuing::AtOnce));
    assert!(state.unproven.is_empty() && state.waiting.is_empty());
    assert_eq!(state.best.score, score(20));
}

#[test]
fn a_test_against_a_guess_that_ends_after_it_was_wrong_is_repeated() {
    let (mut state, first) = guessing();
    let task = take(&mut state);
    let late = guessed(&state, task, 15);
    state.report(&finished(&state, first, -5), &[], witness(Valuing::AtOnce));
    assert_eq!(state.report(&late, &[], witness(Valuing::AtOnce)), Verdict::Unproven);
    assert_eq!(state.waiting, [task]);
}

#[test]
fn the_work_left_counts_moves_and_depth() {
    let mut state = state();
    let many = state.work_left(Valuing::AtOnce);
    take(&mut state);
    assert!(state.work_left(Valuing::AtOnce) < many);
    let deeper = SplitState { depth: state.depth + 1, ..self::state() };
    assert!(deeper.work_left(Valuing::AtOnce) > many);
    while state.take_move(false, false, keep).is_some() {}
    assert_eq!(state.work_left(Valuing::AtOnce), 0);
}
