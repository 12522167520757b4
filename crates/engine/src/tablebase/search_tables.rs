//! Endgame tables as a search asks them.

use super::{TableMove, TableValue, Tablebases};
use chess::{EndgameTables, Position};
use cozy_chess::Board;
use std::sync::Arc;

/// Endgame tables as the options want them to be asked.
pub(crate) struct SearchTables {
    tables: Arc<Tablebases>,
    /// Is a win that takes too long under the fifty-move rule a draw?
    fifty_move_rule: bool,
    /// Positions with more pieces are not asked for.
    largest: usize,
}

impl SearchTables {
    /// These tables, asked for positions of at most `probe_limit` pieces.
    pub(crate) fn new(tables: Arc<Tablebases>, fifty_move_rule: bool, probe_limit: usize) -> SearchTables {
        let largest = tables.largest().min(probe_limit);
        SearchTables { tables, fifty_move_rule, largest }
    }

    /// As [`Tablebases::root_moves`].
    pub(crate) fn root_moves(&self, board: &Board) -> Option<Vec<TableMove>> {
        if board.occupied().len() as usize > self.largest {
            return None;
        }
        let mut moves = self.tables.root_moves(board)?;
        if !self.fifty_move_rule {
            moves.iter_mut().for_each(|root| root.wdl = root.wdl.without_fifty_move_rule());
        }
        Some(moves)
    }
}

impl EndgameTables for SearchTables {
    fn largest(&self) -> u32 {
        self.largest as u32
    }

    fn wdl(&self, position: &Position) -> Option<chess::Wdl> {
        let wdl = self.tables.wdl(position.board())?;
        Some(match if self.fifty_move_rule { wdl } else { wdl.without_fifty_move_rule() } {
            TableValue::Win => chess::Wdl::Win,
            TableValue::Loss => chess::Wdl::Loss,
            TableValue::Draw | TableValue::CursedWin | TableValue::BlessedLoss => chess::Wdl::Draw,
        })
    }
}
