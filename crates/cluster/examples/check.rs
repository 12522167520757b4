//! Checks a cluster: `mpirun -n 4 check`. The ranks search trees and chess positions together, without
//! tables and without pruning, and the first one compares what they find with what it finds alone.
//!
//! Every rank makes the same list of searches from the same numbers, so only a search's number has to be sent.

use chess::{ChessRules, Position, RuleSet};
use game::tree::{Order, Tree};
use game::{Game, Score};
use jamboree_cluster::{DistributedTable, Homes, Job, Link, Message, Rank, StatisticsExchange};
use search::algorithms::Algorithm;
use search::{Limits, Machine, NoWatch, Plain, Ranks, Rules, Searcher, Threads};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use table::Table;

/// Tactical positions from the Bratko-Kopec test.
const POSITIONS: [&str; 4] = [
    "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
    "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
    "rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1",
    "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1",
];
const DEPTH: i32 = 4;

/// A search that all ranks know by its number.
enum Piece {
    Tree(Tree, Algorithm),
    Chess(Box<Position>, Algorithm),
}

fn pieces() -> Vec<Piece> {
    let shares = |algorithm: &Algorithm| algorithm.shares();
    let mut pieces = Vec::new();
    for (number, algorithm) in search::algorithms::all().into_iter().filter(shares).enumerate() {
        for round in 0..3 {
            let order = [Order::Random, Order::Strong { percent: 70 }, Order::Ragged][round];
            let tree = Tree::new(order, 6, 9, (10 * number + round) as u64).expect("a tree");
            pieces.push(Piece::Tree(tree, algorithm));
        }
        let position = POSITIONS[number % POSITIONS.len()].parse().expect("a position");
        pieces.push(Piece::Chess(Box::new(position), algorithm));
    }
    pieces
}

/// The score and the best move, packed.
type Found = (Option<Score>, Option<u32>);

/// Searches a position: alone, or together with the other ranks.
fn find<G: Game, R: Rules<G>>(
    searcher: &mut Searcher<R>,
    position: &G,
    limits: &Limits<G::Move>,
    rank: Option<&mut Rank>,
) -> Found {
    let mut listener = |_: search::Report<'_, _>| ControlFlow::Continue(());
    let outcome = match rank {
        None => searcher.run(position, &[], limits),
        Some(rank) => {
            let leads = rank.link.rank() == 0;
            let own = Arc::new(Table::new(1).expect("a small table"));
            let far = DistributedTable::new(rank.link.rank(), rank.link.ranks(), Homes::Local, Arc::clone(&own));
            searcher.machine = Machine::Threads(Threads::new(1));
            let mut pump = rank.pump(&far, &own, 1, StatisticsExchange::none());
            let ranks = Ranks { messages: &mut pump, table: None, leads };
            searcher.run_among(position, &[], limits, &NoWatch, &mut listener, Some(ranks))
        }
    };
    (outcome.score(), outcome.best_move().map(G::pack))
}

/// The result of all ranks together and, on the first rank, its result alone.
fn search(piece: &Piece, rank: &mut Rank) -> (Found, Option<Found>) {
    let leads = rank.link.rank() == 0;
    match piece {
        Piece::Tree(tree, algorithm) => {
            let mut searcher = Searcher::new(Plain::default());
            searcher.algorithm = *algorithm;
            let limits = Limits::depth(tree.height());
            let together = find(&mut searcher, tree, &limits, Some(rank));
            let alone = leads.then(|| find(&mut Searcher::new(Plain::default()), tree, &limits, None));
            (together, alone)
        }
        Piece::Chess(position, algorithm) => {
            let searcher = || Searcher::new(ChessRules::new(RuleSet::classic()));
            let limits = Limits::depth(DEPTH);
            let mut first = searcher();
            first.algorithm = *algorithm;
            let together = find(&mut first, &**position, &limits, Some(rank));
            let alone = leads.then(|| {
                let (score, mv) = find(&mut searcher(), &**position, &limits, None);
                // There may be several best moves: another move counts if its score is the same.
                let other = together.1.and_then(|bits| position.unpack(bits));
                let only = Limits { only: other.into_iter().collect(), ..Limits::depth(DEPTH) };
                let as_good = together.1 != mv && find(&mut searcher(), &**position, &only, None).0 == score;
                (score, if as_good { together.1 } else { mv })
            });
            (together, alone)
        }
    }
}

fn main() -> ExitCode {
    let job = match Job::join() {
        Ok(job) => job,
        Err(error) => {
            eprintln!("check: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut rank = Rank::new(Link::new(Box::new(job.transport())));
    rank.fix_grain(4);
    let pieces = pieces();
    let mut wrong = 0;
    if rank.link.rank() > 0 {
        loop {
            match rank.listen() {
                Some((_, Message::Start { search: number, what })) => {
                    rank.join(number);
                    if let Some(piece) = what.first().and_then(|&place| pieces.get(usize::from(place))) {
                        search(piece, &mut rank);
                    }
                }
                Some((_, Message::Quit)) => return ExitCode::SUCCESS,
                _ => std::thread::sleep(std::time::Duration::from_micros(200)),
            }
        }
    }
    for (place, piece) in pieces.iter().enumerate() {
        rank.start(vec![place as u8]);
        let (together, alone) = search(piece, &mut rank);
        let (what, algorithm) = match piece {
            Piece::Tree(tree, algorithm) => (format!("{tree:?}"), algorithm),
            Piece::Chess(position, algorithm) => (position.to_string(), algorithm),
        };
        let right = match piece {
            // A tree may have several best branches, so only the value is compared.
            Piece::Tree(..) => alone.is_some_and(|alone| alone.0 == together.0),
            Piece::Chess(..) => alone == Some(together),
        };
        if !right {
            wrong += 1;
            println!("WRONG {}: together {together:?}, alone {alone:?}: {what}", algorithm.name());
        }
    }
    rank.link.send_to_all(&Message::Quit);
    println!("{} ranks, {} searches, {wrong} wrong; rank 0: {}", rank.link.ranks(), pieces.len(), rank.link.traffic);
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
