//! Registration, then one request after another.

use super::analyst::{Analyst, refusal};
use super::client::{Client, Failure};
use super::settings::Lichess;
use super::work::{Job, Registration};
use crate::shared::Settings;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// The wait after the first failure, and the longest.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Requests that find no work are at least this far apart, however soon Lichess says so.
const LEAST_INTERVAL: Duration = Duration::from_secs(1);
/// How long an analysis that was stopped may take to send its end.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Answers Lichess until this is dropped, or Lichess refuses the engine for good.
pub(crate) async fn provide(lichess: Lichess, settings: Settings) {
    let tell = Arc::clone(&lichess.tell);
    if let Err(reason) = run(lichess, settings).await {
        tell(&format!("{reason}; this engine is not offered any more"));
    }
}

/// # Errors
/// Why it can't go on: one line for the user.
async fn run(lichess: Lichess, settings: Settings) -> Result<(), String> {
    let client = Client::new(lichess.clone());
    register(&client, &lichess, &settings).await.map_err(|failure| failure.to_string())?;
    (lichess.tell)(&format!("choose '{}' on the analysis board", lichess.name));
    let analyst = spawn_blocking(move || Analyst::start(&settings)).await.map_err(|error| error.to_string())??;
    let mut provider = Provider { client, analyst: Arc::new(Mutex::new(analyst)), lichess, running: None };
    let mut waits = Waits::default();
    loop {
        let asked = Instant::now();
        match provider.client.work().await {
            Ok(Some(job)) => {
                waits = Waits::default();
                provider.take(job).await;
            }
            Ok(None) => {
                waits = Waits::default();
                sleep_until(asked + LEAST_INTERVAL).await;
            }
            Err(failure) => wait(&provider.lichess, &mut waits, &failure).await,
        }
    }
}

/// Registers the engine; the one with the same name is changed.
///
/// # Errors
/// If Lichess refuses for good.
async fn register(client: &Client, lichess: &Lichess, settings: &Settings) -> Result<(), Failure> {
    let registration = Registration {
        name: lichess.name.clone(),
        max_threads: settings.threads,
        max_hash: settings.hash_mib,
        variants: vec!["chess"],
        provider_secret: lichess.secret.clone(),
    };
    let mut waits = Waits::default();
    loop {
        let registered = async {
            let engines = client.engines().await?;
            let same = engines.iter().find(|engine| engine.name == registration.name);
            client.register(same.map(|engine| engine.id.as_str()), &registration).await
        };
        match registered.await {
            Err(failure) if !failure.is_final() => wait(lichess, &mut waits, &failure).await,
            done => return done,
        }
    }
}

async fn wait(lichess: &Lichess, waits: &mut Waits, failure: &Failure) {
    let time = waits.next();
    (lichess.tell)(&format!("{failure}; trying again in {} s", time.as_secs()));
    sleep(time).await;
}

/// How long to wait after each failure.
#[derive(Default)]
struct Waits(u32);

impl Waits {
    fn next(&mut self) -> Duration {
        let time = FIRST_WAIT * 2_u32.saturating_pow(self.0);
        self.0 = (self.0 + 1).min(16);
        time.min(LONGEST_WAIT)
    }
}

/// The engine, and the analysis that is being sent.
struct Provider {
    client: Client,
    analyst: Arc<Mutex<Analyst>>,
    lichess: Lichess,
    running: Option<JoinHandle<()>>,
}

impl Provider {
    /// Begins with a job in place of the one before.
    async fn take(&mut self, job: Job) {
        self.analyst.lock().stop();
        if let Some(mut running) = self.running.take()
            && timeout(LAST_WORDS, &mut running).await.is_err()
        {
            running.abort();
        }
        let begun = self.analyst.lock().begin(&job.work);
        let lines = begun.unwrap_or_else(|reason| {
            (self.lichess.tell)(&format!("the work {} is refused: {reason}", job.id));
            refusal(&reason)
        });
        let (client, analyst, tell) = (self.client.clone(), Arc::clone(&self.analyst), Arc::clone(&self.lichess.tell));
        self.running = Some(tokio::spawn(async move {
            let sent = client.answer(&job.id, lines).await;
            // Lichess has closed the stream, or has heard its end.
            analyst.lock().stop();
            let is_idle = spawn_blocking(move || analyst.lock().wait_until_idle(LAST_WORDS)).await;
            let failure = sent.err().map_or(String::new(), |failure| format!(": {failure}"));
            if is_idle.unwrap_or(false) {
                tell(&format!("the analysis {} has ended{failure}", job.id));
            }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute() {
        let mut waits = Waits::default();
        let seconds: Vec<u64> = (0..9).map(|_| waits.next().as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    }
}
