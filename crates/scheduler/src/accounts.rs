//! Where the time of each processor went (StarTech figure 8). The times of an account add up to the time of the run.

/// What the time of a processor goes to: each is a time of an [`Account`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Occupation {
    /// [`Account::sharing`]
    Sharing,
    /// [`Account::working`]
    Working,
    /// [`Account::answering`]
    Answering,
    /// [`Account::serving`]
    Serving,
    /// [`Account::table`]
    Table,
    /// [`Account::network`]
    Network,
    /// [`Account::dismissal`]
    Dismissal,
    /// [`Account::looking`]
    Looking,
    /// [`Account::back_off`]
    BackOff,
    /// [`Account::waiting`]
    Waiting,
}

impl Occupation {
    /// All of them: first those of a processor that has a strand.
    pub const ALL: [Occupation; 10] = [
        Occupation::Sharing,
        Occupation::Working,
        Occupation::Answering,
        Occupation::Serving,
        Occupation::Table,
        Occupation::Network,
        Occupation::Dismissal,
        Occupation::Looking,
        Occupation::BackOff,
        Occupation::Waiting,
    ];
    /// Those of a processor that has no strand to run.
    pub const IDLE: [Occupation; 4] =
        [Occupation::Dismissal, Occupation::Looking, Occupation::BackOff, Occupation::Waiting];

    /// Its name, as in an account.
    pub fn name(self) -> &'static str {
        match self {
            Occupation::Sharing => "sharing",
            Occupation::Working => "working",
            Occupation::Answering => "answering",
            Occupation::Serving => "serving",
            Occupation::Table => "table",
            Occupation::Network => "network",
            Occupation::Dismissal => "dismissal",
            Occupation::Looking => "looking",
            Occupation::BackOff => "back_off",
            Occupation::Waiting => "waiting",
        }
    }
}

/// The account of one processor. Times are ticks on a virtual machine and nanoseconds on threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Running strands.
    pub working: u64,
    /// Looking for work: asking, waiting for an answer, being refused.
    pub looking: u64,
    /// Sitting idle after refusals, so as not to swamp busy processors with requests.
    pub back_off: u64,
    /// Answering the requests of others; on threads this includes turning a frame into a split point.
    pub answering: u64,
    /// Turning frames into split points, and taking over the paths that lead to them.
    pub sharing: u64,
    /// Waiting for helpers to come back, with nothing else allowed to be done.
    pub waiting: u64,
    /// Waiting for the table, or for another strand's result to be stored there (deferred reads).
    pub table: u64,
    /// Serving others while a strand runs here: their look-ups and stores in the table, and messages on their way.
    pub serving: u64,
    /// Waiting for a message about a split point: for the next move, a result, a cut; or for an entry of another host's table.
    pub network: u64,
    /// Waiting to be dismissed by the owner of a split point, after the result was sent.
    pub dismissal: u64,
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
    /// The time that went to one thing.
    pub fn time_of(&self, occupation: Occupation) -> u64 {
        match occupation {
            Occupation::Sharing => self.sharing,
            Occupation::Working => self.working,
            Occupation::Answering => self.answering,
            Occupation::Serving => self.serving,
            Occupation::Table => self.table,
            Occupation::Network => self.network,
            Occupation::Dismissal => self.dismissal,
            Occupation::Looking => self.looking,
            Occupation::BackOff => self.back_off,
            Occupation::Waiting => self.waiting,
        }
    }

    /// All the time of the account.
    pub fn time(&self) -> u64 {
        let running = self.working + self.table + self.served();
        running + self.looking + self.back_off + self.waiting + self.dismissal
    }

    /// Time with work, one's own or that of others.
    pub fn busy(&self) -> u64 {
        self.working + self.answering + self.sharing + self.table + self.serving
    }

    /// What was spent on others, or on waiting for messages, while a strand ran.
    pub(crate) fn served(&self) -> u64 {
        self.answering + self.sharing + self.serving + self.network
    }

    /// Adds another account to this one.
    pub fn add(&mut self, other: &Account) {
        self.working += other.working;
        self.looking += other.looking;
        self.back_off += other.back_off;
        self.answering += other.answering;
        self.sharing += other.sharing;
        self.waiting += other.waiting;
        self.table += other.table;
        self.serving += other.serving;
        self.network += other.network;
        self.dismissal += other.dismissal;
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
