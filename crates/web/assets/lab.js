// The Lab view: starts experiments, shows how far they are, and lists results.
import { $, el, announce } from './dom.js';
import { currentGame } from './play.js';
import { where } from './game.js';
import { socket } from './socket.js';

const INTERVAL = 1500; // milliseconds between two looks at the results

let timer = null;
let running = null; // the name of the experiment that runs
let listed = null; // the results that are shown

/** A page of results: what it is about, when it was written, and its folder. */
function result({ name, page, title, written }) {
  const link = el('a', { href: page, target: '_blank', rel: 'noopener' }, title);
  const date = new Date(written).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  return el('li', {}, link, el('span', { class: 'about' }, name ? `${date}, ${name}` : date));
}

/** Shows what the server says about the lab. */
function show({ folder, list, running: now, failure }) {
  $('lab-folder').textContent = folder;
  const text = JSON.stringify(list);
  if (text !== listed) {
    listed = text;
    $('lab-results').replaceChildren(...(list.length ? list.map(result) : [el('li', {}, 'None yet.')]));
  }
  $('lab-start').disabled = Boolean(now);
  $('lab-stop').hidden = !now;
  if (now) {
    $('lab-status').textContent = `${now.name} is running. ${now.text}`;
  } else if (failure) {
    $('lab-status').textContent = `The experiment failed: ${failure}`;
  } else if (running) {
    const done = list.find(({ name }) => name === running);
    $('lab-status').replaceChildren(...(done
      ? [`${running} is done: `, el('a', { href: done.page, target: '_blank', rel: 'noopener', id: 'lab-page' }, 'read its page')]
      : [`${running} was stopped. Start it again to go on with it.`]));
    announce(done ? 'The experiment is done' : 'The experiment was stopped');
  }
  running = now?.name ?? null;
}

async function look() {
  clearTimeout(timer);
  show(await socket.request({ type: 'results' }));
  timer = setTimeout(look, INTERVAL);
}

async function start(event) {
  event.preventDefault();
  const game = currentGame();
  const experiment = {
    kind: $('lab-kind').value,
    algorithm: $('lab-algorithm').value,
    processors: $('lab-processors').value.split(',').map(Number),
    positions: Number($('lab-positions').value),
    nodes: Number($('lab-nodes').value),
  };
  show(await socket.request({ type: 'experiment', ...(game ? where(game) : {}), experiment }));
}

/** Fields that the kind of experiment has no use for are hidden. */
function fitFields() {
  const kind = $('lab-kind').value;
  $('lab-processors-label').hidden = kind === 'predict';
  $('lab-positions-label').hidden = kind === 'profile';
}

function fillAlgorithms() {
  const names = socket.welcome?.algorithms ?? [];
  const chosen = $('lab-algorithm').value || 'jubilee';
  $('lab-algorithm').replaceChildren(...names.map(name => el('option', { value: name, selected: name === chosen }, name)));
}

export function startLab() {
  $('lab-form').addEventListener('submit', start);
  $('lab-stop').addEventListener('click', async () => show(await socket.request({ type: 'stop_experiment' })));
  $('lab-kind').addEventListener('change', fitFields);
  socket.addEventListener('welcome', fillAlgorithms);
  fillAlgorithms();
  fitFields();
  return { enter: look, leave: () => clearTimeout(timer) };
}
