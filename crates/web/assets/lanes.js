// Draws a trace's lanes: one row a processor over time, with the steals and the number of busy processors.
import { countUpTo, HUE_COUNT, sliceColour } from './trace.js';
import { isDark } from './dom.js';

const AXIS = 18; // the height of the time axis
const GAP = 6;
const STRIP = 40; // the height of the chart of busy processors
const GUTTER = 30; // the width of the processors' numbers

export class Lanes {
  /** `onTime(time)`: a click on the axis; `onProcessor(p)`: a click on a lane; `onHover(text)`. */
  constructor(canvas, trace, { onTime, onProcessor, onHover }) {
    this.canvas = canvas;
    this.trace = trace;
    this.handlers = { onTime, onProcessor, onHover };
    this.key = '';
    this.laneHeight = Math.max(1, Math.min(trace.processors <= 4 ? 40 : 20, Math.floor(512 / trace.processors)));
    this.lanesHeight = this.laneHeight * trace.processors;
    this.height = AXIS + this.lanesHeight + GAP + STRIP;
    canvas.style.height = `${this.height}px`;
    let scrubbing = false;
    canvas.addEventListener('pointerdown', event => {
      const { x, y } = this.#point(event);
      if (y > AXIS && y < AXIS + this.lanesHeight) { onProcessor(Math.floor((y - AXIS) / this.laneHeight)); return; }
      scrubbing = true;
      canvas.setPointerCapture(event.pointerId);
      onTime(this.#time(x));
    });
    canvas.addEventListener('pointermove', event => {
      const { x, y } = this.#point(event);
      if (scrubbing) onTime(this.#time(x));
      else onHover(this.#describe(x, y));
    });
    canvas.addEventListener('pointerup', () => { scrubbing = false; });
    canvas.addEventListener('pointercancel', () => { scrubbing = false; });
    canvas.addEventListener('pointerleave', () => onHover(''));
  }

  #point(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #time(x) {
    const width = this.width - GUTTER;
    return this.begin + Math.min(1, Math.max(0, (x - GUTTER) / width)) * this.span;
  }

  #describe(x, y) {
    const { trace } = this;
    if (y <= AXIS || y >= AXIS + this.lanesHeight || x < GUTTER) return '';
    const p = Math.floor((y - AXIS) / this.laneHeight);
    const time = this.#time(x);
    const slice = trace.sliceAt(p, time);
    const what = !slice ? 'nothing recorded'
      : trace.activities[slice.activity].replaceAll('_', ' ') + (slice.activity === trace.working ? ` at ${trace.splitName(slice.split)}` : '');
    return `Processor ${p} at ${trace.timeText(time, this.span / 1000)}: ${what}`;
  }

  /** Draws the lanes of the visible time once; frames copy this picture. */
  #build(view) {
    const { trace } = this;
    const ratio = this.ratio;
    const width = Math.max(1, Math.round((this.width - GUTTER) * ratio));
    const rows = Math.max(1, Math.round(this.laneHeight * ratio));
    const gap = this.laneHeight >= 4 ? Math.max(1, Math.round(ratio)) : 0;
    const height = rows * trace.processors;
    this.picture ??= document.createElement('canvas');
    Object.assign(this.picture, { width, height });
    const context = this.picture.getContext('2d');
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const busy = new Float32Array(width);
    const dark = isDark();
    const ground = dark ? [29, 34, 38] : [255, 255, 255];
    const pack = (r, g, b) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    // The colour of a slice; dimmed colours come close to the ground.
    const cache = new Map();
    const colour = (p, lane, i) => {
      const activity = lane.activity[i], split = lane.split[i];
      const dim = view.processor !== null ? p !== view.processor : view.split !== null && !(split === view.split && activity === trace.working);
      const key = (activity * 2 + (dim ? 1 : 0)) * 16 + (split < 0 ? 15 : split % HUE_COUNT);
      let value = cache.get(key);
      if (value === undefined) {
        const rgb = sliceColour(trace, activity, split, dark, view.bySplit).map((c, k) => Math.round(dim ? c * 0.16 + ground[k] * 0.84 : c));
        cache.set(key, value = { rgb, packed: pack(...rgb) });
      }
      return value;
    };
    const step = this.span / width;
    const { working } = trace;
    trace.lanes.forEach((lane, p) => {
      const { from, to, activity } = lane;
      const end = from.length;
      const line = p * rows * width;
      let i = Math.max(0, lane.before(this.begin));
      for (let x = 0; x < width; x++) {
        const left = this.begin + x * step, right = left + step;
        while (i < end && to[i] <= left) i++;
        if (i >= end) break;
        if (from[i] >= right) continue;
        if (from[i] <= left && to[i] >= right) {
          if (activity[i] === working) busy[x]++;
          pixels[line + x] = colour(p, lane, i).packed;
          continue;
        }
        // Several slices share the pixel: their colours are mixed by their times.
        let r = 0, g = 0, b = 0, rest = 1;
        for (; i < end && from[i] < right; i++) {
          const share = (Math.min(to[i], right) - Math.max(from[i], left)) / step;
          const { rgb } = colour(p, lane, i);
          r += rgb[0] * share;
          g += rgb[1] * share;
          b += rgb[2] * share;
          rest -= share;
          if (activity[i] === working) busy[x] += share;
          if (to[i] > right) break;
        }
        if (i >= end || from[i] >= right) i = Math.max(0, i - 1);
        rest = Math.max(0, rest);
        pixels[line + x] = pack(Math.min(255, r + ground[0] * rest), Math.min(255, g + ground[1] * rest), Math.min(255, b + ground[2] * rest));
      }
      for (let row = 1; row < rows - gap; row++) pixels.copyWithin(line + row * width, line, line + width);
    });
    context.putImageData(image, 0, 0);
    this.busy = busy;
  }

