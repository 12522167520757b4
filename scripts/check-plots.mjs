// Drives the plots of a lab page in Chromium: node scripts/check-plots.mjs FOLDER [URL]
// FOLDER is what `jamboree lab speedup --out FOLDER` has written; URL is where a server shows its page (otherwise the file itself is opened).
// Ends with a one-line message and a non-zero code at the first failure. Needs playwright-core, as scripts/web-drive.mjs does.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const require = createRequire(`${process.cwd()}/`);
const { chromium } = require('playwright-core');
const [folder, url] = process.argv.slice(2);
if (!folder) fail('usage: node scripts/check-plots.mjs FOLDER [URL]');

function fail(text) {
  console.error(`check-plots: ${text}`);
  process.exit(1);
}

/** The rows of a CSV file without quotes, as objects. */
function table(name) {
  const [head, ...lines] = readFileSync(`${folder}/${name}`, 'utf8').trim().split('\n').map(line => line.split(','));
  return lines.map(line => Object.fromEntries(line.map((cell, index) => [head[index], cell])));
}

const is = (truth, text) => { if (!truth) throw new Error(text); };
const number = text => Number(text.replaceAll('\u202f', '').replace('\u2212', '-'));
const near = (found, expected) => Math.abs(found - expected) <= 1e-3 * Math.abs(expected); // four digits are shown

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, acceptDownloads: true });
const page = await context.newPage();
const troubles = [];
page.on('pageerror', error => troubles.push(`the page has an error: ${error.message}`));
page.on('console', message => { if (message.type() === 'error') troubles.push(`the console says: ${message.text()}`); });

const figure = page.locator('figure.picture', { has: page.locator('figcaption', { hasText: /^Speedup$/ }) });
const svg = figure.locator('svg');
const tip = page.locator('.tip');
const ticks = axis => figure.locator(`[data-axis=${axis}] text`).allTextContents();
const marks = () => figure.locator('[data-series="0"]').innerHTML();
const centre = async locator => {
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};

/** What the tip says: the x, and for each series its value and interval. */
async function read() {
  const [head, ...rows] = (await tip.innerText()).split('\n');
  const series = rows.map(row => row.match(/^(.*): (\S+)(?: \((\S+) to (\S+)\))?$/)).map(([, name, ...values]) => [name, values.map(value => value && number(value))]);
  return { x: number(head.split(': ')[1]), series: Object.fromEntries(series) };
}

const steps = {
  async 'the page is complete without its script'() {
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const other = await plain.newPage();
    await other.goto(url ?? `file://${resolve(folder)}/index.html`);
    is(await other.locator('figure.picture svg .key').count() > 0, 'there is no legend');
    is(await other.locator('figure.picture button').count() === 0, 'there are buttons that do nothing');
    await plain.close();
  },

  async 'load the page'() {
    await page.goto(url ?? `file://${resolve(folder)}/index.html`);
    is(await figure.locator('.keys button[aria-pressed=true]').count() >= 2, 'the legend has no buttons');
    await svg.scrollIntoViewIfNeeded();
  },

  async 'pointing shows the values of the CSV'() {
    const all = table('means.csv');
    const means = all.filter(mean => mean.algorithm === all[0].algorithm);
    const dots = figure.locator('[data-series="0"] circle');
    is(await dots.count() === means.length, `${await dots.count()} dots for ${means.length} rows`);
    for (const [index, mean] of means.entries()) {
      await page.mouse.move(...await centre(dots.nth(index)));
      await tip.waitFor();
      const { x, series } = await read();
      const [value, low, high] = series[mean.algorithm];
      is(x === Number(mean.processors), `x is ${x}, not ${mean.processors}`);
      is(near(value, mean.geometric) && near(low, mean.low) && near(high, mean.high), `${value} (${low} to ${high}) is not ${mean.algorithm} on ${x} processors in means.csv`);
      is(near(series.ideal[0], mean.processors), `the ideal speedup on ${x} is ${series.ideal[0]}`);
    }
    await page.mouse.move(2, 2);
    await tip.waitFor({ state: 'hidden' });
  },

  async 'the keyboard shows values, too'() {
    await svg.focus();
    await page.keyboard.press('ArrowRight');
    const first = (await read()).x;
    await page.keyboard.press('ArrowRight');
    is((await read()).x > first, 'the arrow key does not go to the next point');
    await page.keyboard.press('Escape');
    await tip.waitFor({ state: 'hidden' });
  },

  async 'a button hides a series'() {
    const button = figure.locator('.keys button').first();
    await button.click();
    is(await button.getAttribute('aria-pressed') === 'false', 'the button does not say that the series is hidden');
    is(!await figure.locator('[data-series="0"]').isVisible(), 'the series is still there');
    await button.focus();
    await page.keyboard.press('Enter');
    is(await figure.locator('[data-series="0"]').isVisible(), 'the series does not come back');
  },

  async 'a rectangle zooms, and Escape shows the whole plot again'() {
    const before = { x: await ticks('x'), y: await ticks('y'), marks: await marks() };
    const box = await svg.boundingBox();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.15 * box.height);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.9 * box.width, box.y + 0.5 * box.height, { steps: 4 });
    await page.mouse.up();
    for (const axis of ['x', 'y']) {
      const now = await ticks(axis);
      is(now.length > 1 && now.join() !== before[axis].join(), `the ticks of ${axis} are still ${now}`);
    }
    is(await marks() !== before.marks, 'the marks have not moved');
    await page.keyboard.press('Escape');
    for (const axis of ['x', 'y']) is((await ticks(axis)).join() === before[axis].join(), `the ticks of ${axis} are not restored`);
    is(await marks() === before.marks, 'the marks are not restored');
  },

  async 'the wheel zooms where the plot has the focus, a double click resets'() {
    const before = await ticks('x');
    const [x, y] = await centre(svg);
    await svg.focus();
    await page.mouse.move(x, y);
    for (let turn = 0; turn < 6; turn += 1) await page.mouse.wheel(0, -120);
    await page.waitForFunction(() => !document.querySelector('.tools button:last-child').disabled);
    is((await ticks('x')).join() !== before.join(), 'the wheel does not zoom');
    await page.mouse.dblclick(x, y);
    is((await ticks('x')).join() === before.join(), 'a double click does not reset');
  },

  async 'nothing went wrong'() {
    is(troubles.length === 0, troubles[0]);
  },
};

if (url) {
  steps['a result reaches no server'] = async () => {
    const refused = await page.evaluate(address => new Promise(done => {
      try {
        const socket = new WebSocket(address);
        socket.onopen = () => done(false);
        socket.onerror = () => done(true);
      } catch { done(true); }
    }), new URL('/socket', url.replace(/^http/, 'ws')).href);
    is(refused, 'the page has opened a WebSocket');
    is(await page.evaluate(() => origin) === 'null', 'the page has the origin of the server');
  };
  steps['a file can be downloaded'] = async () => {
    await page.evaluate(() => { document.body.append(Object.assign(document.createElement('a'), { href: 'means.csv', id: 'file', textContent: 'means' })); });
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#file')]);
    is(readFileSync(await download.path(), 'utf8') === readFileSync(`${folder}/means.csv`, 'utf8'), 'the file is another one');
  };
}

let step = 'begin';
try {
  for (const [name, run] of Object.entries(steps)) {
    step = name;
    await run();
    console.log(`plots: ${name}`);
  }
} catch (error) {
  fail(`${step}: ${error.message.split('\n')[0]}${troubles.length ? ` (${troubles[0]})` : ''}`);
} finally {
  await browser.close().catch(() => {});
}
console.log('check-plots: all steps passed');
