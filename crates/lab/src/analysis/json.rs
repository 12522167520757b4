//! Results as JSON.

use super::score::mate_in;
use super::study::{Analysis, AnalysisLine, GameOver};
use chess::{Move, Position, san};
use engine::Outlook;
use game::Game;
use serde::Serialize;

/// A score: either of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreJson {
    /// Hundredths of a pawn.
    ScoreCp(i32),
    /// Moves to mate, negative if the side to move is mated.
    Mate(i32),
}

impl From<Outlook> for ScoreJson {
    fn from(outlook: Outlook) -> ScoreJson {
        mate_in(outlook.score).map_or(ScoreJson::ScoreCp(outlook.hundredths), ScoreJson::Mate)
    }
}

/// Chances in thousandths.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Chances {
    win: i32,
    draw: i32,
    loss: i32,
}

/// One of the best lines.
#[derive(Clone, Debug, Serialize)]
pub struct LineJson {
    rank: usize,
    #[serde(flatten)]
    score: ScoreJson,
    wdl: Chances,
    depth: i32,
    nodes: u64,
    /// Seconds.
    time: f64,
    pv_san: Vec<String>,
    pv_uci: Vec<String>,
}

/// A position with its best lines; scores are for the side to move.
#[derive(Clone, Debug, Serialize)]
pub struct PositionJson {
    fen: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<&'static str>,
    nodes: u64,
    nps: u64,
    time: f64,
    lines: Vec<LineJson>,
}

impl PositionJson {
    /// The form of an analysis that is printed.
    pub fn new(analysis: &Analysis) -> PositionJson {
        let lines = analysis.lines.iter().enumerate();
        PositionJson {
            fen: analysis.position.to_string(),
            ending: analysis.ending.map(GameOver::name),
            nodes: analysis.nodes,
            nps: analysis.per_second(),
            time: analysis.time.as_secs_f64(),
            lines: lines.map(|(index, line)| LineJson::new(&analysis.position, index + 1, line)).collect(),
        }
    }
}

impl LineJson {
    fn new(position: &Position, rank: usize, line: &AnalysisLine) -> LineJson {
        let chances = line.outlook.chances;
        LineJson {
            rank,
            score: line.outlook.into(),
            wdl: Chances { win: chances.win, draw: chances.draw, loss: chances.loss },
            depth: line.depth,
            nodes: line.nodes,
            time: line.time.as_secs_f64(),
            pv_san: words(position, &line.moves, san),
            pv_uci: words(position, &line.moves, uci),
        }
    }
}

/// The move as UCI writes it, in Chess960 with castling as king takes rook.
pub fn uci(position: &Position, mv: Move) -> String {
    chess::Notation::of(position).show(position, mv)
}

fn words(position: &Position, moves: &[Move], show: fn(&Position, Move) -> String) -> Vec<String> {
    let mut position = position.clone();
    let mut words = Vec::new();
    for &mv in moves {
        words.push(show(&position, mv));
        position = position.play(mv);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::study::tests::quick;
    use super::*;

    #[test]
    fn a_program_finds_what_it_needs() {
        let position = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse().unwrap();
        let analysis = quick(1_000, 2).study(&position, &[], &mut |_| {});
        let json = serde_json::to_value(PositionJson::new(&analysis)).unwrap();
        let best = &json["lines"][0];
        assert_eq!(best["mate"], 1);
        assert_eq!(
            (&best["rank"], &best["pv_uci"][0], &best["pv_san"][0]),
            (&1.into(), &"a1a8".into(), &"Ra8#".into())
        );
        assert_eq!(best["wdl"]["win"], 1000);
        assert!(json["lines"][1]["score_cp"].is_i64() || json["lines"][1]["mate"].is_i64());
        assert!(json.get("ending").is_none());
    }

    #[test]
    fn castling_follows_the_kind_of_chess() {
        let position = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1".parse::<Position>().unwrap();
        assert_eq!(uci(&position, chess::parse_san(&position, "O-O").unwrap()), "e1g1");
        let position = "4k3/8/8/8/8/8/8/4KR2 w F - 0 1".parse::<Position>().unwrap();
        assert_eq!(uci(&position, chess::parse_san(&position, "O-O").unwrap()), "e1f1");
    }
}
