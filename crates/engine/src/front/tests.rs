//! The front with a scripted job that misbehaves in every way we could think of.

use super::*;
use crate::GameRecord;
use crate::uci::command::{Command, parse};
use chess::{RuleSet, parse_move};
use cluster::RankNote;
use std::io::{BufRead, BufReader, PipeWriter, Write, pipe};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);
/// Other tests run at the same time, and a busy machine lets a process wait, so be generous: what is asserted is that
/// nobody waits for a job that is not there. `scripts/cluster-kill.py` has no margin.
const MARGIN: Duration = Duration::from_millis(1500);

/// A job without any idea of chess: it answers as its first argument says. The second names a file it may leave.
const FAKE: &str = r#"
while read -r line; do
  case $line in
    uci) echo 'id name Fake'; echo 'option name Fancy type check default false'; echo uciok ;;
    isready) echo readyok ;;
    *"Clear Hash") exit 1 ;;
    setoption*) echo "info string heard $line" ;;
    quit) exit 0 ;;
    stop) [ "$1" = stubborn ] || echo 'bestmove g1f3' ;;
    position*) [ "$1" = twice ] && [ -e "$2" ] && echo 'bestmove a2a3' ;;
    go*)
      echo "info string asked $line"
      case $1 in
        good) echo 'info depth 1 score cp 1'; echo 'bestmove g1f3 ponder g8f6' ;;
        dies) exit 3 ;;
        dies-once) if [ -e "$2" ]; then echo 'bestmove g1f3'; else : > "$2"; exit 3; fi ;;
        stops-once) if [ -e "$2" ]; then echo 'bestmove g1f3'; else : > "$2"; kill -STOP $$; fi ;;
        closes) exec >&-; sleep 20 ;;
        illegal) echo 'bestmove e1e8' ;;
        empty) echo 'bestmove' ;;
        bad-reply) echo 'bestmove g1f3 ponder g1f3' ;;
        twice) if [ -e "$2" ]; then echo 'bestmove b1c3'; else : > "$2"; echo 'bestmove g1f3'; echo 'bestmove h2h3'; fi ;;
        noise) head -c 300000 /dev/urandom; echo; echo 'uciok'; echo 'readyok'; echo 'id name Else'; echo 'bestmove g1f3' ;;
        late) sleep 0.8; echo 'bestmove b1c3' ;;
        rank) echo 'info string LOST RANK'; echo 'bestmove g1f3' ;;
        stubborn | waits) ;;
      esac ;;
  esac
done
"#;

/// The note in the place of `LOST RANK`.
const LOST_RANK: RankNote = RankNote::Lost { rank: 3 };

/// A front, seen from the user interface.
struct Front {
    input: Option<PipeWriter>,
    output: Receiver<String>,
    thread: Option<JoinHandle<()>>,
    game: GameRecord,
    _folder: tempfile::TempDir,
}

impl Front {
    fn with(manner: &str) -> Front {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mark");
        let job =
            ["sh", "-c", &FAKE.replace("LOST RANK", &LOST_RANK.to_string()), "fake", manner, file.to_str().unwrap()];
        let mut front = Front::of(&job, folder);
        front.say("uci");
        front.until("uciok");
        front.say("isready");
        front.until("readyok");
        front
    }

