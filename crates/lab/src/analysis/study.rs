//! The search of one position, and its result.

use crate::engine_settings::{EngineSettings, SettingsError};
use chess::{Move, Position};
use engine::{EngineCore, Event, GoLimits, Info, Outlook, SearchRequest, Signals};
use game::{Bound, Depth, Score};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// An engine that gives each position the same amount of work.
pub struct Analyst {
    engine: EngineCore,
    effort: GoLimits,
}

/// One of the best lines of a position.
#[derive(Clone, Debug)]
pub struct AnalysisLine {
    /// Its score, seen by the side to move, and what it means.
    pub outlook: Outlook,
    /// How deep it was searched.
    pub depth: Depth,
    /// Nodes visited until then, all lines together.
    pub nodes: u64,
    /// Time taken until then.
    pub time: Duration,
    /// The moves; at least one.
    pub moves: Vec<Move>,
}

/// Why there is nothing to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameOver {
    /// The side to move is mated.
    Checkmate,
    /// It has no move but is not in check.
    Stalemate,
    /// Neither side has the pieces to mate.
    Dead,
}

impl GameOver {
    /// How the game ended in this position, if it did.
    pub fn of(position: &Position) -> Option<GameOver> {
        match (position.has_moves(), position.in_check()) {
            (false, true) => Some(GameOver::Checkmate),
            (false, false) => Some(GameOver::Stalemate),
            (true, _) => position.is_dead().then_some(GameOver::Dead),
        }
    }

    /// Its name, for JSON.
    pub fn name(self) -> &'static str {
        match self {
            GameOver::Checkmate => "checkmate",
            GameOver::Stalemate => "stalemate",
            GameOver::Dead => "insufficient material",
        }
    }

    fn outlook(self, position: &Position) -> Outlook {
        match self {
            GameOver::Checkmate => Outlook::of(Score::loss_in(0), position),
            GameOver::Stalemate | GameOver::Dead => Outlook::DRAWN,
        }
    }
}

/// The result of the search of a position.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The position.
    pub position: Position,
    /// How the game has ended; then there are no lines.
    pub ending: Option<GameOver>,
    /// The best lines, best first.
    pub lines: Vec<AnalysisLine>,
    /// Nodes visited.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

impl Analysis {
    /// The best line.
    pub fn best(&self) -> Option<&AnalysisLine> {
        self.lines.first()
    }

    /// The score of the position, seen by the side to move.
    pub fn outlook(&self) -> Outlook {
        let best = self.best().map(|line| line.outlook);
        best.or(self.ending.map(|ending| ending.outlook(&self.position))).unwrap_or(Outlook::DRAWN)
    }

