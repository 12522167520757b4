//! Ranks that send false messages, forget tasks or fall silent: the others go on and find the right values.

mod common;

use common::{SearchingRank, alone, tree};
use game::tree::Tree;
use game::{Game, Score, Window};
use jamboree_cluster::{Link, Loopback, Message, NetworkConditions, Rank, RankNote, ResultOnWire};
use search::{Kind, Limits, Plain, RemoteResult, RemoteTask, Searcher, Watch};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn links(ranks: usize) -> Vec<Link> {
    Loopback::ranks(ranks, NetworkConditions::default()).into_iter().map(|end| Link::new(Box::new(end))).collect()
}

/// Commands, which only the first rank may give.
fn commands() -> [Message; 6] {
    [
        Message::Quit,
        Message::NewGame,
        Message::Prepare,
        Message::SetOption { name: "Hash".into(), value: Some("1".into()) },
        Message::Start { search: 9, what: vec![1] },
        Message::End { search: 1 },
    ]
}

#[test]
fn between_searches_only_the_first_rank_commands() {
    let mut links = links(3);
    let (mut liar, middle, mut first) = (links.remove(2), links.remove(1), links.remove(0));
    let mut middle_rank = Rank::new(middle);
    for lie in commands() {
        liar.send(1, &lie);
        liar.send(0, &lie);
    }
    first.send(1, &Message::Prepare);
    assert_eq!(middle_rank.listen(), Some((0, Message::Prepare)));
    assert_eq!((middle_rank.listen(), middle_rank.link.traffic.messages.unauthorized), (None, 6));
    assert_eq!((first.receive(), first.traffic.messages.unauthorized), (None, 6));
    // Reports are for the first rank only.
    first.send(1, &Message::Note { text: "a note".into() });
    assert_eq!((middle_rank.listen(), middle_rank.link.traffic.messages.unauthorized), (None, 7));
}

/// Waits for a message that fits.
fn await_message<T>(link: &mut Link, fits: impl Fn(usize, Message) -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        assert!(since.elapsed() < Duration::from_secs(10), "the message did not come: {}", link.traffic);
        match link.receive() {
            Some((from, message)) => {
                if let Some(found) = fits(from, message) {
                    return found;
                }
            }
            None => std::thread::sleep(Duration::from_micros(50)),
        }
    }
}

#[test]
fn only_the_giver_of_a_task_ends_or_bounds_it() {
    let tree = tree(3);
    let mut moves = Vec::new();
    tree.moves(&mut moves);
    let child = tree.play(moves[0]);
    let depth = tree.height() - 1;
    let expected = Searcher::new(Plain::default()).run(&child, &[], &Limits::depth(depth)).score().expect("a score");
    let mut ends = Loopback::ranks(3, NetworkConditions::default());
    let [mut liar, mut first] = [ends.remove(2), ends.remove(0)].map(|end| Link::new(Box::new(end)));
    let end = ends.remove(0);
    std::thread::scope(|scope| {
        let honest = scope.spawn(|| SearchingRank::new(end, &tree).follow());
        first.send(1, &Message::Start { search: 1, what: vec![1] });
        await_message(&mut first, |_, message| matches!(message, Message::Request { .. }).then_some(()));
        // A task id of the first rank, which the false rank knows or guesses.
        let (search, id) = (1, 7);
        liar.send(1, &Message::Cutoff { search, id });
        liar.send(1, &Message::NewBound { search, id, alpha: 31_000 });
        for lie in commands() {
            liar.send(1, &lie);
        }
        let task =
            RemoteTask { moves: vec![Tree::pack(moves[0])], window: Window::FULL, depth, kind: Kind::Pv, batch: None };
        first.send(1, &Message::Work { search, id, task: task.into() });
        // The same while the task is searched.
        liar.send(1, &Message::Cutoff { search, id });
        liar.send(1, &Message::NewBound { search, id, alpha: 31_000 });
        let result = await_message(&mut first, |from, message| match message {
            Message::Return { id: 7, result, .. } if from == 1 => Some(result),
            _ => None,
        });
        let result = result.and_then(ResultOnWire::check).expect("the task is done");
        assert_eq!(result.score, expected);
        first.send(1, &Message::Quit);
        let honest = honest.join().expect("it quits");
        assert_eq!(honest.link.traffic.messages.unauthorized, 4 + commands().len() as u64);
    });
}

/// A rank can't return another rank's task, and impossible numbers in a result do no harm.
#[test]
fn only_the_holder_of_a_task_returns_it() {
    let tree = tree(0);
    let mut ends = Loopback::ranks(3, NetworkConditions::default());
    let [mut liar, mut holder] = [ends.remove(2), ends.remove(1)].map(|end| Link::new(Box::new(end)));
    let mut rank = SearchingRank::new(ends.remove(0), &tree);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                match holder.receive() {
                    Some((_, Message::Work { search, id, .. })) => {
                        let lie = RemoteResult {
                            score: Score::win_in(1),
                            nodes: 1,
                            span: 1,
                            line: vec![1],
                            searched: Vec::new(),
                        };
                        liar.send(0, &Message::Return { search, id, time_us: 1, result: Some(lie.into()) });
                        std::thread::sleep(Duration::from_millis(1));
                        holder.send(0, &Message::Return { search, id, time_us: u64::MAX, result: None });
                        holder.send(0, &Message::Request { search });
                    }
                    Some((_, Message::Start { search, .. } | Message::Refusal { search })) => {
                        holder.send(0, &Message::Request { search });
                    }
                    Some((_, Message::Ping)) => holder.send(0, &Message::Pong),
                    _ => std::thread::sleep(Duration::from_micros(20)),
                }
            }
        });
        let scores: Vec<_> = (0..10).map(|_| rank.lead_once()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(scores, [alone(&tree); 10]);
    });
    let traffic = &rank.rank.link.traffic;
    assert!(traffic.messages.unauthorized > 0, "{traffic}");
    assert!(
        rank.rank.notes.iter().any(|note| note.to_string().contains("rank 2 may not send")),
        "{:?}",
        rank.rank.notes
    );
}

