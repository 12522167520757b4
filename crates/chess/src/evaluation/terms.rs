//! The terms of the evaluation. Every term has a number; terms of one kind form a group.

use cozy_chess::{Color, Piece, Square};

/// Receives the terms that occur on a board.
pub trait Sink {
    /// The term occurs `count` times more for White than for Black.
    fn add(&mut self, term: usize, count: i32);
}

/// A run of terms of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// What the terms are, for readers of the weights.
    pub name: &'static str,
    /// The number of the first term.
    pub start: usize,
    /// How many terms there are.
    pub len: usize,
}

impl Group {
    const fn after(before: Group, name: &'static str, len: usize) -> Group {
        Group { name, start: before.start + before.len, len }
    }

    /// The number of the term at `index` of the group.
    #[inline(always)]
    pub fn at(self, index: usize) -> usize {
        debug_assert!(index < self.len, "{} has no term {index}", self.name);
        self.start + index
    }
}

/// The term of a piece on a square.
#[inline(always)]
pub fn square_term(piece: Piece, square: Square, owner: Color) -> usize {
    let seen = square.relative_to(owner);
    let file = seen.file() as usize;
    SQUARE.at(32 * piece as usize + 4 * seen.rank() as usize + file.min(7 - file))
}

const NOTHING: Group = Group { name: "", start: 0, len: 0 };

/// A piece of each kind, pawn to queen.
pub const MATERIAL: Group = Group::after(NOTHING, "material: pawn knight bishop rook queen", 5);
/// A piece of a kind on a square, from its owner's side; the right half of the board counts as the mirror image of the
/// left: a1 b1 c1 d1 a2 ... d8 for pawns, then for knights and so on.
pub const SQUARE: Group =
    Group::after(MATERIAL, "piece on square: six half boards, a1 to d8 seen by the owner", 6 * 32);
