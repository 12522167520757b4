// The board: squares that can be focused, pieces that can be dragged or clicked, arrows and marks.
import { el, svg, announce } from './dom.js';
import { pieceImage, pieceName } from './pieces.js';

const FILES = 'abcdefgh';

/** Reads the board field of a FEN: a map from square to piece letter. */
export function readBoard(field) {
  const pieces = new Map();
  field.split(' ')[0].split('/').forEach((row, r) => {
    let file = 0;
    for (const c of row) {
      if (c >= '1' && c <= '8') file += Number(c);
      else pieces.set(FILES[file++] + (8 - r), c);
    }
  });
  return pieces;
}

export function colourOf(letter) { return letter === letter.toUpperCase() ? 'white' : 'black'; }

/** Where a square is seen: column and row from the top left corner. */
function place(square, flipped) {
  const file = FILES.indexOf(square[0]);
  const rank = Number(square[1]) - 1;
  return flipped ? [7 - file, rank] : [file, 7 - rank];
}

export class Board {
  pieces = new Map();
  legal = null; // square -> targets; null if nobody may move
  premoveColour = null; // the colour whose pieces may queue a move
  premove = null;
  flipped = false;
  #cells = [];
  #selected = null;
  #focus = 'e2';
  #drag = null;
  #dropped = null; // the square where the user dropped a piece: that move is not animated
  #last = null;
  #check = null;
  #arrows = [];

  /** `onMove(from, to)` gets a move of the user; `to` may end with a promotion's letter. `onPremove` gets a queued move or null. */
  constructor(holder, { label, onMove, onPremove = () => {} }) {
    this.onMove = onMove;
    this.onPremove = onPremove;
    this.grid = el('div', { class: 'board', role: 'grid', 'aria-label': label });
    for (let row = 0; row < 8; row++) {
      const line = el('div', { role: 'row', class: 'row' });
      for (let column = 0; column < 8; column++) {
        const cell = el('button', { type: 'button', role: 'gridcell', tabindex: '-1', class: `square ${(row + column) % 2 ? 'dark' : 'light'}` });
        this.#cells.push(cell);
        line.append(cell);
      }
      this.grid.append(line);
    }
    this.layer = svg('svg', { class: 'arrows', viewBox: '0 0 8 8', 'aria-hidden': 'true' });
    this.grid.append(this.layer);
    holder.append(this.grid);
    this.#name();
    this.grid.addEventListener('pointerdown', event => this.#down(event));
    this.grid.addEventListener('pointermove', event => this.#move(event));
    this.grid.addEventListener('pointerup', event => this.#up(event));
    this.grid.addEventListener('pointercancel', () => this.#endDrag());
    this.grid.addEventListener('contextmenu', event => { event.preventDefault(); this.clearSelection(true); });
    this.grid.addEventListener('keydown', event => this.#key(event));
    // A click without a pointer comes from the keyboard or a screen reader.
    this.grid.addEventListener('click', event => {
      const cell = event.target.closest?.('[data-square]');
      if (event.detail === 0 && cell) this.#activate(cell.dataset.square);
    });
    this.grid.addEventListener('focusin', event => {
      const square = event.target.dataset?.square;
      if (square) this.#focusOn(square, false);
    });
  }

  /** Shows a position. Fields that are left out keep their value, marks that are left out vanish. */
  show({ field, legal = null, premoveColour = null, last = null, check = null, arrows = [] }) {
    const before = this.pieces;
    this.pieces = readBoard(field);
    this.legal = legal;
    this.premoveColour = premoveColour;
    this.#last = last;
    this.#check = check;
    this.#arrows = arrows;
    if (this.#selected && !this.#mayTouch(this.#selected)) this.#selected = null;
    this.#closeChooser();
    this.#draw();
    this.#animate(before);
    this.#dropped = null;
  }

  setArrows(arrows) {
    this.#arrows = arrows;
    this.#drawArrows();
  }

  flip(flipped) {
    if (this.flipped === flipped) return;
    this.flipped = flipped;
    this.#name();
    this.#draw();
  }

  clearSelection(premoveToo = false) {
    this.#selected = null;
    if (premoveToo && this.premove) this.#setPremove(null);
    this.#draw();
  }

  setPremoveQuietly(move) { this.premove = move; }

  #setPremove(move) {
    this.premove = move;
    this.onPremove(move);
  }

  // Names ------------------------------------------------------------------------------------------------------------

  #name() {
    this.#cells.forEach((cell, i) => {
      const column = i % 8, row = i >> 3;
      const file = this.flipped ? 7 - column : column;
      const rank = this.flipped ? row : 7 - row;
      const square = FILES[file] + (rank + 1);
      cell.dataset.square = square;
      if (row === 7) cell.dataset.file = FILES[file]; else delete cell.dataset.file;
      if (column === 0) cell.dataset.rank = rank + 1; else delete cell.dataset.rank;
      delete cell.dataset.piece;
    });
  }

  #cell(square) {
    const [column, row] = place(square, this.flipped);
    return this.#cells[row * 8 + column];
  }

  // Drawing ----------------------------------------------------------------------------------------------------------

  #targets(square) {
    const targets = new Set();
    if (this.legal) for (const target of this.legal[square] ?? []) targets.add(target.slice(0, 2));
    return targets;
  }

