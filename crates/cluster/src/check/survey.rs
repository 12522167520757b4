//! The ranks of a job tell what they are, and measure how long messages take between their hosts.
//!
//! Messages of the check are not [`Message`](crate::Message)s, whose form changes with the version: they begin with one
//! of the words below.

use crate::Transport;
use crate::check::facts::Facts;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What the first rank has found out.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// What each rank has told; none if it did not answer.
    pub facts: Vec<Option<Facts>>,
    /// The ways between hosts; if there is only one host, that between two ranks there.
    pub ways: Vec<Way>,
}

/// A way between two ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// The ranks.
    pub ends: [usize; 2],
    /// How long a short message and its answer take, if the processors are not busy; none if no answer came.
    pub round_trip: Option<Duration>,
    /// Bytes a second; none if they did not arrive in time.
    pub bytes_per_second: Option<f64>,
}

/// Words that messages begin with: what a rank tells of itself; the first rank lets a rank measure the way to another
/// one; a message to be answered, and the answer; what was measured; the end.
const FACTS: &str = "facts\n";
const MEASURE: &str = "measure ";
const PING: &str = "ping";
const PONG: &str = "pong";
const WAY: &str = "way ";
const END: &str = "end";

/// Time that the first rank waits for the facts of all others.
const FACTS_LIMIT: Duration = Duration::from_secs(20);
/// Time that it waits for a measurement, which has limits of its own.
const MEASURE_LIMIT: Duration = Duration::from_secs(15);
/// Time for the first answer; time in which all long messages are to arrive.
const FIRST_LIMIT: Duration = Duration::from_secs(3);
const LONG_LIMIT: Duration = Duration::from_secs(5);
/// Number of short round trips, of which the slowest of the fastest quarter counts, and the time for all of them.
const TRIPS: usize = 200;
const TRIPS_TIME: Duration = Duration::from_millis(300);
/// Length of a first long message, and length and number of those that follow if it took less than `SOON`.
const FIRST_LONG: usize = 64 << 10;
const LONG: usize = 512 << 10;
const LONGS: usize = 8;
const SOON: Duration = Duration::from_millis(50);
/// A rank that has heard something looks for more for this time before other processes may run between two looks, which can take
/// milliseconds; and for this time before it sleeps.
const ALERT: Duration = Duration::from_micros(100);
const AWAKE: Duration = Duration::from_millis(20);
const NAP: Duration = Duration::from_millis(1);

/// The first rank: finds out about the others.
pub fn lead(transport: &mut dyn Transport, own: &Facts) -> Survey {
    let ranks = transport.ranks();
    let mut station = Station::new(transport);
    let mut facts: Vec<Option<Facts>> = vec![None; ranks];
    facts[0] = Some(own.clone());
    let end = Instant::now() + FACTS_LIMIT;
    while facts.contains(&None)
        && let Some((from, message)) = station.next(end)
    {
        if let Some(text) = rest(&message, FACTS) {
            facts[from] = Some(Facts::from_text(text));
        }
    }
    let mut ends = ends(&facts);
    let mut ways = Vec::new();
    for round in rounds(ends.len()) {
        let pairs: Vec<[usize; 2]> =
            round.into_iter().map(|pair| pair.map(|end| ends[end])).filter(|pair| !pair.contains(&GONE)).collect();
        for (way, is_reported) in station.measure_all(&pairs) {
            ways.push(way);
            if way.round_trip.is_none() {
                // It would not answer the others either, and hold up each of them.
                let gone = way.ends[usize::from(is_reported)];
                ends.iter_mut().filter(|end| **end == gone).for_each(|end| *end = GONE);
            }
        }
    }
    (1..ranks).for_each(|rank| station.send(rank, END.as_bytes()));
    ways.sort_by_key(|way| way.ends);
    Survey { facts, ways }
}

