//! Records what each processor does when, if that is wanted. A run without a recorder pays one comparison where a strand is
//! started, resumed, asked or stopped, and nothing at its nodes.
//!
//! The virtual machine books all its time in accounts, so there the recorder looks at what an account has gained since it
//! looked last: the sums of the slices are those of the accounts, to the tick. On threads it is told the time.

use crate::{Account, Occupation};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What a processor did for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// What it did.
    pub occupation: Occupation,
    /// When it began.
    pub from: u64,
    /// When it ended.
    pub to: u64,
    /// While a strand ran: the split point at which the strand helps, by its number; none for a first strand.
    pub split: Option<usize>,
}

impl Slice {
    /// How long it took.
    pub fn length(&self) -> u64 {
        self.to - self.from
    }
}

/// A processor began to help at a split point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steal {
    /// When.
    pub time: u64,
    /// The processor that gave the work. Where the helper found the split point open: the one that had shared it.
    pub from: usize,
    /// The processor that helps.
    pub to: usize,
    /// The number of the split point.
    pub split: usize,
}

/// What an application's own record says of a split point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMark {
    /// Its number.
    pub number: usize,
    /// The processor that shared it.
    pub processor: usize,
}

/// What was recorded. Times are ticks on a virtual machine and nanoseconds on threads, since the run began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Processor by processor what it did, in order of time. Slices do not overlap.
    pub processors: Vec<Vec<Slice>>,
    /// When processors began to help, in order of time.
    pub steals: Vec<Steal>,
    /// Was the limit reached? Then nothing after that is here.
    pub truncated: bool,
}

/// How much is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecorderLimits {
    /// The largest number of events (slices, steals, split points). When it is reached recording stops.
    pub events: usize,
    /// Times of different kinds that alternate while one strand runs (working, answering, waiting for the table), or while a
    /// processor is idle (looking, backing off), are put together until they last this long, in ticks. Their sums stay exact.
    /// Virtual machines only.
    pub resolution: u64,
}

impl RecorderLimits {
    /// This many events, each as exact as it can be.
    pub fn exact(events: usize) -> RecorderLimits {
        RecorderLimits { events, resolution: 0 }
    }
}

/// Records what the processors of one run do.
#[derive(Debug)]
pub struct Recorder {
    limits: RecorderLimits,
    events: AtomicUsize,
    truncated: AtomicBool,
    tracks: Vec<Mutex<Track>>,
    steals: Mutex<Vec<Steal>>,
}

/// Reads what a recorder has, while the run goes on.
#[derive(Clone, Debug, Default)]
pub struct RecordReader {
    /// How many slices of each processor, and how many steals, were read.
    slices: Vec<usize>,
    steals: usize,
}

impl RecordReader {
    /// What was recorded since it read last: slices with their processor, and steals. The last slice of a processor may still become
    /// longer: it is read when another follows, or when the run is over.
    pub fn read(&mut self, recorder: &Recorder, is_over: bool) -> (Vec<(usize, Slice)>, Vec<Steal>) {
        self.slices.resize(recorder.tracks.len(), 0);
        let mut slices = Vec::new();
        for (processor, (track, read)) in recorder.tracks.iter().zip(&mut self.slices).enumerate() {
            let track = track.lock();
            let certain = if is_over { track.slices.len() } else { track.slices.len().saturating_sub(1) };
            slices.extend(track.slices[*read..certain.max(*read)].iter().map(|&slice| (processor, slice)));
            *read = certain.max(*read);
        }
        let all = recorder.steals.lock();
        let steals = all[self.steals..].to_vec();
        self.steals = all.len();
        (slices, steals)
    }
}

/// One processor.
#[derive(Debug, Default)]
struct Track {
    slices: Vec<Slice>,
    /// Until when it is known what the processor did.
    end: u64,
    /// The account as it was when last looked at.
    seen: Account,
    /// The split point at which the running strand helps.
    split: Option<usize>,
}

impl Recorder {
    /// A recorder for this many processors.
    pub fn new(processors: usize, limits: RecorderLimits) -> Recorder {
        Recorder {
            limits,
            events: AtomicUsize::new(0),
            truncated: AtomicBool::new(false),
            tracks: (0..processors.max(1)).map(|_| Mutex::default()).collect(),
            steals: Mutex::default(),
        }
    }

