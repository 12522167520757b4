//! What the job says, and what of it is believed.

use super::keeper::{Ask, Phase};
use super::session::Session;
use super::turn::Sign;
use chess::parse_move;
use game::Game;

/// So many lines of a job that are no UCI are shown.
const STRAYS: usize = 5;
/// So much of a line is shown.
const SHOWN: usize = 200;

impl Session {
    /// A line of the job we have now.
    pub(super) fn hear_job(&mut self, line: &str) {
        if let Some(turn) = &mut self.turn {
            (turn.sign, turn.suspect) = (Sign::Heard, false);
        }
        match line.split_whitespace().next() {
            Some("info") => self.hear_info(line),
            Some("bestmove") => self.hear_best_move(line),
            Some("readyok") => self.hear_ready(),
            Some("uciok") if self.keeper.phase() == Phase::Coming => {
                self.options = std::mem::take(&mut self.announced);
                self.keeper.prepare(&self.memory);
                self.introduce_all(&self.options.clone());
            }
            Some("option") if self.keeper.phase() == Phase::Coming => self.announced.push(line.to_string()),
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
        match self.keeper.asked() {
            Some(Ask::Start) => {
                if let Some(missing) = self.keeper.welcome() {
                    self.note(&format!("the job is back after {:.2} s", missing.as_secs_f64()));
                }
                self.engage();
            }
            Some(Ask::Question) => self.keeper.come_to_question(),
            Some(Ask::User) => self.confirm(),
            Some(Ask::Probe) | None => {}
        }
    }

    fn hear_info(&mut self, line: &str) {
        let is_note = line.starts_with("info string");
        if is_note || (self.turn.is_some() && self.keeper.phase() == Phase::Thinking { heard: true }) {
            self.output.say(line);
        }
        if cluster::is_lost_rank_note(line) {
            self.renew = true;
            if self.turn.is_none() {
                self.fail("the job has lost a rank");
            }
        }
    }

    fn hear_best_move(&mut self, line: &str) {
        match self.keeper.phase() {
            Phase::Thinking { heard: true } => self.judge(line),
            // Too late for its question, but alive: perhaps there is another question by now.
            Phase::Late(_) => {
                self.keeper.forgive();
                if self.renew && self.turn.is_none() {
                    return self.fail("the job has lost a rank");
                }
                self.engage();
            }
            _ => self.stray(line),
        }
    }

    /// Is the answer one? Then it goes to the user interface.
    fn judge(&mut self, line: &str) {
        let Some(turn) = &self.turn else { return self.keeper.forgive() };
        let position = &turn.setup.position;
        let mut words = line.split_whitespace().skip(1);
        let best = words.next().unwrap_or("");
        let reply = words.next().filter(|&word| word == "ponder").and_then(|_| words.next());
        let answer = match parse_move(position, best) {
            Ok(mv) => {
                let reply = reply.filter(|reply| parse_move(&position.play(mv), reply).is_ok());
                Some(reply.map_or(format!("bestmove {best}"), |reply| format!("bestmove {best} ponder {reply}")))
            }
            Err(_) if turn.hand.best.is_none() => Some("bestmove (none)".to_string()),
            Err(_) => None,
        };
        let Some(answer) = answer else {
            let shown: String = line.chars().take(SHOWN).collect();
            return self.fail(&format!("the job's answer '{shown}' is no legal move"));
        };
        self.keeper.praise();
        self.finish(&answer);
    }
}
