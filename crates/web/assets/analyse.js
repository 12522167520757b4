// The Analyse view: free moves, the engine's best lines, and the annotation of a game.
import { $, el, svg, announce, load, save, short, showMessage } from './dom.js';
import { Board } from './board.js';
import { askPosition, bestLine, chance, checkedKing, moveNumber, MoveList, scoreText, turnAfter, where } from './game.js';
import { Lookup } from './lookup.js';
import { currentGame } from './play.js';
import { socket } from './socket.js';

// `moves` is the line on the board, `main` the moves of the imported game; they differ after a move of the user's own.
let game = { start: null, chess960: false, moves: [], san: [], fens: ['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR'], main: [], mainSan: [] };
let at = 0; // the number of moves on the board
let info = null; // the server's answer about the position on the board
let running = false; // the user wants analysis
let lines = []; // the newest info of each line
let marks = []; // signs of the main line's moves, from the annotation
let chances = []; // White's chance in each position of the main line
let round = 0; // grows with each position: old answers are dropped
let search = 0; // grows with each analysis
let annotating = false;
let flipped = false;
let board, list, lookup;

const inMain = () => game.moves.every((move, i) => game.main[i] === move);

// The position ----------------------------------------------------------------------------------------------------------

/** Asks the server about the position on the board and analyses it if wanted. */
async function refresh(wholeLine = false) {
  const mine = ++round;
  lines = [];
  if (wholeLine) {
    const answer = await askPosition(game);
    if (mine !== round) return;
    game.san = answer.san;
    game.fens = answer.fens;
    if (inMain() && game.moves.length === game.main.length) game.mainSan = answer.san;
    if (at === game.moves.length) info = answer; else info = null;
  } else info = null;
  render();
  if (!info) {
    const answer = await askPosition(game, at);
    if (mine !== round) return;
    info = answer;
  }
  save('analysis', { start: game.start, chess960: game.chess960, moves: game.moves, main: game.main, mainSan: game.mainSan, at });
  render();
  lookup.ask(game, at, info);
  if (running && !annotating) analyse();
}

async function setGame({ start, chess960, moves }, ply) {
  const before = [game, at];
  stopAnnotating();
  game = { start, chess960: !!chess960, moves: [...moves], san: [], fens: [], main: [...moves], mainSan: [] };
  at = Math.min(ply, moves.length);
  marks = [];
  chances = [];
  drawGraph();
  try {
    await refresh(true);
  } catch (error) {
    [game, at] = before;
    refresh();
    throw error;
  }
}

function userMoves(move) {
  if (game.moves[at] === move) { goTo(at + 1); return; }
  game.moves = [...game.moves.slice(0, at), move];
  // Without an imported game the user's moves are the game.
  const extendsMain = inMain() && game.main.length === at;
  if (extendsMain || game.main.length === 0 || chances.length === 0 && !game.imported) game.main = [...game.moves];
  at++;
  refresh(true).then(() => announce(game.san[at - 1] ?? ''));
}

function goTo(ply) {
  const to = Math.min(game.moves.length, Math.max(0, ply));
  if (to === at) return;
  at = to;
  refresh();
  announce(at === 0 ? 'Start position' : `${moveNumber(game.start, at - 1)} ${game.san[at - 1]}`);
}

function backToGame() {
  let same = 0;
  while (same < game.main.length && game.moves[same] === game.main[same]) same++;
  game.moves = [...game.main];
  at = Math.min(at, same);
  refresh(true);
}

// The engine ------------------------------------------------------------------------------------------------------------

async function analyse() {
  const mine = round, own = ++search;
  if (info?.over) { socket.stop(); return; }
  lines = [];
  await socket.request({ type: 'analyse', ...where(game, at), lines: Number($('analyse-lines').value), threads: Number($('analyse-threads').value) }, line => {
    if (mine !== round || !running) return;
    // A bound tells less than the exact score that is already there.
    const old = lines[line.line - 1];
    if (line.bound && line.bound !== 'exact' && old && old.moves[0] === line.moves[0]) {
      lines[line.line - 1] = { ...old, depth: line.depth, nodes: line.nodes, nps: line.nps, time: line.time };
    } else lines[line.line - 1] = line;
    draw();
  });
  // The server ended it: the lines stay.
  if (own === search && mine === round && running && !annotating) setRunning(false);
}

