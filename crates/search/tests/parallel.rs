//! The parallel search is right: every algorithm, on every machine, at every number of processors.

use game::connect_four::ConnectFour;
use game::negamax;
use game::tree::{Branch, Order, Tree};
use jamboree_search::algorithms::Algorithm;
use jamboree_search::{
    Asking, Costs, Hosts, Limits, Machine, Network, NoWatch, Oracle, Outcome, Plain, Report, Searcher, Stealing,
    TableCosts, TablePlace, Threads, VirtualMachine, Waiting, Watch,
};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use table::Table;

const PROCESSORS: [usize; 8] = [1, 2, 3, 4, 8, 16, 64, 257];

/// All algorithms, and some with the papers' switches.
fn algorithms() -> Vec<Algorithm> {
    let mut algorithms = jamboree_search::algorithms::all();
    for base in ["root-split", "pvs", "jamboree", "ybw", "dts", "epvs", "jubilee"] {
        for switch in jamboree_search::algorithms::SWITCHES {
            algorithms.extend(jamboree_search::algorithms::by_name(&format!("{base}+{switch}")));
        }
    }
    algorithms
        .extend(jamboree_search::algorithms::by_name("jubilee+deferred-reads+two-serial+last-first+level-waiting"));
    algorithms
}

fn trees(count: u64) -> impl Iterator<Item = Tree> {
    let orders = [Order::Random, Order::Strong { percent: 65 }, Order::Ragged, Order::WorstFirst, Order::BestFirst];
    (0..count).map(move |seed| {
        let order = orders[(seed % 5) as usize];
        // The first two hundred are up to five plies high, the others three.
        let heights = if seed < 200 { 4 } else { 2 };
        Tree::new(order, 2 + (seed / 5 % 5) as usize, 2 + (seed / 25 % heights) as i32, seed).expect("a small tree")
    })
}

fn virtual_machine(processors: usize, seed: u64) -> Machine {
    Machine::Virtual(VirtualMachine { processors, costs: Costs::ideal(), seed, hosts: Hosts::one() })
}

/// The machines of the papers, and one with everything that no paper combines.
fn machines() -> Vec<Costs> {
    let mixed = Costs {
        network: Network::DeBruijn,
        stealing: Stealing { asking: Asking::AnyAtRandom, waiting: Waiting::Preempt, ..Stealing::OURS },
        table: TableCosts { place: TablePlace::Global, ..Costs::startech().table },
        ..Costs::workstation()
    };
    vec![Costs::cray_c90(), Costs::startech(), Costs::socrates(), Costs::zugzwang(), Costs { grain: 0, ..mixed }]
}

fn search(tree: &Tree, algorithm: &Algorithm, machine: Machine) -> Outcome<game::tree::Branch> {
    let mut searcher = Searcher::new(Plain::default());
    searcher.algorithm = *algorithm;
    searcher.machine = machine;
    searcher.run(tree, &[], &Limits::depth(tree.height()))
}

#[test]
fn virtual_processors_find_the_value_of_negamax() {
    let algorithms = algorithms();
    let plain = jamboree_search::algorithms::NAMES.len();
    for (seed, tree) in trees(3000).enumerate() {
        let expected = negamax(&tree, tree.height(), 0);
        // Every plain algorithm and one with switches, each on another number of processors, in turn.
        let switched = plain + seed % (algorithms.len() - plain);
        for (place, algorithm) in algorithms[..plain].iter().chain([&algorithms[switched]]).enumerate() {
            // Very many idle processors take long to simulate.
            let crowd = if seed % 8 == 0 { 8 } else { 6 };
            let processors = PROCESSORS[(seed / 8 + place) % crowd];
            let outcome = search(&tree, algorithm, virtual_machine(processors, seed as u64));
            let best = outcome.best_move().expect("the root has a move");
            let name = algorithm.name();
            assert_eq!(outcome.score(), Some(expected), "{name} on {processors}: {tree:?}");
            let after = game::Game::play(&tree, best);
            assert_eq!(-negamax(&after, tree.height() - 1, 1), expected, "{name} on {processors}: {tree:?}");
        }
    }
}

#[test]
fn virtual_processors_keep_to_their_ticks() {
    let tree = Tree::new(Order::Strong { percent: 65 }, 8, 9, 1).expect("a small tree");
    for algorithm in jamboree_search::algorithms::all() {
        for (processors, ticks) in [(1, 700), (4, 300), (64, 1000)] {
            let mut searcher = Searcher::new(Plain::default());
            (searcher.algorithm, searcher.machine) = (algorithm, virtual_machine(processors, 1));
            let limits = Limits { ticks: Some(ticks), ..Limits::depth(tree.height()) };
            let outcome = searcher.run(&tree, &[], &limits);
            let time = outcome.accounts.time;
            // A strand that waits for its helpers goes on when they have come back.
            assert!((ticks..ticks + 8).contains(&time), "{} on {processors}: {time} ticks", algorithm.name());
            assert!(outcome.best_move().is_some());
        }
    }
}