    fn of(job: &[&str], folder: tempfile::TempDir) -> Front {
        let settings = FrontSettings {
            job: job.iter().map(|word| word.to_string()).collect(),
            overhead: Some(Duration::from_millis(20)),
        };
        let ((from_user, input), (to_user, sink)) = (pipe().unwrap(), pipe().unwrap());
        let (sender, output) = channel();
        std::thread::spawn(move || {
            BufReader::new(to_user).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let thread = std::thread::spawn(move || {
            let (events, mailbox) = sync_channel(MAILBOX);
            let engine = EngineCore::with(RuleSet::modern(), 1).unwrap();
            serve(&settings, engine, from_user, Arc::new(Output::to(Box::new(sink))), events, mailbox);
        });
        Front { input: Some(input), output, thread: Some(thread), game: GameRecord::default(), _folder: folder }
    }

    /// Says a line, or several at once.
    fn say(&mut self, line: &str) {
        for line in line.lines() {
            if let Ok(Some(Command::Position { fen, moves })) = parse(line) {
                self.game = GameRecord::new(fen.as_deref(), &moves).unwrap();
            }
        }
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn until(&self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.output.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {beginning} after {lines:#?}"));
            lines.push(line);
            if lines.last().is_some_and(|line| line.starts_with(beginning)) {
                return lines;
            }
        }
    }

    /// The answer to this `go`: it is legal, in time, and the only one.
    fn best(&mut self, go: &str, within_ms: u64) -> (String, Vec<String>) {
        self.say(go);
        self.answer(within_ms)
    }

    fn answer(&mut self, within_ms: u64) -> (String, Vec<String>) {
        let asked = Instant::now();
        let lines = self.until("bestmove");
        assert!(asked.elapsed() < Duration::from_millis(within_ms) + MARGIN, "after {:?}: {lines:#?}", asked.elapsed());
        let best = lines.last().and_then(|line| line.split(' ').nth(1)).unwrap().to_string();
        assert!(parse_move(&self.game.position, &best).is_ok(), "{best}");
        let more: Vec<_> = self.hear_for(Duration::from_millis(50));
        assert!(!more.iter().any(|line| line.starts_with("bestmove")), "{more:#?}");
        (best, lines)
    }

    /// The front ends by itself.
    fn ends(&mut self) {
        let thread = self.thread.take().unwrap();
        let end = Instant::now() + PATIENCE;
        while !thread.is_finished() {
            assert!(Instant::now() < end, "the front is still there");
            std::thread::sleep(Duration::from_millis(5));
        }
        thread.join().unwrap();
    }

    fn hear_for(&self, time: Duration) -> Vec<String> {
        let end = Instant::now() + time;
        std::iter::from_fn(|| self.output.recv_timeout(end.saturating_duration_since(Instant::now())).ok()).collect()
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        drop(self.input.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(std::thread::panicking() || ended.is_ok());
        }
    }
}

#[test]
fn a_good_job_is_heard_and_its_answer_passed_on() {
    let mut front = Front::with("good");
    for go in ["go wtime 60000 btime 60000", "go depth 3", "go movetime 5000"] {
        let (best, lines) = front.best(go, 100);
        assert_eq!(best, "g1f3");
        assert!(lines.iter().any(|line| line == "info depth 1 score cp 1"), "{lines:#?}");
        // Exactly these words, unless the machine was so busy that some of the time was gone.
        let words = |line: &str| line.split(' ').filter(|word| word.parse::<u32>().is_err()).count();
        let asked = lines.iter().find_map(|line| line.strip_prefix("info string asked "));
        assert_eq!(asked.map(words), Some(words(go)), "{lines:#?}");
        assert_eq!(lines.last().unwrap(), "bestmove g1f3 ponder g8f6");
    }
}

#[test]
fn it_introduces_itself_once_with_the_jobs_options() {
    let mut front = Front::with("good");
    front.say("uci");
    let lines = front.until("uciok");
    assert!(lines[0].starts_with("id name Jamboree"));
    assert_eq!(lines.iter().filter(|line| line.starts_with("option")).count(), 1, "{lines:#?}");
    front.say("setoption name fancy value true");
    front.until("info string heard setoption name fancy value true");
    front.say("setoption name Nonsense value 1");
    front.until("info string error: no option 'Nonsense'");
    assert!(!front.hear_for(Duration::from_millis(50)).iter().any(|line| line.contains("ok")));
}

#[test]
fn a_job_that_dies_is_replaced_by_our_own_move() {
    let mut front = Front::with("dies");
    for go in ["go movetime 600", "go wtime 1000 btime 1000"] {
        front.best(go, 600);
    }
    front.say("position startpos moves e2e4 c7c5");
    front.best("go movetime 300", 300);
    front.best("go depth 4", 3000);
}

#[test]
fn a_job_that_dies_early_is_asked_again_with_the_time_that_is_left() {
    let mut front = Front::with("dies-once");
    front.say("setoption name Hash value 7");
    front.say("setoption name Hash value 8");
    let (best, lines) = front.best("go wtime 60000 btime 50000 movestogo 1", 5_000);
    let again = lines.iter().filter_map(|line| line.strip_prefix("info string asked go wtime ")).nth(1).unwrap();
    let (left, rest) = again.split_once(' ').unwrap();
    assert!((50_000..60_000 - 200).contains(&left.parse::<u32>().unwrap()), "{again}");
    assert_eq!((best.as_str(), rest), ("g1f3", "btime 50000 movestogo 1"));
    let heard: Vec<_> = lines.iter().filter(|line| line.contains("heard setoption")).collect();
    // Both settings by the first job, only the last one by the second; and the overhead by both.
    assert_eq!(heard.iter().filter(|line| line.contains("value 7")).count(), 1, "{heard:#?}");
    assert_eq!(heard.iter().filter(|line| line.contains("value 8")).count(), 2, "{heard:#?}");
    assert!(lines.iter().any(|line| line.starts_with("info string cluster: the job is back after")));
}

#[test]
fn a_job_that_hangs_is_answered_for_in_time_and_started_again() {
    let mut front = Front::with("stops-once");
    front.best("go wtime 1000 btime 1000", 1000);
    front.until("info string cluster: the job is back");
    assert_eq!(front.best("go wtime 60000 btime 60000", 300).0, "g1f3");
}

#[test]
fn nonsense_is_not_passed_on() {
    for manner in ["illegal", "empty", "closes"] {
        let mut front = Front::with(manner);
        let (best, lines) = front.best("go movetime 500", 500);
        assert_ne!(best, "e1e8");
        assert!(lines.iter().any(|line| line.starts_with("info string cluster: the job")), "{lines:#?}");
    }
    let mut front = Front::with("bad-reply");
    assert_eq!(front.best("go depth 2", 100).1.last().unwrap(), "bestmove g1f3");
    let mut front = Front::with("noise");
    let (best, lines) = front.best("go movetime 5000", 1500);
    let known = |line: &&String| !line.starts_with("info string") && !line.starts_with("bestmove");
    assert_eq!((best.as_str(), lines.iter().find(known)), ("g1f3", None));
}

#[test]
fn an_answer_to_an_earlier_question_is_no_answer() {
    let mut front = Front::with("twice");
    assert_eq!(front.best("go movetime 3000", 300).0, "g1f3");
    assert_eq!(front.best("go movetime 3000", 300).0, "b1c3");
    assert_eq!(front.best("go movetime 3000", 300).0, "b1c3");
}

#[test]
fn a_job_that_is_late_is_not_killed_and_its_answer_forgotten() {
    let mut front = Front::with("late");
    let (_, lines) = front.best("go movetime 500", 500);
    assert!(lines.iter().any(|line| line.contains("does not answer in time")), "{lines:#?}");
    assert!(front.hear_for(Duration::from_millis(1100)).iter().all(|line| !line.contains("started again")));
    assert_eq!(front.best("go movetime 5000", 900).0, "b1c3");
}

#[test]
fn a_job_that_dies_between_moves_is_back_for_the_next() {
    let mut front = Front::with("good");
    for _ in 0..2 {
        assert_eq!(front.best("go movetime 3000", 100).0, "g1f3");
        // The script takes this for the end of its life; being a button, it is not said again to the next job.
        front.say("setoption name Clear Hash");
        front.until("info string cluster: the job has ended");
        front.best("go movetime 100", 100);
        front.until("info string cluster: the job is back");
    }
}

#[test]
fn a_silent_rank_makes_a_new_job_after_the_answer() {
    let mut front = Front::with("rank");
    let (best, lines) = front.best("go depth 2", 100);
    assert!(best == "g1f3" && lines.contains(&format!("info string {LOST_RANK}")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains("started again")), "{lines:#?}");
    front.until("info string cluster: the job is back");
}

#[test]
fn stop_and_ponder_hit_reach_whoever_thinks() {
    let mut front = Front::with("waits");
    front.say("go infinite");
    assert!(front.hear_for(Duration::from_millis(100)).iter().all(|line| !line.starts_with("bestmove")));
    assert_eq!(front.best("stop", 100).0, "g1f3");
    // Without a job that answers to anything.
    let mut front = Front::with("stubborn");
    front.say("go infinite");
    front.best("stop", 1000);
    front.until("info string cluster: the job is back");
    front.say("go ponder wtime 400 btime 400");
    assert!(front.hear_for(Duration::from_millis(300)).iter().all(|line| !line.starts_with("bestmove")));
    front.best("ponderhit", 400);
    // Another question ends the one before; each has its answer.
    front.say("go infinite");
    front.say("setoption name Hash value 4");
    front.say("go movetime 50");
    front.until("bestmove");
    front.answer(1000);
}

/// Commands that arrive behind a second `go`, before the first one has its answer.
#[test]
fn what_comes_behind_a_queued_go_is_heard() {
    for manner in ["waits", "stubborn"] {
        let mut front = Front::with(manner);
        front.say("go infinite\nstop\nposition startpos moves e2e4\ngo infinite\nstop\nisready");
        let lines = front.until("readyok");
        let rest = 2 - lines.iter().filter(|line| line.starts_with("bestmove")).count();
        for _ in 0..rest {
            front.until("bestmove");
        }
        // The second answer belongs to the second position.
        front.say("position startpos\ngo ponder movetime 50\ngo ponder movetime 50\nponderhit");
        front.until("bestmove");
        front.answer(1500);
        front.say("go infinite\ngo infinite\nquit");
        front.ends();
    }
}

#[test]
fn the_end_of_the_input_is_the_end_however_many_searches_wait() {
    let mut front = Front::with("stubborn");
    front.say("go infinite\nsetoption name Hash value 2\ngo ponder wtime 100 btime 100\ngo infinite");
    drop(front.input.take());
    front.ends();
}

#[test]
fn a_count_of_paths_does_not_make_the_front_deaf() {
    let mut front = Front::with("good");
    front.say("go perft 12");
    assert_eq!(front.best("go movetime 500", 100).0, "g1f3");
    front.say("go perft 12\nisready");
    front.until("readyok");
    front.say("stop");
    front.until("stopped: the count is not complete");
    front.say("go perft 3");
    front.until("Nodes searched: 8902");
    front.say("go perft 12\nquit");
    front.ends();
}

#[test]
fn a_refused_position_is_not_searched() {
    let mut front = Front::with("good");
    front.say("go movetime 500");
    front.answer(100);
    let input = front.input.as_mut().unwrap();
    writeln!(input, "position startpos moves e2e5\ngo movetime 500").unwrap();
    let lines = front.until("bestmove");
    assert!(lines.iter().any(|line| line.starts_with("info string error: the position is refused")), "{lines:#?}");
    assert_eq!(lines.last().unwrap(), "bestmove (none)");
    front.say("position startpos");
    assert_eq!(front.best("go movetime 500", 100).0, "g1f3");
}

#[test]
fn options_and_positions_do_not_end_a_search() {
    let mut front = Front::with("waits");
    front.say("go infinite");
    front.say("setoption name Fancy value true");
    front.say("position startpos moves e2e4");
    front.say("isready");
    let lines = front.until("readyok");
    let more = front.hear_for(Duration::from_millis(100));
    let said = |word: &str| lines.iter().chain(&more).any(|line| line.contains(word));
    assert!(!said("bestmove") && !said("heard setoption"), "{lines:#?} {more:#?}");
    front.say("stop");
    let lines = front.until("info string heard setoption name Fancy value true");
    assert!(lines.iter().any(|line| line == "bestmove g1f3"), "{lines:#?}");
}

#[test]
fn without_any_job_the_front_plays_alone() {
    let mut front = Front::of(&["/does/not/exist"], tempfile::tempdir().unwrap());
    let asked = Instant::now();
    front.say("isready");
    front.until("readyok");
    assert!(asked.elapsed() < Duration::from_millis(100) + MARGIN);
    let (_, lines) = front.best("go movetime 500", 500);
    assert!(lines.iter().any(|line| line.starts_with("info depth")), "{lines:#?}");
    front.say("position fen 7k/5KQ1/8/8/8/8/8/8 b - - 0 1");
    front.say("go movetime 100");
    assert_eq!(front.until("bestmove").last().unwrap(), "bestmove (none)");
}
