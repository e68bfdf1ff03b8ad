// One point per run, the steps of the Pareto front, and those of each learner where asked for.

const MAX_NAMES = 24;

const boxAround = (x, y, width, height) => [x - width / 2, y - height / 2, x + width / 2, y + height / 2];

function overlap(a, b) {
  return Math.max(Math.min(a[2], b[2]) - Math.max(a[0], b[0]), 0) * Math.max(Math.min(a[3], b[3]) - Math.max(a[1], b[1]), 0);
}

// The nearest place for a name of this width that covers nothing; the emptiest if there is none.
function freeBox([x, y], width, edge, taken) {
  const beside = [[0, -18], [-width / 2 - 11, 0], [width / 2 + 11, 0], [0, 18]];
  for (let far = 1; far <= 12; far++) {
    for (const side of [0, -1, 1]) beside.push([side * (width / 2 + 11), -18 * far], [side * (width / 2 + 11), 18 * far]);
  }
  const [low, high] = [edge.left + width / 2, edge.right + 16 - width / 2];
  const boxes = beside.map(([dx, dy]) => boxAround(Math.max(Math.min(x + dx, high), low),
    Math.min(Math.max(y + dy, 9), edge.bottom - 8), width, 15));
  const covered = box => taken.reduce((sum, other) => sum + overlap(box, other), 0);
  return boxes.find(box => !covered(box)) || boxes.reduce((best, box) => covered(box) < covered(best) ? box : best);
}

class Points extends Plot {
  constructor(host, view, spec, { legend, height }) {
    super(host, { height, label: spec.alt });
    Object.assign(this, { view, spec, legend });
    view.frames.push(this);
    this.svg.addEventListener('pointermove', event => this.hover(event));
    this.svg.addEventListener('pointerleave', () => { this.tip.hidden = true; });
  }

  redraw() {
    if (!this.width) return;
    const { spec, width, height } = this;
    const edge = { left: 64, right: width - 18, top: 16, bottom: height - 46 };
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const xs = spec.points.map(p => p.x);
    const ys = spec.points.map(p => p.y).filter(y => spec.limit === null || y <= spec.limit);
    const pad = (Math.max(...ys) - Math.min(...ys) || Math.abs(ys[0]) || 1) * 0.12;
    const share = spec.yAxis.unit === 'share';
    this.x = logScale([Math.min(...xs) / 2.2, Math.max(...xs) * 2.2], [edge.left, edge.right]);
    this.y = linearScale([Math.max(Math.min(...ys) - pad, 0),
      share ? Math.min(Math.max(...ys) + pad, 1) : Math.max(...ys) + pad], [edge.bottom, edge.top]);
    this.svg.replaceChildren(this.axes(edge), ...spec.fronts.map(positions => this.steps(edge, positions)));
    spec.points.forEach((point, i) => this.svg.append(this.mark(point, i)));
    this.svg.append(this.labels(edge));
  }

  isBeyond(y) { return this.spec.limit !== null && y > this.spec.limit; }

  // In pixels; what is beyond the axis stands at its upper end.
  pixel(y) { return this.isBeyond(y) ? 10 : this.y(y); }

  axes(edge) {
    const { spec } = this;
    const axis = svg('g', { class: 'axis' });
    for (const tick of this.y.ticks(5)) {
      const y = this.y(tick);
      axis.append(svg('line', { class: 'grid', x1: edge.left, x2: edge.right, y1: y, y2: y }),
        svg('text', { x: edge.left - 8, y: y + 4, 'text-anchor': 'end' }, formatTick[spec.yAxis.unit](tick)));
    }
    let last = -Infinity;
    for (const tick of this.x.ticks(4)) {
      const x = this.x(tick);
      if (x - last < 54) continue;
      last = x;
      axis.append(svg('line', { x1: x, x2: x, y1: edge.bottom, y2: edge.bottom + 5 }),
        svg('text', { x, y: edge.bottom + 19, 'text-anchor': 'middle' }, formatTick[spec.xAxis.unit](tick)));
    }
    axis.append(svg('line', { x1: edge.left, x2: edge.right, y1: edge.bottom, y2: edge.bottom }),
      svg('text', { class: 'name', x: edge.right, y: edge.bottom + 38, 'text-anchor': 'end' }, `${spec.xAxis.label} →`));
    return axis;
  }