#[test]
fn the_machines_of_the_papers_find_the_value_of_negamax() {
    let (algorithms, machines) = (algorithms(), machines());
    for (seed, tree) in trees(600).enumerate() {
        let expected = negamax(&tree, tree.height(), 0);
        for (place, costs) in machines.iter().enumerate() {
            let algorithm = &algorithms[(seed * machines.len() + place) % algorithms.len()];
            let processors = PROCESSORS[(seed / 7 + place) % 7];
            let seed = seed as u64;
            let machine = VirtualMachine { processors, costs: costs.clone(), seed, hosts: Hosts::one() };
            let outcome = search(&tree, algorithm, Machine::Virtual(machine));
            let name = algorithm.name();
            assert_eq!(outcome.score(), Some(expected), "{name} on {processors} of {}: {tree:?}", costs.name);
        }
    }
}

#[test]
fn the_accounts_of_the_papers_machines_add_up_and_the_same_seed_gives_the_same_run() {
    let tree = Tree::new(Order::Strong { percent: 70 }, 10, 6, 9).expect("a small tree");
    for costs in machines() {
        for name in
            ["jamboree", "ybw", "jubilee", "jamboree+last-first+level-waiting", "jamboree+deferred-reads", "pvs"]
        {
            let algorithm = jamboree_search::algorithms::by_name(name).expect("an algorithm");
            let run = || {
                let hosts = Hosts::one();
                let machine = VirtualMachine { processors: 12, costs: costs.clone(), seed: 3, hosts };
                let mut searcher = Searcher::with_table(Plain::default(), Arc::new(Table::new(1).expect("memory")));
                searcher.algorithm = algorithm;
                searcher.machine = Machine::Virtual(machine);
                searcher.run(&tree, &[], &Limits::depth(tree.height()))
            };
            let (first, second) = (run(), run());
            assert_eq!((first.nodes, &first.accounts), (second.nodes, &second.accounts), "{name} on {}", costs.name);
            let accounts = &first.accounts;
            for (index, account) in accounts.processors.iter().enumerate() {
                // A strand may be a node's time ahead when the run ends, and what it owes besides.
                let off = account.time().abs_diff(accounts.time);
                let most = 4 * (costs.node + costs.start + costs.split);
                assert!(off <= most, "{name} on {}: processor {index} is off by {off}: {account:?}", costs.name);
            }
            let total = accounts.total();
            assert!(total.back_off == 0 || costs.stealing.back_off > 0);
            assert_eq!(total.table > 0, costs.has_far_table() || algorithm.switches.deferred_reads && total.table > 0);
            assert_eq!(total.serving > 0, costs.table.serve > 0, "{name} on {}", costs.name);
        }
    }
}

#[test]
fn one_processor_of_a_papers_machine_visits_the_nodes_of_the_serial_search() {
    for (seed, tree) in trees(50).enumerate() {
        for costs in machines() {
            for algorithm in algorithms() {
                let serial = search(&tree, &algorithm, Machine::Alone);
                let machine =
                    VirtualMachine { processors: 1, costs: costs.clone(), seed: seed as u64, hosts: Hosts::one() };
                let scheduled = search(&tree, &algorithm, Machine::Virtual(machine));
                assert_eq!(serial.nodes, scheduled.nodes, "{} on {}", algorithm.name(), costs.name);
                assert_eq!(scheduled.accounts.time, scheduled.nodes * costs.node);
            }
        }
    }
}

#[test]
fn strands_that_wait_for_each_others_results_come_to_an_end() {
    // Many ways lead to the same position, so strands meet often. A run that ends has not waited for ever.
    let depth = 7;
    let expected = negamax(&ConnectFour::default(), depth, 0);
    for costs in [vec![Costs::ideal()], machines()].concat() {
        for name in ["jamboree", "ybw", "jubilee", "pvs", "dts", "jamboree+level-waiting", "lazy-smp"] {
            for processors in [2, 9, 64] {
                let algorithm =
                    jamboree_search::algorithms::by_name(&format!("{name}+deferred-reads")).expect("an algorithm");
                let mut searcher = Searcher::with_table(Plain::default(), Arc::new(Table::new(1).expect("memory")));
                searcher.algorithm = algorithm;
                let (costs, hosts) = (costs.clone(), Hosts::one());
                searcher.machine = Machine::Virtual(VirtualMachine { processors, costs, seed: 5, hosts });
                let outcome = searcher.run(&ConnectFour::default(), &[], &Limits::depth(depth));
                // With lazy SMP the table has results of searches that go a ply deeper.
                let is_right = outcome.score() == Some(expected) || name == "lazy-smp";
                assert!(is_right, "{name} on {processors}: {:?}", outcome.score());
            }
        }
    }
}