/// How a rank behaves that takes tasks and never returns one.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// It answers pings, and asks for more.
    Forgetful,
    /// It is silent while it has a task.
    Silent,
}

/// A rank that takes tasks and never returns one, until `is_over`.
fn take_and_keep(mut link: Link, manner: Manner, is_over: &AtomicBool) {
    let (mut held, mut search_now) = (0_u32, 0);
    while !is_over.load(Ordering::Relaxed) {
        let message = link.receive();
        let asks = match message {
            Some((_, Message::Start { search, .. })) => {
                (held, search_now) = (0, search);
                true
            }
            Some((_, Message::Work { .. })) => {
                held += 1;
                manner == Manner::Forgetful
            }
            Some((_, Message::Cutoff { .. })) => {
                held = held.saturating_sub(1);
                held == 0
            }
            Some((_, Message::Refusal { .. })) => manner == Manner::Forgetful || held == 0,
            Some((_, Message::Ping)) => {
                if manner == Manner::Forgetful {
                    link.send(0, &Message::Pong);
                }
                false
            }
            Some(_) => false,
            None => {
                std::thread::sleep(Duration::from_micros(20));
                false
            }
        };
        if asks {
            link.send(0, &Message::Request { search: search_now });
        }
    }
}

/// Runs `lead` on the first of two ranks; the other one takes tasks and never returns one. None if it does not end in
/// time.
fn beside<T: Send + 'static>(manner: Manner, lead: impl FnOnce(Loopback) -> T + Send + 'static) -> Option<T> {
    let mut ends = Loopback::ranks(2, NetworkConditions::default());
    let other = Link::new(Box::new(ends.remove(1)));
    let first = ends.remove(0);
    let (sender, receiver) = std::sync::mpsc::channel();
    // Not scoped: a search that does not end must not keep the test from failing.
    std::thread::spawn(move || sender.send(lead(first)));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| take_and_keep(other, manner, &is_over));
        let result = receiver.recv_timeout(Duration::from_secs(30)).ok();
        is_over.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
fn tasks_of_a_forgetful_rank_are_taken_back() {
    let result = beside(Manner::Forgetful, |first| {
        let tree = tree(0);
        let expected = alone(&tree);
        let mut rank = SearchingRank::new(first, &tree);
        rank.rank.take_back_after(Duration::from_millis(50));
        for _ in 0..20 {
            assert_eq!(rank.lead_once(), expected);
            if rank.rank.link.traffic.tasks.taken_back > 0 {
                break;
            }
        }
        rank.rank.link.traffic.clone()
    });
    let traffic = result.expect("the searches end");
    assert!(traffic.tasks.taken_back > 0, "{traffic}");
}

/// A time limit.
struct Clock {
    start: Instant,
    end_ms: AtomicU64,
}

impl<M> Watch<M> for Clock {
    fn expired(&self) -> bool {
        self.start.elapsed().as_millis() as u64 >= self.end_ms.load(Ordering::Relaxed)
    }
}

/// A rank whose processors only wait for a task that another rank has still keeps to its time.
#[test]
fn an_idle_rank_keeps_to_its_clock() {
    const TIME: Duration = Duration::from_millis(1500);
    let result = beside(Manner::Forgetful, |first| {
        // The tree takes less than the time, if all tasks are returned.
        let tree = tree(0);
        let clock = Clock { start: Instant::now(), end_ms: AtomicU64::new(0) };
        let mut rank = SearchingRank::new(first, &tree);
        rank.watch = &clock;
        rank.rank.take_back_after(Duration::from_secs(3600));
        let mut times = Vec::new();
        for _ in 0..4 {
            let since = Instant::now();
            clock.end_ms.store((clock.start.elapsed() + TIME).as_millis() as u64, Ordering::Relaxed);
            rank.lead_once();
            times.push(since.elapsed());
        }
        times
    });
    let times = result.expect("the searches end");
    assert!(times.iter().any(|&time| time >= TIME), "at least one search waited for the other rank: {times:?}");
    assert!(times.iter().all(|&time| time < 2 * TIME), "{times:?}");
}

#[test]
fn a_silent_rank_is_given_up() {
    let result = beside(Manner::Silent, |first| {
        let tree = tree(9);
        let expected = alone(&tree);
        let mut rank = SearchingRank::new(first, &tree);
        // The tasks must not be taken back before the rank is lost.
        rank.rank.take_back_after(Duration::from_secs(3600));
        for _ in 0..20 {
            assert_eq!(rank.lead_once(), expected);
            if rank.rank.link.traffic.tasks.lost > 0 {
                break;
            }
        }
        rank.rank
    });
    let rank = result.expect("the searches end");
    assert!(rank.link.traffic.tasks.lost > 0, "its tasks are searched here: {}", rank.link.traffic);
    assert!(rank.has_lost_ranks() && rank.notes == [RankNote::Lost { rank: 1 }], "{:?}", rank.notes);
}
