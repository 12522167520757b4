//! One game between two engines, by the rules of chess.

use super::adjudicate::{DrawRule, Judge, ResignRule};
use super::clock::{Clock, Limit, MatchClock, go};
use super::contender::{Contender, Player};
use super::openings::Opening;
use super::player::{Thought, Trouble};
use super::record::{EndKind, GameResult, Ply};
use chess::board::Color;
use chess::{Notation, Position, parse_move};
use game::Game as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct MatchRules {
    /// The limit of an engine's searches.
    pub limit: Limit,
    /// A clock may be overrun by this much.
    pub margin: Duration,
    /// How long to wait for an engine that has no clock.
    pub patience: Duration,
    /// When a game is adjudicated as a draw.
    pub draw: Option<DrawRule>,
    /// When a game is adjudicated as won.
    pub resign: Option<ResignRule>,
}

/// How a game ended, and its moves.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Played {
    /// Who won.
    pub(super) result: GameResult,
    /// What kind of end it was.
    pub(super) kind: EndKind,
    /// How it ended, in words.
    pub(super) reason: String,
    /// The moves.
    pub(super) moves: Vec<Ply>,
}

/// The end of a game: its result, the kind of end, and the reason in words.
type End = (GameResult, EndKind, String);

/// A seat for an engine, which is started when it is needed, and again after a failure.
pub(super) struct Seat<'a> {
    name: &'a str,
    contender: &'a Contender,
    player: Option<Player>,
}

impl<'a> Seat<'a> {
    /// An empty seat.
    pub(super) fn new(name: &'a str, contender: &'a Contender) -> Seat<'a> {
        Seat { name, contender, player: None }
    }

    fn player(&mut self, patience: Duration) -> Result<&mut Player, Trouble> {
        let player = match self.player.take() {
            Some(player) => player,
            None => self.contender.start(patience)?,
        };
        Ok(self.player.insert(player))
    }

    /// The game is lost by this failure. An engine that can't be relied upon is started again for the next game.
    fn lose(&mut self, side: usize, trouble: &Trouble) -> End {
        if !matches!(trouble, Trouble::Late(_)) {
            self.player = None;
        }
        (GameResult::win_of(1 - side), trouble.kind(), format!("{} {trouble}", self.name))
    }
}

