//! The simulation itself: cases are read back, drawn anew, found to fail where something is wrong, and made small.

use super::*;
use game::tree::Order;
use std::time::Duration;

#[test]
fn what_is_written_is_read_and_every_case_can_be_run() {
    let mut kinds = std::collections::HashSet::new();
    for number in 0..3000 {
        let case = draw(7, number);
        assert_eq!(case.check(), Ok(()), "{case}");
        assert_eq!(case.to_string().parse(), Ok(case.clone()), "{case}");
        assert_eq!(draw(7, number), case);
        kinds.insert((case.machine.name(), case.play.name()));
    }
    assert!(kinds.len() >= 6, "{kinds:?}");
    assert_ne!(draw(7, 1), draw(8, 1));
}

#[test]
fn what_is_no_case_is_refused() {
    let good = "game=tree:random:3:3:1 depth=3";
    assert!(good.parse::<Case>().is_ok());
    for bad in [
        "",
        "depth=3",
        "game=tree:random:3:3:1",
        "game=tree:random:0:3:1 depth=3",
        "game=tree:random:3:0:1 depth=1",
        "game=bridge depth=3",
        "game=four:8 depth=3",
        "game=chess:3:1:checkers depth=3",
        "game=chess:3000:1:classic depth=3",
        "game=tree:random:3:3:1 depth=three",
        "game=tree:random:3:3:1 depth=3 algorithm=coffee",
        "game=tree:random:3:3:1 depth=3 processors=0",
        "game=tree:random:3:3:1 depth=3 processors=3 hosts=ranks=2",
        "game=tree:random:3:3:1 depth=3 profile=pentium",
        "game=tree:random:3:3:1 depth=3 table=round",
        "game=tree:random:3:3:1 depth=3 machine=abacus",
        "game=tree:random:3:3:1 depth=3 faults=ranks=1",
        "game=tree:random:3:3:1 depth=3 colour=red",
        "game=tree:random:3:3:1 depth=3 lines",
    ] {
        let error = bad.parse::<Case>().expect_err(bad);
        assert!(!error.is_empty() && !error.contains('\n'), "{bad}: {error}");
    }
}

#[test]
fn random_cases_hold() {
    let campaign = Campaign {
        source: Source::Drawn { seed: 1, first: 0 },
        searches: 1500,
        time: Some(Duration::from_secs(60)),
        jobs: 1,
        patience: Duration::from_secs(60),
    };
    let (tally, found) = run(&campaign, &mut |_| {}).expect("a thread");
    if let Some(Found { case, failure }) = found {
        panic!("{failure}\n{case}");
    }
    assert!(tally.searches > 100 && tally.checks() > 10 * tally.searches, "{tally:?}");
}

#[test]
fn ranks_hold_with_every_fault() {
    let tree = "game=tree:strong70:6:6:3 depth=6 machine=ranks processors=1";
    for faults in ["ranks=3,jitter=300,damaged=100,repeated=100,refused=100", "ranks=2,lost=30", "ranks=2,stops=40"] {
        let case: Case = format!("{tree} faults={faults}").parse().expect("a case");
        let claims = check(&case).unwrap_or_else(|failure| panic!("{failure}\n{case}"));
        assert!(claims.held().contains(&"the value is that of negamax"));
    }
}

#[test]
fn a_case_that_fails_is_made_small() {
    let play = Play::Tree { order: Order::Random, degree: 6, height: 5, seed: 99 };
    let mut case = Case::of(play, 5);
    (case.algorithm, case.processors) = ("ybw+guess+last-first+own-tables".into(), 48);
    (case.profile, case.hosts) = ("startech,message=30,split=4".into(), "ranks=4,latency=30".into());
    (case.table, case.nodes, case.seed) = ("zugzwang:2^4".into(), Some(900), 12_345);
    // What is wrong needs three processors, last-first and messages of some length.
    let mut tries = 0;
    let small = shrink(&case, Duration::from_secs(60), &mut |case| {
        tries += 1;
        case.processors >= 3 && case.algorithm.contains("last-first") && case.profile.contains("message=30")
    });
    let expected = "game=tree:random:1:1:0 depth=1 algorithm=ybw+last-first machine=virtual processors=3 profile=startech,message=30";
    assert_eq!(small.to_string(), expected);
    assert!(tries < 200, "{tries}");
}