    /// May one more event be recorded? If not, recording is over. The application asks before it records a split point.
    pub fn admits(&self) -> bool {
        if self.is_full() {
            return false;
        }
        let is_room = self.events.fetch_add(1, Ordering::Relaxed) < self.limits.events;
        if !is_room {
            self.truncated.store(true, Ordering::Relaxed);
        }
        is_room
    }

    fn is_full(&self) -> bool {
        self.truncated.load(Ordering::Relaxed)
    }

    /// What was recorded, when the run is over.
    pub fn finish(self: Arc<Self>) -> Recording {
        let truncated = self.is_full();
        let (mut steals, processors): (Vec<Steal>, _) = match Arc::try_unwrap(self) {
            Ok(own) => {
                (own.steals.into_inner(), own.tracks.into_iter().map(|track| track.into_inner().slices).collect())
            }
            Err(shared) => {
                (shared.steals.lock().clone(), shared.tracks.iter().map(|track| track.lock().slices.clone()).collect())
            }
        };
        steals.sort_by_key(|steal| steal.time);
        Recording { processors, steals, truncated }
    }

    /// A processor begins to help at a split point; `from` gave it, or it was found open.
    pub(crate) fn steals(&self, time: u64, from: Option<usize>, to: usize, mark: Option<SplitMark>) {
        if let Some(mark) = mark
            && self.admits()
        {
            let (from, split) = (from.unwrap_or(mark.processor), mark.number);
            self.steals.lock().push(Steal { time, from, to, split });
        }
    }

    /// A strand that helps at this split point runs on the processor from now on; `account` says what was before.
    pub(crate) fn begins(&self, processor: usize, account: &Account, mark: Option<SplitMark>) {
        let split = mark.map(|mark| mark.number);
        self.change(processor, |track| {
            let is_same = track.split == split && Occupation::IDLE.iter().all(|&idle| track.gain(account, idle) == 0);
            if !is_same {
                track.catch_up(account, self);
                track.split = split;
            }
        });
    }

    /// More time is in the account: a strand has run, or the processor was idle.
    pub(crate) fn passed(&self, processor: usize, account: &Account) {
        self.change(processor, |track| {
            if account.time().saturating_sub(track.end) >= self.limits.resolution {
                track.catch_up(account, self);
            }
        });
    }

    /// The run is over: all that the account says is certain.
    pub(crate) fn catch_up(&self, processor: usize, account: &Account) {
        self.change(processor, |track| track.catch_up(account, self));
    }

    /// On threads: a strand that helps at this split point runs on the processor from now on.
    pub(crate) fn enters(&self, processor: usize, mark: Option<SplitMark>) {
        self.change(processor, |track| track.split = mark.map(|mark| mark.number));
    }

    /// On threads: since the end of what is known of it the processor did this, until that time.
    pub(crate) fn did(&self, processor: usize, occupation: Occupation, until: u64) {
        self.change(processor, |track| track.push(occupation, until.saturating_sub(track.end), self));
    }

    fn change(&self, processor: usize, act: impl FnOnce(&mut Track)) {
        // Remote helpers have no track.
        if let Some(track) = self.tracks.get(processor)
            && !self.is_full()
        {
            act(&mut track.lock());
        }
    }
}

impl Track {
    /// What the account has gained since it was last looked at.
    fn gain(&self, account: &Account, occupation: Occupation) -> u64 {
        account.time_of(occupation).saturating_sub(self.seen.time_of(occupation))
    }

    fn catch_up(&mut self, account: &Account, recorder: &Recorder) {
        for occupation in Occupation::ALL {
            let lost = self.seen.time_of(occupation).saturating_sub(account.time_of(occupation));
            self.take_back(occupation, lost);
            self.push(occupation, self.gain(account, occupation), recorder);
        }
        self.seen = *account;
    }

    fn push(&mut self, occupation: Occupation, time: u64, recorder: &Recorder) {
        if time == 0 {
            return;
        }
        let split = self.split.filter(|_| !Occupation::IDLE.contains(&occupation));
        let (from, to) = (self.end, self.end + time);
        match self.slices.last_mut() {
            Some(last) if last.occupation == occupation && last.split == split => last.to = to,
            _ if recorder.admits() => self.slices.push(Slice { occupation, from, to, split }),
            _ => return,
        }
        self.end = to;
    }

