//! Rules for a game that says nothing about its tree: full width, the table's move first, then the game's own order.

use crate::{FrameMemory, Path, Rules, Scored, Wanted};
use game::Game;

/// Full-width search in the game's own order.
#[derive(Clone)]
pub struct Plain<M> {
    buffer: Vec<M>,
}

impl<M> Default for Plain<M> {
    fn default() -> Self {
        Plain { buffer: Vec::new() }
    }
}

/// The part of the path's moves that belongs to a frame, and the next of them.
#[derive(Clone, Default)]
pub struct Cursor {
    pub(crate) start: usize,
    pub(crate) next: usize,
}

impl<M> FrameMemory for Plain<M> {
    type Note = ();
    type Picker = Cursor;
}

impl<G: Game> Rules<G> for Plain<G::Move> {
    fn begin_moves(&mut self, path: &mut Path<G, Self>, ply: usize, wanted: Wanted) {
        let start = path.moves.len();
        path[ply].picker = Cursor { start, next: start };
        if wanted != Wanted::All {
            return;
        }
        self.buffer.clear();
        path[ply].position.moves(&mut self.buffer);
        let first = path[ply].table_move;
        path.moves.extend(first.map(|mv| Scored { mv, priority: 0 }));
        path.moves.extend(self.buffer.iter().filter(|&&mv| Some(mv) != first).map(|&mv| Scored { mv, priority: 0 }));
    }

    fn next(&mut self, path: &mut Path<G, Self>, ply: usize) -> Option<G::Move> {
        let next = path[ply].picker.next;
        path[ply].picker.next += 1;
        path.moves.get(next).map(|scored| scored.mv)
    }

    fn moves_left(&self, path: &Path<G, Self>, ply: usize) -> Vec<G::Move> {
        path.moves_of(ply, path[ply].picker.next).iter().map(|scored| scored.mv).collect()
    }

    fn end_moves(&mut self, path: &mut Path<G, Self>, ply: usize) {
        let start = path[ply].picker.start;
        path.moves.truncate(start);
    }
}