/// Plays a game; White's seat comes first. None if it was stopped.
pub(super) fn play(
    seats: [&mut Seat<'_>; 2],
    opening: &Opening,
    rules: &MatchRules,
    stop: &AtomicBool,
) -> Option<Played> {
    let mut game = Game::new(seats, opening, rules);
    let mut end = game.begin(opening);
    while end.is_none() {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        end = game.step();
    }
    end.map(|(result, kind, reason)| Played { result, kind, reason, moves: game.moves })
}

/// A game that is being played.
struct Game<'a, 'b> {
    seats: [&'a mut Seat<'b>; 2],
    rules: &'a MatchRules,
    clocks: [Clock; 2],
    judge: Judge,
    notation: Notation,
    /// The position before the first move, as UCI writes it.
    start: String,
    position: Position,
    /// The keys of the positions before.
    history: Vec<u64>,
    moves: Vec<Ply>,
}

impl<'a, 'b> Game<'a, 'b> {
    fn new(seats: [&'a mut Seat<'b>; 2], opening: &Opening, rules: &'a MatchRules) -> Game<'a, 'b> {
        let control = match rules.limit {
            Limit::Time(control) => control,
            Limit::Nodes(_) | Limit::Ticks(_) => {
                MatchClock { moves: None, time: Duration::ZERO, increment: Duration::ZERO }
            }
        };
        let mut positions = opening.positions();
        let position = positions.pop().unwrap_or_default();
        let book = |mv| Ply { mv, score: None, depth: None, seconds: None };
        Game {
            seats,
            rules,
            clocks: [Clock::new(control), Clock::new(control)],
            judge: Judge::new(rules.draw, rules.resign),
            notation: Notation::of(&opening.start),
            start: opening.start_shown(),
            position,
            history: positions.iter().map(|position| position.key()).collect(),
            moves: opening.moves_shown().into_iter().map(book).collect(),
        }
    }

    /// Starts the engines that are not running, and tells both that a game begins.
    fn begin(&mut self, opening: &Opening) -> Option<End> {
        for (side, seat) in self.seats.iter_mut().enumerate() {
            let ready = seat.player(self.rules.patience).and_then(|player| player.new_game(opening.is_chess960()));
            if let Err(trouble) = ready {
                return Some(seat.lose(side, &trouble));
            }
        }
        None
    }

    /// Lets the side to move think and plays its move; the end of the game, if this is it.
    fn step(&mut self) -> Option<End> {
        let side = self.position.board().side_to_move() as usize;
        let thought = match self.ask(side) {
            Ok(thought) => thought,
            Err(trouble) => return Some(self.seats[side].lose(side, &trouble)),
        };
        if let Limit::Time(_) = self.rules.limit
            && let Err(overrun) = self.clocks[side].press(thought.time, self.rules.margin)
        {
            return Some(self.seats[side].lose(side, &Trouble::Late(overrun)));
        }
        let Ok(mv) = parse_move(&self.position, &thought.mv) else {
            self.seats[side].player = None;
            let reason =
                format!("{} played the illegal move '{}' in {}", self.seats[side].name, thought.mv, self.position);
            return Some((GameResult::win_of(1 - side), EndKind::Illegal, reason));
        };
        let number = self.position.board().fullmove_number();
        self.moves.push(Ply {
            mv: self.notation.show(&self.position, mv),
            score: thought.score,
            depth: thought.depth,
            seconds: self.seconds(&thought),
        });
        self.history.push(self.position.key());
        self.position = self.position.play(mv);
        let seen_by_white = thought.score.map(|score| if side == 0 { score.value() } else { -score.value() });
        // A game that has ended on the board is not adjudicated.
        self.over().or_else(|| {
            let result = self.judge.hear(seen_by_white, number.into())?;
            let reason = if result == GameResult::Draw { "even for a long time" } else { "decided for a long time" };
            Some((result, EndKind::Adjudicated, reason.into()))
        })
    }

    /// The seconds that a move took, to the millisecond; none in virtual time.
    fn seconds(&self, thought: &Thought) -> Option<f64> {
        let seconds = (thought.time.as_secs_f64() * 1000.0).round() / 1000.0;
        (!matches!(self.rules.limit, Limit::Ticks(_))).then_some(seconds)
    }

    fn ask(&mut self, side: usize) -> Result<Thought, Trouble> {
        let process = match self.seats[side].player(self.rules.patience)? {
            Player::Virtual(player) => return Ok(player.think(&self.position, &self.history)),
            Player::Program(process) => process,
        };
        let moves: String = self.moves.iter().map(|ply| format!(" {}", ply.mv)).collect();
        let played = if moves.is_empty() { "" } else { " moves" };
        let position = format!("position {}{played}{moves}", self.start);
        let clock = match self.rules.limit {
            Limit::Time(_) => Some(self.clocks[side].left() + self.rules.margin),
            Limit::Nodes(_) | Limit::Ticks(_) => None,
        };
        let go = go(self.rules.limit, &self.clocks, side);
        process.think(&position, &go, clock).map_err(|trouble| match trouble {
            Trouble::Late(beyond) => Trouble::Late(beyond + self.rules.margin),
            other => other,
        })
    }

    /// The end by the rules of chess, if this is it.
    fn over(&self) -> Option<End> {
        let position = &self.position;
        let drawn = |reason: &str| Some((GameResult::Draw, EndKind::Board, reason.to_owned()));
        if !position.has_moves() {
            return match (position.in_check(), position.board().side_to_move()) {
                (true, Color::White) => Some((GameResult::Black, EndKind::Board, "Black mates".into())),
                (true, Color::Black) => Some((GameResult::White, EndKind::Board, "White mates".into())),
                (false, _) => drawn("stalemate"),
            };
        }
        if position.is_dead() {
            return drawn("neither side can mate");
        }
        if position.ending().is_some() {
            return drawn("fifty moves without capture or pawn move");
        }
        let reach = self.history.iter().rev().take(position.reversible_plies());
        if reach.filter(|&&key| key == position.key()).count() >= 2 { drawn("third repetition") } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::super::openings::from_epd;
    use super::super::player::tests::shell;
    use super::*;

    fn rules(limit: Limit) -> MatchRules {
        let (margin, patience) = (Duration::from_millis(100), Duration::from_secs(20));
        MatchRules { limit, margin, patience, draw: None, resign: None }
    }

    /// A game of two shell scripts from a position.
    fn game(fen: &str, white: &str, black: &str, rules: &MatchRules) -> Played {
        let (white, black) = (Contender::Program(shell(white)), Contender::Program(shell(black)));
        let mut seats = [Seat::new("White", &white), Seat::new("Black", &black)];
        let [first, second] = &mut seats;
        let opening = from_epd(fen, &mut |warning| panic!("{warning}")).remove(0);
        play([first, second], &opening, rules, &AtomicBool::new(false)).unwrap()
    }

    fn end(fen: &str, white: &str, black: &str) -> (GameResult, EndKind, String) {
        let played = game(fen, white, black, &rules(Limit::Nodes(1)));
        (played.result, played.kind, played.reason)
    }

    const KINGS: &str = "7k/8/8/8/8/8/4P3/K7 w - -";

    #[test]
    fn games_end_by_the_rules() {
        let to_and_fro = |here: &str, there: &str| {
            format!(
                "n=$((1-${{n:-0}})); if [ $n = 1 ]; then echo bestmove {here}{there}; else echo bestmove {there}{here}; fi"
            )
        };
        let (white, black) = (to_and_fro("a1", "b1"), to_and_fro("h8", "g8"));
        let drawn = |reason: &str| (GameResult::Draw, EndKind::Board, reason.to_owned());
        assert_eq!(end(KINGS, &white, &black), drawn("third repetition"));
        let nearly = "7k/8/8/8/8/8/4P3/K7 w - - hmvc 98;";
        assert_eq!(end(nearly, &white, &black), drawn("fifty moves without capture or pawn move"));
        assert_eq!(end("7k/8/8/8/8/8/1p6/K7 w - -", "echo bestmove a1b2", ""), drawn("neither side can mate"));
        assert_eq!(end("7k/8/5KQ1/8/8/8/8/8 w - -", "echo bestmove g6f7", ""), drawn("stalemate"));
        let mate = (GameResult::White, EndKind::Board, "White mates".to_owned());
        assert_eq!(end("7k/8/5KQ1/8/8/8/8/8 w - -", "echo bestmove g6g7", ""), mate);
    }

    #[test]
    fn who_misbehaves_loses() {
        let illegal = end(KINGS, "echo bestmove a1a3", "");
        assert_eq!((illegal.0, illegal.1), (GameResult::Black, EndKind::Illegal));
        assert!(illegal.2.starts_with("White played the illegal move 'a1a3' in 7k/8"), "{}", illegal.2);
        let crash = (GameResult::White, EndKind::Crash, "Black crashed (exit status: 7)".to_owned());
        assert_eq!(end(KINGS, "echo bestmove a1b1", "exit 7"), crash);
    }

    #[test]
    fn time_is_kept_and_its_end_loses() {
        let rules = rules(Limit::Time("0.1".parse().unwrap()));
        let late = game(KINGS, "read -r stop; echo bestmove a1b1", "", &rules);
        assert_eq!((late.result, late.kind), (GameResult::Black, EndKind::Time));
        // The engine answers only after `stop`, which is sent when the margin of a tenth of a second is over.
        assert!(late.reason.starts_with("White lost on time, ") && !late.reason.contains(" 0.0"), "{}", late.reason);
    }

    #[test]
    fn an_engine_is_started_again_after_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("crashed");
        let name = file.display();
        let white = Contender::Program(shell(&format!(
            "if [ -e {name} ]; then echo bestmove g6g7; else : > {name}; exit 1; fi"
        )));
        let black = Contender::Program(shell("true"));
        let (mut first, mut second) = (Seat::new("White", &white), Seat::new("Black", &black));
        let opening = from_epd("7k/8/5KQ1/8/8/8/8/8 w - -", &mut |_| {}).remove(0);
        let rules = rules(Limit::Nodes(1));
        let results: Vec<_> = (0..2)
            .map(|_| play([&mut first, &mut second], &opening, &rules, &AtomicBool::new(false)).unwrap().kind)
            .collect();
        assert_eq!(results, [EndKind::Crash, EndKind::Board]);
    }

    #[test]
    fn decided_games_are_adjudicated() {
        let resign = Some(ResignRule { moves: 1, score: 500 });
        let rules = MatchRules { resign, ..rules(Limit::Nodes(1)) };
        let white = "echo info depth 5 score cp 900; echo bestmove e2e4";
        let black = "echo info depth 5 score mate -3; echo bestmove h8g8";
        let played = game(KINGS, white, black, &rules);
        assert_eq!((played.result, played.kind, played.moves.len()), (GameResult::White, EndKind::Adjudicated, 2));
    }
}
