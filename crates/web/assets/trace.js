// A recorded search, arranged so that questions about one time are quick.
import { short } from './dom.js';

/** The number of leading entries of `values` (sorted) that are at most `limit`, between two indices. */
export function countUpTo(values, limit, low = 0, high = values.length) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1; else high = middle;
  }
  return low;
}

/** What one processor did: slices in order of time, with the work done before each one. */
class Lane {
  from = [];
  to = [];
  activity = [];
  split = [];
  workBefore = [];
  #work = 0;

  add(from, to, activity, split, isWork) {
    this.from.push(from);
    this.to.push(to);
    this.activity.push(activity);
    this.split.push(split);
    this.workBefore.push(this.#work);
    if (isWork) this.#work += to - from;
  }

  /** The slice that began last before a time, or -1. */
  before(time) { return countUpTo(this.from, time) - 1; }
}

/** A search that was recorded, or that is being recorded: parts are added, then comes its end. */
export class Trace {
  constructor(message) {
    this.message = message;
    this.processors = message.processors;
    this.activities = message.activities;
    this.working = Math.max(0, message.activities.indexOf('working'));
    this.inTicks = message.unit === 'ticks';
    this.time = 1;
    this.isOver = false;
    this.parts = 0; // grows when something is added
    this.lanes = Array.from({ length: this.processors }, () => new Lane());
    this.seen = new Set(); // the activities that occur
    this.splits = []; // { from, to, owner, parent, ply, depth, kind, move, fate, cutAt }
    this.steals = []; // [time, from, to, split], in order of time
    this.stealTimes = [];
    this.#recordEnd = 0;
  }

  #recordEnd;
  #moments = { parts: -1, list: [] };

