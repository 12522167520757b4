// Draws the split points that are alive at one time as a tree: the root at the left, children to the right.
import { css, splitColour } from './trace.js';
import { isDark } from './dom.js';

const BAD = '#d55e00';
const MOST_DEAD = 16; // split points that have just ended and are still shown

export class Tree {
  constructor(canvas, trace, { onSplit, onHover }) {
    this.canvas = canvas;
    this.trace = trace;
    this.places = []; // [split, x, y, radius] of what was drawn
    this.height = trace.processors <= 16 ? 280 : 430;
    canvas.style.height = `${this.height}px`;
    canvas.addEventListener('click', event => onSplit(this.#find(event)));
    canvas.addEventListener('pointermove', event => {
      const split = this.#find(event);
      onHover(split === null ? '' : this.#describe(split));
    });
    canvas.addEventListener('pointerleave', () => onHover(''));
  }

  #describe(split) {
    const fate = { done: 'is searched to the end', cut: 'ends with a cutoff', abandoned: 'is given up' }[this.trace.splits[split].fate] ?? '';
    const name = this.trace.splitName(split);
    return `${name[0].toUpperCase()}${name.slice(1)}: ${this.helpers?.get(split) ?? 0} helpers; it ${fate}`;
  }

  /** The split point nearest to the pointer, or null. */
  #find(event) {
    const box = this.canvas.getBoundingClientRect();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    let best = null, least = 20;
    for (const [split, x, y, w] of this.places) {
      const dx = Math.max(0, Math.abs(px - x) - w), dy = Math.abs(py - y);
      const distance = Math.hypot(dx, dy);
      if (distance < least) { least = distance; best = split; }
    }
    return best;
  }

  /** Level and row of each living split point. */
  #arrange(alive) {
    const { splits } = this.trace;
    const living = new Set(alive);
    const children = new Map();
    const roots = [];
    for (const split of alive) {
      // A parent that is gone is replaced by the nearest living one above.
      let { parent } = splits[split];
      while (parent >= 0 && !living.has(parent)) ({ parent } = splits[parent]);
      if (parent < 0) roots.push(split);
      else if (children.has(parent)) children.get(parent).push(split);
      else children.set(parent, [split]);
    }
    const nodes = [];
    let row = 0, levels = 0;
    const visit = (split, level, parent) => {
      const node = { split, level, parent, row: 0 };
      nodes.push(node);
      levels = Math.max(levels, level);
      const below = (children.get(split) ?? []).map(child => visit(child, level + 1, node));
      node.row = below.length ? (below[0].row + below[below.length - 1].row) / 2 : row++;
      return node;
    };
    for (const root of roots) visit(root, 0, null);
    return { nodes, rows: Math.max(1, row), levels: levels + 1 };
  }

  /** `view` as for the lanes; `helpers`: split point -> count. */
  draw(view, helpers) {
    const { canvas, trace, height: total } = this;
    this.helpers = helpers;
    const width = canvas.clientWidth;
    if (width < 10) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    const w = Math.round(width * ratio), h = Math.round(total * ratio);
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const dark = isDark();
    const ink = dark ? '#e8e9e6' : '#1d2327';
    context.fillStyle = dark ? '#181c1f' : '#f8f6f2';
    context.fillRect(0, 0, width, total);
    const { nodes, rows, levels } = this.#arrange(trace.alive(view.time, view.fade, MOST_DEAD));
    this.places = [];
    if (nodes.length === 0) {
      context.fillStyle = ink;
      context.font = '13px system-ui, sans-serif';
      context.textAlign = 'center';
      context.fillText('No split point is alive.', width / 2, total / 2);
      return;
    }
    const rowHeight = Math.min(30, (total - 12) / rows);
    const columnWidth = Math.min(176, (width - 12) / levels);
    const top = (total - rowHeight * rows) / 2;
    const boxes = rowHeight >= 14 && columnWidth >= 44;
    const boxWidth = Math.min(columnWidth - 12, 150);
    const place = ({ level, row }) => [6 + level * columnWidth + (boxes ? boxWidth / 2 : 8), top + (row + 0.5) * rowHeight];
    const dimmed = split => (view.split !== null && split !== view.split)
      || (view.processor !== null && trace.splits[split].owner !== view.processor && this.#helped(view) !== split);
    // Lines first.
    context.lineWidth = 1;
    for (const node of nodes) {
      if (!node.parent) continue;
      const [x1, y1] = place(node.parent), [x2, y2] = place(node);
      const start = x1 + (boxes ? boxWidth / 2 : 3), end = x2 - (boxes ? boxWidth / 2 : 3);
      context.strokeStyle = dark ? '#6d777d' : '#9ba1a4';
      context.globalAlpha = dimmed(node.split) ? 0.2 : this.#life(node.split, view) ;
      context.beginPath();
      context.moveTo(start, y1);
      context.bezierCurveTo((start + end) / 2, y1, (start + end) / 2, y2, end, y2);
      context.stroke();
    }
    context.textBaseline = 'middle';
    for (const node of nodes) {
      const [x, y] = place(node);
      const { split } = node;
      const { to, owner, kind, fate, cutAt } = trace.splits[split];
      const count = helpers.get(split) ?? 0;
      const dead = to <= view.time;
      const flash = cutAt !== null && view.time >= cutAt && view.time < cutAt + view.fade;
      context.globalAlpha = dimmed(split) ? 0.2 : this.#life(split, view);
      const fill = splitColour(split);
      const stroke = flash || (dead && fate === 'cut') ? BAD : ink;
      this.places.push([split, x, y, boxes ? boxWidth / 2 : 4]);
      context.setLineDash(boxes && kind === 'ALL' ? [3, 2] : []);
      context.lineWidth = flash ? 4 : kind === 'PV' ? 2.5 : 1;
      context.strokeStyle = stroke;
      if (boxes) {
        const height = Math.min(rowHeight - 3, 24);
        context.beginPath();
        context.roundRect(x - boxWidth / 2, y - height / 2, boxWidth, height, 4);
        context.fillStyle = dead ? (dark ? '#3a4147' : '#d9d6cf') : css(fill, dark ? 0.5 : 0.45);
        context.fill();
        context.stroke();
        context.fillStyle = ink;
        context.font = `${Math.min(12, height - 3)}px system-ui, sans-serif`;
        context.textAlign = 'left';
        context.save();
        context.beginPath();
        context.rect(x - boxWidth / 2, y - height / 2, boxWidth, height);
        context.clip();
        const name = trace.moveOf(split);
        // The longest text that fits.
        const texts = [`${name} · ${kind} · P${owner} · +${count}`, `${name} ${kind} P${owner} +${count}`, `${name} ${kind} +${count}`, `${name} +${count}`];
        const text = texts.find(choice => context.measureText(choice).width <= boxWidth - 8) ?? name;
        context.fillText(text, x - boxWidth / 2 + 4, y + 0.5);
        context.restore();
      } else {
        context.beginPath();
        context.arc(x, y, Math.max(1.5, Math.min(rowHeight / 2, 2 + Math.sqrt(count))), 0, 7);
        context.fillStyle = dead ? '#888' : css(fill);
        context.fill();
        if (rowHeight > 4 || flash) context.stroke();
      }
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  /** The split point where the followed processor works now. */
  #helped(view) {
    return this.trace.sliceAt(view.processor, view.time)?.split ?? -1;
  }

  /** 1 while alive, then down to 0. */
  #life(split, view) {
    const over = view.time - this.trace.splits[split].to;
    return over <= 0 ? 1 : Math.max(0, 1 - over / (view.fade || 1));
  }
}
