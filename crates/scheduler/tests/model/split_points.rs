//! Split points: join, leave, park, carry on, cut, recall.
//!
//! A thread stands for a processor, a [`Token`] for a suspended strand. A move is "searched" by a relaxed write outside
//! of all locks, so that a strand that goes on too early sees that something is missing.

use crate::check;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use loom::thread;

pub(crate) type StrandControl = jamboree_scheduler::StrandControl<Vec<AtomicUsize>, Shared, Token>;
pub(crate) type SplitPoint = jamboree_scheduler::SplitPoint<Vec<AtomicUsize>, Shared, Token>;

/// A suspended strand.
pub(crate) struct Token;

/// What changes at a split point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shared {
    moves: usize,
    taken: usize,
    reported: usize,
    closed: bool,
}

pub(crate) fn share(owner: &Arc<StrandControl>, ply: usize, moves: usize) -> Arc<SplitPoint> {
    let searched = (0..moves).map(|_| AtomicUsize::new(0)).collect();
    SplitPoint::share(owner, ply, searched, Shared { moves, ..Shared::default() })
}

/// A new helper, if it may join.
pub(crate) fn join(split: &SplitPoint, helper: &Arc<StrandControl>) -> bool {
    helper.begin();
    let joined = split.join(helper, |open| {
        assert!(!open.closed);
        open.taken < open.moves
    });
    joined.is_some()
}

fn helper_of(split: &SplitPoint) -> Arc<StrandControl> {
    let helper = Arc::default();
    assert!(join(split, &helper));
    helper
}

fn take(split: &SplitPoint) -> Option<usize> {
    split.with(|at| {
        if at.over || at.state.taken == at.state.moves {
            return None;
        }
        assert!(!at.state.closed);
        at.state.taken += 1;
        Some(at.state.taken - 1)
    })
}

/// Takes moves, searches and reports them until there are none; the one that is numbered `cutter` cuts the rest off.
pub(crate) fn work(split: &SplitPoint, cutter: Option<usize>) {
    while let Some(index) = take(split) {
        split.path[index].fetch_add(1, Relaxed);
        split.report(|at| {
            at.state.reported += 1;
            !at.over && cutter == Some(index)
        });
    }
}

fn is_over(split: &SplitPoint) -> bool {
    split.with(|at| at.over)
}

/// The owner goes on. True if with the result, false if it was cut from above.
fn close(split: &SplitPoint) -> bool {
    let closed = split.close(|open| {
        assert!(!open.closed, "closed twice");
        open.closed = true;
        *open
    });
    closed.is_some()
}

/// The owner goes on, and nothing was cut: every move was searched once.
pub(crate) fn close_complete(split: &SplitPoint) {
    assert!(split.is_deserted());
    assert!(close(split));
    let open = split.with(|at| *at.state);
    assert_eq!((open.taken, open.reported), (open.moves, open.moves));
    assert!(split.path.iter().all(|searched| searched.load(Relaxed) == 1));
}

/// What a strand sees when it looks up at a node at `ply`.
fn is_cut(control: &StrandControl, ply: usize) -> bool {
    control.keep() <= ply
}

