// The Watch view: a search that the server records. One on virtual processors is played back; one on threads is shown as it runs,
// and can be played back afterwards.
import { $, el, announce, isDark, load, save, short, showMessage } from './dom.js';
import { css, countUpTo, HUE_COUNT, sliceColour, splitColour, Trace } from './trace.js';
import { Lanes } from './lanes.js';
import { Tree } from './tree.js';
import { currentGame } from './play.js';
import { where } from './game.js';
import { socket } from './socket.js';

const EXAMPLES = [
  ['Start position', null],
  ['Many captures', 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'],
  ['White attacks and wins', '2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1'],
  ['Quiet middle game', 'r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8'],
  ['Rook endgame', '8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1'],
  ['Pawn endgame', '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1'],
];

const KEPT = ['position', 'fen', 'machine', 'algorithm', 'compare', 'processors', 'nodes', 'seed']; // fields of the form

let panels = []; // one or two: { trace, lanes, tree, fields }
let longest = 1; // the greatest time of the panels
let time = 0;
let begin = 0; // the left end of the visible time
let playing = false;
let live = false; // does the cursor stay at the end of a search that is running?
let processor = null; // followed
let split = null; // followed: { panel, index }
let lastFrame = 0;
let frameAsked = false;
let run = 0; // grows with each run: old answers are dropped

// Running ---------------------------------------------------------------------------------------------------------------

function chosenPosition() {
  const choice = $('watch-position').value;
  if (choice === 'game') {
    const game = currentGame();
    return game ? where(game) : { start: null, moves: [], chess960: false };
  }
  if (choice === 'fen') {
    const fen = $('watch-fen').value.trim();
    if (!fen) { showMessage('Write a FEN, or choose another position.'); return null; }
    return { start: fen, moves: [], chess960: false };
  }
  return { start: EXAMPLES[Number(choice)][1], moves: [], chess960: false };
}

async function runSearch(event) {
  event.preventDefault();
  const position = chosenPosition();
  if (!position) return;
  const mine = ++run;
  const number = id => Number($(id).value);
  const machine = $('watch-machine').value;
  const request = { type: 'watch', ...position, machine, processors: number('watch-processors'), nodes: number('watch-nodes'), seed: number('watch-seed') };
  const algorithms = [$('watch-algorithm').value, $('watch-compare').value].filter(Boolean);
  keepForm();
  pause();
  $('watch-run').disabled = true;
  $('watch-stop').hidden = false;
  const traces = [];
  try {
    for (const algorithm of algorithms) {
      let trace = null;
      $('watch-status').textContent = `${algorithm}: one processor searches, to find out how deep…`;
      const answer = await socket.request({ ...request, algorithm }, message => {
        if (mine !== run) return;
        if (message.type === 'trace_begins') {
          trace = new Trace(message);
          $('watch-status').textContent = `${algorithm} searches to depth ${message.depth} on ${message.processors} ${trace.inTicks ? 'virtual processors' : 'threads'}…`;
          if (!trace.inTicks) showTraces([...traces, trace]);
          return;
        }
        trace.add(message);
        if (!trace.inTicks) grow();
      });
      if (mine !== run) return;
      if (answer.type !== 'trace_ends' || !trace) { $('watch-status').textContent = 'The run was stopped.'; break; }
      trace.end(answer);
      traces.push(trace);
      if (!trace.inTicks) grow();
    }
    live = false;
    if (traces.length === 0) return;
    if (traces[0].inTicks) showTraces(traces);
    showSummary(traces);
    if (traces[0].inTicks && !matchMedia('(prefers-reduced-motion: reduce)').matches) play();
  } catch (error) {
    if (mine === run) $('watch-status').textContent = `No result: ${error.message}.`;
    throw error;
  } finally {
    if (mine === run) {
      live = false;
      $('watch-run').disabled = false;
      $('watch-stop').hidden = true;
    }
  }
}

function summary({ message, processors }) {
  return `${message.algorithm}: speedup ${message.speedup?.toFixed(1) ?? '–'} on ${processors} processors`;
}

function showSummary(traces) {
  const cut = traces.some(trace => trace.message.truncated) ? ' The record was too long: its end is missing.' : '';
  const zoom = traces[0].inTicks ? '' : ' Zoom in and play to see it in slow motion.';
  $('watch-status').textContent = `${traces.map(summary).join('; ')}.${cut}${zoom}`;
}

function showTraces(traces) {
  processor = null;
  split = null;
  time = 0;
  begin = 0;
  live = traces.some(trace => !trace.isOver);
  $('watch-player').hidden = false;
  $('watch-zoom').value = 0;
  $('watch-zoom').max = traces[0].inTicks ? 100 : 160;
  panels = traces.map((trace, i) => makePanel(trace, i));
  $('watch-traces').replaceChildren(...panels.map(panel => panel.element));
  $('watch-traces').classList.toggle('pair', panels.length > 1);
  follow();
  grow();
}

/** There is more to see. */
function grow() {
  longest = Math.max(...panels.map(panel => panel.trace.time));
  if (live) time = longest;
  $('watch-scrub').max = longest;
  for (const panel of panels) showResults(panel);
  showLegend();
  showSpeed();
  draw();
}

const RESULTS = [['speedup', 'Speedup'], ['parallelism', 'Work / critical path'], ['extra', 'Extra nodes'], ['all-nodes', 'Nodes'], ['all-time', 'Time'], ['all-load', 'Load']];
const COUNTERS = [['ticks', 'Time'], ['work', 'Work so far'], ['nodes', 'Nodes, about'], ['busy', 'Busy now'], ['load', 'Load so far'], ['alive', 'Split points'], ['steals', 'Steals']];

function makePanel(trace, index) {
  const { message } = trace;
  const lanesCanvas = el('canvas', { role: 'img', 'aria-label': `Lanes of ${trace.processors} processors, ${message.algorithm}`, 'data-test': 'lanes' });
  const treeCanvas = el('canvas', { role: 'img', 'aria-label': `Tree of split points, ${message.algorithm}`, 'data-test': 'tree' });
  const hover = el('p', { class: 'facts' }, ' ');
  const fields = {};
  const counters = el('dl', { class: 'counters' }, ...COUNTERS.map(([key, name]) => el('div', {}, el('dt', {}, name), fields[key] = el('dd', { 'data-counter': key }, '0'))));
  const results = {};
  const final = el('dl', { class: 'counters final' }, ...RESULTS.map(([key, name]) => el('div', {}, el('dt', {}, name), results[key] = el('dd', { 'data-result': key }, '–'))));
  const say = text => { hover.textContent = text || ' '; };
  const element = el('article', { class: 'trace card', 'aria-label': message.algorithm },
    el('h2', {}, `${message.algorithm}, ${trace.processors} processors`), final, el('h3', {}, 'At the cursor'), counters,
    el('div', { class: 'pictures' },
      el('div', {}, el('h3', {}, 'Processors over time'), lanesCanvas),
      el('div', {}, el('h3', {}, 'Split points alive'), treeCanvas)),
    hover);
  const lanes = new Lanes(lanesCanvas, trace, {
    onTime: t => { pause(); setTime(t); },
    onProcessor: p => { processor = processor === p ? null : p; split = null; follow(); },
    onHover: say,
  });
  const tree = new Tree(treeCanvas, trace, {
    onSplit: s => { split = s === null || split?.panel === index && split.index === s ? null : { panel: index, index: s }; processor = null; follow(); },
    onHover: say,
  });
  return { trace, lanes, tree, fields, results, element };
}

/** What is known when the search is over. */
function showResults({ trace, results }) {
  const { message } = trace;
  if (!trace.isOver) return;
  const extra = (message.nodes / message.serial_nodes - 1) * 100;
  // A tick is a node where nodes cost the same.
  const work = trace.inTicks ? message.busy : message.nodes;
  put(results.speedup, message.complete ? message.speedup.toFixed(2) : '–');
  put(results.parallelism, message.span ? (work / message.span).toFixed(1) : '–');
  put(results.extra, Number.isFinite(extra) ? `${extra >= 0 ? '+' : '−'}${Math.abs(extra).toFixed(1)} %` : '–');
  put(results['all-nodes'], short(message.nodes));
  put(results['all-time'], trace.inTicks ? `${short(trace.time)} ticks` : trace.timeText(trace.time));
  put(results['all-load'], `${(100 * message.busy / (trace.processors * trace.time)).toFixed(0)} %`);
}

// Playing back ----------------------------------------------------------------------------------------------------------

/** Time that passes in a second: the slowest plays what is visible in two minutes, the fastest in one second. */
const speed = () => span() / (120 ** (1 - Number($('watch-speed').value) / 100));
const span = () => Math.max(Math.min(20, longest), longest / 2 ** (Number($('watch-zoom').value) / 10));

function showSpeed() {
  const { trace } = panels[0] ?? {};
  $('watch-speed-value').textContent = !trace ? '' : trace.inTicks ? `${short(speed())} ticks/s` : `${trace.timeText(speed())}/s`;
  $('watch-zoom-value').textContent = `× ${(longest / span()).toFixed(longest / span() < 10 ? 1 : 0)}`;
}

function setTime(t) {
  time = Math.min(longest, Math.max(0, t));
  draw();
}

function play() {
  if (panels.length === 0) return;
  live = false;
  if (time >= longest) time = 0;
  playing = true;
  lastFrame = 0;
  $('watch-play').textContent = 'Pause';
  draw();
}

function pause() {
  playing = false;
  live = false;
  $('watch-play').textContent = 'Play';
}

/** To the next or the previous moment when something happens in any panel. */
function stepBy(direction) {
  pause();
  let best = direction > 0 ? longest : 0;
  for (const { trace: { moments } } of panels) {
    const after = countUpTo(moments, time);
    if (direction > 0 && after < moments.length) best = Math.min(best, moments[after]);
    if (direction < 0) {
      let before = after - 1;
      while (before >= 0 && moments[before] >= time) before--;
      if (before >= 0) best = Math.max(best, moments[before]);
    }
  }
  setTime(best);
}

function draw() {
  if (frameAsked || $('watch').hidden) return;
  frameAsked = true;
  requestAnimationFrame(now => {
    frameAsked = false;
    if (playing) {
      if (lastFrame) time += Math.min(0.2, (now - lastFrame) / 1000) * speed();
      lastFrame = now;
      if (time >= longest) { time = longest; pause(); announce(`The end: ${panels.map(panel => summary(panel.trace)).join('; ')}`); }
    }
    frame();
    if (playing) draw();
  });
}

function frame() {
  if (panels.length === 0) return;
  const width = span();
  // The visible part follows the cursor.
  if (width >= longest) begin = 0;
  else if (time < begin || time > begin + width * 0.98) begin = Math.max(0, Math.min(longest - width, time - width * 0.1));
  const view = { time, begin, span: width, fade: Math.min(speed() * 0.5, longest / 12), steals: $('watch-steals').checked, bySplit: $('watch-colours').value === 'split', processor };
  panels.forEach((panel, i) => {
    const { trace, fields } = panel;
    const own = { ...view, time: Math.min(time, trace.time), split: split === null ? null : split.panel === i ? split.index : -2 };
    const state = trace.at(own.time);
    panel.lanes.draw(own);
    panel.tree.draw(own, state.helpers);
    put(fields.ticks, trace.timeText(own.time));
    put(fields.work, trace.timeText(state.work));
    put(fields.nodes, trace.message.busy ? short(trace.message.nodes * state.work / trace.message.busy) : '–');
    put(fields.busy, `${state.busy} of ${trace.processors}`);
    put(fields.load, own.time > 0 ? `${(100 * state.work / (trace.processors * own.time)).toFixed(0)} %` : '–');
    put(fields.alive, String(trace.alive(own.time).length));
    put(fields.steals, String(countUpTo(trace.stealTimes, own.time)));
  });
  $('watch-scrub').value = time;
  const { trace } = panels[0];
  $('watch-time').textContent = `${trace.timeText(time, longest / 1000)} / ${trace.timeText(longest, longest / 1000)}`;
}

const put = (field, text) => { if (field.textContent !== text) field.textContent = text; };

function follow() {
  const text = processor !== null ? `The page follows processor ${processor}.`
    : split !== null ? `The page follows ${panels[split.panel].trace.splitName(split.index)}.` : '';
  $('watch-processor').value = processor ?? '';
  $('watch-follow').hidden = !text;
  $('watch-follow-text').textContent = text;
  if (text) announce(text);
  draw();
}

function keepForm() {
  const kept = {};
  for (const key of KEPT) kept[key] = $(`watch-${key}`).value;
  save('watch', kept);
}

function showLegend() {
  if (panels.length === 0) return;
  const { trace } = panels[0];
  const bySplit = $('watch-colours').value === 'split';
  const item = (colour, text) => {
    const swatch = el('i', {});
    swatch.style.background = colour;
    return el('span', {}, swatch, text);
  };
  const items = [];
  trace.activities.forEach((key, i) => {
    if (!panels.some(panel => panel.trace.seen.has(i))) return;
    const name = key.replaceAll('_', ' ');
    if (i !== trace.working) { items.push(item(css(sliceColour(trace, i, -1, isDark(), bySplit)), name)); return; }
    items.push(item(css(splitColour(-1)), `${name} (own)`));
    if (!bySplit) { items.push(item(css(splitColour(0)), `${name} at a split point`)); return; }
    const swatch = item('', `${name} at a split point: one colour a split point`);
    const width = 100 / HUE_COUNT;
    swatch.firstChild.className = 'many';
    swatch.firstChild.style.background = `linear-gradient(90deg, ${Array.from({ length: HUE_COUNT }, (_, h) => `${css(splitColour(h))} ${h * width}% ${(h + 1) * width}%`).join(', ')})`;
    items.push(swatch);
  });
  items.push(el('span', {}, '↕ a processor begins to help'), el('span', {}, 'Tree: thick border PV, thin CUT, dashed ALL; orange border: cutoff; +n: helpers'));
  $('watch-legend').replaceChildren(...items);
}

// The beginning ---------------------------------------------------------------------------------------------------------

function fillForm(welcome) {
  const kept = load('watch', {});
  const options = welcome.algorithms.map(name => el('option', { value: name }, name));
  $('watch-algorithm').replaceChildren(...options);
  $('watch-compare').replaceChildren(el('option', { value: '' }, 'nothing'), ...options.map(option => option.cloneNode(true)));
  const usual = ['jubilee', 'ybw'].find(name => welcome.algorithms.includes(name));
  if (usual) $('watch-algorithm').value = usual;
  if (welcome.algorithms.includes(kept.algorithm)) $('watch-algorithm').value = kept.algorithm;
  if (welcome.algorithms.includes(kept.compare)) $('watch-compare').value = kept.compare;
  if (kept.machine) $('watch-machine').value = kept.machine;
  showMachine();
  for (const key of ['processors', 'nodes', 'seed']) if (kept[key] !== undefined) $(`watch-${key}`).value = Math.min(kept[key], $(`watch-${key}`).max);
}

/** The machines have their own limits and usual sizes. */
function showMachine() {
  const { welcome } = socket;
  if (!welcome) return;
  const isVirtual = $('watch-machine').value === 'virtual';
  $('watch-processors').max = isVirtual ? welcome.most_processors : welcome.threads;
  $('watch-nodes').max = isVirtual ? welcome.most_nodes : welcome.most_nodes_of_threads;
  $('watch-processors').value = isVirtual ? 64 : welcome.threads;
  $('watch-nodes').value = isVirtual ? 20000 : 2000000;
  $('watch-seed-label').hidden = !isVirtual;
}

export function startWatch() {
  const kept = load('watch', {});
  $('watch-position').replaceChildren(
    ...EXAMPLES.map(([name], i) => el('option', { value: i }, name)), el('option', { value: 'game' }, 'The game of Play'), el('option', { value: 'fen' }, 'A FEN'));
  $('watch-position').value = kept.position ?? '3';
  $('watch-fen').value = kept.fen ?? '';
  const showFen = () => { $('watch-fen-label').hidden = $('watch-position').value !== 'fen'; };
  $('watch-position').onchange = showFen;
  $('watch-machine').onchange = showMachine;
  showFen();
  if (socket.welcome) fillForm(socket.welcome);
  else socket.addEventListener('welcome', ({ detail }) => fillForm(detail), { once: true });
  $('watch-form').onsubmit = runSearch;
  $('watch-stop').onclick = () => socket.stop();
  $('watch-play').onclick = () => (playing ? pause() : play());
  $('watch-step').onclick = () => stepBy(1);
  $('watch-back').onclick = () => stepBy(-1);
  $('watch-scrub').oninput = () => { pause(); setTime(Number($('watch-scrub').value)); };
  $('watch-speed').oninput = showSpeed;
  $('watch-zoom').oninput = () => {
    const before = begin, old = time;
    showSpeed();
    begin = Math.max(0, Math.min(longest - span(), old - span() / 2));
    if (span() >= longest) begin = 0;
    if (before !== begin) draw();
    draw();
  };
  $('watch-processor').oninput = () => {
    const text = $('watch-processor').value;
    processor = text === '' ? null : Math.max(0, Math.min(Math.max(...panels.map(panel => panel.trace.processors)) - 1, Math.floor(Number(text))));
    split = null;
    follow();
  };
  $('watch-colours').onchange = () => { showLegend(); draw(); };
  $('watch-steals').onchange = draw;
  $('watch-unfollow').onclick = () => { processor = null; split = null; follow(); };
  document.addEventListener('themechange', () => { showLegend(); draw(); });
  addEventListener('resize', draw);
  document.addEventListener('keydown', event => {
    if ($('watch').hidden || panels.length === 0 || event.altKey || event.ctrlKey || event.metaKey || event.target.closest('input, textarea, select, button, a')) return;
    if (event.key === ' ') { event.preventDefault(); if (playing) pause(); else play(); }
    if (event.key === 'ArrowRight') { event.preventDefault(); stepBy(1); }
    if (event.key === 'ArrowLeft') { event.preventDefault(); stepBy(-1); }
  });
  return { enter: () => draw(), leave: () => pause() };
}