    /// Time was booked that has not come: the last slices of its kind become shorter, and what follows them begins earlier.
    fn take_back(&mut self, occupation: Occupation, mut time: u64) {
        while time > 0
            && let Some(place) = self.slices.iter().rposition(|slice| slice.occupation == occupation)
        {
            let taken = self.slices[place].length().min(time);
            self.slices[place].to -= taken;
            for later in &mut self.slices[place + 1..] {
                (later.from, later.to) = (later.from - taken, later.to - taken);
            }
            if self.slices[place].length() == 0 {
                self.slices.remove(place);
            }
            self.end -= taken;
            time -= taken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorder(events: usize, resolution: u64) -> Recorder {
        Recorder::new(2, RecorderLimits { events, resolution })
    }

    fn slice(occupation: Occupation, from: u64, to: u64, split: Option<usize>) -> Slice {
        Slice { occupation, from, to, split }
    }

    #[test]
    fn slices_follow_the_account() {
        let (recorder, mark) = (recorder(10, 0), Some(SplitMark { number: 7, processor: 1 }));
        let mut account = Account { looking: 5, ..Account::default() };
        recorder.begins(0, &account, mark);
        account.working = 3;
        recorder.passed(0, &account);
        account.working = 4;
        recorder.passed(0, &account);
        (account.network, account.looking) = (2, 9);
        recorder.catch_up(0, &account);
        // The run ended before.
        (account.network, account.looking) = (1, 6);
        recorder.catch_up(0, &account);
        let recording = Arc::new(recorder).finish();
        let expected = [
            slice(Occupation::Looking, 0, 5, None),
            slice(Occupation::Working, 5, 9, Some(7)),
            slice(Occupation::Network, 9, 10, Some(7)),
            slice(Occupation::Looking, 10, 11, None),
        ];
        assert_eq!((&recording.processors[0][..], recording.truncated), (&expected[..], false));
    }

    #[test]
    fn what_alternates_is_put_together() {
        let recorder = recorder(10, 8);
        let mut account = Account::default();
        recorder.begins(1, &account, None);
        for _ in 0..4 {
            account.table += 1;
            account.working += 1;
            recorder.passed(1, &account);
        }
        let expected = [slice(Occupation::Working, 0, 4, None), slice(Occupation::Table, 4, 8, None)];
        assert_eq!(Arc::new(recorder).finish().processors[1], expected);
    }

    #[test]
    fn a_full_recorder_stops() {
        let (recorder, mark) = (recorder(2, 0), Some(SplitMark { number: 0, processor: 0 }));
        recorder.did(0, Occupation::Working, 5);
        recorder.did(0, Occupation::Working, 6);
        recorder.steals(6, None, 1, mark);
        recorder.did(1, Occupation::Looking, 5);
        recorder.did(0, Occupation::Working, 10);
        let recording = Arc::new(recorder).finish();
        assert_eq!(recording.processors, [vec![slice(Occupation::Working, 0, 6, None)], vec![]]);
        assert_eq!(recording.steals, [Steal { time: 6, from: 0, to: 1, split: 0 }]);
        assert!(recording.truncated);
    }

    #[test]
    fn a_reader_gets_everything_once() {
        let (recorder, mut reader) = (recorder(10, 0), RecordReader::default());
        recorder.did(0, Occupation::Working, 5);
        assert_eq!(reader.read(&recorder, false), (vec![], vec![]));
        recorder.did(0, Occupation::Working, 7);
        recorder.did(0, Occupation::Looking, 9);
        assert_eq!(reader.read(&recorder, false).0, [(0, slice(Occupation::Working, 0, 7, None))]);
        recorder.steals(9, None, 1, Some(SplitMark { number: 0, processor: 0 }));
        let rest =
            (vec![(0, slice(Occupation::Looking, 7, 9, None))], vec![Steal { time: 9, from: 0, to: 1, split: 0 }]);
        assert_eq!(reader.read(&recorder, true), rest);
        assert_eq!(reader.read(&recorder, true), (vec![], vec![]));
    }
}
