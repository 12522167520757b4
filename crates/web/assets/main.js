// Begins the page: the views, the theme, the connection.
import { $, load, save, isDark, showMessage } from './dom.js';
import { addPieceSymbols } from './pieces.js';
import { socket } from './socket.js';
import { startPlay } from './play.js';

const VIEWS = ['play', 'analyse', 'watch', 'lab'];
const NAMES = { play: 'Play', analyse: 'Analyse', watch: 'Watch', lab: 'Lab' };
const modules = {}; // the views that were opened, with their handlers

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  document.dispatchEvent(new Event('themechange'));
}

setTheme(load('theme'));
$('theme').addEventListener('click', () => {
  const theme = isDark() ? 'light' : 'dark';
  save('theme', theme);
  setTheme(theme);
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => document.dispatchEvent(new Event('themechange')));

socket.addEventListener('state', ({ detail }) => {
  $('connection').textContent = detail.good ? '' : detail.text;
  $('connection').classList.toggle('bad', !detail.good);
});
socket.addEventListener('welcome', ({ detail }) => { $('connection').title = `Jamboree ${detail.version}`; });
socket.addEventListener('error', ({ detail }) => showMessage(detail.message));
window.addEventListener('unhandledrejection', event => {
  // The server's errors were shown when they came.
  if (event.reason?.shown) event.preventDefault();
  else showMessage(`The page has an error: ${event.reason?.message ?? event.reason}`);
});

addPieceSymbols();
modules.play = startPlay();

/** Shows the view that the address names; loads its code on the first visit. */
async function route() {
  const name = VIEWS.includes(location.hash.slice(1)) ? location.hash.slice(1) : 'play';
  for (const view of VIEWS) {
    $(view).hidden = view !== name;
    if (view === name) $(`nav-${view}`).setAttribute('aria-current', 'page');
    else $(`nav-${view}`).removeAttribute('aria-current');
  }
  document.title = `${NAMES[name]} – Jamboree`;
  for (const view of VIEWS) if (view !== name) modules[view]?.leave?.();
  if (name === 'analyse') modules.analyse ??= (await import('./analyse.js')).startAnalyse();
  if (name === 'watch') modules.watch ??= (await import('./watch.js')).startWatch();
  if (name === 'lab') modules.lab ??= (await import('./lab.js')).startLab();
  if (!$(name).hidden) modules[name]?.enter?.();
}

window.addEventListener('hashchange', route);
route();
socket.connect();
