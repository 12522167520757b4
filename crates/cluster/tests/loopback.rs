//! A search divided among ranks finds the same value as one rank alone, whatever happens to the messages.

mod common;

use common::{alone, together, tree};
use game::tree::{Order, Tree};
use jamboree_cluster::{NetworkConditions, Traffic};
use search::algorithms::Algorithm;
use std::sync::Arc;
use std::time::Duration;
use table::Table;

fn sharing_algorithms() -> impl Iterator<Item = Algorithm> {
    let shares = |algorithm: &Algorithm| algorithm.shares();
    let switched = search::algorithms::by_name("jamboree+level-waiting");
    search::algorithms::all().into_iter().filter(shares).chain(switched)
}

fn sum(traffic: &[Traffic], counter: impl Fn(&Traffic) -> u64) -> u64 {
    traffic.iter().map(counter).sum()
}

#[test]
fn ranks_find_the_value_of_negamax() {
    let (mut given, mut moves, mut raised) = (0, 0, 0);
    for (seed, algorithm) in sharing_algorithms().enumerate().chain(sharing_algorithms().enumerate()) {
        // On a busy machine ranks find less to give away: then all algorithms search once more.
        if seed == 0 && given > 200 && raised > 0 {
            break;
        }
        for ranks in [2, 4] {
            let tree = tree(seed as u64);
            let expected = alone(&tree);
            let adapt = |rank: &mut common::SearchingRank<'_>| rank.algorithm = algorithm;
            let (scores, traffic) = together(&tree, ranks, 2, NetworkConditions::default(), adapt);
            assert_eq!(scores, [expected; 2], "{} on {ranks} ranks: {tree:?}", algorithm.name());
            given += sum(&traffic, |traffic| traffic.tasks.given);
            moves += sum(&traffic, |traffic| traffic.tasks.moves);
            raised += sum(&traffic, |traffic| traffic.tasks.raised);
            assert_eq!(
                sum(&traffic, |traffic| traffic.messages.unauthorized),
                0,
                "honest ranks send only what they may"
            );
        }
    }
    assert!(given > 100, "the ranks worked for each other: {given}");
    assert!(moves > given * 11 / 10, "and gave away several moves at once: {moves} in {given} tasks");
    assert!(raised > 0, "and told each other of raised bounds");
}

#[test]
fn delayed_damaged_and_repeated_messages_change_nothing() {
    let (mut malformed, mut stale) = (0, 0);
    for seed in 0..8 {
        let conditions = NetworkConditions {
            delay: Duration::from_micros(20 * seed),
            jitter: Duration::from_micros(300),
            damaged: 100,
            repeated: 100,
            seed,
            ..NetworkConditions::default()
        };
        let tree = tree(seed);
        let expected = alone(&tree);
        let (scores, traffic) = together(&tree, 3, 2, conditions, |_| {});
        assert_eq!(scores, [expected; 2], "{tree:?}");
        malformed += sum(&traffic, |traffic| traffic.messages.malformed);
        stale += sum(&traffic, |traffic| traffic.messages.stale);
    }
    assert!(malformed > 0 && stale > 0, "{malformed} malformed, {stale} stale");
}

/// When a transport refuses messages now and then, no result is dropped: it is sent later.
#[test]
fn results_that_cannot_be_sent_are_sent_later() {
    let mut delayed = 0;
    for seed in 0..4 {
        let conditions = NetworkConditions { refused: 300, seed, ..NetworkConditions::default() };
        let tree = tree(seed);
        // Tasks are not taken back: the search would wait for ever for a lost result.
        let adapt = |rank: &mut common::SearchingRank<'_>| rank.rank.take_back_after(Duration::from_secs(3600));
        let (scores, traffic) = together(&tree, 3, 2, conditions, adapt);
        assert_eq!(scores, [alone(&tree); 2], "{tree:?}");
        delayed += sum(&traffic, |traffic| traffic.messages.delayed);
    }
    assert!(delayed > 0, "some messages were sent later");
}

/// A transport that loses messages, against its contract, delays the search and does not change what it finds.
#[test]
fn lost_messages_are_recovered_from() {
    let mut taken_back = 0;
    for seed in 0..40 {
        let conditions = NetworkConditions { lost: 50, seed, ..NetworkConditions::default() };
        let tree = tree(seed);
        let adapt = |rank: &mut common::SearchingRank<'_>| rank.rank.take_back_after(Duration::from_millis(50));
        let (scores, traffic) = together(&tree, 3, 3, conditions, adapt);
        assert_eq!(scores, [alone(&tree); 3], "{tree:?}");
        taken_back += sum(&traffic, |traffic| traffic.tasks.taken_back);
        if taken_back > 0 {
            break;
        }
    }
    assert!(taken_back > 0, "some tasks were taken back");
}

#[test]
fn a_distributed_table_is_used_and_does_no_harm() {
    let tree = Tree::new(Order::Strong { percent: 70 }, 9, 9, 5).expect("a tree");
    let adapt =
        |rank: &mut common::SearchingRank<'_>| rank.table = Some(Arc::new(Table::new(2).expect("a small table")));
    let (scores, traffic) = together(&tree, 3, 3, NetworkConditions::default(), adapt);
    assert_eq!(scores, [alone(&tree); 3]);
    assert!(sum(&traffic, |traffic| traffic.table.received) > 0, "{traffic:?}");
}