/// Any other rank: tells what it is, and takes part in the measurements until the first rank ends them.
pub fn follow(transport: &mut dyn Transport, own: &Facts) {
    let mut station = Station::new(transport);
    station.send(0, format!("{FACTS}{}", own.to_text()).as_bytes());
    // The longest time without a message is that of a measurement between others.
    while let Some((from, message)) = station.next(Instant::now() + FACTS_LIMIT + MEASURE_LIMIT) {
        if from == 0 && message.as_slice() == END.as_bytes() {
            return;
        }
        let peer = rest(&message, MEASURE).and_then(|text| text.parse().ok());
        if let Some(peer) = peer.filter(|&peer| from == 0 && peer < station.transport.ranks()) {
            let way = station.measure(peer);
            station.send(0, way.to_text().as_bytes());
        }
    }
}

/// Stands for a rank that does not answer.
const GONE: usize = usize::MAX;

/// The ranks between which the ways are measured: the first of each host; if there is only one host, two of its ranks.
fn ends(facts: &[Option<Facts>]) -> Vec<usize> {
    let mut ends: Vec<usize> = Vec::new();
    let host = |rank: usize| facts[rank].as_ref().map(|facts| &facts.host);
    let present = || (0..facts.len()).filter(|&rank| host(rank).is_some());
    for rank in present() {
        if ends.iter().all(|&end| host(end) != host(rank)) {
            ends.push(rank);
        }
    }
    if ends.len() == 1 { present().take(2).collect() } else { ends }
}

/// All pairs below `count` in rounds, in each of which nothing occurs twice: the schedule of a tournament.
fn rounds(count: usize) -> Vec<Vec<[usize; 2]>> {
    let even = count.next_multiple_of(2);
    let circle = even.saturating_sub(1);
    let round = |number: usize| {
        let others = (1..even / 2).map(move |step| [(number + step) % circle, (number + circle - step) % circle]);
        let pairs = std::iter::once([circle, number]).chain(others);
        pairs.map(|[a, b]| [a.min(b), a.max(b)]).filter(|pair| pair[1] < count).collect()
    };
    (0..circle).map(round).collect()
}

impl Way {
    fn failed(ends: [usize; 2]) -> Way {
        Way { ends, round_trip: None, bytes_per_second: None }
    }

    fn to_text(self) -> String {
        let nanoseconds = self.round_trip.map_or(0, |time| time.as_nanos());
        format!("{WAY}{} {nanoseconds} {}", self.ends[1], self.bytes_per_second.unwrap_or(0.0))
    }

    /// The way from a rank, as it was measured there.
    fn from_text(from: usize, text: &str) -> Option<Way> {
        let mut words = text.split(' ');
        let to = words.next()?.parse().ok()?;
        let round_trip = Duration::from_nanos(words.next()?.parse().ok()?);
        let rate: f64 = words.next()?.parse().ok()?;
        let (round_trip, rate) =
            (Some(round_trip).filter(|time| !time.is_zero()), Some(rate).filter(|&rate| rate > 0.0));
        Some(Way { ends: [from, to], round_trip, bytes_per_second: rate })
    }
}

/// The text of a message behind its word.
fn rest<'m>(message: &'m [u8], word: &str) -> Option<&'m str> {
    std::str::from_utf8(message).ok()?.strip_prefix(word)
}

/// A rank that answers and waits.
struct Station<'t> {
    transport: &'t mut dyn Transport,
    /// Messages that came while others were waited for.
    waiting: VecDeque<(usize, Vec<u8>)>,
    heard_at: Instant,
}

