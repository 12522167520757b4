//! Writing UCI.

use crate::{Answer, Event, Info, Options, Outlook};
use chess::{Notation, Position};
use game::{Bound, Game};

/// Writes what an engine tells, as UCI.
#[derive(Default)]
pub struct EventWriter {
    /// Position and options of the search under way.
    position: Position,
    options: Options,
}

impl EventWriter {
    /// The line or the lines for an event, if UCI has any.
    pub fn write(&mut self, event: &Event) -> Option<String> {
        let (position, notation) = (&self.position, self.options.notation());
        Some(match event {
            Event::Started { position, options, .. } => {
                (self.position, self.options) = (position.clone(), options.clone());
                return None;
            }
            Event::Info(found) => info(found, position, notation, self.options.show_wdl),
            Event::CurrentMove { depth, mv, number } => {
                format!("info depth {depth} currmove {} currmovenumber {number}", notation.show(position, *mv))
            }
            Event::BestMove(answer) => best_move(answer, position, notation),
            Event::OptionSet { note, .. } => format!("info string {}", note.as_ref()?),
            Event::Error(error) => format!("info string error: {error}"),
            Event::Ready => "readyok".to_string(),
            Event::Evaluation(report) => report.to_string(),
            Event::Text(text) => text.clone(),
            Event::Note(note) => format!("info string {note}"),
            Event::Recording(_) => return None,
        })
    }
}

/// `cp 13`, `mate -4`, with the bound where there is one.
fn score(outlook: &Outlook, bound: Bound) -> String {
    let value = match outlook.score.plies_to_end() {
        Some(plies) if plies > 0 => format!("mate {}", (plies + 1) / 2),
        Some(plies) => format!("mate {}", plies / 2),
        None => format!("cp {}", outlook.hundredths),
    };
    match bound {
        Bound::Exact => value,
        Bound::Lower => format!("{value} lowerbound"),
        Bound::Upper => format!("{value} upperbound"),
    }
}

/// An `info` line.
fn info(info: &Info, position: &Position, notation: Notation, show_wdl: bool) -> String {
    if info.depth == 0 {
        return format!("info depth 0 score {}", score(&info.outlook, info.bound));
    }
    let ms = info.time.as_millis();
    let per_second = (info.nodes as f64 / info.time.as_secs_f64().max(1e-6)) as u64;
    let wdl = if show_wdl {
        let chances = info.outlook.chances;
        format!(" wdl {} {} {}", chances.win, chances.draw, chances.loss)
    } else {
        String::new()
    };
    let mut line = format!(
        "info depth {} seldepth {} multipv {} score {}{wdl} nodes {} nps {per_second} hashfull {} tbhits {} time {ms} pv",
        info.depth,
        info.reach,
        info.line_number,
        score(&info.outlook, info.bound),
        info.nodes,
        info.permille_full,
        info.table_hits,
    );
    let mut position = position.clone();
    for &mv in &info.line {
        line.push(' ');
        line.push_str(&notation.show(&position, mv));
        position = position.play(mv);
    }
    line
}

/// The `bestmove` line.
pub(crate) fn best_move(answer: &Answer, position: &Position, notation: Notation) -> String {
    let Some(best) = answer.best else { return "bestmove (none)".to_string() };
    let mut line = format!("bestmove {}", notation.show(position, best));
    if let Some(reply) = answer.ponder {
        line.push_str(" ponder ");
        line.push_str(&notation.show(&position.play(best), reply));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Score;

    #[test]
    fn mates_are_counted_in_moves() {
        let outlook = |score| Outlook::of(score, &Position::default());
        let exact = |value| score(&outlook(value), Bound::Exact);
        assert_eq!(exact(Score::win_in(1)), "mate 1");
        assert_eq!(exact(Score::win_in(3)), "mate 2");
        assert_eq!(exact(Score::loss_in(2)), "mate -1");
        assert_eq!(exact(Score::loss_in(0)), "mate 0");
        assert_eq!(exact(-Score::known_win(3)), "cp -20000");
        let pawn = Outlook { hundredths: -7, ..outlook(Score::estimate(-9)) };
        assert_eq!(score(&pawn, Bound::Lower), "cp -7 lowerbound");
    }
}
