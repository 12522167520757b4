// The Play view: a game against the engine. The page holds the game; the server only answers.
import { $, announce, load, save, showMessage } from './dom.js';
import { Board, colourOf, readBoard } from './board.js';
import { askPosition, bestLine, chess960Fen, checkedKing, download, moveNumber, MoveList, opposite, startOf, turnAfter, where } from './game.js';
import { socket } from './socket.js';

let game = null; // see newGame
let info = null; // the server's last answer about the position
let shown = null; // the number of moves on the board, or null for the last position
let round = 0; // grows when the game changes in another way than by a move: old answers are dropped
let thinking = false;
let hintArrows = [];
let turnBegan = 0; // when the running clock began, by performance.now()
let board, list;

/** The game of Play, for the other views. */
export function currentGame() { return game; }

function setUp() {
  board = new Board($('play-board'), { label: 'Board of the game', onMove: humanMoves, onPremove: move => {
    announce(move ? `Move from ${move[0]} to ${move[1]} is queued` : 'The queued move is dropped');
  } });
  list = new MoveList($('play-moves'), ply => lookAt(ply));
}

function persist() { save('game', game); }

// The game's course -----------------------------------------------------------------------------------------------------

function newGame({ start, chess960, human, elo, clock }) {
  const clocks = clock.kind === 'game' ? { white: clock.minutes * 60000, black: clock.minutes * 60000 } : null;
  game = {
    start, chess960, human, elo, clock,
    moves: [], san: [], fens: [],
    clocks, // milliseconds left
    clocksAt: clocks ? [{ ...clocks }] : null, // after each move, for taking back
    over: null, flipped: human === 'black', date: new Date().toISOString().slice(0, 10).replaceAll('-', '.'),
  };
  board.setPremoveQuietly(null);
  stopThinking();
  turnBegan = 0;
  info = null;
  shown = null;
  hintArrows = [];
  persist();
  return refresh();
}

function stopThinking() {
  round++;
  if (thinking) socket.stop();
  thinking = false;
}

/** Asks the server about the position and goes on from there. */
async function refresh() {
  const mine = round;
  let answer;
  try {
    answer = await askPosition(game);
  } catch (error) {
    if (mine === round) {
      if (info) game.moves.length = info.san.length; // back to the last position that was accepted
      else game = null; // the start position is refused
      persist();
      openForm(!game);
      render();
    }
    throw error;
  }
  if (mine !== round) return;
  info = answer;
  game.san = answer.san;
  game.fens = answer.fens;
  if (answer.over && !game.over) finish(answer.over);
  persist();
  if (game.over) { render(); return; }
  if (game.clocks && !turnBegan) turnBegan = performance.now();
  if (answer.turn !== game.human) {
    render();
    askEngine();
    return;
  }
  render();
  const premove = board.premove;
  if (premove) {
    board.setPremoveQuietly(null);
    const [from, to] = premove;
    const targets = (answer.legal[from] ?? []).filter(target => target.slice(0, 2) === to);
    const target = targets.find(t => t.length === 2 || t[2] === 'q');
    if (target) humanMoves(from, target);
    else { announce('The queued move is not legal'); render(); }
  }
}

/** The clock of the side that moved stops; the other's begins. */
function stopClock(colour) {
  if (!game.clocks) return;
  const used = turnBegan ? performance.now() - turnBegan : 0;
  game.clocks[colour] = Math.max(0, game.clocks[colour] - used) + game.clock.increment * 1000;
  game.clocksAt[game.moves.length] = { ...game.clocks };
  turnBegan = performance.now();
}

function humanMoves(from, target) {
  if (!game || game.over || thinking) return;
  hintArrows = [];
  shown = null;
  game.moves.push(from + target);
  stopClock(game.human);
  persist();
  refresh();
}

