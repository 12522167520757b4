//! Where the time of each processor went (StarTech figure 8). The times of an account add up to the time of the run.

/// The account of one processor. Times are ticks on a virtual machine and nanoseconds on threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Running strands.
    pub working: u64,
    /// Looking for work: asking, waiting for an answer, being refused.
    pub looking: u64,
    /// Answering the requests of others; on threads this includes turning a frame into a split point.
    pub answering: u64,
    /// Turning frames into split points, and taking over the paths that lead to them.
    pub sharing: u64,
    /// Waiting for helpers to come back, with nothing else allowed to be done.
    pub waiting: u64,
    /// Waiting for the table.
    pub table: u64,
    /// Waiting for another host: for the next move of a split point there, or for an entry of its table.
    pub network: u64,
    /// Requests sent.
    pub requests: u64,
    /// Requests that were answered with work.
    pub steals: u64,
    /// Requests of others that were refused.
    pub denials: u64,
    /// Frames shared.
    pub splits: u64,
    /// Parked strands of others that were carried on.
    pub carried: u64,
}

impl Account {
    /// All the time of the account.
    pub fn time(&self) -> u64 {
        self.working + self.looking + self.answering + self.sharing + self.waiting + self.table + self.network
    }

    /// What was spent on others, or on waiting for other hosts, while a strand ran.
    pub(crate) fn served(&self) -> u64 {
        self.answering + self.sharing + self.network
    }

    /// Adds another account to this one.
    pub fn add(&mut self, other: &Account) {
        self.working += other.working;
        self.looking += other.looking;
        self.answering += other.answering;
        self.sharing += other.sharing;
        self.waiting += other.waiting;
        self.table += other.table;
        self.network += other.network;
        self.requests += other.requests;
        self.steals += other.steals;
        self.denials += other.denials;
        self.splits += other.splits;
        self.carried += other.carried;
    }
}

/// The accounts of a whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    /// How long the run took.
    pub time: u64,
    /// Processor by processor.
    pub processors: Vec<Account>,
    /// Strands that were made; the others were used again.
    pub strands: usize,
}

impl Accounts {
    /// The sum over all processors.
    pub fn total(&self) -> Account {
        let mut total = Account::default();
        self.processors.iter().for_each(|account| total.add(account));
        total
    }
}
