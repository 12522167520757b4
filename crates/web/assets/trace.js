// A recorded search, arranged so that questions about one time are quick.

/** The number of leading entries of `values` (sorted) that are at most `limit`, between two indices. */
export function countUpTo(values, limit, low = 0, high = values.length) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1; else high = middle;
  }
  return low;
}

export class Trace {
  constructor(message) {
    this.message = message;
    this.processors = message.processors;
    this.time = Math.max(1, message.time);
    this.activities = message.activities;
    this.working = Math.max(0, message.activities.indexOf('working'));
    this.#readSlices(message.slices);
    this.recordEnd = message.truncated ? this.to.reduce((a, b) => Math.max(a, b), 0) : this.time;
    this.#readSplits(message);
    const byTime = (a, b) => a[0] - b[0];
    this.steals = [...message.steals].sort(byTime);
    this.stealTimes = Float64Array.from(this.steals, steal => steal[0]);
    this.cuts = [...message.cuts].sort(byTime);
    this.cutAt = new Map(this.cuts.map(([time, split]) => [split, time]));
    const moments = new Set([0, this.time]);
    for (const [time] of this.steals) moments.add(time);
    for (const [time] of this.cuts) moments.add(time);
    for (let i = 0; i < this.splitFrom.length; i++) { moments.add(this.splitFrom[i]); moments.add(this.splitTo[i]); }
    this.moments = Float64Array.from(moments).sort(); // when something happens, for stepping
  }

  /** Slices in the order of processor and time, with the work done before each one. */
  #readSlices(slices) {
    const order = slices.map((_, i) => i).sort((a, b) => slices[a][0] - slices[b][0] || slices[a][1] - slices[b][1]);
    const n = slices.length;
    this.from = new Float64Array(n);
    this.to = new Float64Array(n);
    this.activity = new Uint8Array(n);
    this.split = new Int32Array(n);
    this.workBefore = new Float64Array(n);
    this.seen = new Set(); // the activities that occur
    this.first = new Int32Array(this.processors + 1).fill(n); // a processor's first slice; the next one's first ends it
    let processor = -1, work = 0;
    order.forEach((source, i) => {
      const [p, from, to, activity, split] = slices[source];
      while (processor < p) { this.first[++processor] = i; work = 0; }
      this.from[i] = from;
      this.to[i] = to;
      this.activity[i] = activity;
      this.seen.add(activity);
      this.split[i] = split;
      this.workBefore[i] = work;
      if (activity === this.working) work += to - from;
    });
  }

  #readSplits({ splits }) {
    this.splits = splits;
    this.splitFrom = Float64Array.from(splits, split => split[0]);
    this.splitTo = Float64Array.from(splits, split => split[1]);
  }

  /** The slice of a processor at a time, or -1. */
  sliceAt(processor, time) {
    const i = countUpTo(this.from, time, this.first[processor], this.first[processor + 1]) - 1;
    return i >= this.first[processor] && this.to[i] > time ? i : -1;
  }

  /** At a time: the work so far, the busy processors, and the helpers of each split point. */
  at(time) {
    let work = 0, busy = 0;
    const helpers = new Map();
    for (let p = 0; p < this.processors; p++) {
      const i = countUpTo(this.from, time, this.first[p], this.first[p + 1]) - 1;
      if (i < this.first[p]) continue;
      work += this.workBefore[i];
      if (this.activity[i] !== this.working) continue;
      work += Math.min(time, this.to[i]) - this.from[i];
      if (this.to[i] <= time) continue;
      busy++;
      const split = this.split[i];
      if (split >= 0 && this.splits[split][2] !== p) helpers.set(split, (helpers.get(split) ?? 0) + 1);
    }
    return { work, busy, helpers };
  }

  /** The split points that are alive at a time, and at most `most` of those that ended up to `fade` ticks before. */
  alive(time, fade = 0, most = 0) {
    const found = [], dead = [];
    for (let i = 0; i < this.splitFrom.length; i++) {
      if (this.splitFrom[i] > time) continue;
      if (this.splitTo[i] > time) found.push(i);
      else if (this.splitTo[i] + fade > time) dead.push(i);
    }
    if (dead.length > most) dead.sort((a, b) => this.splitTo[b] - this.splitTo[a]).length = most;
    // A parent has a smaller number than its children.
    return dead.length ? [...found, ...dead].sort((a, b) => a - b) : found;
  }

  /** The move that leads to a split point. */
  moveOf(index) {
    const [, , , , ply, , , , move] = this.splits[index];
    return move || (ply === 0 ? 'root' : 'pass');
  }

  /** What a split point is, in words. */
  splitName(index) {
    if (index < 0) return 'the root';
    const [, , owner, , ply, depth, kind] = this.splits[index];
    return `split point ${index} (${this.moveOf(index)}, ${kind}, ply ${ply}, depth ${depth}, owner ${owner})`;
  }
}

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
