//! A search divided among ranks finds what one alone finds, whatever the weather on the wire.

use cluster::{DistributedTable, Exchange, Homes, Link, Loopback, Message, Post, Traffic, Weather};
use game::Score;
use game::tree::{Order, Tree};
use search::algorithms::{Algorithm, Together};
use search::{Limits, Machine, NoWatch, Plain, Ranks, Searcher, Threads};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::Table;

/// One rank's life: it searches the tree whenever it is told to, until it is told to go.
struct Rank<'a> {
    post: Post,
    tree: &'a Tree,
    algorithm: &'a Arc<dyn Algorithm>,
    table: Option<Arc<Table>>,
}

impl Rank<'_> {
    fn search(&mut self, leads: bool) -> Option<Score> {
        let mut searcher = Searcher::new(Plain::default());
        searcher.algorithm = Arc::clone(self.algorithm);
        searcher.machine = Machine::Threads(Threads { processors: 2, grain: 0 });
        let own = self.table.clone().unwrap_or_else(|| Arc::new(Table::new(1).expect("a small table")));
        if self.table.is_some() {
            searcher.set_table(Arc::clone(&own));
        }
        let link = &self.post.link;
        let homes = if self.table.is_some() { Homes::Even } else { Homes::Local };
        let far = DistributedTable::new(link.rank(), link.ranks(), homes, Arc::clone(&own));
        let mut porter = self.post.porter(&far, &own, 2, Exchange::none());
        let others = Ranks { messages: &mut porter, table: Some(&far), leads };
        let limits = Limits::depth(self.tree.height());
        let mut listener = |_: search::Report<'_, _>| ControlFlow::Continue(());
        searcher.run_among(self.tree, &[], &limits, &NoWatch, &mut listener, Some(others)).score()
    }

    fn lead(mut self, searches: usize) -> (Vec<Option<Score>>, Post) {
        let mut scores = Vec::new();
        for _ in 0..searches {
            self.post.start(vec![1, 2, 3]);
            scores.push(self.search(true));
        }
        self.post.link.send_to_all(&Message::Quit);
        (scores, self.post)
    }

    fn follow(mut self) -> Post {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(60) {
            match self.post.listen() {
                Some((_, Message::Start { search, .. })) => {
                    self.post.join(search);
                    self.search(false);
                }
                Some((_, Message::Quit)) => break,
                _ => std::thread::sleep(Duration::from_micros(50)),
            }
        }
        self.post
    }
}

/// Scores of so many searches of a tree by so many ranks, and what they sent.
fn together(
    tree: &Tree,
    algorithm: &Arc<dyn Algorithm>,
    ranks: usize,
    searches: usize,
    weather: Weather,
    with_table: bool,
) -> (Vec<Option<Score>>, Vec<Traffic>) {
    let mut ends = Loopback::ranks(ranks, weather).into_iter();
    let rank = |end: Loopback| {
        let table = with_table.then(|| Arc::new(Table::new(2).expect("a small table")));
        let mut post = Post::new(Link::new(Box::new(end)));
        post.fix_grain(4);
        Rank { post, tree, algorithm, table }
    };
    std::thread::scope(|scope| {
        let first = rank(ends.next().expect("a rank"));
        let others: Vec<_> = ends.map(|end| scope.spawn(move || rank(end).follow())).collect();
        let (scores, post) = first.lead(searches);
        let mut traffic = vec![post.link.traffic];
        traffic.extend(others.into_iter().map(|rank| rank.join().expect("a rank").link.traffic));
        (scores, traffic)
    })
}

/// What one processor finds without a table, which is the value of negamax (tested in the search crate).
fn alone(tree: &Tree) -> Option<Score> {
    Searcher::new(Plain::default()).run(tree, &[], &Limits::depth(tree.height())).score()
}

fn sharing_algorithms() -> impl Iterator<Item = Arc<dyn Algorithm>> {
    let shares =
        |algorithm: &Arc<dyn Algorithm>| algorithm.together() == Together::OnRequest && algorithm.name() != "serial";
    let switched = search::algorithms::by_name("jamboree+level-waiting");
    search::algorithms::all().into_iter().filter(shares).chain(switched)
}

fn tree(seed: u64) -> Tree {
    let order = [Order::Random, Order::Strong { percent: 70 }, Order::Ragged][seed as usize % 3];
    Tree::new(order, 6, 9, seed).expect("a tree")
}