#[test]
fn positions_searched_twice_at_the_same_time_are_counted() {
    let run = |processors, name: &str| {
        let mut searcher = Searcher::with_table(Plain::default(), Arc::new(Table::new(1).expect("memory")));
        searcher.algorithm = jamboree_search::algorithms::by_name(name).expect("an algorithm");
        searcher.machine = virtual_machine(processors, 5);
        searcher.run(&ConnectFour::default(), &[], &Limits::depth(8)).work
    };
    assert_eq!(run(1, "jamboree").duplicates, 0);
    let (plain, deferred) = (run(16, "jamboree"), run(16, "jamboree+deferred-reads"));
    assert!(plain.duplicates > 0 && plain.duplicates < plain.stores / 2, "{} of {}", plain.duplicates, plain.stores);
    assert!(deferred.duplicates < plain.duplicates / 2, "{} against {}", deferred.duplicates, plain.duplicates);
}

#[test]
fn no_processor_is_idle_while_there_is_work() {
    // Brent's bound for a scheduler that never leaves a processor idle while there is something to do: T <= W/P + C. A
    // request and its answer take a few nodes' time, so the critical path counts several times.
    for (seed, tree) in trees(200).enumerate() {
        for name in ["jubilee", "ybw", "jamboree"] {
            let algorithm = jamboree_search::algorithms::by_name(name).expect("an algorithm");
            for processors in [2, 4, 16, 64] {
                let outcome = search(&tree, &algorithm, virtual_machine(processors, seed as u64));
                let (time, work, span) = (outcome.accounts.time, outcome.nodes, outcome.work.span);
                let bound = work / processors as u64 + 4 * span;
                assert!(time <= bound, "{name} on {processors}: {time} > {bound}, W {work}, C {span}, {tree:?}");
            }
        }
    }
}

#[test]
fn every_node_of_a_parallel_search_agrees_with_negamax() {
    for (seed, tree) in trees(60).enumerate() {
        for algorithm in algorithms() {
            for machine in [virtual_machine(5, seed as u64), Machine::Threads(Threads::new(3).with_grain(0))] {
                let mut searcher = Searcher::new(Plain::default());
                searcher.verify = Some(if seed % 2 == 0 { Oracle::Negamax } else { Oracle::SerialSearch });
                searcher.algorithm = algorithm;
                searcher.machine = machine;
                let outcome = searcher.run(&tree, &[], &Limits::depth(tree.height()));
                let verification = outcome.verification.expect("it was wanted");
                assert_eq!(verification.failure, None, "{}: {tree:?}", algorithm.name());
                assert!(verification.nodes > 0, "{tree:?}");
            }
        }
    }
}

/// A table in which every position two plies below the root is a great win for the side to move.
fn lying_table(tree: &Tree) -> Table {
    let table = Table::new(1).expect("memory");
    let score = game::Score::estimate(9000);
    let lie = table::Entry { mv: 0, score, eval: None, depth: 50, bound: game::Bound::Exact, pv: false };
    let after = |tree: &Tree| {
        let mut moves = Vec::new();
        game::Game::moves(tree, &mut moves);
        moves.into_iter().map(|mv| game::Game::play(tree, mv)).collect::<Vec<_>>()
    };
    for position in after(tree).iter().flat_map(after) {
        table.store(game::Game::key(&position), lie);
    }
    table
}

#[test]
fn a_wrong_result_is_found_by_the_comparison() {
    // The first move is valued without the table, and all others look bad: so it must not be the best one.
    let tree = Tree::new(Order::WorstFirst, 4, 4, 7).expect("a small tree");
    // Own tables do not have the lies, and without leaves the table has put the best move first before the lies are read.
    let reads = |algorithm: &Algorithm| !algorithm.switches.own_tables && !algorithm.switches.interior_table;
    for algorithm in algorithms().into_iter().filter(reads) {
        for oracle in [Oracle::Negamax, Oracle::SerialSearch] {
            for machine in [Machine::Alone, virtual_machine(5, 3), Machine::Threads(Threads::new(3).with_grain(0))] {
                let mut searcher = Searcher::with_table(Plain::default(), Arc::new(lying_table(&tree)));
                searcher.verify = Some(oracle);
                searcher.algorithm = algorithm;
                searcher.machine = machine;
                let outcome = searcher.run(&tree, &[], &Limits::depth(4));
                let failure = outcome.verification.and_then(|verification| verification.failure);
                let says = |what: &str| failure.as_ref().is_some_and(|failure| failure.contains(what));
                assert!(says("window") && says("depth") && says("says"), "{}: {failure:?}", algorithm.name());
            }
        }
    }
}