let drawAsked = false;
/** Draws the lines at most once a frame. */
function draw() {
  if (drawAsked) return;
  drawAsked = true;
  requestAnimationFrame(() => { drawAsked = false; renderLines(); });
}

function setRunning(on) {
  running = on;
  $('analyse-toggle').textContent = on ? 'Stop analysis' : 'Start analysis';
  $('analyse-toggle').setAttribute('aria-pressed', String(on));
}

function toggle(on = !running) {
  setRunning(on);
  if (!on) socket.stop();
  else if (info) { stopAnnotating(); analyse(); }
  renderLines();
}

// Showing ---------------------------------------------------------------------------------------------------------------

function render() {
  board.flip(flipped);
  $('bar').classList.toggle('flipped', flipped);
  if (game.fens[at]) {
    board.show({
      field: game.fens[at],
      legal: info?.legal ?? null,
      last: at > 0 ? game.moves[at - 1] : null,
      check: info ? info.check : checkedKing(game.fens[at], game.san[at - 1], turnAfter(game.start, at)),
      arrows: arrows(),
    });
  }
  list.show(game.start, game.san, at, inMain() ? marks : marks.slice(0, firstDifference()));
  $('side-line').hidden = inMain();
  $('analyse-fen').value = info?.fen ?? '';
  $('annotate').disabled = game.main.length === 0;
  const over = info?.over;
  $('analyse-status').textContent = over ? `The game is over: ${over.result} (${over.reason}).` : '';
  renderLines();
  drawNow();
}

function firstDifference() {
  let i = 0;
  while (i < game.main.length && game.main[i] === game.moves[i]) i++;
  return i;
}

function arrows() {
  return lines.filter(line => line?.moves.length).map((line, i) => ({
    from: line.moves[0].slice(0, 2), to: line.moves[0].slice(2, 4), kind: i === 0 ? 'best' : 'other', strength: i === 0 ? 1 : 0.55 - i * 0.1,
  })).reverse();
}

function renderLines() {
  const best = lines[0];
  const over = info?.over;
  const white = best ? chance(best.score, best.wdl) : over ? { '1-0': 1, '0-1': 0 }[over.result] ?? 0.5 : chances[at] !== undefined && inMain() ? chances[at] : 0.5;
  $('bar-white').style.height = `${(white * 100).toFixed(1)}%`;
  $('bar-text').textContent = best ? scoreText(best.score).replace(/(\.\d)\d$/, '$1') : '';
  $('bar').setAttribute('aria-valuenow', String(Math.round(white * 100)));
  $('bar').setAttribute('aria-valuetext', best ? scoreText(best.score) : 'not known');
  board.setArrows(arrows());
  const wdl = best?.wdl;
  $('wdl').hidden = !wdl;
  if (wdl) {
    const percent = wdl.map(n => `${(n / 10).toFixed(1)} %`);
    ['w', 'd', 'l'].forEach((letter, i) => { $(`wdl-${letter}`).style.width = `${wdl[i] / 10}%`; });
    $('wdl-text').textContent = `White wins ${percent[0]}, draw ${percent[1]}, Black wins ${percent[2]}`;
  }
  $('lines').replaceChildren(...lines.filter(Boolean).map(line => {
    const moves = el('div', { class: 'variation' });
    line.san.forEach((san, i) => {
      if (i === 0 || turnAfter(game.start, at + i) === 'white') moves.append(el('i', {}, `${moveNumber(game.start, at + i)} `));
      moves.append(el('button', { type: 'button', tabindex: i === 0 ? '0' : '-1', 'data-line': line.line, 'data-move': i }, san), ' ');
    });
    const bound = { lower: '≥ ', upper: '≤ ' }[line.bound] ?? '';
    return el('li', { 'data-test': 'line' },
      el('div', { class: 'score' }, bound + scoreText(line.score), el('small', {}, `depth ${line.depth}`)), moves);
  }));
  $('search-facts').textContent = best
    ? `Depth ${best.depth}${best.reach ? ` (furthest ${best.reach})` : ''} · ${short(best.nodes)} nodes · ${short(best.nps)} nodes a second · ${(best.time / 1000).toFixed(1)} s` : '';
}

/** Plays the moves of a line up to the one that was clicked. */
function playLine(event) {
  const button = event.target.closest('button[data-line]');
  const line = button && lines[Number(button.dataset.line) - 1];
  if (!line) return;
  const own = line.moves.slice(0, Number(button.dataset.move) + 1);
  const next = [...game.moves.slice(0, at), ...own];
  if (!next.every((move, i) => game.moves[i] === move)) game.moves = next;
  at += own.length;
  if (game.main.length === 0) game.main = [...game.moves];
  refresh(true);
}

