// Makes the pictures of a lab page interactive. The pictures are complete without it.
//
// A plot has its values beside it as JSON. Pointing at it, touching it or the arrow keys show values; its legend becomes buttons
// that switch series on and off; a rectangle, the wheel (where the plot has the focus) or + and - zoom, and Escape or a
// double click reset. The script moves the marks that are there: how they look is said in one place, by the program that drew them.
// Other pictures show the texts of their parts.
(() => {
  const SMALLEST = 1e-4; // the smallest part of an axis that is shown
  const DRAGGED = 6; // fewer pixels are a click
  const REACH = 14; // pixels from which a dot is pointed at

  const WIDE = 700; // pictures that are wider are scrolled on a small screen

  const el = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  const draw = (svg, name, attributes) => {
    const made = document.createElementNS(svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  const isNumber = value => typeof value === 'number' && Number.isFinite(value);

  /** A number as at an axis: 2, 0.5, 40k. */
  function short(value) {
    const size = Math.abs(value);
    const [unit, letter] = [[1e9, 'G'], [1e6, 'M'], [1e4, 'k']].find(([least]) => size >= least) ?? [1, ''];
    const divisor = letter === 'k' ? 1e3 : unit;
    return `${Number((value / divisor).toFixed(6))}${letter}`.replace('-', '\u2212');
  }

  /** A number to be read: whole, or with four digits. */
  function readable(value) {
    const digits = Number.isInteger(value) || Math.abs(value) >= 1e4 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 };
    return value.toLocaleString('en-US', digits).replaceAll(',', '\u202f').replace('-', '\u2212');
  }

  /** One, two or five times a power of ten, for four to ten steps. */
  function niceStep(length) {
    const rough = Math.max(length / 6, 1e-12);
    const power = 10 ** Math.floor(Math.log10(rough));
    return power * ([1, 2, 5].find(step => step * power >= rough) ?? 10);
  }

  /** A part of an axis, from one share of it to another. */
  class Range {
    constructor(axis, from = 0, to = 1) {
      Object.assign(this, { axis, from, to });
      [this.low, this.high] = [this.whole(from), this.whole(to)];
    }

    /** The value at a share of the whole axis. */
    whole(share) {
      const { base, low, high } = this.axis;
      return base ? low * (high / low) ** share : low + share * (high - low);
    }

    /** Where a value lies: 0 at the low end of the part, 1 at its high end. */
    place(value) {
      const { base, low, high } = this.axis;
      const share = base ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low);
      return (share - this.from) / (this.to - this.from);
    }

    /** The value at a place. */
    value(place) {
      return this.whole(this.from + place * (this.to - this.from));
    }

    ticks() {
      const { base } = this.axis;
      if (base) {
        const [first, last] = [Math.ceil(Math.log(this.low) / Math.log(base) - 1e-9), Math.floor(Math.log(this.high) / Math.log(base) + 1e-9)];
        if (last - first >= 2) {
          const step = Math.ceil((last - first) / (base === 2 ? 13 : 9));
          return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => base ** (first + index * step));
        }
      }
      const step = niceStep(this.high - this.low);
      const [first, last] = [Math.ceil(this.low / step - 1e-9), Math.floor(this.high / step + 1e-9)];
      return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
    }
  }

  // The text that is shown at a point; there is one for all pictures.
  const tip = el('div', { className: 'tip', hidden: true });
  tip.setAttribute('role', 'status');

  function showTip(x, y, ...children) {
    tip.replaceChildren(...children);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    const left = x + 14 + width > room ? Math.max(4, x - 14 - width) : x + 14;
    const top = y - height - 10 < 0 ? y + 14 : y - height - 10;
    Object.assign(tip.style, { left: `${left + scrollX}px`, top: `${top + scrollY}px` });
  }

  const hideTip = () => { tip.hidden = true; };

  // What is to be done where a finger touches something else than a picture.
  const leavers = [];

  /** Where the pointer is, in the units of the picture. */
  function within(svg, event) {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  }

  /** The opposite: where a place of the picture is on the screen. */
  function onScreen(svg, x, y) {
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    return [box.left + x * scale, box.top + y * scale];
  }

  /** The corners of a staircase: each height holds until the next point. */
  const stairs = places => places.flatMap(([x, y], index) => index ? [[x, places[index - 1][1]], [x, y]] : [[x, y]]);

  class Plot {
    constructor(figure, svg, data, number) {
      Object.assign(this, { svg, data, at: null, last: null, drag: null });
      this.title = figure.querySelector('figcaption').textContent;
      this.view = [0, 1, 0, 1]; // the shares of both axes that are shown: left, right, bottom, top
      this.groups = data.series.map((_, index) => svg.querySelector(`[data-series="${index}"]`));
      this.axes = { x: svg.querySelector('[data-axis=x]'), y: svg.querySelector('[data-axis=y]') };
      svg.querySelectorAll('[data-series] title').forEach(title => title.remove());
      this.static = [this.axes.x, this.axes.y, ...this.groups].map(group => [group, group.innerHTML]);
      this.shown = data.series.map(() => true);
      this.clip(`clip-${number}`);
      this.pointer = draw(svg, 'g', { 'pointer-events': 'none' });
      svg.append(this.pointer);
      this.lay();
      this.listen();
      this.redraw();
    }

    /** Marks outside of the axes are not seen. */
    clip(name) {
      const [left, top, width, height] = this.data.area;
      const path = draw(this.svg, 'clipPath', { id: name });
      path.append(draw(this.svg, 'rect', { x: left - 5, y: top - 5, width: width + 10, height: height + 5 }));
      this.svg.prepend(path);
      this.groups.forEach(group => group.setAttribute('clip-path', `url(#${name})`));
    }

    /** The legend becomes buttons beside the picture; below it are buttons for the zoom. */
    lay() {
      const { svg, data } = this;
      const keys = takeLegend(svg);
      svg.setAttribute('tabindex', 0);
      svg.setAttribute('role', 'application');
      svg.setAttribute('aria-label', `${this.title}: arrow keys show values, + and - zoom, Escape resets`);
      data.series.forEach(({ name, colour, mark }, index) => {
        if (!name) return;
        const button = el('button', { type: 'button', title: 'Show or hide' }, swatch(colour, mark), name);
        button.setAttribute('aria-pressed', true);
        button.addEventListener('click', () => this.toggle(index, button));
        keys.append(button);
      });
      const tool = (text, label, act) => {
        const button = el('button', { type: 'button', title: label }, text);
        button.setAttribute('aria-label', label);
        button.addEventListener('click', act);
        return button;
      };
      const hint = 'Zoom in (or drag a rectangle in the plot)';
      this.reset = tool('reset', 'Show the whole plot', () => this.zoom(0, 1, 0, 1));
      const tools = [tool('+', hint, () => this.zoomBy(0.5)), tool('\u2212', 'Zoom out', () => this.zoomBy(2)), this.reset];
      keys.append(el('div', { className: 'tools' }, ...tools));
    }

    listen() {
      const { svg } = this;
      svg.addEventListener('pointermove', event => this.drag ? this.stretch(event) : this.pointAt(event));
      svg.addEventListener('pointerdown', event => this.press(event));
      svg.addEventListener('pointerup', event => this.release(event));
      svg.addEventListener('pointercancel', () => this.endDrag());
      svg.addEventListener('pointerleave', event => { if (event.pointerType === 'mouse' && !this.drag) this.leave(); });
      svg.addEventListener('blur', () => this.leave());
      leavers.push(() => this.leave());
      svg.addEventListener('dblclick', () => this.zoom(0, 1, 0, 1));
      svg.addEventListener('keydown', event => this.key(event));
      // The page scrolls with the wheel, unless the plot has been chosen.
      svg.addEventListener('wheel', event => {
        if (document.activeElement !== svg && !event.ctrlKey) return;
        event.preventDefault();
        this.zoomBy(event.deltaY > 0 ? 1.25 : 0.8, this.shares(...within(svg, event)));
      }, { passive: false });
    }

    get x() { return new Range(this.data.x, this.view[0], this.view[1]); }
    get y() { return new Range(this.data.y, this.view[2], this.view[3]); }

    /** Functions from values to places in the picture. */
    places() {
      const [left, top, width, height] = this.data.area;
      const [x, y] = [this.x, this.y];
      return { across: value => left + width * x.place(value), up: value => top + height * (1 - y.place(value)) };
    }

    /** Where a place of the picture lies between the axes: shares of what is shown. */
    shares(x, y) {
      const [left, top, width, height] = this.data.area;
      const share = value => Math.min(1, Math.max(0, value));
      return [share((x - left) / width), share(1 - (y - top) / height)];
    }

    // ---- what is shown ----

    /** Shows a part of the whole plot. */
    zoom(left, right, bottom, top) {
      const part = (from, to) => {
        const middle = (from + to) / 2, half = Math.min(1, Math.max(SMALLEST, to - from)) / 2;
        const low = Math.min(1 - 2 * half, Math.max(0, middle - half));
        return [low, low + 2 * half];
      };
      this.view = [...part(left, right), ...part(bottom, top)];
      this.redraw();
    }

    /** Shows a larger or smaller part; a place stays where it is: what was pointed at last, or the middle. */
    zoomBy(factor, place = this.last ? this.shares(...this.spot(this.last)) : [0.5, 0.5]) {
      const [left, right, bottom, top] = this.view;
      const part = (from, to, share) => {
        const length = Math.min(1, (to - from) * factor), still = from + share * (to - from);
        const low = Math.min(1 - length, Math.max(0, still - share * length));
        return [low, low + length];
      };
      this.zoom(...part(left, right, place[0]), ...part(bottom, top, place[1]));
    }

    redraw() {
      const isWhole = this.view.every((share, index) => share === index % 2);
      for (const [group, html] of this.static) group.innerHTML = html;
      if (!isWhole) {
        this.redrawTicks();
        this.data.series.forEach((_, index) => this.move(index));
      }
      this.reset.disabled = isWhole;
      this.leave();
    }

    redrawTicks() {
      const { across, up } = this.places();
      for (const [axis, group] of Object.entries(this.axes)) {
        const [line, label] = group.children;
        const marks = this[axis].ticks().flatMap(tick => {
          const [newLine, newLabel] = [line.cloneNode(), label.cloneNode()];
          const place = axis === 'x' ? across(tick) : up(tick);
          newLine.setAttribute(`${axis}1`, place);
          newLine.setAttribute(`${axis}2`, place);
          newLabel.setAttribute(axis, axis === 'x' ? place : place + 4);
          newLabel.textContent = short(tick);
          return [newLine, newLabel];
        });
        group.replaceChildren(...marks);
      }
    }

    /** Moves the marks of a series to their places: three lines for each interval or a band, then a shape, then dots. */
    move(index) {
      const { x, y, low = [], high = [], mark } = this.data.series[index];
      const { across, up } = this.places();
      const marks = [...this.groups[index].children];
      if (mark === 'course' && low.length) {
        const ends = [...high.map((value, i) => [across(x[i]), up(value)]), ...low.map((value, i) => [across(x[i]), up(value)]).reverse()];
        marks.shift().setAttribute('points', ends.join(' '));
      } else low.forEach((from, i) => {
        const [middle, ends] = [across(x[i]), [up(high[i]), up(from)]];
        const set = (line, values) => Object.entries(values).forEach(([key, value]) => line.setAttribute(key, value));
        const [stem, ...caps] = marks.splice(0, 3);
        set(stem, { x1: middle, y1: ends[0], x2: middle, y2: ends[1] });
        caps.forEach((cap, end) => set(cap, { x1: middle - 4, y1: ends[end], x2: middle + 4, y2: ends[end] }));
      });
      const places = x.map((value, i) => [across(value), up(y[i])]);
      if (mark !== 'points') {
        const corners = mark === 'steps' || mark === 'area' ? stairs(places) : places;
        if (mark === 'area' && corners.length) {
          const bottom = this.data.area[1] + this.data.area[3];
          corners.push([corners.at(-1)[0], bottom], [corners[0][0], bottom]);
        }
        marks.shift().setAttribute('points', corners.join(' '));
      }
      marks.forEach((dot, i) => { [['cx', 0], ['cy', 1]].forEach(([key, part]) => dot.setAttribute(key, places[i][part])); });
    }

    toggle(index, button) {
      this.shown[index] = !this.shown[index];
      this.groups[index].style.display = this.shown[index] ? '' : 'none';
      button.setAttribute('aria-pressed', this.shown[index]);
      this.leave();
    }

    // ---- values ----

    /** The points that can be pointed at, from left to right. Lines to compare with are not, if there are others. */
    candidates() {
      const { across, up } = this.places();
      const [left, top, width, height] = this.data.area;
      const isSeen = ([x, y]) => x >= left - 1 && x <= left + width + 1 && y >= top - 1 && y <= top + height + 1;
      const shown = this.data.series.map((one, series) => ({ one, series })).filter(({ series }) => this.shown[series]);
      const own = shown.filter(({ one }) => one.mark !== 'reference');
      const points = (own.length ? own : shown).flatMap(({ one, series }) => one.x
        .map((x, index) => ({ series, index, mark: one.mark, place: [across(x), up(one.y[index])] }))
        .filter(({ index, place }) => isNumber(one.y[index]) && isSeen(place)));
      return points.sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1]);
    }

    spot({ series, index }) {
      const { across, up } = this.places();
      const { x, y } = this.data.series[series];
      return [across(x[index]), up(y[index])];
    }

    pointAt(event) {
      const [x, y] = within(this.svg, event);
      const [left, top, width, height] = this.data.area;
      if (x < left - 8 || x > left + width + 8 || y < top - 8 || y > top + height + 8) return this.leave();
      // Lines are read across: what is above or below the pointer is near.
      const far = ({ mark, place }) => (place[0] - x) ** 2 + (place[1] - y) ** 2 * (mark === 'points' ? 1 : 0.05);
      let nearest = null;
      for (const point of this.candidates()) if (!nearest || far(point) < far(nearest)) nearest = point;
      if (nearest) this.show(nearest); else this.leave();
    }

    /** The value of a series at an x: its own point there, or where its line is; none if it has none. */
    valueAt({ x, y, low = [], high = [], mark }, at) {
      const same = x.findIndex(value => Math.abs(value - at) <= 1e-9 * Math.max(1, Math.abs(at)));
      if (same >= 0) return { value: y[same], low: low[same], high: high[same] };
      const next = x.findIndex(value => value > at);
      if (next < 1) return null;
      if (mark === 'steps' || mark === 'area') return { value: y[next - 1] };
      if (mark !== 'reference') return null;
      const [across, up] = [new Range(this.data.x), new Range(this.data.y)];
      const [from, to] = [up.place(y[next - 1]), up.place(y[next])];
      const share = (across.place(at) - across.place(x[next - 1])) / (across.place(x[next]) - across.place(x[next - 1]));
      return { value: up.value(from + share * (to - from)) };
    }

    show(point) {
      this.at = this.last = point;
      const { series, x: axis, y: other } = this.data;
      const own = series[point.series], at = own.x[point.index];
      const { across, up } = this.places();
      const rows = [], marks = [];
      series.forEach((one, index) => {
        const isOne = own.mark === 'points' ? index === point.series : this.shown[index] && one.mark !== 'points';
        const found = own.mark === 'points' ? { value: own.y[point.index] } : isOne && this.valueAt(one, at);
        if (!isOne || !found || !isNumber(found.value)) return;
        const range = isNumber(found.low) && isNumber(found.high) ? ` (${readable(found.low)} to ${readable(found.high)})` : '';
        rows.push(el('div', {}, swatch(one.colour, one.mark), `${one.name || other.label}: `, el('b', {}, readable(found.value)),
          el('span', { className: 'range' }, range)));
        marks.push(draw(this.svg, 'circle', { class: 'here', cx: across(at), cy: up(found.value), r: 4.5, fill: one.colour }));
      });
      const [, top, , height] = this.data.area;
      const line = draw(this.svg, 'line', { x1: across(at), x2: across(at), y1: top, y2: top + height, stroke: 'currentColor', 'stroke-opacity': 0.35 });
      this.pointer.replaceChildren(line, ...marks.filter(mark => Number(mark.getAttribute('cy')) <= top + height + 1 && Number(mark.getAttribute('cy')) >= top - 1));
      showTip(...onScreen(this.svg, ...this.spot(point)), el('div', {}, `${axis.label}: `, el('b', {}, readable(at))), ...rows);
    }

    leave() {
      this.at = null;
      this.pointer.replaceChildren();
      hideTip();
    }

    key(event) {
      const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
      const acts = { '+': () => this.zoomBy(0.5), '=': () => this.zoomBy(0.5), '-': () => this.zoomBy(2), Escape: () => this.zoom(0, 1, 0, 1) };
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in steps || event.key in acts)) return;
      event.preventDefault();
      if (event.key in acts) return acts[event.key]();
      // Lines are read one x at a time, single points one by one.
      const all = this.candidates();
      const points = all.filter(({ mark, place }, index) => mark === 'points' || !index || place[0] !== all[index - 1].place[0]);
      if (!points.length) return;
      const now = this.at ? points.findIndex(({ series, index, place }) => this.at.mark === 'points'
        ? series === this.at.series && index === this.at.index : place[0] === this.at.place[0]) : -1;
      const next = now < 0 && steps[event.key] === -1 ? points.length - 1 : now + steps[event.key];
      this.show(points[Math.min(points.length - 1, Math.max(0, next))]);
    }

    // ---- a rectangle ----

    press(event) {
      if (event.pointerType !== 'mouse') return this.pointAt(event);
      if (event.button !== 0) return;
      this.svg.focus({ preventScroll: true });
      const from = this.shares(...within(this.svg, event));
      this.drag = { from, to: from, box: draw(this.svg, 'rect', { fill: 'currentColor', 'fill-opacity': 0.12, stroke: 'currentColor', 'stroke-dasharray': '3 2' }) };
      this.svg.setPointerCapture(event.pointerId);
      this.svg.append(this.drag.box);
    }

    /** The rectangle from where it began to the pointer. If it is flat it is as high, or as wide, as the plot. */
    stretch(event) {
      const { drag, data: { area: [left, top, width, height] } } = this;
      drag.to = this.shares(...within(this.svg, event));
      const [dx, dy] = [Math.abs(drag.to[0] - drag.from[0]) * width, Math.abs(drag.to[1] - drag.from[1]) * height];
      const ends = (axis, isFlat) => isFlat ? [0, 1] : [Math.min(drag.from[axis], drag.to[axis]), Math.max(drag.from[axis], drag.to[axis])];
      drag.isClick = dx < DRAGGED && dy < DRAGGED;
      drag.part = [...ends(0, dx < 2 * DRAGGED), ...ends(1, dy < 2 * DRAGGED)];
      const [x0, x1, y0, y1] = drag.isClick ? [0, 0, 0, 0] : drag.part;
      const values = { x: left + width * x0, width: width * (x1 - x0), y: top + height * (1 - y1), height: height * (y1 - y0) };
      Object.entries(values).forEach(([key, value]) => drag.box.setAttribute(key, value));
      this.leave();
    }

    release(event) {
      const drag = this.drag;
      if (!drag) return;
      this.endDrag();
      if (!drag.part || drag.isClick) return this.pointAt(event);
      const [left, right, bottom, top] = this.view;
      const [x0, x1, y0, y1] = drag.part;
      const [wide, high] = [right - left, top - bottom];
      this.zoom(left + x0 * wide, left + x1 * wide, bottom + y0 * high, bottom + y1 * high);
    }

    endDrag() {
      this.drag?.box.remove();
      this.drag = null;
    }
  }

  function swatch(colour, mark) {
    const made = el('span', { className: mark === 'reference' || mark === 'beside' ? 'swatch dashed' : 'swatch' });
    made.style.borderColor = colour;
    return made;
  }

  /** Takes the legend out of a picture, which becomes narrower; the empty list that stands beside it instead. */
  function takeLegend(svg) {
    const { width, height } = svg.viewBox.baseVal;
    const lines = [...svg.querySelectorAll('.key line')];
    const rest = lines.length ? Math.min(...lines.map(line => line.x1.baseVal.value)) : width;
    svg.querySelectorAll('.key').forEach(key => key.remove());
    svg.setAttribute('width', rest);
    svg.setAttribute('viewBox', `0 0 ${rest} ${height}`);
    const [scene, keys] = [el('div', { className: 'scene' }), el('div', { className: 'keys' })];
    svg.replaceWith(scene);
    scene.append(svg, keys);
    return keys;
  }

  /** A picture whose parts have texts: each is shown at once, and the arrow keys go from one to the next. */
  function showTexts(figure, svg) {
    const parts = [...svg.querySelectorAll('title')].map(title => {
      const part = title.parentNode;
      part.dataset.tip = title.textContent;
      part.setAttribute('aria-label', title.textContent);
      title.remove();
      return part;
    });
    if (!parts.length) return;
    const legend = [...svg.querySelectorAll('.key')].map(key => [key.querySelector('line').getAttribute('stroke'), key.textContent.trim()]);
    if (legend.length) takeLegend(svg).append(...legend.map(([colour, name]) => el('span', {}, swatch(colour), name)));
    if (svg.viewBox.baseVal.width > WIDE) figure.classList.add('wide');
    let now = null;
    const show = part => {
      if (part === now) return;
      now?.classList.remove('here');
      now = part;
      if (!part) return hideTip();
      part.classList.add('here');
      const box = part.getBoundingClientRect();
      showTip(box.left + box.width / 2, box.top, el('div', {}, part.dataset.tip));
    };
    const dots = parts.filter(part => part.tagName === 'circle');
    const pointed = event => {
      const [x, y] = within(svg, event);
      const far = dot => Math.hypot(dot.cx.baseVal.value - x, dot.cy.baseVal.value - y) - dot.r.baseVal.value;
      let nearest = null;
      for (const dot of dots) if (far(dot) < REACH && (!nearest || far(dot) < far(nearest))) nearest = dot;
      show(nearest ?? event.target.closest('[data-tip]'));
    };
    svg.setAttribute('tabindex', 0);
    svg.setAttribute('role', 'application');
    svg.setAttribute('aria-label', `${figure.querySelector('figcaption').textContent}: arrow keys show values`);
    svg.addEventListener('pointermove', pointed);
    svg.addEventListener('pointerdown', pointed);
    svg.addEventListener('pointerleave', event => { if (event.pointerType === 'mouse') show(null); });
    svg.addEventListener('blur', () => show(null));
    leavers.push(() => show(null));
    svg.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === 'Escape') show(null);
      if (!step) return;
      event.preventDefault();
      const next = now ? parts.indexOf(now) + step : step > 0 ? 0 : parts.length - 1;
      show(parts[Math.min(parts.length - 1, Math.max(0, next))]);
    });
  }

  document.body.append(tip);
  document.addEventListener('pointerdown', event => {
    if (!event.target.closest('.picture svg')) leavers.forEach(leave => leave());
  });
  document.querySelectorAll('figure.picture').forEach((figure, number) => {
    const [svg, data] = [figure.querySelector('svg'), figure.querySelector('script')];
    if (data) new Plot(figure, svg, JSON.parse(data.textContent), number); else showTexts(figure, svg);
  });
})();
