// The critical-difference diagram: an axis of ranks, a stem from each method to its place on it,
// and below the axis a bar over every group of methods that are alike.

class Diagram extends Plot {
  constructor(host, spec) {
    super(host, { height: 0, label: spec.alt });
    this.spec = spec;
    this.svg.classList.add('diagram');
  }

  redraw() {
    if (!this.width) return;
    if (this.width < 460) return this.drawRows();
    const { methods, bars } = this.spec;
    const n = methods.length;
    const axis = 34;
    const first = axis + 22 + bars.length * 9;
    const row = 23;
    const height = first + Math.ceil(n / 2) * row + 4;
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${height}`);
    const margin = Math.min(110, this.width * 0.24);
    this.x = linearScale([1, n], [margin, this.width - margin]);
    this.svg.replaceChildren(this.axis(axis, n));
    methods.forEach((_, i) => {
      const left = i < Math.ceil(n / 2);
      const level = left ? i : n - 1 - i;
      this.svg.append(...this.stem(i, axis, first + level * row, left));
    });
    bars.forEach((bar, i) => this.svg.append(this.bar(bar, axis + 12 + i * 9)));
  }

  // On a phone: a row per method, its place on the axis of ranks, and upright bars at the right.
  drawRows() {
    const { methods, ranks, bars, looks } = this.spec;
    const [row, top] = [27, 34];
    const [left, right] = [112, this.width - 16 - bars.length * 9];
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${top + methods.length * row + 4}`);
    this.x = linearScale([1, methods.length], [left, right]);
    this.svg.replaceChildren(this.axis(top - 12, methods.length));
    methods.forEach((name, i) => {
      const y = top + (i + 0.5) * row;
      const x = this.x(ranks[i]);
      this.svg.append(
        svg('line', { class: 'stem', x1: left, x2: x, y1: y, y2: y, style: { stroke: colour(looks[i].slot) } }),
        marker(looks[i], x, y, 1.1),
        svg('text', { class: 'method', x: 0, y: y + 4 }, svg('tspan', { class: 'who' }, name),
          svg('tspan', { class: 'rank', x: left - 10, 'text-anchor': 'end' }, ranks[i].toFixed(2))));
    });
    bars.forEach(([low, high], i) => {
      const x = right + 14 + i * 9;
      this.svg.append(svg('line', { class: 'alike', x1: x, x2: x, y1: top + (low + 0.25) * row, y2: top + (high + 0.75) * row }));
    });
  }

  axis(y, n) {
    const group = svg('g', { class: 'axis' }, svg('line', { x1: this.x(1), x2: this.x(n), y1: y, y2: y }));
    const every = Math.ceil(n * 15 / (this.x(n) - this.x(1)));
    for (let rank = 1; rank <= n; rank += every) {
      const x = this.x(rank);
      group.append(svg('line', { x1: x, x2: x, y1: y - 6, y2: y }),
        svg('text', { x, y: y - 11, 'text-anchor': 'middle' }, String(rank)));
    }
    return group;
  }

  stem(i, top, y, left) {
    const { methods, ranks, looks } = this.spec;
    const x = this.x(ranks[i]);
    const end = left ? this.x(1) - 14 : this.x(methods.length) + 14;
    return [
      svg('path', { class: 'stem', d: `M${x.toFixed(1)} ${top}V${y}H${end.toFixed(1)}`, style: { stroke: colour(looks[i].slot) } }),
      marker(looks[i], x, top, 1.1),
      svg('text', { class: 'method', x: end + (left ? -6 : 6), y: y + 4, 'text-anchor': left ? 'end' : 'start' },
        svg('tspan', { class: 'who' }, methods[i]), svg('tspan', { class: 'rank', dx: 5 }, ranks[i].toFixed(2))),
    ];
  }

  bar([low, high], y) {
    const { ranks } = this.spec;
    return svg('line', { class: 'alike', x1: this.x(ranks[low]) - 4, x2: this.x(ranks[high]) + 4, y1: y, y2: y });
  }
}

function diagramCards(section, figures) {
  for (const figure of figures) {
    const host = element('div', { class: 'chart' });
    section.card(figure.title).append(host, caption(figure.caption));
    new Diagram(host, figure);
  }
}