async function askEngine() {
  const mine = round;
  thinking = true;
  render();
  const request = { type: 'play', ...where(game), elo: game.elo };
  if (game.clocks) {
    const left = { ...game.clocks };
    left[opposite(game.human)] = Math.max(1, left[opposite(game.human)] - (turnBegan ? performance.now() - turnBegan : 0));
    request.clock = { white: Math.round(left.white), black: Math.round(left.black), increment: Math.round(game.clock.increment * 1000) };
  } else request.time = game.clock.kind === 'move' ? Math.round(game.clock.seconds * 1000) : 1000;
  try {
    const answer = await socket.request(request);
    if (mine !== round || game.over) return;
    if (answer.type !== 'played' || !answer.move) { // another analysis took the engine away
      thinking = false;
      setTimeout(() => { if (mine === round && !thinking && !game.over) askEngine(); }, 300);
      return;
    }
    thinking = false;
    game.moves.push(answer.move);
    stopClock(opposite(game.human));
    persist();
    announce(`The engine plays ${answer.san}`);
    shown = null;
    await refresh();
  } catch (error) {
    if (mine === round) { thinking = false; render(); }
    throw error;
  }
}

function finish(over) {
  game.over = over;
  board.setPremoveQuietly(null);
  if (game.clocks && turnBegan) turnBegan = 0;
  stopThinking();
  announce(endText());
  persist();
}

const REASONS = { checkmate: 'by checkmate', stalemate: 'by stalemate', time: 'on time', resignation: 'by resignation' };

function endText() {
  const { result, reason } = game.over;
  const how = REASONS[reason] ?? `(${reason})`;
  if (result === '1/2-1/2') return `Draw ${how}.`;
  const winner = result === '1-0' ? 'white' : 'black';
  return `${winner === game.human ? 'You win' : 'The engine wins'} ${how}. ${result}`;
}

function takeBack() {
  if (!game || game.moves.length === 0) return;
  const mine = turnAfter(game.start, game.moves.length) === game.human;
  stopThinking();
  // Back to the last position where the user could choose.
  let count = game.moves.length - (mine ? 2 : 1);
  if (count < 0) count = 0;
  game.moves.length = count;
  game.over = null;
  if (game.clocks) {
    game.clocks = { ...game.clocksAt[count] };
    game.clocksAt.length = count + 1;
    turnBegan = performance.now();
  }
  board.setPremoveQuietly(null);
  hintArrows = [];
  shown = null;
  persist();
  refresh();
}

async function hint() {
  if (!game || game.over || thinking || !info) return;
  const mine = round, count = game.moves.length;
  $('hint').disabled = true;
  let best = null;
  try {
    best = await bestLine(game, count, 1000, 1);
  } finally { $('hint').disabled = false; }
  if (!best || mine !== round || count !== game.moves.length) return;
  hintArrows = [{ from: best.moves[0].slice(0, 2), to: best.moves[0].slice(2, 4) }];
  announce(`Hint: ${best.san[0]}`);
  render();
  $('play-status').textContent = `Hint: ${best.san[0]}.`;
}

// Showing ---------------------------------------------------------------------------------------------------------------

function lookAt(ply) {
  if (!game) return;
  const last = game.moves.length;
  const to = Math.min(last, Math.max(0, ply));
  shown = to === last ? null : to;
  render();
  announce(to === 0 ? 'Start position' : `After ${moveNumber(game.start, to - 1)} ${game.san[to - 1]}`);
}

const step = by => lookAt((shown ?? game?.moves.length ?? 0) + by);

