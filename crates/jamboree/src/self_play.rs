//! Games of the engine against itself on all cores, each added to a file when it has ended.

use crate::Failure;
use crate::progress::Meter;
use jamboree_io::outln;
use lab::datagen::{GameFile, LARGEST_NUMBER, SelfGame};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Games,
    Positions,
}

/// What to play.
pub(crate) struct SelfPlay<'a> {
    /// The file to add to.
    pub(crate) out: &'a Path,
    /// How much it has at the end.
    pub(crate) total: u64,
    pub(crate) unit: Unit,
    pub(crate) threads: usize,
}

impl SelfPlay<'_> {
    fn name(&self) -> &'static str {
        if self.unit == Unit::Games { "games" } else { "positions" }
    }

    fn count(&self, file: &GameFile) -> u64 {
        if self.unit == Unit::Games { file.games() } else { file.positions() }
    }

    /// Plays until the file has enough. Each thread makes a player, which plays the game of a number; none if that is not to be used.
    pub(crate) fn run<P>(&self, make_player: impl Fn() -> Result<P, String> + Sync) -> Result<(), Failure>
    where
        P: FnMut(u32) -> Option<SelfGame>,
    {
        let file = GameFile::open(self.out)?;
        let there = self.count(&file);
        let name = self.out.display();
        if there >= self.total {
            let (games, positions) = (file.games(), file.positions());
            outln!("'{name}' has {games} games with {positions} positions: ask for more with --{}", self.name())?;
            return Ok(());
        }
        let meter = Meter::new(self.name(), there, self.total);
        let (started, next) = (AtomicU64::new(file.games()), AtomicU32::new(file.next_number()));
        let (file, stopped) = (Mutex::new(file), AtomicBool::new(false));
        let lock = || file.lock();
        let play = || -> Result<(), String> {
            let mut player = make_player()?;
            while self.unit != Unit::Games || started.fetch_add(1, Ordering::Relaxed) < self.total {
                let game = loop {
                    if stopped.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number > LARGEST_NUMBER {
                        return Err("there are no more numbers for games: name another file and another seed".into());
                    }
                    if let Some(game) = player(number) {
                        break game;
                    }
                };
                let mut file = lock();
                if self.count(&file) < self.total {
                    file.add(&game)?;
                }
                let done = self.count(&file);
                meter.show(done, &format!("{} positions", file.positions()));
                if self.unit == Unit::Positions && done >= self.total {
                    stopped.store(true, Ordering::Relaxed);
                }
            }
            Ok(())
        };
        // A thread that fails, for example because the disk is full, ends the others after their games.
        let guarded = || play().inspect_err(|_| stopped.store(true, Ordering::Relaxed));
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.threads).map(|_| scope.spawn(guarded)).collect();
            let own = guarded();
            let failed = || Err("a thread failed".into());
            others.into_iter().map(|thread| thread.join().unwrap_or_else(|_| failed())).fold(own, Result::and)
        })?;
        meter.finish();
        let mut file = lock();
        file.sync()?;
        outln!("'{name}' has {} games with {} positions", file.games(), file.positions())?;
        Ok(())
    }
}