  // A learner's own front is drawn in its colour, the common one dashed.
  steps(edge, positions) {
    const { points, byLearner, better } = this.spec;
    const start = byLearner ? this.pixel(points[positions[0]].y) : better === 'higher' ? edge.bottom : edge.top;
    let d = '';
    for (const { x, y } of positions.map(i => points[i])) {
      d += `${d ? 'H' : 'M'}${this.x(x).toFixed(1)}${d ? '' : ` ${start}`}V${this.pixel(y).toFixed(1)}`;
    }
    const path = svg('path', { class: 'front', d: `${d}H${edge.right}` });
    if (byLearner) {
      const { run } = points[positions[0]];
      path.setAttribute('class', 'own front');
      path.setAttribute('data-run', run);
      path.style.stroke = colour(this.legend[run].slot);
      if (this.view.hidden.has(run)) path.style.display = 'none';
    }
    return path;
  }

  mark(point, i) {
    const { fronts, byLearner } = this.spec;
    const node = marker(this.legend[point.run], this.x(point.x), this.pixel(point.y), byLearner ? 1.15 : 1.5);
    node.setAttribute('class', 'run');
    node.setAttribute('data-run', point.run);
    if (!fronts.some(front => front.includes(i))) node.style.opacity = byLearner ? 0.3 : 0.55;
    if (this.view.hidden.has(point.run)) node.style.display = 'none';
    return node;
  }

  // The name of every run beside its point, or as near as there is room; of many runs, that of each
  // learner beside its best.
  labels(edge) {
    const group = svg('g', { class: 'labels' });
    const visible = this.spec.points.filter(point => !this.view.hidden.has(point.run));
    const taken = visible.map(point => boxAround(this.x(point.x), this.pixel(point.y), 16, 16));
    const named = new Set();
    for (const point of visible) {
      const { label, learner, slot } = this.legend[point.run];
      const name = visible.length > MAX_NAMES ? learner : label;
      if (named.has(name)) continue;
      named.add(name);
      const at = [this.x(point.x), this.pixel(point.y)];
      const text = this.isBeyond(point.y) ? `${name} ↑ ${format[this.spec.yAxis.unit](point.y)}` : name;
      const box = freeBox(at, text.length * 7 + 4, edge, taken);
      taken.push(box);
      const [x, y] = [(box[0] + box[2]) / 2, box[3] - 3];
      if (Math.hypot(x - at[0], y - 5 - at[1]) > 34 + (box[2] - box[0]) / 2) {
        group.append(svg('line', { class: 'tether', x1: at[0], y1: at[1], x2: Math.min(Math.max(at[0], box[0]), box[2]),
          y2: at[1] < box[1] ? box[1] + 1 : box[3], style: { stroke: colour(slot) } }));
      }
      group.append(svg('text', { x, y, 'text-anchor': 'middle', style: { fill: colour(slot) } }, text));
    }
    return group;
  }

  hover(event) {
    const box = this.svg.getBoundingClientRect();
    const [px, py] = [(event.clientX - box.left) * this.width / box.width, (event.clientY - box.top) * this.height / box.height];
    let best = null;
    for (const point of this.spec.points) {
      if (this.view.hidden.has(point.run)) continue;
      const distance = Math.hypot(this.x(point.x) - px, this.pixel(point.y) - py);
      if (distance < 40 && (!best || distance < best.distance)) best = { point, distance };
    }
    this.tip.hidden = !best;
    if (!best) return;
    const { point } = best;
    const { xAxis, yAxis } = this.spec;
    this.tip.replaceChildren(element('strong', {}, this.legend[point.run].label),
      element('div', {}, `${yAxis.label}: ${format[yAxis.unit](point.y)}`),
      element('div', {}, `${xAxis.label}: ${format[xAxis.unit](point.x)}`));
    this.placeTip(this.x(point.x));
  }
}

function pointsCard(section, [figure]) {
  const host = element('div', { class: 'chart' });
  const wide = !section.figures.some(other => other.kind === 'matrix');
  section.card(figure.title, { wide }).append(host, caption(figure.byLearner
    ? 'Every point is a configuration; the lines are the fronts of the methods, and beaten configurations are pale.'
    : 'On the line: no other run is better with as little memory.'));
  new Points(host, section.view, figure, { legend: section.legend, height: 330 });
}
