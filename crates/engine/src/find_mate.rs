//! `go mate`: the search for mates alone goes first, within half of the time; the usual search has the rest.

use crate::clock::{TimeControl, Timer};
use crate::mate_search::MateSearch;
use crate::{Answer, EngineCore, Event, Info, Outlook, SearchRequest, Signals};
use chess::{Move, Position};
use game::{Bound, Depth, Game, Score};
use std::time::Duration;

/// Positions that are expanded to look for a mate in one move less than wanted, and one less for each further move.
const NODES_BEFORE: u64 = 5_000;
/// Positions that are expanded without a limit of time; then the usual search may find it.
const MOST_NODES: u64 = 30_000_000;
/// Positions that are expanded to find the rest of a line.
const NODES_BEHIND: u64 = 1_000_000;
/// Mates of more moves are left to the usual search.
const MOST_MOVES: u32 = 40;

impl EngineCore {
    /// The answer to a search for a mate, if the search for mates finds one.
    pub(crate) fn mate_answer(
        &mut self,
        request: &SearchRequest,
        signals: &Signals,
        listener: &mut (dyn FnMut(Event) + Send),
    ) -> Option<Answer> {
        let moves = request.limits.mate.filter(|moves| (1..=MOST_MOVES).contains(moves))?;
        if !self.may_look_for_mate(request, moves) {
            return None;
        }
        let timer = Timer::new(signals, request.limits.time, self.options.overhead);
        let half = match request.limits.time {
            TimeControl::PerMove(time) => time / 2,
            _ => Duration::MAX,
        };
        let is_over = || timer.expired() || timer.elapsed() >= half;
        let mut search = MateSearch::new(&request.history, &is_over);
        let line = shortest(&mut search, &request.position, moves)?;
        let (nodes, time) = (search.nodes(), timer.elapsed());
        let score = Score::win_in(line.len());
        listener(Event::Info(info(&line, Outlook::of(score, &request.position), nodes, time)));
        let (best, ponder) = (line.first().copied(), line.get(1).copied());
        Some(Answer { best, ponder, score: Some(score), depth: line.len() as Depth, line, nodes, ..Answer::default() })
    }

    /// Where a mate was wanted and the usual search has found it, but knows only the beginning of its line: tells the whole
    /// line, if there is time for it.
    pub(crate) fn complete_mate(
        &self,
        request: &SearchRequest,
        signals: &Signals,
        mut answer: Answer,
        listener: &mut (dyn FnMut(Event) + Send),
    ) -> Answer {
        let plies = answer.score.and_then(Score::plies_to_end).and_then(|plies| usize::try_from(plies).ok());
        let Some(plies) = plies.filter(|&plies| answer.line.len() < plies) else { return answer };
        if request.limits.mate.is_none() || self.options.lines > 1 || answer.line.is_empty() {
            return answer;
        }
        let timer = Timer::new(signals, request.limits.time, self.options.overhead);
        let is_over = || timer.expired();
        if let Some(rest) = rest_of_mate(&request.position, &answer.line, plies, &is_over) {
            answer.line.extend(rest);
            answer.ponder = answer.line.get(1).copied();
            let outlook = Outlook::of(Score::win_in(plies), &request.position);
            listener(Event::Info(Info {
                depth: answer.depth,
                ..info(&answer.line, outlook, answer.nodes, timer.elapsed())
            }));
        }
        answer
    }

    /// Is it one line of the whole position that is wanted, within time alone, and before the fifty-move rule counts?
    fn may_look_for_mate(&self, request: &SearchRequest, moves: u32) -> bool {
        let limits = &request.limits;
        let is_plain =
            limits.only.is_empty() && limits.depth.is_none() && limits.nodes.is_none() && limits.ticks.is_none();
        let is_timed = matches!(limits.time, TimeControl::PerMove(_) | TimeControl::Unlimited);
        let is_whole = self.options.lines == 1 && self.ranks.is_none();
        let last_ply = u32::from(request.position.board().halfmove_clock()) + 2 * moves;
        is_plain && is_timed && is_whole && last_ply < 100
    }
}

/// The mating line of at most this many moves: short mates are looked for first, for a short while.
fn shortest(search: &mut MateSearch<'_>, position: &Position, moves: u32) -> Option<Vec<Move>> {
    for fewer in 1..moves {
        if let Ok(Some(line)) = search.mate_in(position, fewer, NODES_BEFORE) {
            return Some(line);
        }
    }
    search.mate_in(position, moves, MOST_NODES).ok()?
}

/// The moves after `line` of a mate that takes this many plies in all.
fn rest_of_mate(start: &Position, line: &[Move], plies: usize, is_over: &dyn Fn() -> bool) -> Option<Vec<Move>> {
    let position = line.iter().fold(start.clone(), |position, &mv| position.play(mv));
    let left = plies - line.len();
    let mut search = MateSearch::new(&[], is_over);
    let moves = left.div_ceil(2) as u32;
    let rest = if line.len().is_multiple_of(2) {
        search.mate_in(&position, moves, NODES_BEHIND)
    } else {
        search.mated_in(&position, left as u32 / 2, NODES_BEHIND)
    };
    rest.ok()?.filter(|rest| rest.len() == left)
}

fn info(line: &[Move], outlook: Outlook, nodes: u64, time: Duration) -> Info {
    Info {
        depth: line.len() as Depth,
        reach: line.len(),
        line_number: 1,
        outlook,
        bound: Bound::Exact,
        nodes,
        time,
        ticks: 0,
        span: 0,
        busy: 0,
        permille_full: 0,
        table_hits: 0,
        line: line.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoLimits;

    fn answer(fen: &str, mate: u32) -> (Answer, Vec<Info>) {
        let limits =
            GoLimits { mate: Some(mate), time: TimeControl::PerMove(Duration::from_secs(5)), ..GoLimits::default() };
        let request = SearchRequest::new(fen.parse().unwrap(), limits);
        let mut infos = Vec::new();
        let mut core = EngineCore::with(chess::RuleSet::default(), 1).unwrap();
        let answer = core.search(&request, &Signals::new(), &mut |event| {
            if let Event::Info(info) = event {
                infos.push(info);
            }
        });
        (answer, infos)
    }

    #[test]
    fn the_answer_is_the_first_move_of_a_whole_line() {
        let (answer, infos) = answer("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 4);
        assert_eq!(answer.score, Some(Score::win_in(3)));
        assert_eq!((answer.line.len(), answer.best), (3, answer.line.first().copied()));
        assert_eq!((infos.len(), &infos[0].line), (1, &answer.line));
    }

    #[test]
    fn a_line_that_is_cut_is_completed() {
        let position: Position = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1".parse().unwrap();
        let (answer, _) = answer("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2);
        for known in 1..3 {
            let rest = rest_of_mate(&position, &answer.line[..known], 3, &|| false).unwrap();
            let whole = [&answer.line[..known], &rest].concat();
            let end = whole.iter().fold(position.clone(), |position, &mv| position.play(mv));
            assert!(whole.len() == 3 && end.in_check() && !end.has_moves(), "{known}");
        }
        let wrong = chess::parse_san(&position, "Ra2").unwrap();
        assert_eq!(rest_of_mate(&position, &[wrong], 3, &|| false), None);
    }

    #[test]
    fn near_the_fifty_move_rule_the_usual_search_answers() {
        let (answer, infos) = answer("7k/8/5KQ1/8/8/8/8/8 w - - 98 80", 1);
        assert_eq!(answer.score, Some(Score::win_in(1)));
        assert!(infos.iter().all(|info| info.span > 0), "from the usual search");
    }
}