  #draw() {
    const targets = this.#selected && this.legal ? this.#targets(this.#selected) : new Set();
    for (const cell of this.#cells) {
      const square = cell.dataset.square;
      const letter = this.pieces.get(square) ?? '';
      if ((cell.dataset.piece ?? '') !== letter || (letter && !cell.firstChild)) {
        cell.replaceChildren(...(letter ? [pieceImage(letter)] : []));
        if (letter) cell.dataset.piece = letter; else delete cell.dataset.piece;
      }
      const list = cell.classList;
      list.toggle('last', this.#last !== null && (square === this.#last.slice(0, 2) || square === this.#last.slice(2, 4)));
      list.toggle('check', square === this.#check);
      list.toggle('selected', square === this.#selected);
      list.toggle('target', targets.has(square));
      list.toggle('premove', this.premove !== null && (square === this.premove[0] || square === this.premove[1]));
      list.toggle('movable', this.#mayTouch(square));
      let label = `${square}, ${letter ? pieceName(letter) : 'empty'}`;
      if (square === this.#selected) label += ', selected';
      if (targets.has(square)) label += letter ? ', can be taken' : ', can be reached';
      if (square === this.#check) label += ', in check';
      cell.setAttribute('aria-label', label);
      cell.tabIndex = square === this.#focus ? 0 : -1;
    }
    this.#drawArrows();
  }

  #drawArrows() {
    this.layer.replaceChildren(...this.#arrows.map(({ from, to, kind = 'best', strength = 1 }) => {
      const [x1, y1] = place(from, this.flipped).map(v => v + 0.5);
      const [x2, y2] = place(to, this.flipped).map(v => v + 0.5);
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
      const w = 0.05 + 0.07 * strength, head = 0.22 + 0.16 * strength;
      // From a little off the centre to the target's centre: a shaft and a head.
      const point = (along, across) => `${(x1 + ux * along - uy * across).toFixed(3)} ${(y1 + uy * along + ux * across).toFixed(3)}`;
      const neck = length - head, tip = length - 0.05;
      const d = `M${point(0.25, w)}L${point(neck, w)}L${point(neck, head * 0.7)}L${point(tip, 0)}L${point(neck, -head * 0.7)}L${point(neck, -w)}L${point(0.25, -w)}Z`;
      return svg('path', { d, class: `arrow ${kind}`, opacity: 0.35 + 0.45 * strength });
    }));
  }

  /** Lets pieces glide from where they were to where they are. */
  #animate(before) {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden) return;
    const gone = [], come = [];
    for (const [square, letter] of before) if (this.pieces.get(square) !== letter) gone.push([square, letter]);
    for (const [square, letter] of this.pieces) if (before.get(square) !== letter) come.push([square, letter]);
    if (come.length > 4) return;
    for (const [square, letter] of come) {
      if (square === this.#dropped) continue;
      const index = gone.findIndex(([, l]) => l === letter);
      if (index < 0) continue;
      const [[from]] = gone.splice(index, 1);
      const [x1, y1] = place(from, this.flipped), [x2, y2] = place(square, this.flipped);
      const cell = this.#cell(square);
      cell.firstChild?.animate(
        [{ transform: `translate(${(x1 - x2) * 100}%, ${(y1 - y2) * 100}%)` }, { transform: 'none' }],
        { duration: 160, easing: 'ease-out' });
    }
  }

  // Choosing ---------------------------------------------------------------------------------------------------------

  #mayTouch(square) {
    const letter = this.pieces.get(square);
    if (!letter) return false;
    if (this.legal) return (this.legal[square]?.length ?? 0) > 0;
    return this.premoveColour === colourOf(letter);
  }

  #select(square) {
    this.#selected = square;
    this.#draw();
  }