#[test]
fn start_and_stop_ten_thousand_times() {
    // Every strand comes home: a run ends only when all threads have, and what they used is dropped.
    let tree = Tree::new(Order::Strong { percent: 70 }, 8, 8, 3).expect("a small tree");
    let mut searcher = Searcher::new(Plain::default());
    searcher.machine = Machine::Threads(Threads::new(3).with_grain(0));
    for cycle in 0..10_000 {
        let outcome = searcher.run(&tree, &[], &Limits::nodes(1 + cycle % 97));
        assert!(outcome.best_move().is_some());
    }
}

#[test]
fn threads_find_the_value_of_negamax() {
    for tree in trees(100) {
        let expected = negamax(&tree, tree.height(), 0);
        for algorithm in algorithms() {
            for processors in [1, 2, 3, 8] {
                let outcome = search(&tree, &algorithm, Machine::Threads(Threads::new(processors).with_grain(0)));
                assert_eq!(outcome.score(), Some(expected), "{} on {processors}: {tree:?}", algorithm.name());
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let tree = Tree::new(Order::Strong { percent: 70 }, 12, 6, 9).expect("a small tree");
    for algorithm in algorithms() {
        let run = |seed| search(&tree, &algorithm, virtual_machine(16, seed));
        let (first, second, other) = (run(1), run(1), run(2));
        assert_eq!((first.nodes, &first.accounts), (second.nodes, &second.accounts));
        // Where all are asked at once nothing is left to chance, and with a board little.
        let has_board = algorithm.switches.board || algorithm.asking == Some(Asking::Board);
        let is_random = algorithm.shares() && algorithm.asking.is_none();
        assert!(has_board || (first.accounts != other.accounts) == is_random, "{}", algorithm.name());
    }
}

#[test]
fn one_processor_visits_the_nodes_of_the_serial_search() {
    for tree in trees(100) {
        for algorithm in algorithms() {
            let serial = search(&tree, &algorithm, Machine::Alone);
            let thread = search(&tree, &algorithm, Machine::Threads(Threads::new(1).with_grain(0)));
            assert_eq!((serial.nodes, serial.work.span), (thread.nodes, thread.work.span));
            let scheduled = search(&tree, &algorithm, virtual_machine(1, 0));
            assert_eq!((serial.nodes, serial.work.span), (scheduled.nodes, scheduled.work.span));
            assert_eq!(scheduled.accounts.time, scheduled.nodes);
        }
    }
}

#[test]
fn no_processors_count_as_one() {
    let tree = Tree::new(Order::Strong { percent: 70 }, 5, 4, 3).expect("a small tree");
    for algorithm in algorithms() {
        for machine in [virtual_machine, |processors, _| Machine::Threads(Threads::new(processors).with_grain(0))] {
            let [none, one] = [0, 1].map(|processors| search(&tree, &algorithm, machine(processors, 1)));
            assert_eq!((none.nodes, none.score()), (one.nodes, one.score()), "{}", algorithm.name());
            assert_eq!(none.accounts.processors.len(), 1);
        }
    }
}

/// Keeps the root moves that were told: number and move.
#[derive(Default)]
struct RootMoves(Mutex<Vec<(usize, Branch)>>);

impl Watch<Branch> for RootMoves {
    fn expired(&self) -> bool {
        false
    }

    fn root_move(&self, number: usize, mv: Branch) {
        self.0.lock().expect("no test holds it and panics").push((number, mv));
    }
}

#[test]
fn every_root_move_is_told_whichever_processor_searches_it() {
    // Ordered from the worst to the best move, so that no root move is cut off.
    let tree = Tree::new(Order::WorstFirst, 6, 5, 1).expect("a small tree");
    for algorithm in algorithms() {
        for machine in [Machine::Alone, virtual_machine(5, 1), Machine::Threads(Threads::new(3).with_grain(0))] {
            let told = RootMoves::default();
            let mut searcher = Searcher::new(Plain::default());
            searcher.algorithm = algorithm;
            searcher.machine = machine;
            let mut listener = |report: Report<'_, _>| {
                // Several windows may be tried in an iteration; each move is told with every number it has had.
                let told = std::mem::take(&mut *told.0.lock().expect("no test holds it and panics"));
                let numbers: HashSet<usize> = told.iter().map(|&(number, _)| number).collect();
                let moves: HashSet<Branch> = told.iter().map(|&(_, mv)| mv).collect();
                let all = (1..=6).collect::<HashSet<usize>>();
                assert!(!report.complete || numbers == all && moves.len() == 6, "{}: {told:?}", algorithm.name());
                ControlFlow::Continue(())
            };
            searcher.run_watched(&tree, &[], &Limits::depth(tree.height()), &told, &mut listener);
        }
    }
}

/// A tree some of whose leaves can't be evaluated; few, so that often the strand of a helper is the first to find one.
#[derive(Clone)]
struct Broken(Tree);

impl game::Game for Broken {
    type Move = Branch;

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn moves(&self, out: &mut Vec<Self::Move>) {
        self.0.moves(out);
    }

    fn play(&self, mv: Self::Move) -> Self {
        Broken(self.0.play(mv))
    }

    fn evaluate(&self) -> game::Score {
        self.0.evaluate()
    }

    fn stuck(&self) -> game::Ending {
        assert!(!self.key().is_multiple_of(499), "{PLANTED}");
        self.0.stuck()
    }

    fn ending(&self) -> Option<game::Ending> {
        self.0.ending().map(|_| self.stuck())
    }

    fn pack(mv: Self::Move) -> u32 {
        Tree::pack(mv)
    }

    fn unpack(&self, bits: u32) -> Option<Self::Move> {
        self.0.unpack(bits)
    }
}

const PLANTED: &str = "a planted panic";

/// The panic that ended a search, if one did. Fails if the search does not end.
fn panic_of(tree: &Broken, algorithm: Algorithm, machine: Machine) -> Option<String> {
    let (tree, (sender, receiver)) = (tree.clone(), std::sync::mpsc::channel());
    // Not scoped: a search that does not end must not keep the test from failing.
    std::thread::spawn(move || {
        let mut searcher = Searcher::new(Plain::default());
        (searcher.algorithm, searcher.machine) = (algorithm, machine);
        let run = std::panic::AssertUnwindSafe(|| searcher.run(&tree, &[], &Limits::depth(tree.0.height())));
        sender.send(std::panic::catch_unwind(run).err())
    });
    let ended = receiver.recv_timeout(std::time::Duration::from_secs(60));
    let panic = ended.unwrap_or_else(|_| panic!("{}: the search does not end", algorithm.name()))?;
    Some(panic.downcast_ref::<String>().map_or_else(|| format!("{panic:?}"), String::clone))
}

#[test]
fn a_panic_in_a_strand_ends_the_run() {
    for name in ["jubilee", "root-split", "pvs", "epvs", "dts", "lazy-smp", "jamboree+level-waiting"] {
        let algorithm = jamboree_search::algorithms::by_name(name).expect("an algorithm");
        let mut panics = 0;
        for seed in 0..30 {
            let tree = Broken(Tree::new(Order::Strong { percent: 70 }, 6, 5, seed).expect("a small tree"));
            for machine in [virtual_machine(5, seed), Machine::Threads(Threads::new(3).with_grain(0))] {
                // The planted one, and none that the scheduler makes of it.
                if let Some(panic) = panic_of(&tree, algorithm, machine) {
                    assert_eq!(panic, PLANTED, "{name}, seed {seed}");
                    panics += 1;
                }
            }
        }
        assert!(panics > 10, "{name}: {panics} panics");
    }
}

#[test]
fn iterations_may_be_two_plies_apart_and_the_last_is_as_deep_as_wanted() {
    let depths = |processors: usize, last: i32| {
        let tree = Tree::new(Order::Ragged, 3, last, 1).expect("a small tree");
        let mut searcher = Searcher::new(Plain::default());
        searcher.algorithm =
            jamboree_search::algorithms::by_name("jubilee+two-ply-iterations").expect("a known algorithm");
        searcher.machine = virtual_machine(processors, 1);
        let mut depths = Vec::new();
        searcher.run_watched(&tree, &[], &Limits::depth(last), &NoWatch, &mut |report| {
            depths.extend(report.complete.then_some(report.depth));
            ControlFlow::Continue(())
        });
        depths
    };
    assert_eq!(depths(2, 6), [1, 2, 4, 6]);
    assert_eq!(depths(2, 7), [1, 3, 5, 7]);
    assert_eq!(depths(1, 4), [1, 2, 3, 4]);
}