/// Three strands run out of moves at once: exactly one goes on with the owner, when all is reported.
#[test]
fn the_last_one_carries_the_owner_on() {
    check(None, || {
        let owner = Arc::default();
        let split = share(&owner, 0, 2);
        let carried = Arc::new(AtomicUsize::new(0));
        let helpers = [helper_of(&split), helper_of(&split)];
        let carry_on = |split: &SplitPoint, carried: &AtomicUsize, _: Token| {
            close_complete(split);
            carried.fetch_add(1, Relaxed);
        };
        let threads = helpers.map(|helper| {
            let (split, carried) = (Arc::clone(&split), Arc::clone(&carried));
            thread::spawn(move || {
                work(&split, None);
                if let Some(token) = split.leave(&helper) {
                    carry_on(&split, &carried, token);
                }
            })
        });
        if let Some(token) = split.park(Token) {
            carry_on(&split, &carried, token);
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(carried.load(Relaxed), 1);
        assert_eq!(owner.keep(), usize::MAX);
    });
}

/// A helper that is parked below is carried on, and then the owner it helped, by whoever comes last.
#[test]
fn parked_strands_are_carried_on_one_after_another() {
    check(None, || {
        let (owner, carried) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
        let upper = share(&owner, 0, 1);
        let middle = helper_of(&upper);
        assert_eq!(take(&upper), Some(0));
        let lower = share(&middle, 2, 1);
        let last = helper_of(&lower);

        let finish_upper = |upper: &SplitPoint, carried: &AtomicUsize, _: Token| {
            close_complete(upper);
            carried.fetch_add(1, Relaxed);
        };
        // The strand in the middle: back from its own split point, it reports above and leaves.
        let finish_middle =
            move |[upper, lower]: &[Arc<SplitPoint>; 2], middle: &Arc<StrandControl>, carried: &AtomicUsize| {
                close_complete(lower);
                carried.fetch_add(100, Relaxed);
                upper.path[0].fetch_add(1, Relaxed);
                upper.report(|at| {
                    at.state.reported += 1;
                    false
                });
                if let Some(token) = upper.leave(middle) {
                    finish_upper(upper, carried, token);
                }
            };
        let here = || ([Arc::clone(&upper), Arc::clone(&lower)], Arc::clone(&middle), Arc::clone(&carried));
        let (splits, control, count) = here();
        let helper = thread::spawn(move || {
            work(&splits[1], None);
            if let Some(Token) = splits[1].leave(&last) {
                finish_middle(&splits, &control, &count);
            }
        });
        let (splits, control, count) = here();
        let parks = thread::spawn(move || {
            if let Some(Token) = splits[1].park(Token) {
                finish_middle(&splits, &control, &count);
            }
        });
        if let Some(token) = upper.park(Token) {
            finish_upper(&upper, &carried, token);
        }
        helper.join().unwrap();
        parks.join().unwrap();
        assert_eq!(carried.load(Relaxed), 101);
    });
}

/// Helpers come while the owner finishes: each is counted or turned away, and every move is searched once.
#[test]
fn helpers_join_while_the_owner_finishes() {
    check(Some(4), || {
        let owner = Arc::default();
        let split = share(&owner, 0, 2);
        let threads = [(); 2].map(|()| {
            let split = Arc::clone(&split);
            thread::spawn(move || {
                let helper = Arc::default();
                if join(&split, &helper) {
                    work(&split, None);
                    if let Some(Token) = split.leave(&helper) {
                        close_complete(&split);
                    }
                }
            })
        });
        work(&split, None);
        if let Some(Token) = split.park(Token) {
            close_complete(&split);
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(split.with(|at| at.state.closed));
        assert!(split.is_deserted());
    });
}

/// A helper comes while the owner cuts its own split point and goes on without waiting: it is marked or turned away.
#[test]
fn a_helper_joins_while_the_split_point_is_cut() {
    check(None, || {
        let owner = Arc::default();
        let split = share(&owner, 2, 2);
        let helper = Arc::default();
        let coming = {
            let (split, helper) = (Arc::clone(&split), Arc::clone(&helper));
            thread::spawn(move || {
                let joined = join(&split, &helper);
                if joined {
                    work(&split, None);
                    if let Some(Token) = split.leave(&helper) {
                        assert!(close(&split));
                    }
                }
                joined
            })
        };
        work(&split, Some(0));
        if is_over(&split) {
            assert!(close(&split));
            assert_eq!(owner.keep(), usize::MAX);
        } else if let Some(Token) = split.park(Token) {
            assert!(close(&split));
        }
        let joined = coming.join().unwrap();
        let open = split.with(|at| *at.state);
        assert!(open.closed);
        assert_eq!(open.reported, open.taken);
        assert!([3, usize::MAX].contains(&helper.keep()) && (joined || helper.keep() == usize::MAX));
        assert_eq!(owner.keep(), usize::MAX);
    });
}

/// A helper joins a split point that is just being cut from above. Whoever got in is marked, even if it began just now.
#[test]
fn whoever_gets_in_before_a_cut_is_marked() {
    check(None, || {
        let owner = Arc::default();
        let split = share(&owner, 2, 1);
        let helpers: [Arc<StrandControl>; 2] = Default::default();
        let threads = helpers.clone().map(|helper| {
            let split = Arc::clone(&split);
            thread::spawn(move || join(&split, &helper))
        });
        split.cut();
        assert_eq!(owner.keep(), 3);
        for (helper, thread) in helpers.iter().zip(threads) {
            let expected = if thread.join().unwrap() { 3 } else { usize::MAX };
            assert_eq!(helper.keep(), expected);
        }
        split.abandon();
    });
}

/// Strands one above the other: `top` owns a split point at ply 0 where `upper` helps, `upper` one at ply 2 where
/// `middle` helps, `middle` one at ply 4 where `lower` helps.
struct Tower {
    top: Arc<StrandControl>,
    upper: Arc<StrandControl>,
    middle: Arc<StrandControl>,
    at_0: Arc<SplitPoint>,
    at_2: Arc<SplitPoint>,
}

impl Tower {
    fn new() -> Self {
        let top = Arc::default();
        let at_0 = share(&top, 0, 1);
        let upper = helper_of(&at_0);
        let at_2 = share(&upper, 2, 1);
        let middle = helper_of(&at_2);
        Tower { top, upper, middle, at_0, at_2 }
    }

    /// A cut at ply 2 has hit those below, and nobody above.
    fn assert_cut(&self) {
        assert_eq!([&self.top, &self.upper, &self.middle].map(|strand| strand.keep()), [usize::MAX, 3, 3]);
        assert!(!is_over(&self.at_0));
        assert!(is_over(&self.at_2));
    }

    /// The strands above the cut come home.
    fn come_home(&self) {
        assert!(close(&self.at_2));
        assert_eq!(self.upper.keep(), usize::MAX);
        assert!(self.at_0.leave(&self.upper).is_none());
        assert!(close(&self.at_0));
        assert_eq!(self.top.keep(), usize::MAX);
    }
}

/// A cut marks everyone below when it returns, whatever an owner below is just doing, and nobody above.
#[test]
fn a_cut_marks_everyone_below_and_nobody_above() {
    check(None, || {
        let tower = Tower::new();
        let at_4 = share(&tower.middle, 4, 1);
        let lower = helper_of(&at_4);
        let nested = {
            let (at_2, at_4) = (Arc::clone(&tower.at_2), Arc::clone(&at_4));
            let middle = Arc::clone(&tower.middle);
            thread::spawn(move || {
                if is_cut(&middle, 4) {
                    at_4.abandon();
                    assert!(at_2.leave(&middle).is_none());
                    true
                } else {
                    assert!(at_4.park(Token).is_none(), "it has a helper");
                    false
                }
            })
        };
        tower.at_2.report(|_| true);
        tower.assert_cut();
        assert_eq!(lower.keep(), 5);
        let gone = nested.join().unwrap();
        tower.assert_cut();
        // The helper leaves, and carries on the owner if it is parked.
        assert_eq!(at_4.leave(&lower).is_none(), gone);
        if !gone {
            assert!(!close(&at_4));
            assert!(tower.at_2.leave(&tower.middle).is_none());
        }
        tower.come_home();
    });
}

/// A frame is shared just while its owner is cut: the walk finds it, or the owner sees its mark as soon as it has shared.
#[test]
fn a_frame_shared_during_a_cut_is_not_forgotten() {
    check(None, || {
        let tower = Tower::new();
        let lower: Arc<StrandControl> = Arc::default();
        let nested = {
            let (at_2, middle) = (Arc::clone(&tower.at_2), Arc::clone(&tower.middle));
            let lower = Arc::clone(&lower);
            thread::spawn(move || {
                let at_4 = share(&middle, 4, 1);
                let joined = join(&at_4, &lower);
                if is_cut(&middle, 4) {
                    at_4.abandon();
                    assert!(is_over(&at_4));
                    assert!(at_2.leave(&middle).is_none());
                    assert_eq!(lower.keep(), if joined { 5 } else { usize::MAX });
                    return None;
                }
                Some((at_4, joined))
            })
        };
        tower.at_2.cut();
        tower.assert_cut();
        if let Some((at_4, joined)) = nested.join().unwrap() {
            assert!(is_over(&at_4));
            assert_eq!(lower.keep(), if joined { 5 } else { usize::MAX });
            assert!(!close(&at_4));
            assert!(tower.at_2.leave(&tower.middle).is_none());
        }
        tower.come_home();
    });
}

/// Two helpers cut a split point, one perhaps after its owner has closed it: the owner's mark is gone for good.
#[test]
fn a_mark_never_hits_an_owner_that_has_closed() {
    check(None, || {
        let owner: Arc<StrandControl> = Arc::default();
        let split = share(&owner, 2, 2);
        let threads = [helper_of(&split), helper_of(&split)].map(|helper| {
            let (split, owner) = (Arc::clone(&split), Arc::clone(&owner));
            thread::spawn(move || {
                split.report(|_| true);
                if let Some(Token) = split.leave(&helper) {
                    assert!(close(&split));
                    assert_eq!(owner.keep(), usize::MAX);
                }
            })
        });
        if is_over(&split) {
            assert!(close(&split));
            assert_eq!(owner.keep(), usize::MAX);
        } else if let Some(Token) = split.park(Token) {
            assert!(close(&split));
            assert_eq!(owner.keep(), usize::MAX);
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(split.with(|at| at.state.closed));
        assert_eq!(owner.keep(), usize::MAX);
    });
}

/// Two split points of one owner are cut at the same time: the owner comes to the upper one, and no mark is left.
#[test]
fn two_frames_of_one_owner_are_cut_at_once() {
    fn finish_upper(owner: &StrandControl, upper: &SplitPoint) {
        assert!(close(upper));
        assert_eq!(owner.keep(), usize::MAX);
    }

    fn come_to_upper(owner: &StrandControl, upper: &SplitPoint) {
        if is_over(upper) || upper.park(Token).is_some() {
            finish_upper(owner, upper);
        }
    }

    fn finish_lower(owner: &StrandControl, upper: &SplitPoint, lower: &SplitPoint) {
        let closed = close(lower);
        let keep = owner.keep();
        assert!(keep == 1 || closed && keep == usize::MAX, "the mark of the lower one is gone");
        come_to_upper(owner, upper);
    }

    check(Some(4), || {
        let owner: Arc<StrandControl> = Arc::default();
        let (upper, lower) = (share(&owner, 0, 1), share(&owner, 2, 1));
        let helpers = [helper_of(&upper), helper_of(&lower)];
        let here = || (Arc::clone(&owner), Arc::clone(&upper), Arc::clone(&lower));
        let [above, below] = helpers;
        let cuts_upper = {
            let (owner, upper, _) = here();
            thread::spawn(move || {
                upper.report(|at| !at.over);
                if let Some(Token) = upper.leave(&above) {
                    finish_upper(&owner, &upper);
                }
            })
        };
        let cuts_lower = {
            let (owner, upper, lower) = here();
            thread::spawn(move || {
                lower.report(|at| !at.over);
                if let Some(Token) = lower.leave(&below) {
                    finish_lower(&owner, &upper, &lower);
                }
            })
        };
        if is_cut(&owner, 2) {
            lower.abandon();
            come_to_upper(&owner, &upper);
        } else if is_over(&lower) || lower.park(Token).is_some() {
            finish_lower(&owner, &upper, &lower);
        }
        cuts_upper.join().unwrap();
        cuts_lower.join().unwrap();
        assert!(upper.with(|at| at.state.closed));
        assert_eq!(owner.keep(), usize::MAX);
    });
}

/// A strand that has left its split point begins anew, while the split point it has left is cut.
#[test]
fn a_mark_never_hits_a_helper_that_has_left() {
    check(None, || {
        let tower = Tower::new();
        let at_4 = share(&tower.middle, 4, 1);
        let leaving = {
            let (at_2, at_4) = (Arc::clone(&tower.at_2), Arc::clone(&at_4));
            let middle = Arc::clone(&tower.middle);
            thread::spawn(move || {
                if is_cut(&middle, 4) {
                    at_4.abandon();
                } else {
                    close(&at_4);
                }
                assert!(at_2.leave(&middle).is_none());
                middle.begin();
                assert_eq!(middle.keep(), usize::MAX);
            })
        };
        tower.at_2.cut();
        leaving.join().unwrap();
        assert_eq!(tower.middle.keep(), usize::MAX);
        tower.come_home();
    });
}

/// Whatever was written before a poke is seen at this look or at the next; nobody waits for a poke that was lost.
#[test]
fn a_poke_is_never_lost() {
    check(None, || {
        let strand: Arc<StrandControl> = Arc::default();
        let request = Arc::new(AtomicUsize::new(0));
        let asks = {
            let (strand, request) = (Arc::clone(&strand), Arc::clone(&request));
            thread::spawn(move || {
                request.store(1, Relaxed);
                strand.poke();
            })
        };
        loop {
            if strand.look_up_at() == 0 {
                strand.next_look(u64::MAX);
                if request.load(Relaxed) == 1 {
                    break;
                }
            }
            thread::yield_now();
        }
        asks.join().unwrap();
    });
}

/// A cut pokes as well: a strand that looks up only when it is told to sees its mark.
#[test]
fn a_cut_is_seen_by_a_strand_that_does_not_look() {
    check(None, || {
        let owner = Arc::default();
        let split = share(&owner, 0, 1);
        let helper = helper_of(&split);
        let cuts = {
            let split = Arc::clone(&split);
            thread::spawn(move || split.cut())
        };
        loop {
            if helper.look_up_at() == 0 {
                helper.next_look(u64::MAX);
                if is_cut(&helper, 1) {
                    break;
                }
            }
            thread::yield_now();
        }
        assert!(split.leave(&helper).is_none());
        cuts.join().unwrap();
        assert!(close(&split));
    });
}

/// Nested split points are cut at the same time, and left: nobody waits for a lock for ever.
#[test]
fn nested_split_points_are_cut_and_left_at_once() {
    check(Some(4), || {
        let tower = Tower::new();
        let at_4 = share(&tower.middle, 4, 1);
        let lower = helper_of(&at_4);
        // The owner of the lowest split point comes home: by itself, or carried on.
        let finish = |at_2: &SplitPoint, at_4: &SplitPoint, middle: &Arc<StrandControl>| {
            let closed = close(at_4);
            assert!(closed || is_cut(middle, 4));
            assert!(at_2.leave(middle).is_none());
        };
        let spawn_with = || (Arc::clone(&tower.at_2), Arc::clone(&at_4), Arc::clone(&tower.middle));
        let helper = {
            let (at_2, at_4, middle) = spawn_with();
            thread::spawn(move || {
                at_4.report(|at| !at.over);
                if let Some(Token) = at_4.leave(&lower) {
                    finish(&at_2, &at_4, &middle);
                }
            })
        };
        let nested = {
            let (at_2, at_4, middle) = spawn_with();
            thread::spawn(move || {
                if is_cut(&middle, 4) {
                    at_4.abandon();
                    assert!(at_2.leave(&middle).is_none());
                } else if is_over(&at_4) || at_4.park(Token).is_some() {
                    finish(&at_2, &at_4, &middle);
                }
            })
        };
        tower.at_2.report(|_| true);
        helper.join().unwrap();
        nested.join().unwrap();
        assert!(tower.at_2.is_deserted());
        tower.come_home();
    });
}

/// The whole run is ended while a split point is cut from inside and left.
#[test]
fn a_run_is_ended_while_a_split_point_is_cut() {
    check(Some(4), || {
        let owner: Arc<StrandControl> = Arc::default();
        let split = share(&owner, 2, 1);
        let helper = helper_of(&split);
        let ends = {
            let owner = Arc::clone(&owner);
            thread::spawn(move || owner.cut_all())
        };
        let cuts = {
            let (split, helper) = (Arc::clone(&split), Arc::clone(&helper));
            thread::spawn(move || {
                split.report(|at| !at.over);
                if let Some(Token) = split.leave(&helper) {
                    close(&split);
                }
            })
        };
        if is_cut(&owner, 2) {
            split.abandon();
        } else if is_over(&split) || split.park(Token).is_some() {
            close(&split);
        }
        cuts.join().unwrap();
        ends.join().unwrap();
        assert_eq!((owner.keep(), helper.keep()), (0, 3));
    });
}

/// A member finds nothing left and recalls the others, who were handed other work meanwhile: each comes back to the split
/// point once, whatever it was doing, and goes on there; nobody is left with a mark, and the owner goes on once.
#[test]
fn recalled_members_come_back_and_go_on() {
    check(Some(4), || {
        let owner: Arc<StrandControl> = Arc::default();
        let split = share(&owner, 2, 3);
        let [calls, comes] = [helper_of(&split), helper_of(&split)];
        assert_eq!(take(&split), Some(0), "the owner's");
        assert_eq!(take(&split), Some(1), "of the one who comes back");
        let report = |split: &SplitPoint, index: usize| {
            split.path[index].fetch_add(1, Relaxed);
            split.report(|at| {
                at.state.reported += 1;
                false
            });
        };
        // Who is recalled in the middle of a move may go on with it; who is not finishes it.
        let member = move |split: &SplitPoint, control: &Arc<StrandControl>, index: usize| {
            if is_cut(control, 3) {
                assert!(split.forgive(control), "only recalled");
                assert!(!is_cut(control, 3));
            }
            report(split, index);
        };
        let coming = {
            let split = Arc::clone(&split);
            thread::spawn(move || {
                member(&split, &comes, 1);
                split.leave(&comes).is_some()
            })
        };
        let calling = {
            let split = Arc::clone(&split);
            thread::spawn(move || {
                assert_eq!(take(&split), Some(2));
                split.recall(&calls);
                assert_eq!(calls.keep(), usize::MAX, "nobody recalls oneself");
                report(&split, 2);
                split.leave(&calls).is_some()
            })
        };
        member(&split, &owner, 0);
        let mut carried = usize::from(split.park(Token).is_some());
        carried += [coming, calling].into_iter().map(|thread| usize::from(thread.join().unwrap())).sum::<usize>();
        assert_eq!(carried, 1);
        close_complete(&split);
        assert_eq!(owner.keep(), usize::MAX, "a late mark is taken away when the owner goes on");
    });
}

/// A recall and a cut from above at the same time: the cut wins.
#[test]
fn a_cut_is_not_forgiven() {
    check(None, || {
        let owner: Arc<StrandControl> = Arc::default();
        let split = share(&owner, 2, 2);
        let [calls, comes] = [helper_of(&split), helper_of(&split)];
        let cutting = {
            let owner = Arc::clone(&owner);
            thread::spawn(move || owner.cut_all())
        };
        let calling = {
            let (split, calls) = (Arc::clone(&split), Arc::clone(&calls));
            thread::spawn(move || split.recall(&calls))
        };
        let forgiven = split.forgive(&comes);
        cutting.join().unwrap();
        calling.join().unwrap();
        assert!(is_over(&split) && is_cut(&comes, 3) && is_cut(&calls, 3));
        assert!(!split.forgive(&comes) && !split.forgive(&calls), "{forgiven}");
        split.abandon();
    });
}
