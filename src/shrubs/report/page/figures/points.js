// One point per run, the steps of the Pareto front, and those of each learner where asked for.

class Points extends Plot {
  constructor(host, view, spec, { legend, height }) {
    super(host, { height, label: spec.title });
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
    const ys = spec.points.map(p => p.y);
    const pad = (Math.max(...ys) - Math.min(...ys) || Math.abs(ys[0]) || 1) * 0.12;
    const share = spec.yAxis.unit === 'share';
    this.x = logScale([Math.min(...xs) / 2.2, Math.max(...xs) * 2.2], [edge.left, edge.right]);
    this.y = linearScale([Math.max(Math.min(...ys) - pad, 0),
      share ? Math.min(Math.max(...ys) + pad, 1) : Math.max(...ys) + pad], [edge.bottom, edge.top]);
    this.svg.replaceChildren(this.axes(edge), ...spec.fronts.map(positions => this.steps(edge, positions)));
    spec.points.forEach((point, i) => this.svg.append(this.mark(point, i)));
    this.svg.append(this.labels(edge));
  }

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
    const start = byLearner ? this.y(points[positions[0]].y) : better === 'higher' ? edge.bottom : edge.top;
    let d = '';
    for (const { x, y } of positions.map(i => points[i])) {
      d += `${d ? 'H' : 'M'}${this.x(x).toFixed(1)}${d ? '' : ` ${start}`}V${this.y(y).toFixed(1)}`;
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
    const node = marker(this.legend[point.run], this.x(point.x), this.y(point.y), byLearner ? 1.15 : 1.5);
    node.setAttribute('class', 'run');
    node.setAttribute('data-run', point.run);
    if (!fronts.some(front => front.includes(i))) node.style.opacity = byLearner ? 0.3 : 0.55;
    if (this.view.hidden.has(point.run)) node.style.display = 'none';
    return node;
  }

  // The name of each learner beside its best point, where there is room.
  labels(edge) {
    const group = svg('g', { class: 'labels' });
    const visible = this.spec.points.filter(point => !this.view.hidden.has(point.run));
    const taken = visible.map(point => {
      const [x, y] = [this.x(point.x), this.y(point.y)];
      return [x - 8, y - 8, x + 8, y + 8];
    });
    const fits = ([x0, y0, x1, y1]) => x0 >= edge.left && x1 <= edge.right + 16 && y0 >= 0 && y1 <= edge.bottom
      && !taken.some(box => x0 < box[2] && x1 > box[0] && y0 < box[3] && y1 > box[1]);
    const named = new Set();
    for (const point of visible) {
      const { learner, slot } = this.legend[point.run];
      if (named.has(learner)) continue;
      named.add(learner);
      const [x, y] = [this.x(point.x), this.y(point.y)];
      const width = learner.length * 7.2;
      const boxes = [[x - width / 2, y - 26], [x - width - 12, y - 8], [x + 12, y - 8], [x - width / 2, y + 11], [x - width - 6, y - 26], [x + 6, y + 10]]
        .map(([left, top]) => [left, top, left + width, top + 15]);
      const box = boxes.find(fits);
      if (!box) continue;
      taken.push(box);
      group.append(svg('text', { x: (box[0] + box[2]) / 2, y: box[3] - 3, 'text-anchor': 'middle', style: { fill: colour(slot) } }, learner));
    }
    return group;
  }

  hover(event) {
    const box = this.svg.getBoundingClientRect();
    const [px, py] = [(event.clientX - box.left) * this.width / box.width, (event.clientY - box.top) * this.height / box.height];
    let best = null;
    for (const point of this.spec.points) {
      if (this.view.hidden.has(point.run)) continue;
      const distance = Math.hypot(this.x(point.x) - px, this.y(point.y) - py);
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
