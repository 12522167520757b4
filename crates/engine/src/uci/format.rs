//! Writing UCI.

use crate::{Answer, Info, win_draw_loss};
use chess::{Notation, Position};
use game::{Bound, Game, Score};

/// How a win that endgame tables promise is shown.
const TABLE_WIN: i32 = 20_000;

/// `cp 13`, `mate -4`, with the bound where there is one.
fn score(score: Score, bound: Bound) -> String {
    let value = match score.plies_to_end() {
        Some(plies) if plies > 0 => format!("mate {}", (plies + 1) / 2),
        Some(plies) => format!("mate {}", plies / 2),
        // A win that tables promise, its length not known.
        None if score.is_known() => format!("cp {}", TABLE_WIN * score.value().signum()),
        None => format!("cp {}", score.value()),
    };
    match bound {
        Bound::Exact => value,
        Bound::Lower => format!("{value} lowerbound"),
        Bound::Upper => format!("{value} upperbound"),
    }
}

/// An `info` line.
pub(crate) fn info(info: &Info, position: &Position, notation: Notation, show_wdl: bool) -> String {
    let ms = info.time.as_millis();
    let per_second = (info.nodes as f64 / info.time.as_secs_f64().max(1e-6)) as u64;
    let wdl = if show_wdl {
        let chances = win_draw_loss(info.score);
        format!(" wdl {} {} {}", chances.win, chances.draw, chances.loss)
    } else {
        String::new()
    };
    let mut line = format!(
        "info depth {} seldepth {} multipv {} score {}{wdl} nodes {} nps {per_second} hashfull {} tbhits {} time {ms} pv",
        info.depth,
        info.reach,
        info.line_number,
        score(info.score, info.bound),
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

    #[test]
    fn mates_are_counted_in_moves() {
        let exact = |value| score(value, Bound::Exact);
        assert_eq!(exact(Score::win_in(1)), "mate 1");
        assert_eq!(exact(Score::win_in(3)), "mate 2");
        assert_eq!(exact(Score::loss_in(2)), "mate -1");
        assert_eq!(exact(Score::loss_in(0)), "mate 0");
        assert_eq!(score(Score::estimate(-7), Bound::Lower), "cp -7 lowerbound");
        assert_eq!(exact(-Score::known_win(3)), "cp -20000");
    }
}