  /** Draws a frame. `view`: time, begin, span, steals, bySplit, processor and split (followed, or null), fade. */
  draw(view) {
    const canvas = this.canvas;
    this.width = canvas.clientWidth;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    if (this.width < GUTTER + 10) return;
    this.begin = view.begin;
    this.span = view.span;
    const key = [this.width, this.ratio, view.begin, view.span, view.bySplit, view.processor, view.split, isDark(), this.trace.parts].join();
    if (key !== this.key) {
      this.key = key;
      const w = Math.round(this.width * this.ratio), h = Math.round(this.height * this.ratio);
      if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
      this.#build(view);
    }
    const context = canvas.getContext('2d');
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    const dark = isDark();
    const ink = dark ? '#cfd4d6' : '#3b4247';
    const width = this.width - GUTTER;
    const x = time => GUTTER + (time - view.begin) / view.span * width;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.picture, GUTTER, AXIS, width, this.lanesHeight);
    this.#drawBusy(context, dark);
    // What comes after the cursor is pale.
    const now = Math.min(this.width, Math.max(GUTTER, x(view.time)));
    context.fillStyle = dark ? 'rgb(20 23 26 / .72)' : 'rgb(244 242 238 / .72)';
    context.fillRect(now, AXIS, this.width - now, this.height - AXIS);
    this.#drawAxis(context, x, ink);
    this.#drawMissing(context, x, ink);
    if (view.steals) this.#drawSteals(context, x, view, ink);
    context.fillStyle = '#d55e00';
    context.fillRect(now - 1, AXIS - 4, 2, this.height - AXIS + 4);
    if (view.processor !== null && view.processor < this.trace.processors) {
      context.strokeStyle = '#d55e00';
      context.lineWidth = 1;
      const top = AXIS + view.processor * this.laneHeight;
      context.strokeRect(GUTTER - 0.5, top - 0.5, width, this.laneHeight + 1);
      if (this.laneHeight < 8) this.#magnify(context, view.processor, top, width);
    }
  }

  #drawAxis(context, x, ink) {
    context.fillStyle = ink;
    context.font = '10px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    const rough = this.span / Math.max(2, (this.width - GUTTER) / 90);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, [1, 2, 5, 10].map(n => n * power).find(n => n >= rough) ?? rough);
    for (let t = Math.ceil(this.begin / step) * step; t <= this.begin + this.span; t += step) {
      const at = x(t);
      context.fillRect(at, AXIS - 5, 1, 4);
      if (at < this.width - 30) context.fillText(this.trace.timeText(t, step), at + 3, 7);
    }
    context.textAlign = 'right';
    let every = 1;
    while (every * this.laneHeight < 12) every *= 2;
    for (let p = 0; p < this.trace.processors; p += every) {
      context.fillText(String(p), GUTTER - 4, AXIS + p * this.laneHeight + Math.min(this.laneHeight, 12) / 2 + 1);
    }
    context.fillText('busy', GUTTER - 4, this.height - STRIP / 2);
  }

  /** Shows a thin lane once more, higher, beside itself. */
  #magnify(context, processor, top, width) {
    const height = 16;
    const y = top + 24 < AXIS + this.lanesHeight ? top + this.laneHeight + 4 : top - height - 4;
    const row = Math.round(this.laneHeight * this.ratio) * processor;
    context.drawImage(this.picture, 0, row, this.picture.width, 1, GUTTER, y, width, height);
    context.strokeRect(GUTTER - 0.5, y - 0.5, width, height + 1);
  }

  /** Says where a record that was too long ends. */
  #drawMissing(context, x, ink) {
    const { trace } = this;
    if (!trace.isOver || trace.recordEnd >= trace.time) return;
    const from = Math.max(GUTTER, x(trace.recordEnd)), to = Math.min(this.width, x(trace.time));
    if (to - from < 4) return;
    context.save();
    context.strokeStyle = context.fillStyle = ink;
    context.globalAlpha = 0.5;
    context.setLineDash([4, 4]);
    context.strokeRect(from + 0.5, AXIS + 0.5, to - from - 1, this.lanesHeight - 1);
    context.globalAlpha = 0.9;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    if (to - from > 80) context.fillText('not recorded', (from + to) / 2, AXIS + this.lanesHeight / 2);
    context.restore();
  }

  #drawBusy(context, dark) {
    const top = AXIS + this.lanesHeight + GAP;
    context.fillStyle = dark ? '#252b30' : '#e9e6df';
    context.fillRect(GUTTER, top, this.width - GUTTER, STRIP);
    context.fillStyle = dark ? '#4ea6d6' : '#0072b2';
    context.beginPath();
    context.moveTo(GUTTER, top + STRIP);
    const n = this.busy.length;
    for (let i = 0; i < n; i++) context.lineTo(GUTTER + (i + 0.5) / n * (this.width - GUTTER), top + STRIP * (1 - this.busy[i] / this.trace.processors));
    context.lineTo(this.width, top + STRIP);
    context.fill();
  }

  /** Small arrows from the owner's lane to the helper's lane. Few steals: all before the cursor; many: only the newest. */
  #drawSteals(context, x, view, ink) {
    const { trace } = this;
    const followed = view.processor !== null || view.split !== null;
    const last = countUpTo(trace.stealTimes, view.time);
    let first = countUpTo(trace.stealTimes, view.begin - 1);
    const most = trace.processors <= 16 ? 150 : trace.processors <= 64 ? 50 : 20;
    if (!followed && last - first > most) first = last - most;
    const middle = p => AXIS + (p + 0.5) * this.laneHeight;
    for (let i = first; i < last; i++) {
      const [time, from, to, split] = trace.steals[i];
      if (view.processor !== null && view.processor !== from && view.processor !== to) continue;
      if (view.split !== null && view.split !== split) continue;
      if (from === to) continue;
      const at = x(time);
      const age = (view.time - time) / (view.fade || 1);
      context.globalAlpha = age < 1 ? 1 - age * 0.7 : 0.3;
      context.strokeStyle = context.fillStyle = ink;
      context.lineWidth = 1;
      const y1 = middle(from), y2 = middle(to), head = y2 > y1 ? -5 : 5;
      context.beginPath();
      context.moveTo(at, y1);
      context.lineTo(at, y2 + head * 0.6);
      context.stroke();
      context.beginPath();
      context.moveTo(at, y2);
      context.lineTo(at - 3, y2 + head);
      context.lineTo(at + 3, y2 + head);
      context.fill();
    }
    context.globalAlpha = 1;
  }
}