  #activate(square) {
    const from = this.#selected;
    if (from && from !== square && this.#tryMove(from, square)) return;
    if (from === square) this.clearSelection();
    else if (this.#mayTouch(square)) {
      if (this.premove) this.#setPremove(null);
      this.#select(square);
      announce(`${pieceName(this.pieces.get(square))} on ${square} selected`);
    } else this.clearSelection(true);
  }

  /** True if the pair of squares was used as a move or a queued move. */
  #tryMove(from, to) {
    if (this.legal) {
      const fits = (this.legal[from] ?? []).filter(target => target.slice(0, 2) === to);
      if (fits.length === 0) return false;
      this.#selected = null;
      if (fits.length === 1) this.#play(from, fits[0]);
      else this.#choose(from, to, fits);
      return true;
    }
    if (this.premoveColour && this.pieces.has(from)) {
      this.#selected = null;
      this.#setPremove([from, to]);
      this.#draw();
      return true;
    }
    return false;
  }

  #play(from, target) {
    const to = target.slice(0, 2);
    // Show the move at once; the server's answer corrects castling and taking in passing.
    const letter = this.pieces.get(from);
    const other = this.pieces.get(to);
    const castles = other && letter && colourOf(other) === colourOf(letter);
    if (!castles) {
      const before = this.pieces;
      this.pieces = new Map(before);
      this.pieces.delete(from);
      const promoted = target[2] && (colourOf(letter) === 'white' ? target[2].toUpperCase() : target[2]);
      this.pieces.set(to, promoted ?? letter);
      this.#draw();
      this.#animate(before);
      this.#dropped = null;
    }
    this.legal = null;
    this.onMove(from, target);
  }

  // The promotion's chooser ------------------------------------------------------------------------------------------

  #closeChooser() { this.grid.querySelector('.chooser')?.remove(); }

  #choose(from, to, fits) {
    this.#draw();
    const [column, row] = place(to, this.flipped);
    const white = this.pieces.get(from) === 'P';
    const close = () => { this.#closeChooser(); this.clearSelection(); this.#cell(from).focus(); };
    const chooser = el('div', { class: `chooser ${row === 0 ? 'down' : 'up'}`, role: 'dialog', 'aria-label': 'Choose the piece' });
    for (const kind of ['q', 'n', 'r', 'b']) {
      const target = fits.find(fit => fit[2] === kind);
      if (!target) continue;
      const letter = white ? kind.toUpperCase() : kind;
      const button = el('button', { type: 'button', 'aria-label': pieceName(letter), 'data-promote': kind });
      button.append(pieceImage(letter));
      button.addEventListener('click', event => { event.stopPropagation(); this.#closeChooser(); this.#play(from, target); });
      chooser.append(button);
    }
    chooser.style.left = `${column * 12.5}%`;
    chooser.addEventListener('pointerdown', event => event.stopPropagation());
    chooser.addEventListener('pointerup', event => event.stopPropagation());
    chooser.addEventListener('keydown', event => {
      event.stopPropagation();
      const buttons = [...chooser.children];
      const now = buttons.indexOf(document.activeElement);
      if (event.key === 'Escape') close();
      else if (event.key === 'ArrowDown' || event.key === 'ArrowRight') { event.preventDefault(); buttons[(now + 1) % buttons.length].focus(); }
      else if (event.key === 'ArrowUp' || event.key === 'ArrowLeft') { event.preventDefault(); buttons[(now + buttons.length - 1) % buttons.length].focus(); }
    });
    this.#closeChooser();
    this.grid.append(chooser);
    chooser.firstChild.focus();
  }

  // Mouse and touch --------------------------------------------------------------------------------------------------

  #squareAt(event) {
    const box = this.grid.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / box.width * 8);
    const row = Math.floor((event.clientY - box.top) / box.height * 8);
    if (column < 0 || column > 7 || row < 0 || row > 7) return null;
    return this.#cells[row * 8 + column].dataset.square;
  }

  #down(event) {
    if (event.button !== 0) return;
    if (this.grid.querySelector('.chooser')) { this.#closeChooser(); this.clearSelection(); return; }
    const square = this.#squareAt(event);
    if (!square) return;
    const was = this.#selected;
    if (was && was !== square && this.#tryMove(was, square)) { event.preventDefault(); return; }
    if (this.#mayTouch(square)) {
      if (this.premove) this.#setPremove(null);
      this.#select(square);
      this.#drag = { square, x: event.clientX, y: event.clientY, id: event.pointerId, again: was === square, piece: null };
      this.grid.setPointerCapture(event.pointerId);
    } else this.clearSelection(true);
  }

  #move(event) {
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.piece) {
      if (Math.hypot(dx, dy) < 5) return;
      drag.piece = this.#cell(drag.square).firstChild;
      drag.piece?.classList.add('dragged');
      // The piece's centre comes under the pointer.
      const box = this.#cell(drag.square).getBoundingClientRect();
      drag.ox = drag.x - (box.left + box.width / 2);
      drag.oy = drag.y - (box.top + box.height / 2);
    }
    if (drag.piece) drag.piece.style.transform = `translate(${dx + drag.ox}px, ${dy + drag.oy}px) scale(1.1)`;
    const over = this.#squareAt(event);
    for (const cell of this.#cells) cell.classList.toggle('over', cell.dataset.square === over && over !== drag.square);
  }

  #up(event) {
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) return;
    const to = this.#squareAt(event);
    const dragged = drag.piece !== null;
    this.#endDrag();
    if (dragged) {
      this.#dropped = to;
      if (!to || to === drag.square || !this.#tryMove(drag.square, to)) { this.#dropped = null; if (to !== drag.square) this.clearSelection(); }
    } else if (drag.again) this.clearSelection();
  }

  #endDrag() {
    const piece = this.#drag?.piece;
    if (piece) {
      piece.classList.remove('dragged');
      piece.style.transform = '';
    }
    for (const cell of this.#cells) cell.classList.remove('over');
    this.#drag = null;
  }

  // Keyboard ---------------------------------------------------------------------------------------------------------

  #focusOn(square, move = true) {
    this.#cell(this.#focus).tabIndex = -1;
    this.#focus = square;
    const cell = this.#cell(square);
    cell.tabIndex = 0;
    if (move) cell.focus();
  }

  #key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = steps[event.key];
    if (step) {
      event.preventDefault();
      event.stopPropagation();
      const [column, row] = place(this.#focus, this.flipped);
      const c = Math.min(7, Math.max(0, column + step[0])), r = Math.min(7, Math.max(0, row + step[1]));
      this.#focusOn(this.#cells[r * 8 + c].dataset.square);
    } else if (event.key === 'Escape') this.clearSelection(true);
  }
}