impl Station<'_> {
    fn new(transport: &mut dyn Transport) -> Station<'_> {
        Station { transport, waiting: VecDeque::new(), heard_at: Instant::now() }
    }

    /// Sends a message; if there is no room for a long time, it is lost.
    fn send(&mut self, to: usize, message: &[u8]) {
        let end = Instant::now() + FIRST_LIMIT;
        while !self.transport.send(to, message) && Instant::now() < end {
            if let Some(heard) = self.receive() {
                self.waiting.push_back(heard);
            }
        }
    }

    /// The next message that is not a ping; pings are answered.
    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        let (from, message) = self.transport.receive()?;
        self.heard_at = Instant::now();
        if message.starts_with(PING.as_bytes()) {
            self.transport.send(from, PONG.as_bytes());
            return None;
        }
        Some((from, message))
    }

    /// Looks once, and if nothing comes for a while lets other processes run before the next time.
    fn look(&mut self) -> Option<(usize, Vec<u8>)> {
        let heard = self.receive();
        match self.heard_at.elapsed() {
            silence if heard.is_some() || silence < ALERT => std::hint::spin_loop(),
            silence if silence < AWAKE => std::thread::yield_now(),
            _ => std::thread::sleep(NAP),
        }
        heard
    }

    /// The next message that comes before a moment.
    fn next(&mut self, end: Instant) -> Option<(usize, Vec<u8>)> {
        if let Some(heard) = self.waiting.pop_front() {
            return Some(heard);
        }
        while Instant::now() < end {
            if let Some(heard) = self.look() {
                return Some(heard);
            }
        }
        None
    }

    /// Waits for answers of a rank. False if they do not all come before a moment.
    fn wait_for_pongs(&mut self, from: usize, count: usize, end: Instant) -> bool {
        let mut left = count;
        while left > 0 && Instant::now() < end {
            match self.look() {
                Some((rank, message)) if rank == from && message == PONG.as_bytes() => left -= 1,
                Some(heard) => self.waiting.push_back(heard),
                None => {}
            }
        }
        left == 0
    }

    /// Sends messages of a length and waits until all are answered; the time.
    fn ask(&mut self, peer: usize, count: usize, length: usize, limit: Duration) -> Option<Duration> {
        let mut message = PING.as_bytes().to_vec();
        message.resize(length.max(message.len()), 0);
        // A wait that was long ends without a nap.
        self.heard_at = Instant::now();
        let since = Instant::now();
        (0..count).for_each(|_| self.send(peer, &message));
        self.wait_for_pongs(peer, count, since + limit).then(|| since.elapsed())
    }

    /// Measures the way to another rank.
    fn measure(&mut self, peer: usize) -> Way {
        let failed = Way::failed([self.transport.rank(), peer]);
        // The first one wakes it.
        if self.ask(peer, 1, 0, FIRST_LIMIT).is_none() {
            return failed;
        }
        let since = Instant::now();
        let mut trips = Vec::new();
        while trips.len() < TRIPS && (trips.is_empty() || since.elapsed() < TRIPS_TIME) {
            let Some(trip) = self.ask(peer, 1, 0, FIRST_LIMIT) else { return failed };
            trips.push(trip);
        }
        trips.sort_unstable();
        // A slow network makes all of them slow, a busy processor only some.
        let trip = trips[trips.len() / 4];
        let rate = |bytes: usize, time: Duration| bytes as f64 / time.as_secs_f64().max(1e-9);
        let first = self.ask(peer, 1, FIRST_LONG, LONG_LIMIT);
        let bytes_per_second = match first {
            Some(time) if time < SOON => self.ask(peer, LONGS, LONG, LONG_LIMIT).map(|time| rate(LONGS * LONG, time)),
            other => other.map(|time| rate(FIRST_LONG, time)),
        };
        Way { round_trip: Some(trip), bytes_per_second, ..failed }
    }

    /// The first rank lets pairs of ranks measure the ways between them, all at the same time. The ways, and whether the
    /// first rank of each has reported what it measured.
    fn measure_all(&mut self, pairs: &[[usize; 2]]) -> Vec<(Way, bool)> {
        let mut ways: Vec<(Way, bool)> = pairs.iter().map(|&pair| (Way::failed(pair), false)).collect();
        let mut missing = pairs.len();
        for pair in pairs.iter().filter(|pair| pair[0] != 0) {
            self.send(pair[0], format!("{MEASURE}{}", pair[1]).as_bytes());
        }
        let end = Instant::now() + MEASURE_LIMIT;
        if let Some(place) = ways.iter_mut().find(|(way, _)| way.ends[0] == 0) {
            *place = (self.measure(place.0.ends[1]), true);
            missing -= 1;
        }
        while missing > 0
            && let Some((from, message)) = self.next(end)
        {
            let way = rest(&message, WAY).and_then(|text| Way::from_text(from, text));
            if let Some(way) = way
                && let Some(place) = ways.iter_mut().find(|(place, is_reported)| place.ends == way.ends && !is_reported)
            {
                *place = (way, true);
                missing -= 1;
            }
        }
        ways
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Loopback, NetworkConditions};

    #[test]
    fn a_tournament_has_every_pair_once_and_no_rank_twice_in_a_round() {
        for count in 0..12 {
            let rounds = rounds(count);
            let mut all: Vec<[usize; 2]> = rounds.concat();
            all.sort_unstable();
            let expected: Vec<[usize; 2]> = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])).collect();
            assert_eq!(all, expected);
            for round in rounds {
                let mut ranks = round.concat();
                ranks.sort_unstable();
                assert!(ranks.windows(2).all(|two| two[0] != two[1]), "{round:?}");
            }
        }
    }

    fn facts(host: usize) -> Facts {
        Facts { host: format!("host{host}"), ..Facts::default() }
    }

    fn survey(ranks: usize, hosts: usize, delay: Duration) -> Survey {
        let mut ends = Loopback::ranks(ranks, NetworkConditions { delay, ..NetworkConditions::default() });
        let mut first = ends.remove(0);
        std::thread::scope(|scope| {
            for (before, mut end) in ends.into_iter().enumerate() {
                scope.spawn(move || follow(&mut end, &facts((before + 1) % hosts)));
            }
            lead(&mut first, &facts(0))
        })
    }

    #[test]
    fn the_ways_between_hosts_are_measured_and_cost_what_they_cost() {
        let delay = Duration::from_millis(2);
        let found = survey(5, 3, delay);
        let hosts: Vec<String> = found.facts.iter().flatten().map(|facts| facts.host.clone()).collect();
        assert_eq!(hosts, ["host0", "host1", "host2", "host0", "host1"]);
        let ends: Vec<[usize; 2]> = found.ways.iter().map(|way| way.ends).collect();
        assert_eq!(ends, [[0, 1], [0, 2], [1, 2]]);
        for way in found.ways {
            assert!(way.round_trip.is_some_and(|time| time >= 2 * delay), "{way:?}");
            assert!(way.bytes_per_second.is_some_and(|rate| rate > 0.0), "{way:?}");
        }
    }

    #[test]
    fn on_one_host_one_way_is_measured() {
        let found = survey(3, 1, Duration::ZERO);
        assert_eq!(found.ways.iter().map(|way| way.ends).collect::<Vec<_>>(), [[0, 1]]);
        assert!(survey(1, 1, Duration::ZERO).ways.is_empty());
    }

    /// A rank that tells what it is and then falls silent is seen, and does not hold up the others.
    #[test]
    fn a_rank_that_does_not_answer_is_seen() {
        let mut ends = Loopback::ranks(3, NetworkConditions::default()).into_iter();
        let (mut first, mut second, mut silent) = (ends.next().unwrap(), ends.next().unwrap(), ends.next().unwrap());
        silent.send(0, format!("{FACTS}{}", facts(2).to_text()).as_bytes());
        let found = std::thread::scope(|scope| {
            scope.spawn(move || follow(&mut second, &facts(1)));
            lead(&mut first, &facts(0))
        });
        let answered: Vec<bool> = found.ways.iter().map(|way| way.round_trip.is_some()).collect();
        let ends: Vec<[usize; 2]> = found.ways.iter().map(|way| way.ends).collect();
        assert!(ends.contains(&[0, 1]) && ends.len() == 2, "{ends:?}");
        assert_eq!(answered.iter().filter(|answered| !**answered).count(), 1);
    }
}
