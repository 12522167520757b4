//! The random case of a number and a seed.

use super::case::{Case, MachineKind};
use super::faults::RankFaults;
use super::play::Play;
use crate::random::Random;
use game::Game;
use game::connect_four::ConnectFour;
use game::tree::Order;
use search::algorithms::{NAMES, SWITCHES};

/// Of this many cases one runs on ranks.
const ONE_ON_RANKS: usize = 2000;
/// Of this many cases one runs on threads.
const ONE_ON_THREADS: usize = 200;
/// Leaves of a usual tree.
const LEAVES: usize = 1000;
/// Leaves of a large one.
const MANY_LEAVES: usize = 60_000;

/// The case of this number: a function of the seed and the number alone.
pub fn draw(seed: u64, number: u64) -> Case {
    let mut random = Random::for_item(seed, number);
    let random = &mut random;
    let machine = if random.below(ONE_ON_RANKS) == 0 {
        MachineKind::Ranks
    } else if random.below(ONE_ON_THREADS) == 0 {
        MachineKind::Threads
    } else {
        MachineKind::Virtual
    };
    let mut case = game(random, machine);
    case.machine = machine;
    case.seed = random.below(1_000_000) as u64;
    case.algorithm = algorithm(random);
    limits(random, &mut case);
    case.table = table(random);
    match machine {
        MachineKind::Virtual => virtual_machine(random, &mut case),
        MachineKind::Threads => case.processors = 1 + random.below(4),
        MachineKind::Ranks => ranks(random, &mut case),
    }
    case
}

/// One of these.
fn one_of<T: Copy>(random: &mut Random, list: &[T]) -> T {
    list[random.below(list.len())]
}

fn game(random: &mut Random, machine: MachineKind) -> Case {
    match random.below(100) {
        0..4 if machine != MachineKind::Ranks => chess(random),
        4..20 if machine != MachineKind::Ranks => four(random),
        _ => tree(random, machine),
    }
}

fn tree(random: &mut Random, machine: MachineKind) -> Case {
    let percent = 50 + random.below(51) as u8;
    let orders = [Order::Random, Order::Strong { percent }, Order::Ragged, Order::WorstFirst, Order::BestFirst];
    let (order, seed) = (one_of(random, &orders), random.below(1_000_000) as u64);
    let degree = 1 + random.below(8);
    let most = if machine == MachineKind::Ranks || random.below(200) == 0 { MANY_LEAVES } else { LEAVES };
    let highest = (1..10).rev().find(|&height| degree.pow(height) <= most).unwrap_or(1) as usize;
    let is_high = machine == MachineKind::Ranks || random.below(3) == 0;
    let height = if is_high { highest } else { 1 + random.below(highest) } as i32;
    let depth = if random.below(5) > 0 { height } else { 1 + random.below(height as usize + 1) as i32 };
    Case::of(Play::Tree { order, degree, height, seed }, depth)
}

fn four(random: &mut Random) -> Case {
    let (mut position, mut text) = (ConnectFour::new(), String::new());
    for _ in 0..random.below(32) {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        let mv = one_of(random, &moves);
        position = position.play(mv);
        text.push_str(&mv.to_string());
    }
    let depth = if random.below(30) == 0 { 5 } else { 1 + random.below(4) };
    Case::of(Play::Four { moves: text }, depth as i32)
}

fn chess(random: &mut Random) -> Case {
    let rules = ["classic,-skip_evasions", "classic", "modern", "startech", "zugzwang", "socrates", "cray-blitz"];
    let rules = one_of(random, &rules);
    let play = Play::Chess { walk: random.below(120), seed: random.below(1_000_000) as u64, rules: rules.into() };
    let mut case = Case::of(play, 1 + random.below(2) as i32);
    if rules == "modern" || random.below(2) == 0 {
        (case.depth, case.nodes) = (10, Some(1 + random.below(2000) as u64));
    }
    case
}

fn algorithm(random: &mut Random) -> String {
    let mut name = one_of(random, NAMES).to_owned();
    let most = one_of(random, &[0, 0, 1, 1, 2, 4]);
    for _ in 0..most {
        let switch = one_of(random, SWITCHES);
        if !name.split('+').any(|word| word == switch) {
            name = format!("{name}+{switch}");
        }
    }
    name
}

