// Our own drawings of the pieces. Each one fits in a square of 100 by 100.

const BASE = 'M23 89V84Q23 78 29 78H71Q77 78 77 84V89Z';

// `solid` shapes are filled and outlined, `marks` are lines on top, `dots` are filled circles [x, y, radius].
const SHAPES = {
  p: {
    solid: ['M43 50C44 62 38 70 32 78H68C62 70 56 62 57 50Z', 'M36 52Q36 46 42 46H58Q64 46 64 52Z'],
    dots: [[50, 33, 14]],
  },
  r: {
    solid: ['M37 42H63L67 78H33Z', 'M26 17H38V25H44V17H56V25H62V17H74V34L66 43H34L26 34Z'],
    marks: ['M36 51H64'],
  },
  n: {
    solid: ['M33 78C33 63 48 57 47 46C42 50 37 52 32 56C28 61 22 62 19 57C16 53 18 49 21 45C26 37 27 30 33 24L32 12L43 19C63 19 77 38 77 62C77 68 76 74 74 78Z'],
    marks: ['M55 28C65 36 69 50 67 68', 'M24 51L26 49'],
    eyes: [[38, 33, 3.4]],
  },
  b: {
    solid: ['M41 66H59L66 78H34Z', 'M50 22C64 33 71 45 66 57Q64 62 58 63H42Q36 62 34 57C29 45 36 33 50 22Z', 'M36 68Q36 62 42 62H58Q64 62 64 68Z'],
    marks: ['M57 36L47 48'],
    dots: [[50, 17, 6]],
  },
  q: {
    solid: ['M29 67L15 33L33 49L31 24L44 46L50 20L56 46L69 24L67 49L85 33L71 67Z', 'M29 66H71L74 78H26Z'],
    dots: [[15, 31, 5], [31, 21, 5], [50, 16, 5.5], [69, 21, 5], [85, 31, 5]],
  },
  k: {
    solid: ['M45.5 7H54.5V14H62V22H54.5V38H45.5V22H38V14H45.5Z', 'M50 42C56 29 82 29 82 48C82 57 73 61 71 68H29C27 61 18 57 18 48C18 29 44 29 50 42Z', 'M29 67H71L74 78H26Z'],
    marks: ['M50 43V60'],
  },
};

const COLOURS = {
  w: { fill: '#fdfcf7', line: '#23272b', mark: '#23272b' },
  b: { fill: '#30363d', line: '#0b0d0f', mark: '#e9e6dc' },
};

function symbol(colour, kind) {
  const { fill, line, mark } = COLOURS[colour];
  const { solid, marks = [], dots = [], eyes = [] } = SHAPES[kind];
  const shapes = [...solid, BASE].map(path => `<path d="${path}"/>`).join('')
    + dots.map(([x, y, r]) => `<circle cx="${x}" cy="${y}" r="${r}"/>`).join('');
  const lines = marks.map(path => `<path d="${path}" fill="none" stroke="${mark}"/>`).join('')
    + eyes.map(([x, y, r]) => `<circle cx="${x}" cy="${y}" r="${r}" fill="${mark}" stroke="none"/>`).join('');
  return `<symbol id="${colour}${kind}" viewBox="0 0 100 100"><g fill="${fill}" stroke="${line}" stroke-width="3.6" `
    + `stroke-linejoin="round" stroke-linecap="round">${shapes}${lines}</g></symbol>`;
}

/** Puts all drawings in the page once; `<use href="#wk">` shows one. */
export function addPieceSymbols() {
  const kinds = Object.keys(SHAPES);
  const holder = document.createElement('div');
  holder.innerHTML = `<svg width="0" height="0" aria-hidden="true" class="unseen">${kinds.map(k => symbol('w', k) + symbol('b', k)).join('')}</svg>`;
  document.body.append(holder.firstChild);
}

const NAMES = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' };

/** "P" is "white pawn". */
export function pieceName(letter) {
  return `${letter === letter.toUpperCase() ? 'white' : 'black'} ${NAMES[letter.toLowerCase()]}`;
}

/** The drawing of a piece: "P" is the white pawn, "p" the black one. */
export function pieceImage(letter) {
  const colour = letter === letter.toUpperCase() ? 'w' : 'b';
  const image = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  image.setAttribute('class', 'piece');
  image.setAttribute('viewBox', '0 0 100 100');
  image.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#${colour}${letter.toLowerCase()}`);
  image.append(use);
  return image;
}
