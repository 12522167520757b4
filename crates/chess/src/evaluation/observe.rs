//! Finds which terms of the evaluation occur on a board, and how often.

use super::pawns::{PawnStructure, forward, pawn_attacks, relative_rank};
use super::terms::{
    BISHOP_MOBILITY, BISHOP_PAIR, BISHOP_PAWNS, Group, HANGING, KING_DANGER, KING_FILE, KNIGHT_MOBILITY, MATERIAL,
    MINOR_BEHIND_PAWN, OUTPOST, PASSED_BLOCKED, PASSED_OWN_KING, PASSED_SAFE, PASSED_THEIR_KING, QUEEN_MOBILITY,
    ROOK_FILE, ROOK_MOBILITY, SAFE_CHECK, SHELTER, STORM, Sink, TEMPO, THREAT_BY_KING, THREAT_BY_MINOR, THREAT_BY_PAWN,
    THREAT_BY_PUSH, THREAT_BY_ROOK, square_term,
};
use cozy_chess::{
    BitBoard, Board, Color, File, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

/// The largest value of [`phase`]: all pieces on the board.
pub const FULL_PHASE: i32 = 24;
/// The value of [`endgame_scale`] for positions with nothing drawish about them.
pub const FULL_SCALE: i32 = 64;

/// Tells the sink every term that occurs on the board.
pub fn observe(board: &Board, sink: &mut impl Sink) {
    let structure = PawnStructure::observe(board, sink);
    observe_pieces(board, structure, sink);
}

/// How much of the middlegame is left, from 0 to [`FULL_PHASE`].
pub fn phase(board: &Board) -> i32 {
    let count = |piece| board.pieces(piece).len() as i32;
    let minor = count(Piece::Knight) + count(Piece::Bishop);
    (minor + 2 * count(Piece::Rook) + 4 * count(Piece::Queen)).min(FULL_PHASE)
}

/// How much of an endgame advantage can be turned into a win, up to [`FULL_SCALE`].
pub fn endgame_scale(board: &Board, endgame: i32) -> i32 {
    let strong = if endgame > 0 { Color::White } else { Color::Black };
    let pawns = board.colored_pieces(strong, Piece::Pawn).len() as i32;
    let (knights, bishops) = (board.pieces(Piece::Knight), board.pieces(Piece::Bishop));
    let heavy = board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    if heavy.is_empty() && knights.is_empty() && bishops.len() == 2 {
        let opposite = (bishops & BitBoard::LIGHT_SQUARES).len() == 1
            && bishops.iter().filter(|&square| board.colors(strong).has(square)).count() == 1;
        if opposite {
            return FULL_SCALE / 2;
        }
    }
    if pawns == 0 {
        // Without pawns, an advantage of less than a rook does not win.
        let value = |color| {
            let count = |piece| board.colored_pieces(color, piece).len() as i32;
            3 * (count(Piece::Knight) + count(Piece::Bishop)) + 5 * count(Piece::Rook) + 9 * count(Piece::Queen)
        };
        if value(strong) - value(!strong) <= 3 {
            return FULL_SCALE / 8;
        }
    }
    FULL_SCALE.min(48 + 4 * pawns)
}

/// What the pieces of both sides attack, collected while they are observed.
#[derive(Default)]
struct Attacks {
    by: [[BitBoard; Piece::NUM]; 2],
    any: [BitBoard; 2],
    twice: [BitBoard; 2],
    /// How hard each side attacks the other's king.
    danger: [i32; 2],
}

impl Attacks {
    fn add(&mut self, color: Color, piece: Piece, squares: BitBoard) {
        let side = color as usize;
        self.twice[side] |= self.any[side] & squares;
        self.any[side] |= squares;
        self.by[side][piece as usize] |= squares;
    }
}

/// As [`observe`], for all but the terms that depend on the pawns alone.
pub(super) fn observe_pieces(board: &Board, structure: PawnStructure, sink: &mut impl Sink) {
    let mut attacks = Attacks::default();
    for color in Color::ALL {
        attacks.add(color, Piece::King, get_king_moves(board.king(color)));
        attacks.add(color, Piece::Pawn, structure.attacks[color as usize]);
    }
    for color in Color::ALL {
        observe_mobility(board, color, &structure, &mut attacks, sink);
    }
    for color in Color::ALL {
        observe_files_and_bishops(board, color, &structure, sink);
        observe_king(board, color, sink);
        observe_attack(board, color, &attacks, sink);
        observe_threats(board, color, &attacks, sink);
        observe_passed(board, color, &structure, &attacks, sink);
    }
    sink.add(TEMPO.at(0), sign(board.side_to_move()));
}

#[inline(always)]
fn sign(color: Color) -> i32 {
    if color == Color::White { 1 } else { -1 }
}

/// The king's neighbourhood, two ranks deep towards the enemy.
#[inline]
fn king_zone(king: Square, color: Color) -> BitBoard {
    let near = get_king_moves(king) | king.bitboard();
    near | forward(near, color)
}

/// How much each kind of attacker adds to the danger of a king: by its presence, and by each square it attacks near it.
const ATTACKER_DANGER: [i32; Piece::NUM] = [0, 2, 2, 3, 4, 0];

/// Mobility, squares and material of the pieces; collects their attacks.
#[inline]
fn observe_mobility(board: &Board, us: Color, structure: &PawnStructure, attacks: &mut Attacks, sink: &mut impl Sink) {
    let sign = sign(us);
    let occupied = board.occupied();
    let our_pawns = board.colored_pieces(us, Piece::Pawn);
    let stuck_pawns = our_pawns & forward(occupied, !us);
    let unsafe_squares = structure.attacks[!us as usize] | stuck_pawns | board.king(us).bitboard();
    let zone = king_zone(board.king(!us), !us);
    let queens = board.pieces(Piece::Queen);
    let rooks = board.colored_pieces(us, Piece::Rook);
    let kinds: [(Piece, Group); 4] = [
        (Piece::Knight, KNIGHT_MOBILITY),
        (Piece::Bishop, BISHOP_MOBILITY),
        (Piece::Rook, ROOK_MOBILITY),
        (Piece::Queen, QUEEN_MOBILITY),
    ];
    for (piece, mobility) in kinds {
        let pieces = board.colored_pieces(us, piece);
        sink.add(MATERIAL.at(piece as usize), sign * pieces.len() as i32);
        for square in pieces {
            let reach = match piece {
                Piece::Knight => get_knight_moves(square),
                Piece::Bishop => get_bishop_moves(square, occupied & !queens),
                Piece::Rook => get_rook_moves(square, occupied & !queens & !rooks),
                _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
            };
            attacks.add(us, piece, reach);
            sink.add(square_term(piece, square, us), sign);
            sink.add(mobility.at((reach & !unsafe_squares).len() as usize), sign);
            let near_king = (reach & zone).len() as i32;
            if near_king > 0 {
                attacks.danger[us as usize] += ATTACKER_DANGER[piece as usize] + near_king;
            }
        }
    }
    sink.add(square_term(Piece::King, board.king(us), us), sign);
}

/// Bishop pair, pawns on the colour of a bishop, outposts, rooks on open files.
#[inline]
fn observe_files_and_bishops(board: &Board, us: Color, structure: &PawnStructure, sink: &mut impl Sink) {
    let sign = sign(us);
    let pawns = board.pieces(Piece::Pawn);
    let our_pawns = pawns & board.colors(us);
    let bishops = board.colored_pieces(us, Piece::Bishop);
    if bishops.len() >= 2 {
        sink.add(BISHOP_PAIR.at(0), sign);
    }
    for square in bishops {
        let light = BitBoard::LIGHT_SQUARES.has(square);
        let colour = if light { BitBoard::LIGHT_SQUARES } else { BitBoard::DARK_SQUARES };
        sink.add(BISHOP_PAWNS.at(0), sign * (our_pawns & colour).len() as i32);
    }
    let minors = bishops | board.colored_pieces(us, Piece::Knight);
    sink.add(MINOR_BEHIND_PAWN.at(0), sign * (minors & forward(pawns, !us)).len() as i32);
    let forward_half = match us {
        Color::White => Rank::Fourth.bitboard() | Rank::Fifth.bitboard() | Rank::Sixth.bitboard(),
        Color::Black => Rank::Fifth.bitboard() | Rank::Fourth.bitboard() | Rank::Third.bitboard(),
    };
    let outposts = forward_half & structure.attacks[us as usize] & !structure.attack_spans[!us as usize];
    sink.add(OUTPOST.at(0), sign * (minors & outposts & board.pieces(Piece::Knight)).len() as i32);
    sink.add(OUTPOST.at(1), sign * (bishops & outposts).len() as i32);
    for square in board.colored_pieces(us, Piece::Rook) {
        let file = square.file().bitboard();
        if (file & our_pawns).is_empty() {
            let open = (file & pawns).is_empty();
            sink.add(ROOK_FILE.at(usize::from(open)), sign);
        }
    }
}

/// Shelter and pawn storm in front of the king.
#[inline]
fn observe_king(board: &Board, us: Color, sink: &mut impl Sink) {
    let sign = sign(us);
    let king = board.king(us);
    let pawns = board.pieces(Piece::Pawn);
    let (ours, theirs) = (pawns & board.colors(us), pawns & board.colors(!us));
    let file = king.file().bitboard();
    if (file & ours).is_empty() {
        sink.add(KING_FILE.at(usize::from((file & pawns).is_empty())), sign);
    }
    let king_rank = relative_rank(king, us);
    let centre = (king.file() as usize).clamp(1, 6);
    for index in centre - 1..=centre + 1 {
        let file = File::index(index).bitboard();
        let shelter = nearest_ahead(file & ours, us, king_rank);
        let storm = nearest_ahead(file & theirs, us, king_rank);
        let own_file = index == king.file() as usize;
        sink.add(SHELTER.at(usize::from(!own_file) * 8 + shelter), sign);
        let blocked = shelter != 0 && storm == shelter + 1;
        sink.add(STORM.at(usize::from(blocked) * 8 + storm), sign);
    }
}

/// The rank, seen by `us`, of the nearest of these pawns not behind the king's rank; 0 if there is none.
#[inline]
fn nearest_ahead(pawns: BitBoard, us: Color, king_rank: usize) -> usize {
    let seen = if us == Color::White { pawns } else { pawns.flip_ranks() };
    let ahead = BitBoard(seen.0 >> (8 * king_rank) << (8 * king_rank));
    ahead.next_square().map_or(0, |square| square.rank() as usize)
}

/// Our attack on the enemy king: attackers near it, and safe checks.
#[inline]
fn observe_attack(board: &Board, us: Color, attacks: &Attacks, sink: &mut impl Sink) {
    let (us_side, them_side) = (us as usize, !us as usize);
    let sign = sign(us);
    let king = board.king(!us);
    let weakly_defended = !attacks.any[them_side]
        | (attacks.twice[us_side] & !attacks.twice[them_side] & !attacks.by[them_side][Piece::Pawn as usize]);
    let safe = weakly_defended & !board.colors(us);
    let occupied = board.occupied();
    let (lines, diagonals) = (get_rook_moves(king, occupied), get_bishop_moves(king, occupied));
    let checks: [(Piece, BitBoard); 4] = [
        (Piece::Knight, get_knight_moves(king)),
        (Piece::Bishop, diagonals),
        (Piece::Rook, lines),
        (Piece::Queen, lines | diagonals),
    ];
    let mut danger = attacks.danger[us_side];
    for (piece, squares) in checks {
        let count = (squares & attacks.by[us_side][piece as usize] & safe).len().min(2) as i32;
        sink.add(SAFE_CHECK.at(piece as usize - 1), sign * count);
        danger += 2 * count;
    }
    let weak_near = get_king_moves(king) & attacks.any[us_side] & weakly_defended;
    danger += weak_near.len() as i32;
    if board.colored_pieces(us, Piece::Queen).is_empty() {
        danger -= 8;
    }
    sink.add(KING_DANGER.at(danger.clamp(0, KING_DANGER.len as i32 - 1) as usize), sign);
}

/// Threats: enemy pieces that we attack.
#[inline]
fn observe_threats(board: &Board, us: Color, attacks: &Attacks, sink: &mut impl Sink) {
    let (us_side, them_side) = (us as usize, !us as usize);
    let sign = sign(us);
    let mine = &attacks.by[us_side];
    let theirs = board.colors(!us);
    let pieces = theirs & !board.pieces(Piece::Pawn) & !board.pieces(Piece::King);
    let by_minor = mine[Piece::Knight as usize] | mine[Piece::Bishop as usize];
    for (index, piece) in [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen].into_iter().enumerate()
    {
        let victims = theirs & board.pieces(piece);
        let count = |attacked: BitBoard| sign * (victims & attacked).len() as i32;
        if piece != Piece::Pawn {
            sink.add(THREAT_BY_PAWN.at(index - 1), count(mine[Piece::Pawn as usize]));
        }
        sink.add(THREAT_BY_MINOR.at(index), count(by_minor));
        sink.add(THREAT_BY_ROOK.at(index), count(mine[Piece::Rook as usize]));
    }
    let undefended = theirs & !attacks.any[them_side];
    sink.add(HANGING.at(0), sign * (undefended & attacks.any[us_side]).len() as i32);
    if !(undefended & mine[Piece::King as usize]).is_empty() {
        sink.add(THREAT_BY_KING.at(0), sign);
    }
    let empty = !board.occupied();
    let our_pawns = board.colored_pieces(us, Piece::Pawn);
    let third = Rank::Third.relative_to(us).bitboard();
    let once = forward(our_pawns, us) & empty;
    let pushes = (once | forward(once & third, us) & empty) & !attacks.by[them_side][Piece::Pawn as usize];
    let safe_pushes = pushes & (!attacks.any[them_side] | attacks.any[us_side]);
    sink.add(THREAT_BY_PUSH.at(0), sign * (pawn_attacks(safe_pushes, us) & pieces).len() as i32);
}

/// Passed pawns: what stands in their way, and which king is nearer.
#[inline]
fn observe_passed(board: &Board, us: Color, structure: &PawnStructure, attacks: &Attacks, sink: &mut impl Sink) {
    let sign = sign(us);
    for square in structure.passed[us as usize] {
        let rank = relative_rank(square, us);
        let next = forward(square.bitboard(), us);
        if !(next & board.occupied()).is_empty() {
            sink.add(PASSED_BLOCKED.at(rank), sign);
        }
        if (next & attacks.any[!us as usize]).is_empty() {
            sink.add(PASSED_SAFE.at(rank), sign);
        }
        if rank >= 3
            && let Some(stop) = next.next_square()
        {
            sink.add(PASSED_OWN_KING.at(distance(stop, board.king(us))), sign);
            sink.add(PASSED_THEIR_KING.at(distance(stop, board.king(!us))), sign);
        }
    }
}

#[inline]
fn distance(a: Square, b: Square) -> usize {
    let files = (a.file() as usize).abs_diff(b.file() as usize);
    files.max((a.rank() as usize).abs_diff(b.rank() as usize))
}