fn limits(random: &mut Random, case: &mut Case) {
    let (most_nodes, most_ticks) = (one_of(random, &[20, 200, 2000]), one_of(random, &[50, 5000, 500_000]));
    match random.below(20) {
        0..3 => case.nodes = Some(1 + random.below(most_nodes) as u64),
        3..5 => case.ticks = Some(1 + random.below(most_ticks) as u64),
        5..7 => case.stop = Some(1 + random.below(30) as u64),
        7 => case.reports = Some(1 + random.below(6) as u64),
        _ => {}
    }
    if random.below(10) == 0 {
        case.lines = 2 + random.below(3);
    }
}

fn table(random: &mut Random) -> String {
    match random.below(20) {
        0..10 => "none".into(),
        10 => "ours".into(),
        _ => format!(
            "{}:2^{}{}",
            one_of(random, &["startech", "zugzwang", "zugzwang", "socrates"]),
            random.below(11),
            one_of(random, &["", "", "/processor"])
        ),
    }
}

fn virtual_machine(random: &mut Random, case: &mut Case) {
    case.processors = match random.below(1000) {
        0..100 => 1,
        100..750 => 2 + random.below(7),
        750..970 => 9 + random.below(16),
        970..998 => 25 + random.below(40),
        998 => 65 + random.below(64),
        _ => 512,
    };
    case.profile = profile(random);
    if random.below(4) == 0 {
        let count = 2 + random.below(7);
        case.processors = case.processors.div_ceil(count) * count;
        let (latency, kilobyte) = (one_of(random, &[0, 1, 5, 30, 400]), random.below(20));
        let tables = one_of(random, &["shared", "local", "distributed,depth=2", "blocking,depth=1"]);
        let grain = random.below(4);
        case.hosts = format!("ranks={count},latency={latency},kilobyte={kilobyte},grain={grain},tables={tables}");
    }
}

fn profile(random: &mut Random) -> String {
    let names = ["ideal", "ideal", "ideal", "workstation", "cray-c90", "startech", "socrates", "zugzwang"];
    let mut profile = one_of(random, &names).to_owned();
    let changes = one_of(random, &[0, 0, 0, 1, 2, 5]);
    for _ in 0..changes {
        let word = match random.below(16) {
            0 => format!("message={}", 1 + random.below(100)),
            1 => format!("answer={}", random.below(50)),
            2 => format!("split={}", random.below(100)),
            3 => format!("start={}", random.below(100)),
            4 => format!("probe={}", random.below(50)),
            5 => format!("grain={}", random.below(4)),
            6 => format!("deferrals={}", random.below(5)),
            7 => format!("back_off={0},longest_back_off={1}", 1 + random.below(30), 30 + random.below(200)),
            8 => format!("one_child={}", one_of(random, &["yes", "no"])),
            9 => format!("dismissal={}", one_of(random, &["yes", "no"])),
            10 => format!("asking={}", one_of(random, &["busy", "any", "any", "nobody"])),
            11 | 12 => format!("waiting={}", one_of(random, &["carry", "hold", "level", "preempt"])),
            13 => format!("network={}", one_of(random, &["memory", "uniform", "debruijn"])),
            14 => format!("table={},serve=3", one_of(random, &["common", "distributed", "global"])),
            _ => format!("route={}", random.below(5)),
        };
        profile = format!("{profile},{word}");
    }
    profile
}

fn ranks(random: &mut Random, case: &mut Case) {
    case.processors = 1 + random.below(2);
    (case.ticks, case.lines) = (None, 1);
    let share = |random: &mut Random| if random.below(2) == 0 { 0 } else { random.below(150) as u64 };
    case.faults = RankFaults {
        ranks: 2 + random.below(3) as u64,
        delay: one_of(random, &[0, 0, 20, 200]),
        jitter: one_of(random, &[0, 0, 100, 500]),
        damaged: share(random),
        repeated: share(random),
        refused: share(random),
        lost: if random.below(3) == 0 { 1 + random.below(50) as u64 } else { 0 },
        stops: if random.below(8) == 0 { 1 + random.below(400) as u64 } else { 0 },
    };
}
