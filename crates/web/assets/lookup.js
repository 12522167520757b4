// What the opening book and the endgame tables say about the position of the Analyse view.
import { $, el } from './dom.js';
import { opposite, where } from './game.js';
import { socket } from './socket.js';

const VALUES = {
  win: { label: 'win', kind: 'won' },
  cursed_win: { label: 'draw by the 50-move rule', kind: 'drawn' },
  draw: { label: 'draw', kind: 'drawn' },
  blessed_loss: { label: 'draw by the 50-move rule', kind: 'drawn' },
  loss: { label: 'loss', kind: 'lost' },
};

const name = colour => (colour === 'white' ? 'White' : 'Black');

/** The verdict in words, and what there is to add to it; `turn` is the side to move. */
function verdictWords({ value, dtz }, turn) {
  const winner = { win: turn, cursed_win: turn, loss: opposite(turn), blessed_loss: opposite(turn) }[value];
  if (!winner) return ['Draw', ''];
  if (value === 'cursed_win' || value === 'blessed_loss') return ['Draw', `${name(winner)} would win, but not within the 50-move rule`];
  const distance = Math.abs(dtz ?? 0);
  return [`${name(winner)} wins`, dtz === null ? '' : `${distance} half-move${distance === 1 ? '' : 's'} to a capture, a pawn move or mate`];
}

/** The panel. `onMove` is called with the move that was clicked, as UCI writes it. */
export class Lookup {
  #asked = 0; // grows with each question: old answers are dropped

  constructor(onMove) {
    this.onMove = onMove;
  }

  /** Asks about the position after `count` moves, if the server has a book or tables. */
  async ask(game, count, { fen, turn, over }) {
    const mine = ++this.#asked;
    const { book, table_pieces: most } = socket.welcome ?? {};
    const pieces = fen.split(' ')[0].replace(/[^a-z]/gi, '').length;
    if (over || !book && pieces > most) { this.#show([], null, turn); return; }
    const found = await socket.request({ type: 'lookup', ...where(game, count) });
    if (mine === this.#asked) this.#show(found.book, found.tables, turn);
  }

  #show(book, tables, turn) {
    $('lookup').hidden = book.length === 0 && !tables;
    $('lookup-book').hidden = book.length === 0;
    $('book-moves').replaceChildren(...book.map(({ move, san, percent }) => {
      const share = el('i', { class: 'share', 'aria-hidden': 'true' }, el('i'));
      share.firstChild.style.width = `${percent}%`;
      return el('button', { type: 'button', class: 'book-move', 'data-test': 'book-move', onclick: () => this.onMove(move) },
        el('b', {}, san), share, el('span', {}, percent > 0 ? `${percent} %` : 'not played'));
    }));
    $('lookup-tables').hidden = !tables;
    const [verdict, more] = tables ? verdictWords(tables, turn) : ['', ''];
    $('table-verdict').replaceChildren(verdict, el('small', {}, more));
    $('table-moves').replaceChildren(...(tables?.moves ?? []).map(({ move, san, value, dtz }) => {
      const { label, kind } = VALUES[value];
      const distance = kind === 'drawn' ? '' : ` ${Math.abs(dtz)}`;
      return el('button', { type: 'button', class: `table-move ${kind}`, 'data-test': 'table-move', onclick: () => this.onMove(move) },
        el('b', {}, san), el('span', {}, label + distance));
    }));
  }
}