// The annotation --------------------------------------------------------------------------------------------------------

function stopAnnotating() {
  if (!annotating) return;
  annotating = false;
  socket.stop();
}

async function annotate() {
  if (annotating) { stopAnnotating(); return; }
  if (running) toggle(false);
  if (!inMain() || game.moves.length !== game.main.length) { game.moves = [...game.main]; at = Math.min(at, game.main.length); await refresh(true); }
  annotating = true;
  $('annotate').textContent = 'Stop';
  const subject = game;
  const time = Number($('annotate-time').value);
  const bests = [];
  chances = [];
  marks = [];
  try {
    for (let ply = 0; ply <= subject.moves.length && annotating && subject === game; ply++) {
      $('annotate-progress').textContent = `Position ${ply + 1} of ${subject.moves.length + 1}`;
      const { over } = await askPosition(subject, ply);
      if (over) chances[ply] = { '1-0': 1, '0-1': 0 }[over.result] ?? 0.5;
      else {
        const best = await bestLine(subject, ply, time, Number($('analyse-threads').value));
        if (!annotating || subject !== game) break;
        bests[ply] = best;
        chances[ply] = best ? chance(best.score, best.wdl) : chances[ply - 1] ?? 0.5;
      }
      if (ply > 0) {
        // What the side that moved lost of its chance.
        const sign = turnAfter(subject.start, ply - 1) === 'white' ? 1 : -1;
        const drop = (chances[ply - 1] - chances[ply]) * sign;
        marks[ply - 1] = bests[ply - 1]?.moves[0] === subject.moves[ply - 1] ? '' : drop >= 0.3 ? '??' : drop >= 0.2 ? '?' : drop >= 0.1 ? '?!' : '';
      }
      drawGraph();
      list.show(game.start, game.san, at, inMain() ? marks : []);
    }
    const complete = chances.length === subject.moves.length + 1;
    $('annotate-progress').textContent = complete ? 'Done' : 'Stopped';
    if (complete) announce(`The annotation is done. ${marks.filter(Boolean).length} mistakes.`);
    listMistakes(bests);
  } finally {
    annotating = false;
    $('annotate').textContent = 'Annotate the game';
    render();
  }
}

const MARK_NAMES = { '?!': 'doubtful move', '?': 'mistake', '??': 'blunder' };

function listMistakes(bests) {
  $('mistakes').replaceChildren(...marks.flatMap((mark, i) => {
    if (!mark) return [];
    const side = turnAfter(game.start, i) === 'white' ? 1 : -1;
    const drop = Math.round((chances[i] - chances[i + 1]) * side * 100);
    const better = bests[i]?.san?.[0];
    return [el('li', {}, el('button', { type: 'button', class: 'small', onclick: () => goTo(i + 1) }, `${moveNumber(game.start, i)} ${game.mainSan[i] ?? game.san[i]}${mark}`),
      ` ${MARK_NAMES[mark]}: it loses ${drop} % of the chance.${better ? ` Better is ${better}.` : ''}`)];
  }));
}

const WIDTH = 600, HEIGHT = 100;

function drawGraph() {
  const holder = $('graph');
  holder.hidden = chances.length === 0;
  if (chances.length === 0) { $('mistakes').replaceChildren(); $('annotate-progress').textContent = ''; return; }
  const count = Math.max(1, game.main.length);
  const x = i => i / count * WIDTH, y = c => (1 - c) * HEIGHT;
  const points = chances.map((c, i) => `${x(i).toFixed(1)} ${y(c).toFixed(1)}`);
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `White's chance over ${game.main.length} moves` },
    svg('rect', { class: 'black-part', width: WIDTH, height: HEIGHT }),
    svg('path', { class: 'white-part', d: `M0 ${HEIGHT}L${points.join('L')}L${x(chances.length - 1)} ${HEIGHT}Z` }),
    svg('line', { class: 'middle', x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
    svg('polyline', { class: 'edge', points: points.join(' ').replaceAll('L', ' ') }));
  marks.forEach((mark, i) => {
    if (mark) picture.append(svg('ellipse', { class: 'bad', cx: x(i + 1), cy: y(chances[i + 1]), rx: mark === '?!' ? 3 : 5, ry: mark === '?!' ? 2.5 : 4 }));
  });
  picture.append(svg('line', { class: 'now', id: 'graph-now', y1: 0, y2: HEIGHT }));
  picture.addEventListener('click', event => {
    const box = picture.getBoundingClientRect();
    if (!inMain()) backToGame();
    goTo(Math.round((event.clientX - box.left) / box.width * count));
  });
  holder.replaceChildren(picture);
  drawNow();
}