    /// Nodes a second.
    pub fn per_second(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

impl Analyst {
    /// An analyst that gives each position the same effort and finds `lines` lines.
    ///
    /// # Errors
    /// If there is no engine with these settings.
    pub fn new(effort: GoLimits, lines: usize, settings: &EngineSettings) -> Result<Analyst, SettingsError> {
        let mut engine = settings.engine()?;
        engine.set_lines(lines);
        Ok(Analyst { engine, effort })
    }

    /// Clears table and histories, so that each game or record is analysed under the same conditions.
    pub fn forget(&mut self) {
        self.engine.new_game();
    }

    /// Searches a position. `history` has the keys of the game's positions before it, oldest first; `listener` receives
    /// the reports of the search.
    pub fn study(
        &mut self,
        position: &Position,
        history: &[u64],
        listener: &mut (dyn FnMut(&Info) + Send),
    ) -> Analysis {
        let mut analysis = Analysis {
            position: position.clone(),
            ending: GameOver::of(position),
            lines: Vec::new(),
            nodes: 0,
            time: Duration::ZERO,
        };
        if analysis.ending.is_some() {
            return analysis;
        }
        self.engine.prepare();
        let request =
            SearchRequest { position: position.clone(), history: history.to_vec(), limits: self.effort.clone() };
        let started = Instant::now();
        let mut found = Found::default();
        let answer = self.engine.search(&request, &Signals::new(), &mut |event| {
            if let Event::Info(info) = event {
                listener(&info);
                found.hear(&info);
            }
        });
        (analysis.nodes, analysis.time) = (answer.nodes, started.elapsed());
        let score = answer.score.filter(|score| score.value().abs() < Score::INFINITE.value());
        let last = AnalysisLine {
            outlook: Outlook::of(score.unwrap_or_else(|| self.engine.evaluate(position)), position),
            depth: answer.depth,
            nodes: answer.nodes,
            time: analysis.time,
            moves: answer.line,
        };
        analysis.lines = found.with_last_word(last);
        analysis
    }
}

/// The exact lines that the engine reports, by iteration, best first.
#[derive(Default)]
struct Found(BTreeMap<Depth, Vec<AnalysisLine>>);

impl Found {
    fn hear(&mut self, info: &Info) {
        let lines = self.0.entry(info.depth).or_default();
        if info.bound != Bound::Exact || info.line.is_empty() || info.line_number > lines.len() + 1 {
            return;
        }
        lines.truncate(info.line_number - 1);
        lines.push(AnalysisLine {
            outlook: info.outlook,
            depth: info.depth,
            nodes: info.nodes,
            time: info.time,
            moves: info.line.clone(),
        });
    }

    /// The lines of the last finished iteration. If the engine's answer is another move, it replaces a single line.
    /// Several lines are kept, because only lines of the same iteration can be compared.
    fn with_last_word(mut self, answer: AnalysisLine) -> Vec<AnalysisLine> {
        let lines = self.0.remove(&answer.depth).unwrap_or_default();
        let news = lines.first().is_none_or(|line| line.moves.first() != answer.moves.first());
        if news && lines.len() <= 1 && !answer.moves.is_empty() { vec![answer] } else { lines }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use chess::{parse_san, san};
    use game::Game;

    /// An analyst that answers at once.
    pub(crate) fn quick(nodes: u64, lines: usize) -> Analyst {
        Analyst::new(GoLimits { nodes: Some(nodes), ..GoLimits::default() }, lines, &EngineSettings::with_hash(1))
            .unwrap()
    }

    fn study(fen: &str, nodes: u64, lines: usize) -> Analysis {
        quick(nodes, lines).study(&fen.parse().unwrap(), &[], &mut |_| {})
    }

    #[test]
    fn a_mate_is_found() {
        let analysis = study("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 2_000, 1);
        let best = analysis.best().unwrap();
        assert_eq!(san(&analysis.position, best.moves[0]), "Ra8#");
        assert_eq!(analysis.outlook().score, Score::win_in(1));
    }

    #[test]
    fn lines_are_distinct_and_in_order() {
        let analysis = study("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", 20_000, 4);
        let firsts: std::collections::HashSet<_> = analysis.lines.iter().map(|line| line.moves[0]).collect();
        assert_eq!((analysis.lines.len(), firsts.len()), (4, 4));
        assert!(analysis.lines.is_sorted_by(|first, second| first.outlook.score >= second.outlook.score));
    }

    #[test]
    fn one_node_is_enough_for_an_answer() {
        let analysis = study("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", 1, 3);
        assert!(analysis.outlook().score.value().abs() < 500, "{:?}", analysis.outlook().score);
        assert!(!analysis.lines.is_empty());
    }

    #[test]
    fn endings_are_not_searched() {
        for (fen, ending, score) in [
            ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", GameOver::Checkmate, Score::loss_in(0)),
            ("k7/2Q5/8/8/8/8/8/6K1 b - - 0 1", GameOver::Stalemate, Score::DRAW),
            ("k7/8/8/8/8/8/8/5BK1 b - - 0 1", GameOver::Dead, Score::DRAW),
        ] {
            let analysis = study(fen, 1_000, 1);
            assert_eq!((analysis.ending, analysis.outlook().score, analysis.nodes), (Some(ending), score, 0));
        }
    }

    #[test]
    fn the_past_counts_for_repetitions() {
        // White is lost, but can repeat a position for the third time.
        let mut position: Position = "7k/8/8/8/8/1q6/5r2/2Q4K w - - 0 1".parse().unwrap();
        let mut history = Vec::new();
        for text in ["Qc8+", "Kg7", "Qg4+", "Kh8", "Qc8+", "Kg7", "Qg4+", "Kh8"] {
            history.push(position.key());
            let mv = parse_san(&position, text).unwrap();
            position = position.play(mv);
        }
        let analysis = quick(20_000, 1).study(&position, &history, &mut |_| {});
        assert_eq!(analysis.outlook().score, Score::DRAW);
    }
}
