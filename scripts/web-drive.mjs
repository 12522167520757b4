// Drives the page in Debian's Chromium: node scripts/web-drive.mjs http://127.0.0.1:8064/
// Ends with a one-line message and a non-zero code at the first failure. Needs playwright-core (in NODE_PATH or the working directory);
// CHROMIUM names another browser. With SHOTS=DIRECTORY it leaves a picture of each view. With BOOK=yes the server's opening book must have
// e4 and d4 for the usual start, with TABLES=yes the server must have endgame tables of 4 pieces.
import { createRequire } from 'node:module';

const require = createRequire(`${process.cwd()}/`);
const { chromium } = require('playwright-core');
const url = process.argv[2];
if (!url) fail('usage: node scripts/web-drive.mjs URL');
const PATIENCE = 30_000; // milliseconds for one answer: the machine may be slow

const MATE_IN_ONE = '6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1';
const PAWN_ENDING = '8/8/4k3/8/4K3/8/4P3/8 w - - 0 1';
const PROMOTION = '8/P6k/8/8/8/8/8/K7 w - - 0 1';
const GAME = `[Event "test"]
[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0
`;

function fail(text) {
  console.error(`web-drive: ${text}`);
  process.exit(1);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1300, height: 900 } });
const page = await context.newPage();
page.setDefaultTimeout(PATIENCE);
const troubles = [];
page.on('pageerror', error => troubles.push(`the page has an error: ${error.message}`));
page.on('console', message => { if (message.type() === 'error') troubles.push(`the console says: ${message.text()}`); });

let step = 'begin';
const is = (truth, text) => { if (!truth) throw new Error(text); };
const text = selector => page.locator(selector).innerText();
const waitForText = (selector, pattern) => page.waitForFunction(
  ([s, p]) => new RegExp(p).test(document.querySelector(s)?.textContent ?? ''), [selector, pattern], { timeout: PATIENCE });
const square = (board, name) => page.locator(`#${board} [data-square=${name}]`);
const hasPiece = (board, name, letter) => page.waitForFunction(
  ([b, n, l]) => (document.querySelector(`#${b} [data-square=${n}]`).dataset.piece ?? '') === l, [board, name, letter], { timeout: PATIENCE });
const shot = async name => { if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true }); };

async function click(board, from, to) {
  await square(board, from).click();
  await square(board, to).click();
}

async function drag(board, from, to) {
  const a = await square(board, from).boundingBox(), b = await square(board, to).boundingBox();
  await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
  await page.mouse.down();
  await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 4 });
  await page.mouse.up();
}

async function newGame({ fen = null, number = null, seconds = '0.3', colour = 'white', full = false }) {
  if (await page.locator('#new-game-form').isHidden()) await page.click('#new-game');
  await page.setChecked('#full-strength', full); // at full strength the engine uses all of its time
  await page.check('input[name=clock][value=move]');
  await page.fill('#move-seconds', seconds);
  await page.check(`input[name=colour][value=${colour}]`);
  await page.check(`input[name=start][value="${fen ? 'fen' : number === null ? 'usual' : '960'}"]`);
  if (fen) await page.fill('#start-fen-text', fen);
  if (number !== null) await page.fill('#start-number', String(number));
  await page.click('#start-game');
}

