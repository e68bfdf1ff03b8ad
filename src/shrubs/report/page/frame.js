// What all figures over the stream share: size, axes, known drifts, crosshair, zoom and keys.
//
// `view` belongs to one stream. Its figures move together: `view.domain` is the part of the
// stream that is shown (null for all), `view.hidden` the runs switched off, `view.cursor` the
// position under the pointer.

class View {
  constructor(extent) {
    this.extent = extent;
    this.domain = null;
    this.hidden = new Set();
    this.cursor = null;
    this.frames = [];
  }

  get shown() { return this.domain || this.extent; }

  redraw() { for (const frame of this.frames) frame.redraw(); }

  point(cursor) {
    this.cursor = cursor;
    for (const frame of this.frames) frame.point?.(cursor);
  }

  zoom(low, high) {
    const [first, last] = this.extent;
    low = Math.max(low, first);
    high = Math.min(high, last);
    if (high - low < (last - first) / 200) return;
    this.domain = low <= first && high >= last ? null : [low, high];
    this.redraw();
  }

  scaleBy(factor) {
    const [low, high] = this.shown;
    const middle = this.cursor !== null && this.cursor > low && this.cursor < high
      ? this.cursor : (low + high) / 2;
    this.zoom(middle - (middle - low) * factor, middle + (high - middle) * factor);
  }

  // Points of a trace lie close together for about a fiftieth of the stream after a drift.
  zoomToNext(drifts) {
    const length = this.extent[1] - this.extent[0];
    const width = Math.max(length / 50, Math.min(1000, length / 8));
    const next = drifts.find(drift => this.domain && drift > this.domain[0] + width) ?? drifts[0];
    this.zoom(next - width, next + 2 * width);
  }

  reset() { this.domain = null; this.redraw(); }
}

const PAPER = 660;

const isNarrow = () => matchMedia('(max-width: 600px)').matches;

// A drawing with a tip. It is drawn again by `redraw` when its place gets wider or narrower, and for
// the width of paper.
class Plot {
  constructor(host, { height, label, ...attributes }) {
    this.svg = svg('svg', { class: 'plot', role: 'img', 'aria-label': label, ...attributes });
    this.tip = element('div', { class: 'tip', hidden: '' });
    Object.assign(this, { host, height, width: 0 });
    host.classList.add('frame');
    host.append(this.svg, this.tip);
    const resize = (width, factor = 1) => {
      if (!width || width === this.width) return;
      Object.assign(this, { width, height: Math.round(height * factor) });
      this.redraw();
    };
    const toScreen = () => resize(Math.round(host.clientWidth));
    new ResizeObserver(toScreen).observe(host);
    addEventListener('beforeprint', () => resize(host.closest('.wide') ? PAPER : PAPER / 2, 0.68));
    addEventListener('afterprint', toScreen);
  }

  // Beside a position in pixels, on the side where there is more room.
  placeTip(x) {
    const share = x / this.width * 100;
    this.tip.style.left = share > 50 ? 'auto' : `calc(${share}% + 14px)`;
    this.tip.style.right = share > 50 ? `calc(${100 - share}% + 14px)` : 'auto';
  }
}

class Frame extends Plot {
  constructor(host, view, { height, margin, label }) {
    super(host, { height, label, tabindex: 0 });
    Object.assign(this, { view, margin });
    this.clip = `clip-${Frame.number = (Frame.number || 0) + 1}`;
    view.frames.push(this);
    this.listen();
  }

  get left() { return this.margin.left; }
  get right() { return this.width - this.margin.right; }
  get top() { return this.margin.top; }
  get bottom() { return this.height - this.margin.bottom; }

  redraw() {
    if (!this.width) return;
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
    this.x = linearScale(this.view.shown, [this.left, this.right]);
    this.area = svg('g', { 'clip-path': `url(#${this.clip})` });
    this.overlay = svg('g', { class: 'overlay' });
    this.svg.replaceChildren(
      svg('defs', {}, svg('clipPath', { id: this.clip },
        svg('rect', { x: this.left - 5, y: this.top - 6, width: Math.max(this.right - this.left + 10, 0),
          height: this.bottom - this.top + 12 }))),
      this.area, this.overlay);
    this.draw();
    this.point(this.view.cursor);
  }