/// A knight, by its number of safe squares.
pub const KNIGHT_MOBILITY: Group = Group::after(SQUARE, "knight mobility", 9);
/// A bishop, by its number of safe squares.
pub const BISHOP_MOBILITY: Group = Group::after(KNIGHT_MOBILITY, "bishop mobility", 14);
/// A rook, by its number of safe squares.
pub const ROOK_MOBILITY: Group = Group::after(BISHOP_MOBILITY, "rook mobility", 15);
/// A queen, by its number of safe squares.
pub const QUEEN_MOBILITY: Group = Group::after(ROOK_MOBILITY, "queen mobility", 28);
/// Two bishops or more.
pub const BISHOP_PAIR: Group = Group::after(QUEEN_MOBILITY, "bishop pair", 1);
/// A pawn on the square colour of a bishop of its own side.
pub const BISHOP_PAWNS: Group = Group::after(BISHOP_PAIR, "own pawn on the colour of a bishop", 1);
/// A rook on a file without own pawns; without any pawns.
pub const ROOK_FILE: Group = Group::after(BISHOP_PAWNS, "rook on half-open file, on open file", 2);
/// A knight (then: a bishop) that a pawn supports and no enemy pawn can drive away.
pub const OUTPOST: Group = Group::after(ROOK_FILE, "outpost of knight, of bishop", 2);
/// A knight or bishop right behind a pawn.
pub const MINOR_BEHIND_PAWN: Group = Group::after(OUTPOST, "minor piece behind a pawn", 1);
/// A pawn without own pawns on the neighbouring files.
pub const ISOLATED: Group = Group::after(MINOR_BEHIND_PAWN, "isolated pawn", 1);
/// A pawn with another pawn of its own side directly in front of it.
pub const DOUBLED: Group = Group::after(ISOLATED, "doubled pawn", 1);
/// A pawn that can't safely advance and that no other pawn can support.
pub const BACKWARD: Group = Group::after(DOUBLED, "backward pawn", 1);
/// A pawn with another pawn beside it, by rank.
pub const PHALANX: Group = Group::after(BACKWARD, "pawn with a neighbour, by rank", 8);
/// A pawn protected by another, by rank.
pub const SUPPORTED: Group = Group::after(PHALANX, "pawn protected by a pawn, by rank", 8);
/// A pawn that attacks an enemy pawn, by rank.
pub const LEVER: Group = Group::after(SUPPORTED, "pawn attacking a pawn, by rank", 8);
/// A pawn directly in front of an enemy pawn, by rank.
pub const RAMMED: Group = Group::after(LEVER, "pawn stopped by a pawn, by rank", 8);
/// A passed pawn, by rank.
pub const PASSED: Group = Group::after(RAMMED, "passed pawn, by rank", 8);
/// A passed pawn with something in its way, by rank.
pub const PASSED_BLOCKED: Group = Group::after(PASSED, "passed pawn with its way blocked, by rank", 8);
/// A passed pawn whose next square the enemy does not attack, by rank.
pub const PASSED_SAFE: Group = Group::after(PASSED_BLOCKED, "passed pawn with a safe next square, by rank", 8);
/// Distance of its own king from the square in front of an advanced passed pawn.
pub const PASSED_OWN_KING: Group = Group::after(PASSED_SAFE, "advanced passed pawn, distance of own king", 8);
/// Distance of the enemy king from the square in front of an advanced passed pawn.
pub const PASSED_THEIR_KING: Group = Group::after(PASSED_OWN_KING, "advanced passed pawn, distance of enemy king", 8);
/// A pawn attacks a knight, bishop, rook, queen.
pub const THREAT_BY_PAWN: Group = Group::after(PASSED_THEIR_KING, "pawn attacks knight bishop rook queen", 4);
/// A pawn could attack a piece by a safe push.
pub const THREAT_BY_PUSH: Group = Group::after(THREAT_BY_PAWN, "safe push would attack a piece", 1);
/// A knight or bishop attacks a pawn, knight, bishop, rook, queen.
pub const THREAT_BY_MINOR: Group = Group::after(THREAT_BY_PUSH, "minor attacks pawn knight bishop rook queen", 5);
/// A rook attacks a pawn, knight, bishop, rook, queen.
pub const THREAT_BY_ROOK: Group = Group::after(THREAT_BY_MINOR, "rook attacks pawn knight bishop rook queen", 5);
/// The king attacks something undefended.
pub const THREAT_BY_KING: Group = Group::after(THREAT_BY_ROOK, "king attacks something undefended", 1);
/// An enemy piece is attacked and not defended.
pub const HANGING: Group = Group::after(THREAT_BY_KING, "enemy piece attacked and undefended", 1);
/// The nearest own pawn in front of the king, by rank (0: none): on the king's file, then on a neighbouring file.
pub const SHELTER: Group = Group::after(HANGING, "own pawn before the king by rank: same file, next file", 16);
/// The nearest enemy pawn in front of the king, by rank (0: none): free to advance, then blocked by the shelter.
pub const STORM: Group = Group::after(SHELTER, "enemy pawn before the king by rank: free, blocked", 16);
/// The king stands on a file without own pawns; without any pawns.
pub const KING_FILE: Group = Group::after(STORM, "king on half-open file, on open file", 2);
/// A safe check by knight, bishop, rook, queen.
pub const SAFE_CHECK: Group = Group::after(KING_FILE, "safe check by knight bishop rook queen", 4);
/// How hard the enemy king is attacked.
pub const KING_DANGER: Group = Group::after(SAFE_CHECK, "attack on the enemy king, by strength", 32);
/// The right to move.
pub const TEMPO: Group = Group::after(KING_DANGER, "to move", 1);

/// Every group, in order.
pub const GROUPS: [Group; 35] = [
    MATERIAL,
    SQUARE,
    KNIGHT_MOBILITY,
    BISHOP_MOBILITY,
    ROOK_MOBILITY,
    QUEEN_MOBILITY,
    BISHOP_PAIR,
    BISHOP_PAWNS,
    ROOK_FILE,
    OUTPOST,
    MINOR_BEHIND_PAWN,
    ISOLATED,
    DOUBLED,
    BACKWARD,
    PHALANX,
    SUPPORTED,
    LEVER,
    RAMMED,
    PASSED,
    PASSED_BLOCKED,
    PASSED_SAFE,
    PASSED_OWN_KING,
    PASSED_THEIR_KING,
    THREAT_BY_PAWN,
    THREAT_BY_PUSH,
    THREAT_BY_MINOR,
    THREAT_BY_ROOK,
    THREAT_BY_KING,
    HANGING,
    SHELTER,
    STORM,
    KING_FILE,
    SAFE_CHECK,
    KING_DANGER,
    TEMPO,
];

/// How many terms there are.
pub const TERMS: usize = TEMPO.start + TEMPO.len;