function render() {
  const idle = !game;
  for (const id of ['take-back', 'hint', 'resign']) $(id).disabled = idle;
  if (idle) {
    board.show({ field: 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR' });
    board.flip(false);
    list.show(null, [], 0);
    $('play-status').textContent = 'Choose a level and begin.';
    players();
    return;
  }
  const known = game.fens.length - 1; // the server told this many positions
  const ply = Math.min(shown ?? known, known);
  board.flip(game.flipped);
  if (known >= 0 && !(shown === null && known < game.moves.length)) {
    const live = shown === null && !game.over;
    const humanTurn = live && info && !thinking && info.turn === game.human;
    board.show({
      field: game.fens[ply],
      legal: humanTurn ? info.legal : null,
      premoveColour: live && !humanTurn ? game.human : null,
      last: ply > 0 ? game.moves[ply - 1] : null,
      check: info?.san.length === ply ? info.check : checkedKing(game.fens[ply], game.san[ply - 1], turnAfter(game.start, ply)),
      arrows: shown === null ? hintArrows : [],
    });
  }
  list.show(game.start, game.san, ply);
  $('take-back').disabled = game.moves.length === 0 || (game.moves.length === 1 && startOf(game.start).turn !== game.human);
  $('resign').disabled = !!game.over;
  $('hint').disabled = !!game.over || thinking;
  $('play-status').textContent = game.over ? endText()
    : shown !== null ? 'You look at an earlier position.'
    : thinking ? 'The engine thinks. You can queue a move.'
    : info?.check ? 'You are in check. Your move.' : 'Your move.';
  $('play-status').dataset.state = game.over ? 'over' : thinking ? 'thinking' : 'move';
  if ($('pgn-box').open) writePgn();
  players();
}

function clockText(ms) {
  const tenths = Math.max(0, Math.ceil(ms / 100));
  if (tenths < 200) return (tenths / 10).toFixed(1);
  const seconds = Math.ceil(ms / 1000);
  const pad = n => String(n).padStart(2, '0');
  return seconds >= 3600 ? `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}` : `${Math.floor(seconds / 60)}:${pad(seconds % 60)}`;
}

function nameOf(colour) {
  if (!game) return '';
  if (colour === game.human) return 'You';
  return game.elo ? `Jamboree (${game.elo})` : 'Jamboree';
}

/** Names and clocks above and below the board. */
function players() {
  const low = game?.flipped ? 'black' : 'white';
  const turn = game ? turnAfter(game.start, game.moves.length) : null;
  for (const [id, colour] of [['player-bottom', low], ['player-top', opposite(low)]]) {
    const line = $(id);
    const [who, clock] = line.children;
    const name = game ? nameOf(colour) : colour === 'white' ? 'White' : 'Black';
    if (who.textContent !== name) who.textContent = name;
    line.classList.toggle('turn', !!game && !game.over && turn === colour);
    let text = '';
    if (game?.clocks) {
      const running = !game.over && turn === colour && turnBegan;
      const left = game.clocks[colour] - (running ? performance.now() - turnBegan : 0);
      text = clockText(left);
      clock.classList.toggle('low', left < 20000);
    }
    if (clock.textContent !== text) clock.textContent = text;
  }
}

/** Ten times a second: the clocks run, and a side may lose on time. */
function tick() {
  if (!game?.clocks || game.over || !turnBegan) return;
  const turn = turnAfter(game.start, game.moves.length);
  if (game.clocks[turn] - (performance.now() - turnBegan) <= 0) {
    game.clocks[turn] = 0;
    // A bare king can't win, not even on time.
    const others = [...readBoard(game.fens.at(-1) ?? '').values()].filter(letter => colourOf(letter) !== turn);
    finish(others.length === 1 ? { result: '1/2-1/2', reason: 'time, against a bare king' }
      : { result: turn === 'white' ? '0-1' : '1-0', reason: 'time' });
    render();
  } else players();
}

// PGN -------------------------------------------------------------------------------------------------------------------

let pgnKey = '';

async function writePgn() {
  if (!game) return;
  const key = JSON.stringify([game.start, game.moves, game.over, game.human]);
  if (key === pgnKey) return;
  pgnKey = key;
  const tags = { Event: 'Game against Jamboree', Date: game.date, White: nameOf('white'), Black: nameOf('black'), Result: game.over?.result ?? '*' };
  const { text } = await socket.request({ type: 'write_pgn', ...where(game), tags });
  if (key === pgnKey) $('pgn-text').value = text;
}

async function copyPgn() {
  await writePgn();
  const text = $('pgn-text').value;
  try {
    await navigator.clipboard.writeText(text);
    announce('The PGN is copied');
    $('pgn-copy').textContent = 'Copied';
  } catch {
    $('pgn-text').select();
    showMessage('The browser does not let the page copy. The text is selected: copy it with the keyboard.');
  }
  setTimeout(() => { $('pgn-copy').textContent = 'Copy'; }, 1500);
}

// The form of a new game ------------------------------------------------------------------------------------------------

const chosen = name => document.querySelector(`#new-game-form input[name=${name}]:checked`).value;

function openForm(open) {
  $('new-game-form').hidden = !open;
  $('cancel-new-game').hidden = !game;
  if (open && game) $('start-game').focus();
}

function showFields() {
  $('clock-move').hidden = chosen('clock') !== 'move';
  $('clock-game').hidden = chosen('clock') !== 'game';
  $('start-960').hidden = chosen('start') !== '960';
  $('start-fen').hidden = chosen('start') !== 'fen';
  $('elo').disabled = $('full-strength').checked;
  $('elo-value').textContent = $('full-strength').checked ? 'not limited' : $('elo').value;
}

function readForm() {
  const kind = chosen('clock');
  const startKind = chosen('start');
  const number = Number($('start-number').value);
  const colour = chosen('colour');
  const fen = $('start-fen-text').value.trim();
  if (startKind === 'fen' && !fen) { showMessage('Write a FEN, or choose another start position.'); return null; }
  return {
    start: startKind === 'usual' ? null : startKind === '960' ? chess960Fen(number) : fen,
    chess960: startKind === '960',
    human: colour === 'random' ? (Math.random() < 0.5 ? 'white' : 'black') : colour,
    elo: $('full-strength').checked ? null : Number($('elo').value),
    clock: { kind, seconds: Number($('move-seconds').value), minutes: Number($('game-minutes').value), increment: Number($('game-increment').value) },
  };
}

function wire() {
  $('new-game').onclick = () => openForm($('new-game-form').hidden);
  $('cancel-new-game').onclick = () => openForm(false);
  $('new-game-form').addEventListener('input', showFields);
  $('new-game-form').onsubmit = event => {
    event.preventDefault();
    const choices = readForm();
    if (!choices) return;
    openForm(false);
    newGame(choices);
    $('play').scrollIntoView({ block: 'start' });
  };
  $('start-random').onclick = () => { $('start-number').value = Math.floor(Math.random() * 960); };
  $('take-back').onclick = takeBack;
  $('hint').onclick = hint;
  $('resign').onclick = () => {
    if (!game || game.over) return;
    finish({ result: game.human === 'white' ? '0-1' : '1-0', reason: 'resignation' });
    render();
  };
  $('play-flip').onclick = () => {
    if (game) { game.flipped = !game.flipped; persist(); render(); } else board.flip(!board.flipped);
  };
  $('play-first').onclick = () => lookAt(0);
  $('play-previous').onclick = () => step(-1);
  $('play-next').onclick = () => step(1);
  $('play-last').onclick = () => lookAt(Infinity);
  $('pgn-box').addEventListener('toggle', () => { if ($('pgn-box').open) writePgn(); });
  $('pgn-copy').onclick = copyPgn;
  $('pgn-download').onclick = async () => { await writePgn(); download('jamboree.pgn', $('pgn-text').value); };
  $('pgn-analyse').onclick = () => { sessionStorage.setItem('jamboree.take-game', '1'); location.hash = '#analyse'; };
  document.addEventListener('keydown', event => {
    if ($('play').hidden || event.altKey || event.ctrlKey || event.metaKey || event.target.closest('input, textarea, select')) return;
    if (event.key === 'ArrowLeft') { event.preventDefault(); step(-1); }
    if (event.key === 'ArrowRight') { event.preventDefault(); step(1); }
  });
  socket.addEventListener('welcome', ({ detail }) => {
    const [low, high] = detail.elo;
    Object.assign($('elo'), { min: low, max: high });
    showFields();
  });
  // The clock's state goes to the store when the page closes.
  addEventListener('pagehide', () => {
    if (!game?.clocks || game.over || !turnBegan) return;
    const turn = turnAfter(game.start, game.moves.length);
    game.clocks[turn] -= performance.now() - turnBegan;
    turnBegan = performance.now();
    persist();
  });
}

export function startPlay() {
  setUp();
  wire();
  showFields();
  game = load('game');
  openForm(!game);
  render();
  if (game) refresh();
  setInterval(tick, 100);
  return {};
}