  drawXAxis(y = this.bottom) {
    const axis = svg('g', { class: 'axis' });
    for (const tick of this.x.ticks(Math.max(this.width / 130, 3))) {
      const x = this.x(tick);
      const text = formatTick.count(tick, this.view.shown[1]);
      const middle = Math.min(x, this.width - 3.6 * text.length - 2);  // whole, at the right edge too
      axis.append(svg('line', { x1: x, x2: x, y1: y, y2: y + 5 }),
        svg('text', { x: middle, y: y + 19, 'text-anchor': 'middle' }, text));
    }
    axis.append(svg('line', { x1: this.left, x2: this.right, y1: y, y2: y }));
    this.svg.insertBefore(axis, this.overlay);
  }

  drawYAxis(scale, unit, n = 5) {
    const axis = svg('g', { class: 'axis' });
    for (const tick of scale.ticks(n)) {
      const y = scale(tick);
      axis.append(svg('line', { class: 'grid', x1: this.left, x2: this.right, y1: y, y2: y }),
        svg('text', { x: this.left - 8, y: y + 4, 'text-anchor': 'end' }, formatTick[unit](tick)));
    }
    this.svg.insertBefore(axis, this.area);
  }

  // A dotted line at every drift, named where there is room.
  markDrifts(positions) {
    let last = -Infinity;
    for (const position of positions) {
      const x = this.x(position);
      if (x < this.left || x > this.right) continue;
      this.area.append(svg('line', { class: 'known', x1: x, x2: x, y1: this.top, y2: this.bottom }));
      if (x - last < 34 || x > this.right - 28) continue;
      last = x;
      this.svg.insertBefore(svg('text', { class: 'drift', x: x - 3, y: this.top - 4 }, 'drift'), this.overlay);
    }
  }

  // Crosshair at a position of the stream; `content` gives the lines of the tip.
  drawCursor(at, content) {
    const x = this.x(at);
    this.overlay.append(svg('line', { class: 'cursor', x1: x, x2: x, y1: this.top, y2: this.bottom }));
    this.tip.replaceChildren(...content);
    this.tip.hidden = !this.active;
    this.placeTip(x);
  }

  clearCursor() {
    this.overlay?.replaceChildren();
    this.tip.hidden = true;
  }

  position(event) {
    const box = this.svg.getBoundingClientRect();
    return this.x.invert((event.clientX - box.left) * this.width / (box.width || 1));
  }

  listen() {
    const { svg: node, view } = this;
    let start = null;
    node.addEventListener('pointerdown', event => {
      if (event.pointerType === 'touch' || event.button !== 0) return;
      start = event.clientX;
      node.setPointerCapture(event.pointerId);
    });
    node.addEventListener('pointermove', event => {
      this.active = true;
      this.pointer = event;
      view.point(this.position(event));
      if (start !== null) this.drawSelection(start, event.clientX);
    });
    node.addEventListener('pointerup', event => {
      if (start !== null && Math.abs(event.clientX - start) > 8) {
        const ends = [start, event.clientX].map(clientX => this.position({ clientX }));
        view.zoom(Math.min(...ends), Math.max(...ends));
      }
      start = null;
    });
    node.addEventListener('pointercancel', () => { start = null; });
    node.addEventListener('pointerleave', () => this.leave());
    node.addEventListener('blur', () => this.leave());
    node.addEventListener('dblclick', () => view.reset());
    node.addEventListener('keydown', event => this.key(event));
  }

  leave() {
    this.active = false;
    this.pointer = null;
    this.view.point(null);
  }

  drawSelection(a, b) {
    const box = this.svg.getBoundingClientRect();
    const [x0, x1] = [a, b].map(x => (x - box.left) * this.width / box.width).sort((p, q) => p - q);
    this.overlay.append(svg('rect', { class: 'selection', x: x0, width: x1 - x0, y: this.top,
      height: this.bottom - this.top }));
  }

  key(event) {
    const { view } = this;
    const [low, high] = view.shown;
    const step = (high - low) / 100;
    const moves = { ArrowLeft: -step, ArrowRight: step };
    if (event.key in moves) {
      this.active = true;
      const from = view.cursor ?? (low + high) / 2;
      view.point(Math.min(Math.max(from + moves[event.key], low), high));
    } else if (event.key === '+' || event.key === '=') view.scaleBy(0.5);
    else if (event.key === '-') view.scaleBy(2);
    else if (event.key === 'Escape') view.reset();
    else return;
    event.preventDefault();
  }
}

// The position in an ascending list that is nearest to a value.
function nearest(values, value) {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1; else high = middle;
  }
  return low > 0 && value - values[low - 1] < values[low] - value ? low - 1 : low;
}