  add({ slices, splits, ends, steals }) {
    this.parts++;
    for (const [processor, from, to, activity, split] of slices) {
      this.lanes[processor].add(from, to, activity, split, activity === this.working);
      this.seen.add(activity);
      this.#recordEnd = Math.max(this.#recordEnd, to);
    }
    for (const [from, owner, parent, ply, depth, kind, move, end] of splits) {
      this.splits.push({ from, owner, parent, ply, depth, kind, move, ...readEnd(end) });
    }
    for (const [split, end] of ends) Object.assign(this.splits[split], readEnd(end));
    // Threads may tell of steals a little out of order.
    for (const steal of steals) {
      let place = this.steals.length;
      while (place > 0 && this.stealTimes[place - 1] > steal[0]) place--;
      this.steals.splice(place, 0, steal);
      this.stealTimes.splice(place, 0, steal[0]);
    }
    this.time = Math.max(this.time, this.#recordEnd);
  }

  end(summary) {
    this.parts++;
    this.isOver = true;
    Object.assign(this.message, summary);
    this.time = Math.max(1, summary.time);
    for (const split of this.splits) if (split.to === Infinity) split.to = this.time;
  }

  /** Until when there is a record. */
  get recordEnd() { return this.message.truncated || !this.isOver ? this.#recordEnd : this.time; }

  /** When something happens, for stepping. */
  get moments() {
    if (this.#moments.parts !== this.parts) {
      const all = new Set([0, this.time, ...this.stealTimes]);
      for (const { from, to, cutAt } of this.splits) {
        all.add(from);
        if (to < Infinity) all.add(to);
        if (cutAt !== null) all.add(cutAt);
      }
      this.#moments = { parts: this.parts, list: Float64Array.from(all).sort() };
    }
    return this.#moments.list;
  }

  /** The slice of a processor at a time, or null. */
  sliceAt(processor, time) {
    const lane = this.lanes[processor];
    const i = lane.before(time);
    return i >= 0 && lane.to[i] > time ? { activity: lane.activity[i], split: lane.split[i] } : null;
  }

  /** At a time: the work so far, the busy processors, and the helpers of each split point. */
  at(time) {
    let work = 0, busy = 0;
    const helpers = new Map();
    this.lanes.forEach((lane, p) => {
      const i = lane.before(time);
      if (i < 0) return;
      work += lane.workBefore[i];
      if (lane.activity[i] !== this.working) return;
      work += Math.min(time, lane.to[i]) - lane.from[i];
      if (lane.to[i] <= time) return;
      busy++;
      const split = lane.split[i];
      if (split >= 0 && this.splits[split].owner !== p) helpers.set(split, (helpers.get(split) ?? 0) + 1);
    });
    return { work, busy, helpers };
  }

  /** The split points that are alive at a time, and at most `most` of those that ended up to `fade` before. */
  alive(time, fade = 0, most = 0) {
    const found = [], dead = [];
    this.splits.forEach(({ from, to }, i) => {
      if (from > time) return;
      if (to > time) found.push(i);
      else if (to + fade > time) dead.push(i);
    });
    if (dead.length > most) dead.sort((a, b) => this.splits[b].to - this.splits[a].to).length = most;
    // A parent has a smaller number than its children.
    return dead.length ? [...found, ...dead].sort((a, b) => a - b) : found;
  }

  /** The move that leads to a split point. */
  moveOf(index) {
    const { ply, move } = this.splits[index];
    return move || (ply === 0 ? 'root' : 'pass');
  }

  /** What a split point is, in words. */
  splitName(index) {
    if (index < 0) return 'the root';
    const { owner, ply, depth, kind } = this.splits[index];
    return `split point ${index} (${this.moveOf(index)}, ${kind}, ply ${ply}, depth ${depth}, owner ${owner})`;
  }

  /** A time in words; `step` is the distance of times that are to look different. */
  timeText(time, step = time / 100) {
    if (this.inTicks) return step >= 1000 ? short(time) : String(Math.round(time));
    const [size, unit] = time >= 1e9 && step >= 1e6 ? [1e9, 's'] : time >= 1e6 && step >= 1e3 ? [1e6, 'ms'] : [1e3, 'µs'];
    const digits = Math.max(0, Math.min(3, Math.ceil(-Math.log10(Math.max(step, 1) / size))));
    return `${(time / size).toFixed(digits)} ${unit}`;
  }
}

/** What a split point's end says; one that is not over lasts. */
const readEnd = ([to, fate, cutAt]) => ({ to: to < 0 ? Infinity : to, fate, cutAt: cutAt < 0 ? null : cutAt });

// Colours that colour-blind people can tell apart (after Okabe and Ito), as [red, green, blue].
const HUES = [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [240, 228, 66], [213, 94, 0]];
const OWN = [0, 114, 178];
// Activities other than work: [light, dark]. Those of an idle processor are grey.
const OTHERS = {
  looking: [[228, 226, 220], [50, 55, 60]],
  back_off: [[206, 204, 210], [72, 76, 84]],
  waiting: [[164, 163, 170], [104, 108, 116]],
  sharing: [[90, 74, 140], [150, 134, 200]],
  answering: [[120, 92, 50], [176, 146, 98]],
  serving: [[150, 130, 90], [140, 118, 76]],
  table: [[70, 100, 110], [130, 165, 176]],
  network: [[40, 50, 60], [200, 208, 214]],
  dismissal: [[150, 60, 90], [214, 130, 160]],
};
const UNKNOWN = [[130, 120, 130], [130, 120, 130]];

/** The colour of a split point. */
export const splitColour = split => (split < 0 ? OWN : HUES[split % HUES.length]);
export const HUE_COUNT = HUES.length;

/** The colour of an activity; work has the colour of its split point if that is wanted. */
export function sliceColour(trace, activity, split, dark, bySplit) {
  if (activity === trace.working) return bySplit ? splitColour(split) : split < 0 ? OWN : HUES[0];
  return (OTHERS[trace.activities[activity]] ?? UNKNOWN)[dark ? 1 : 0];
}

export const css = ([r, g, b], alpha = 1) => `rgb(${r} ${g} ${b} / ${alpha})`;
