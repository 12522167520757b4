// What both Play and Analyse know about a game: its start, its moves, and how it is shown.
import { el } from './dom.js';
import { colourOf, readBoard } from './board.js';
import { socket } from './socket.js';

export const USUAL_FEN = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** The start position of Chess960 with this number (0 to 959). */
export function chess960Fen(number) {
  const row = Array(8).fill('');
  let n = number;
  row[2 * (n % 4) + 1] = 'b'; n = n >> 2; // a bishop on a light square
  row[2 * (n % 4)] = 'b'; n = n >> 2; // a bishop on a dark square
  const empty = () => row.flatMap((piece, i) => (piece ? [] : [i]));
  row[empty()[n % 6]] = 'q'; n = Math.floor(n / 6);
  const knights = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]][n];
  const free = empty();
  for (const i of knights) row[free[i]] = 'n';
  empty().forEach((square, i) => { row[square] = 'rkr'[i]; });
  const line = row.join('');
  return `${line}/pppppppp/8/8/8/8/PPPPPPPP/${line.toUpperCase()} w KQkq - 0 1`;
}

/** What every request says about the position. */
export function where({ start, moves, chess960 }, count = moves.length) {
  return { start, moves: moves.slice(0, count), chess960: !!chess960 };
}

export function askPosition(game, count = game.moves.length) {
  return socket.request({ type: 'position', ...where(game, count) });
}

/** Analyses a position for some milliseconds: the best line, or null. It waits longer if no line has come by then. */
export async function bestLine(game, count, time, threads) {
  let best = null, late = false;
  const timer = setTimeout(() => { late = true; if (best) socket.stop(); }, time);
  try {
    await socket.request({ type: 'analyse', ...where(game, count), lines: 1, threads }, line => {
      if (line.line === 1 && line.moves.length && (line.bound === 'exact' || !best)) best = line;
      if (late && best) socket.stop();
    });
  } finally { clearTimeout(timer); }
  return best;
}

/** Who moves at the start, and the number of the first move. */
export function startOf(start) {
  const fields = (start ?? USUAL_FEN).trim().split(/\s+/);
  return { turn: fields[1] === 'b' ? 'black' : 'white', number: Number(fields[5]) || 1 };
}

export const opposite = colour => (colour === 'white' ? 'black' : 'white');

/** Who moves after `count` moves. */
export function turnAfter(start, count) {
  const { turn } = startOf(start);
  return count % 2 ? opposite(turn) : turn;
}

/** The square of the king that the last move checks, or null: the SAN tells. */
export function checkedKing(field, san, turn) {
  if (!san || !/[+#]/.test(san)) return null;
  for (const [square, letter] of readBoard(field)) if (letter.toLowerCase() === 'k' && colourOf(letter) === turn) return square;
  return null;
}

/** "12." or "12…" before a move. */
export function moveNumber(start, index) {
  const { turn, number } = startOf(start);
  const half = index + (turn === 'black' ? 1 : 0);
  return `${number + (half >> 1)}${half % 2 ? '…' : '.'}`;
}

/** A score as seen by White: "+0.23", "+M3", or the result that endgame tables prove. */
export function scoreText(score) {
  if (!score) return '';
  if (score.proven) return score.proven > 0 ? '1-0' : '0-1';
  if (score.mate !== undefined && score.mate !== null) return `${score.mate < 0 ? '−' : '+'}M${Math.abs(score.mate)}`;
  const pawns = score.cp / 100;
  return `${pawns < 0 ? '−' : '+'}${Math.abs(pawns).toFixed(2)}`;
}

/** White's chance (0 to 1): from win-draw-loss if known, else from the score. */
export function chance(score, wdl) {
  if (score?.mate !== undefined && score?.mate !== null) return score.mate < 0 ? 0 : 1;
  if (score?.proven) return score.proven < 0 ? 0 : 1;
  if (wdl) return (wdl[0] + wdl[1] / 2) / (wdl[0] + wdl[1] + wdl[2] || 1);
  return 1 / (1 + Math.exp(-(score?.cp ?? 0) / 150));
}

/** Shows the moves in two columns. `current` is the number of moves shown on the board; `marks` are signs such as "?". */
export class MoveList {
  constructor(holder, onChoose) {
    this.holder = holder;
    this.onChoose = onChoose;
    this.key = '';
  }

  show(start, san, current, marks = []) {
    const key = JSON.stringify([start, san, marks]);
    if (key !== this.key) {
      this.key = key;
      const { turn } = startOf(start);
      const cells = [];
      san.forEach((move, i) => {
        const white = turnAfter(start, i) === 'white';
        if (white || i === 0) cells.push(el('span', { class: 'number' }, moveNumber(start, i).replace('…', '.')));
        if (!white && i === 0 && turn === 'black') cells.push(el('span', { class: 'blank' }, '…'));
        const mark = marks[i] ?? '';
        const kind = { '?!': 'doubtful', '?': 'mistake', '??': 'blunder' }[mark] ?? '';
        cells.push(el('button', { type: 'button', class: `move ${kind}`, 'data-ply': i + 1, onclick: () => this.onChoose(i + 1) }, move + mark));
      });
      this.holder.replaceChildren(...cells);
      this.holder.classList.toggle('empty', san.length === 0);
    }
    let shown = null;
    for (const button of this.holder.querySelectorAll('button')) {
      const now = Number(button.dataset.ply) === current;
      if (now) { button.setAttribute('aria-current', 'true'); shown = button; } else button.removeAttribute('aria-current');
    }
    // Scroll only the list, never the page.
    if (shown) {
      const top = shown.offsetTop - this.holder.offsetTop;
      if (top < this.holder.scrollTop || top + shown.offsetHeight > this.holder.scrollTop + this.holder.clientHeight) {
        this.holder.scrollTop = top - this.holder.clientHeight / 2;
      }
    } else if (current === 0) this.holder.scrollTop = 0;
  }
}

/** Gives a text to the user as a file. */
export function download(name, text) {
  const link = el('a', { href: URL.createObjectURL(new Blob([text], { type: 'text/plain' })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