const steps = {
  async 'load the page'() {
    await page.goto(url);
    await waitForText('#connection', '^$');
    is(await page.locator('#play-board [data-square]').count() === 64, 'the board does not have 64 squares');
  },

  async 'mate in one ends the game'() {
    await newGame({ fen: MATE_IN_ONE });
    await hasPiece('play-board', 'a1', 'R');
    await page.waitForSelector('#play-board [data-square=a1].movable');
    await square('play-board', 'a1').click();
    await page.waitForSelector('#play-board [data-square=a8].target');
    await square('play-board', 'a8').click();
    await waitForText('#play-status', 'You win by checkmate');
    await page.click('#pgn-box summary');
    await page.waitForFunction(() => /Ra8#\s+1-0/.test(document.getElementById('pgn-text').value));
  },

  async 'take back after the end'() {
    await page.click('#take-back');
    await hasPiece('play-board', 'a1', 'R');
    await waitForText('#play-status', 'Your move');
  },

  async 'a promotion asks for the piece'() {
    await newGame({ fen: PROMOTION });
    await page.waitForSelector('#play-board [data-square=a7].movable');
    await click('play-board', 'a7', 'a8');
    await page.click('[data-promote=r]');
    await hasPiece('play-board', 'a8', 'R');
    await waitForText('#play-moves', 'a8=R');
  },

  async 'play two moves, by drag and by keyboard'() {
    await newGame({});
    await page.waitForSelector('#play-board [data-square=e2].movable');
    await drag('play-board', 'e2', 'e4');
    await page.waitForSelector('#play-moves [data-ply="2"]');
    await waitForText('#play-status', 'Your move');
    await square('play-board', 'a2').focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('#play-board [data-square=a3].target');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#play-moves [data-ply="4"]');
    await waitForText('#play-status', 'Your move');
  },

  async 'look back and take back'() {
    await page.click('#play-moves [data-ply="1"]');
    await waitForText('#play-status', 'earlier position');
    await page.click('#play-last');
    await page.click('#take-back');
    await page.waitForFunction(() => document.querySelectorAll('#play-moves .move').length === 2);
    await hasPiece('play-board', 'a2', 'P');
  },

  async 'a hint is drawn'() {
    await page.click('#hint');
    await page.waitForSelector('#play-board .arrow', { state: 'attached' });
    await shot('play');
  },

  async 'a queued move is played'() {
    await newGame({ seconds: '2', full: true });
    await page.waitForSelector('#play-board [data-square=e2].movable');
    await click('play-board', 'g1', 'f3');
    await waitForText('#play-status', 'engine thinks');
    await click('play-board', 'h2', 'h3');
    await page.waitForSelector('#play-board [data-square=h3].premove');
    await page.waitForSelector('#play-moves [data-ply="3"]');
    await waitForText('#play-moves', 'h3');
  },

  async 'reload while the engine thinks'() {
    await newGame({ seconds: '2', full: true });
    await page.waitForSelector('#play-board [data-square=d2].movable');
    await click('play-board', 'd2', 'd4');
    await waitForText('#play-status', 'engine thinks');
    await page.reload();
    await page.waitForSelector('#play-moves [data-ply="2"]');
    await hasPiece('play-board', 'd4', 'P');
    await waitForText('#play-status', 'Your move');
  },

  async 'Chess960 begins, Black lets the engine begin'() {
    await newGame({ number: 0, colour: 'black' });
    await page.waitForSelector('#play-moves [data-ply="1"]');
    await hasPiece('play-board', 'a8', 'b');
    await page.click('#resign');
    await waitForText('#play-status', 'engine wins by resignation');
  },

  async 'a wrong FEN gives a message'() {
    await newGame({ fen: '8/8/8 w' });
    await page.waitForSelector('[data-test=message]');
    await page.click('[data-test=message] button');
    is(await page.locator('[data-test=message]').count() === 0, 'the message does not go away');
  },

  async 'import a PGN'() {
    await page.click('#nav-analyse');
    await page.click('#import-box summary');
    await page.fill('#import-text', GAME);
    await page.click('#import-go');
    await page.waitForSelector('#analyse-moves [data-ply="7"]');
    await page.keyboard.press('End');
    await page.click('#analyse-last');
    await hasPiece('analyse-board', 'f7', 'Q');
    await waitForText('#analyse-status', '1-0');
    await page.click('#analyse-previous');
    await hasPiece('analyse-board', 'h5', 'Q');
  },

  async 'analyse a position'() {
    await page.selectOption('#analyse-lines', '2');
    await page.click('#analyse-toggle');
    await page.waitForFunction(() => document.querySelectorAll('[data-test=line]').length === 2);
    await waitForText('[data-test=line]', 'Qxf7#');
    await waitForText('#search-facts', 'nodes a second');
    is(await page.locator('#analyse-board .arrow').count() > 0, 'the best move has no arrow');
    await shot('analyse');
    await page.click('#analyse-toggle');
    await waitForText('#analyse-toggle', 'Start');
  },

  async 'annotate the game'() {
    await page.selectOption('#annotate-time', '200');
    await page.click('#annotate');
    await waitForText('#annotate-progress', 'Done');
    is(/Nf6\?\?/.test(await text('#analyse-moves')), 'the blunder is not marked');
    await page.locator('#graph svg').click({ position: { x: 2, y: 20 } });
    await hasPiece('analyse-board', 'e2', 'P');
    await shot('annotate');
  },

  async 'the opening book is shown, and a click plays its move'() {
    if (process.env.BOOK !== 'yes') return;
    await page.click('#analyse-clear');
    await waitForText('#book-moves', 'e4.*75 %.*d4.*25 %');
    await shot('book');
    await page.locator('[data-test=book-move]').first().click();
    await hasPiece('analyse-board', 'e4', 'P');
    await page.waitForSelector('#lookup', { state: 'hidden' });
  },

  async 'the endgame tables are shown, and a click plays a move'() {
    if (process.env.TABLES !== 'yes') return;
    await page.click('#import-box summary');
    await page.fill('#import-text', PAWN_ENDING);
    await page.click('#import-go');
    await waitForText('#table-verdict', 'White wins1 half-move to');
    is(await page.locator('[data-test=table-move]').count() === 6, 'not all legal moves have a value');
    await waitForText('#table-moves', '^e3win 1.*draw');
    await shot('tables');
    await page.locator('[data-test=table-move]').first().click();
    await waitForText('#analyse-moves', 'e3');
    await waitForText('#table-moves', '^K..loss');
  },

  async 'watch 64 processors'() {
    await page.click('#nav-watch');
    await page.fill('#watch-processors', '64');
    await page.fill('#watch-nodes', '10000');
    await page.click('#watch-run');
    await page.waitForSelector('[data-test=lanes]', { timeout: 4 * PATIENCE });
    await page.waitForFunction(() => Number(document.getElementById('watch-scrub').value) > 0);
    await page.click('#watch-play');
    const speedup = Number(await text('[data-result=speedup]'));
    is(speedup > 1 && speedup <= 64 * 4, `the speedup ${speedup} is not believable`);
    await page.evaluate(() => {
      const scrub = document.getElementById('watch-scrub');
      scrub.value = Number(scrub.max) / 2;
      scrub.dispatchEvent(new Event('input'));
    });
    await page.waitForFunction(() => parseInt(document.querySelector('[data-counter=busy]').textContent, 10) > 0);
    const before = await page.inputValue('#watch-scrub');
    await page.click('#watch-step');
    await page.waitForFunction(old => document.getElementById('watch-scrub').value !== old, before);
    const drawn = await page.evaluate(() => {
      const canvas = document.querySelector('[data-test=lanes]');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4 * 7) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
      return seen.size;
    });
    is(drawn > 4, `the lanes show ${drawn} colours only`);
    await page.locator('[data-test=lanes]').click({ position: { x: 200, y: 60 } });
    await page.waitForSelector('#watch-follow:not([hidden])');
    await page.click('#watch-unfollow');
    await shot('watch');
  },

  async 'watch threads while they search'() {
    await page.selectOption('#watch-machine', 'threads');
    await page.fill('#watch-nodes', '1500000');
    await page.click('#watch-run');
    await page.waitForFunction(() => /threads…/.test(document.getElementById('watch-status').textContent), null, { timeout: 4 * PATIENCE });
    // The picture grows before the search is over.
    await page.waitForFunction(() => Number(document.getElementById('watch-scrub').max) > 1e7 && !document.getElementById('watch-stop').hidden);
    await waitForText('#watch-status', 'speedup [0-9.]+ on');
    is(Number(await text('[data-result=speedup]')) > 0.2, 'threads have no speedup');
    await page.evaluate(() => {
      const set = (id, value) => {
        const field = document.getElementById(id);
        field.value = value(field);
        field.dispatchEvent(new Event('input'));
      };
      set('watch-scrub', field => Number(field.max) / 2);
      set('watch-zoom', () => 100);
    });
    await shot('watch-threads');
    await page.selectOption('#watch-machine', 'virtual');
    await page.fill('#watch-nodes', '10000');
  },

  async 'compare two algorithms'() {
    const names = await page.locator('#watch-compare option').evaluateAll(options => options.map(option => option.value).filter(Boolean));
    const first = await page.inputValue('#watch-algorithm');
    await page.selectOption('#watch-compare', names.find(name => name !== first));
    await page.click('#watch-run');
    await page.waitForFunction(() => document.querySelectorAll('[data-test=lanes]').length === 2, null, { timeout: 4 * PATIENCE });
    await shot('compare');
  },

  async 'start an experiment'() {
    await page.click('#nav-lab');
    await page.fill('#lab-processors', '4');
    await page.fill('#lab-positions', '1');
    await page.fill('#lab-nodes', '2000');
    await page.click('#lab-start');
    await page.waitForSelector('#lab-page', { timeout: 2 * PATIENCE });
    const result = await context.newPage();
    await result.goto(new URL(await page.getAttribute('#lab-page', 'href'), url).href);
    is(/Speedup/.test(await result.title()), 'the page of the experiment has no title');
    await result.close();
    await waitForText('#lab-results li', 'Speedup on 1 ');
    await shot('lab');
  },

  async 'a phone shows no sideways scroll bar'() {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const view of ['play', 'analyse', 'watch', 'lab']) {
      await page.click(`#nav-${view}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      is(wide <= 390, `${view} is ${wide} pixels wide`);
      await shot(`phone-${view}`);
    }
  },

  async 'first paint'() {
    const times = [];
    for (let visit = 0; visit < 7; visit++) {
      const fresh = await browser.newContext(); // with an empty cache
      const visitor = await fresh.newPage();
      await visitor.goto(url);
      times.push(await visitor.evaluate(() => new Promise(found => {
        const told = list => { const paint = list.getEntriesByName('first-contentful-paint')[0]; if (paint) found(Math.round(paint.startTime)); };
        new PerformanceObserver(told).observe({ type: 'paint', buffered: true });
      })));
      await fresh.close();
    }
    times.sort((a, b) => a - b);
    console.log(`first paint of 7 visits: ${times[0]} to ${times[6]} ms, median ${times[3]}`);
    is(times[3] < 1000, `the first paint takes ${times[3]} ms`);
  },

  async 'nothing went wrong in the page'() {
    is(troubles.length === 0, troubles[0]);
  },
};

const without = process.argv.slice(3); // names of steps to leave out, for a server that can't do all yet
try {
  for (const [name, run] of Object.entries(steps)) {
    if (without.some(part => name.includes(part))) continue;
    step = name;
    const began = Date.now();
    await run();
    console.log(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  }
} catch (error) {
  await shot('failure').catch(() => {});
  fail(`${step}: ${error.message.split('\n')[0]}${troubles.length ? ` (${troubles[0]})` : ''}`);
} finally {
  await browser.close().catch(() => {});
}
console.log('web-drive: all steps passed');