#[test]
fn ranks_find_the_value_of_negamax() {
    let (mut given, mut moves, mut raised) = (0, 0, 0);
    for (seed, algorithm) in sharing_algorithms().enumerate() {
        for ranks in [2, 4] {
            let tree = tree(seed as u64);
            let expected = alone(&tree);
            let (scores, traffic) = together(&tree, &algorithm, ranks, 2, Weather::default(), false);
            assert_eq!(scores, [expected; 2], "{} on {ranks} ranks: {tree:?}", algorithm.name());
            given += traffic.iter().map(|traffic| traffic.given).sum::<u64>();
            moves += traffic.iter().map(|traffic| traffic.moves).sum::<u64>();
            raised += traffic.iter().map(|traffic| traffic.raised).sum::<u64>();
        }
    }
    assert!(given > 100, "the ranks worked for each other: {given}");
    assert!(moves > given * 5 / 4, "and gave away several moves at once: {moves} in {given} errands");
    assert!(raised > 0, "and told each other of raised bounds");
}

#[test]
fn bad_weather_changes_nothing() {
    let mut totals = Traffic::default();
    let algorithm = search::algorithms::default();
    for seed in 0..8 {
        let weather = Weather {
            delay: Duration::from_micros(20 * seed),
            jitter: Duration::from_micros(300),
            damaged: 100,
            repeated: 100,
            seed,
        };
        let tree = tree(seed);
        let expected = alone(&tree);
        let (scores, traffic) = together(&tree, &algorithm, 3, 2, weather, false);
        assert_eq!(scores, [expected; 2], "{tree:?}");
        for traffic in traffic {
            totals.malformed += traffic.malformed;
            totals.stale += traffic.stale;
        }
    }
    assert!(totals.malformed > 0 && totals.stale > 0, "{totals}");
}

#[test]
fn a_distributed_table_is_used_and_does_no_harm() {
    let algorithm = search::algorithms::default();
    let tree = Tree::new(Order::Strong { percent: 70 }, 9, 9, 5).expect("a tree");
    let expected = alone(&tree);
    let (scores, traffic) = together(&tree, &algorithm, 3, 3, Weather::default(), true);
    assert_eq!(scores, [expected; 3]);
    assert!(traffic.iter().map(|traffic| traffic.told).sum::<u64>() > 0, "{traffic:?}");
}

/// A rank that falls silent with an errand that is not withdrawn.
#[test]
fn a_silent_rank_is_given_up() {
    let algorithm = search::algorithms::default();
    let tree = Tree::new(Order::Random, 6, 9, 9).expect("a tree");
    let expected = alone(&tree);
    let mut ends = Loopback::ranks(2, Weather::default()).into_iter();
    let first = ends.next().expect("a rank");
    let mut second = Link::new(Box::new(ends.next().expect("a rank")));
    let silent = std::thread::spawn(move || {
        let since = Instant::now();
        let (mut withdrawn, mut given) = (0, 0);
        let mut asked = false;
        while since.elapsed() < Duration::from_secs(20) {
            match second.receive() {
                // The other rank waits for an errand.
                Some((_, Message::Ping)) => return Some(withdrawn),
                Some((_, Message::End { .. })) => return None,
                Some((_, Message::Work { .. })) => given += 1,
                Some((_, Message::Cutoff { .. })) => (withdrawn, asked) = (withdrawn + 1, false),
                Some((_, Message::Start { .. } | Message::Refusal { .. })) => asked = false,
                Some(_) => {}
                None => std::thread::sleep(Duration::from_micros(20)),
            }
            // Whoever has an errand says nothing more: one that goes on asking is not silent.
            if !asked && given == withdrawn {
                asked = true;
                second.send(0, &Message::Request { search: 1 });
            }
        }
        None
    });
    let mut post = Post::new(Link::new(Box::new(first)));
    post.fix_grain(4);
    let rank = Rank { post, tree: &tree, algorithm: &algorithm, table: None };
    let (scores, post) = rank.lead(1);
    assert_eq!(scores, [expected]);
    // On a busy machine all errands may be withdrawn, or the last one after its rank fell silent.
    if silent.join().expect("it ends") == Some(post.link.traffic.withdrawn) {
        assert!(post.has_lost_ranks() && post.notes.len() == 1 && post.link.traffic.lost > 0, "{}", post.link.traffic);
    }
}