/** The line on the graph that shows where the board is. */
function drawNow() {
  const now = document.getElementById('graph-now');
  if (!now) return;
  const x = at / Math.max(1, game.main.length) * WIDTH;
  now.setAttribute('x1', x);
  now.setAttribute('x2', x);
}

// Import ----------------------------------------------------------------------------------------------------------------

const looksLikeFen = text => /^\s*([1-8pnbrqkPNBRQK]+\/){7}[1-8pnbrqkPNBRQK]+(\s+\S+)*\s*$/.test(text) && !text.trim().includes('\n');

async function importText(text) {
  if (!text.trim()) { showMessage('Paste a FEN or a PGN first.'); return; }
  if (looksLikeFen(text)) await setGame({ start: text.trim(), chess960: false, moves: [] }, 0);
  else {
    const answer = await socket.request({ type: 'read_pgn', text });
    await setGame(answer, 0);
    game.imported = true;
    const { White, Black } = answer.tags ?? {};
    $('analyse-status').textContent = `${White ?? '?'} – ${Black ?? '?'}, ${answer.moves.length} half-moves${answer.games > 1 ? `. The file holds ${answer.games} games; this is the first` : ''}.`;
  }
  $('import-box').open = false;
}

function takeGame() {
  const played = currentGame();
  if (!played) { showMessage('There is no game in Play yet.'); return; }
  setGame(played, played.moves.length).then(() => { game.imported = true; $('import-box').open = false; });
}

// The beginning ---------------------------------------------------------------------------------------------------------

function wire() {
  $('analyse-first').onclick = () => goTo(0);
  $('analyse-previous').onclick = () => goTo(at - 1);
  $('analyse-next').onclick = () => goTo(at + 1);
  $('analyse-last').onclick = () => goTo(game.moves.length);
  $('analyse-flip').onclick = () => { flipped = !flipped; render(); };
  $('analyse-clear').onclick = () => setGame({ start: null, chess960: false, moves: [] }, 0);
  $('analyse-toggle').onclick = () => toggle();
  $('analyse-lines').onchange = $('analyse-threads').onchange = () => { if (running && info) { round++; analyse(); } };
  $('lines').addEventListener('click', playLine);
  $('back-to-game').onclick = backToGame;
  $('annotate').onclick = annotate;
  $('import-go').onclick = () => importText($('import-text').value);
  $('import-file').onchange = async event => {
    const [file] = event.target.files;
    if (file) { $('import-text').value = await file.text(); importText($('import-text').value); }
    event.target.value = '';
  };
  $('import-game').onclick = takeGame;
  document.addEventListener('keydown', event => {
    if ($('analyse').hidden || event.altKey || event.ctrlKey || event.metaKey || event.target.closest('input, textarea, select')) return;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: game.moves.length }[event.key];
    if (to !== undefined) { event.preventDefault(); goTo(to); }
  });
  const threads = ({ threads: most }) => {
    const chosen = $('analyse-threads').value;
    $('analyse-threads').replaceChildren(...Array.from({ length: most }, (_, i) => el('option', {}, String(i + 1))));
    $('analyse-threads').value = chosen;
  };
  if (socket.welcome) threads(socket.welcome);
  socket.addEventListener('welcome', ({ detail }) => threads(detail));
}

export function startAnalyse() {
  board = new Board($('analyse-board'), { label: 'Board of the analysis', onMove: (from, target) => userMoves(from + target) });
  list = new MoveList($('analyse-moves'), goTo);
  lookup = new Lookup(userMoves);
  wire();
  const kept = load('analysis');
  let begun = false;
  return {
    enter() {
      if (sessionStorage.getItem('jamboree.take-game')) {
        sessionStorage.removeItem('jamboree.take-game');
        takeGame();
      } else if (!begun && kept) {
        game = { ...kept, san: [], fens: [] };
        at = Math.min(kept.at, game.moves.length);
        refresh(true);
      } else if (!begun) refresh(true);
      begun = true;
    },
    leave() {
      if (running) toggle(false);
      stopAnnotating();
    },
  };
}
