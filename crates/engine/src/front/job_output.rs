//! What the job says, and what of it counts.

use super::pending_go::LifeSign;
use super::session::FrontSession;
use super::supervisor::{Ask, Phase};
use chess::parse_move;
use cluster::RankNote;
use game::Game;

/// Number of lines of a job that are shown though they are no UCI.
const STRAYS: usize = 5;
/// Number of characters of such a line that are shown.
const SHOWN: usize = 200;

impl FrontSession {
    /// A line of the present job.
    pub(super) fn hear_job(&mut self, line: &str) {
        if let Some(pending) = &mut self.pending {
            (pending.sign, pending.suspect) = (LifeSign::Heard, false);
        }
        match line.split_whitespace().next() {
            Some("info") => self.hear_info(line),
            Some("bestmove") => self.hear_best_move(line),
            Some("readyok") => self.hear_ready(),
            Some("uciok") if self.supervisor.phase() == Phase::Coming => {
                self.options = std::mem::take(&mut self.announced);
                self.supervisor.prepare(&self.replay);
                self.introduce_all(&self.options.clone());
            }
            Some("option") if self.supervisor.phase() == Phase::Coming => self.announced.push(line.to_string()),
            Some("id" | "option" | "uciok" | "copyprotection" | "registration") => {}
            Some(_) => self.stray(line),
            None => {}
        }
    }

    fn stray(&mut self, line: &str) {
        self.strays += 1;
        if self.strays <= STRAYS {
            self.note(&format!("the job says: {}", line.chars().take(SHOWN).collect::<String>()));
        }
    }

    fn hear_ready(&mut self) {
        match self.supervisor.asked() {
            Some(Ask::Start) => {
                if let Some(missing) = self.supervisor.mark_ready() {
                    self.note(&format!("the job is back after {:.2} s", missing.as_secs_f64()));
                }
                self.ask_job();
            }
            Some(Ask::Question) => self.supervisor.mark_at_question(),
            Some(Ask::User) => self.confirm(),
            Some(Ask::Probe) | None => {}
        }
    }

    fn hear_info(&mut self, line: &str) {
        let note = line.strip_prefix("info string ");
        if note.is_some() || (self.pending.is_some() && self.supervisor.phase() == Phase::Searching { heard: true }) {
            self.output.say(line);
        }
        if note.and_then(RankNote::lost_rank).is_some() {
            self.renew = true;
            if self.pending.is_none() {
                self.fail("the job has lost a rank");
            }
        }
    }

    fn hear_best_move(&mut self, line: &str) {
        match self.supervisor.phase() {
            Phase::Searching { heard: true } => self.judge(line),
            // Too late for its question, but alive: there may be another question by now.
            Phase::Late(_) => {
                self.supervisor.mark_late_answer();
                if self.renew && self.pending.is_none() {
                    return self.fail("the job has lost a rank");
                }
                self.ask_job();
            }
            _ => self.stray(line),
        }
    }

    /// Passes the answer on if its move is legal.
    fn judge(&mut self, line: &str) {
        let Some(pending) = &self.pending else { return self.supervisor.mark_late_answer() };
        let Some(game) = pending.game() else { return self.supervisor.mark_late_answer() };
        let position = &game.position;
        let mut words = line.split_whitespace().skip(1);
        let best = words.next().unwrap_or("");
        let reply = words.next().filter(|&word| word == "ponder").and_then(|_| words.next());
        let answer = match parse_move(position, best) {
            Ok(mv) => {
                let reply = reply.filter(|reply| parse_move(&position.play(mv), reply).is_ok());
                Some(reply.map_or(format!("bestmove {best}"), |reply| format!("bestmove {best} ponder {reply}")))
            }
            Err(_) if pending.own.best.is_none() => Some("bestmove (none)".to_string()),
            Err(_) => None,
        };
        let Some(answer) = answer else {
            let shown: String = line.chars().take(SHOWN).collect();
            return self.fail(&format!("the job's answer '{shown}' is no legal move"));
        };
        self.supervisor.mark_answered();
        self.finish(&answer);
    }
}
