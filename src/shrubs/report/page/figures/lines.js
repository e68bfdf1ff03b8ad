// Values over the stream: one line per run, markers along it, a triangle per detected drift.

class Lines extends Frame {
  constructor(host, view, spec, { legend, dashes, height }) {
    super(host, view, { height, margin: { top: 14, right: 14, bottom: 30, left: 64 }, label: spec.alt });
    Object.assign(this, { spec, legend, dashes });
  }

  show(spec) { this.spec = spec; this.svg.setAttribute('aria-label', spec.alt); this.redraw(); }

  get visible() { return this.spec.series.filter(series => !this.view.hidden.has(series.run)); }

  draw() {
    const { spec } = this;
    this.y = this.yScale();
    this.drawYAxis(this.y, spec.yAxis.unit);
    this.markDrifts(spec.drifts);
    // The best run is first in the legend and drawn last, on top.
    for (const series of [...this.visible].reverse()) this.area.append(this.drawSeries(series));
    this.drawXAxis();
  }

  yScale() {
    const [low, high] = this.view.shown;
    const values = this.visible.flatMap(s => s.y.filter((y, i) => y !== null && s.x[i] >= low && s.x[i] <= high));
    let [min, max] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
    const range = [this.bottom, this.top];
    if (this.spec.yAxis.log) {
      return logScale([Math.max(min, 1) / 1.5, Math.max(max, 1) * 1.5], range);
    }
    const [least, most] = this.spec.limits;
    [min, max] = [Math.max(min, least ?? min), Math.min(max, most ?? max)];
    if (min > max) [min, max] = [least ?? most - 1, most ?? least + 1];  // nothing but what is beyond
    const pad = (max - min || Math.abs(max) || 1) * 0.06;
    [min, max] = [min - pad, max + pad];
    if (this.spec.yAxis.unit === 'share') [min, max] = [Math.max(min, 0), Math.min(max, 1)];
    return linearScale([min, max], range);
  }

  // In pixels; what is beyond the axis leaves the figure and goes no further.
  pixel(value) { return Math.min(Math.max(this.y(value), this.top - 40), this.bottom + 40); }

  drawSeries(series) {
    const entry = this.legend[series.run];
    const group = svg('g', { class: 'series', 'data-run': series.run });
    let pen = 'M';
    let path = '';
    series.y.forEach((y, i) => {
      if (y === null) { pen = 'M'; return; }
      path += `${pen}${this.x(series.x[i]).toFixed(1)} ${this.pixel(y).toFixed(1)}`;
      pen = 'L';
    });
    group.append(svg('path', { class: 'line', d: path,
      'stroke-dasharray': this.dashes[entry.dash].join(' ') || null,
      style: { stroke: colour(entry.slot) } }));
    this.drawMarkers(group, series, entry);
    this.drawFoundDrifts(group, series, entry);
    return group;
  }

  // A few markers, at other places for every run.
  drawMarkers(group, series, entry) {
    const [low, high] = this.view.shown;
    const inside = series.x.map((x, i) => i).filter(i => series.x[i] >= low && series.x[i] <= high);
    const step = Math.max(Math.floor(inside.length / 7), 1);
    const first = Math.floor((series.run * 0.37 % 1) * step);
    for (let i = first; i < inside.length; i += step) {
      const y = series.y[inside[i]];
      if (y !== null) group.append(marker(entry, this.x(series.x[inside[i]]), this.pixel(y), 0.85));
    }
  }

  drawFoundDrifts(group, series, entry) {
    for (const position of series.found) {
      const x = this.x(position);
      if (x < this.left || x > this.right) continue;
      group.append(svg('path', { class: 'found', d: 'M-5-11H5L0-3Z', style: { fill: colour(entry.slot) },
        transform: `translate(${x.toFixed(1)} ${this.pixel(this.valueAt(series, position)).toFixed(1)})` }));
    }
  }

  // On the line, between two points of the trace.
  valueAt(series, position) {
    const i = series.x.findIndex(x => x >= position);
    if (i <= 0) return series.y[i < 0 ? series.y.length - 1 : 0] ?? 0;
    const [y0, y1] = [series.y[i - 1] ?? series.y[i] ?? 0, series.y[i] ?? series.y[i - 1] ?? 0];
    return y0 + (y1 - y0) * (position - series.x[i - 1]) / (series.x[i] - series.x[i - 1]);
  }

  point(cursor) {
    this.clearCursor();
    const longest = this.visible[0];
    if (cursor === null || !longest) return;
    const at = longest.x[nearest(longest.x, cursor)];
    const rows = this.visible
      .map(series => [series, series.y[nearest(series.x, at)]])
      .filter(([, y]) => y !== null && y !== undefined)
      .sort((a, b) => b[1] - a[1]);
    const unit = this.spec.yAxis.unit;
    this.drawCursor(at, [
      element('strong', {}, `after ${format.count(at)} examples`),
      ...rows.map(([series, y]) => {
        const entry = this.legend[series.run];
        return element('div', { class: 'row' }, swatch(entry, this.dashes),
          element('span', {}, entry.label), element('b', {}, format[unit](y)));
      })]);
    for (const [series, y] of rows) {
      this.overlay.append(marker(this.legend[series.run], this.x(at), this.pixel(y), 1.1));
    }
  }
}

// Panels share their legend, their zoom and their crosshair; the figures of a panel take turns.
function linesCard(section, figures) {
  const body = section.card('Over the stream', { wide: true, controls: [zoomControls(section.view, figures[0].drifts)] });
  body.append(section.legendBar(new Set(figures.flatMap(figure => figure.series.map(series => series.run)))));
  const narrow = isNarrow();
  for (const [panel, turns] of groupBy(figures, figure => figure.panel)) {
    const host = element('div', { class: `chart ${panel}` });
    const height = panel === 'memory' ? 190 : narrow ? 250 : 320;
    const beyond = caption(turns[0].beyond);
    const show = figure => { chart.show(figure); beyond.textContent = figure.beyond; };
    body.append(turns.length > 1 ? metricTabs(turns, show) : element('h4', {}, turns[0].title), host, beyond);
    const chart = new Lines(host, section.view, turns[0], { legend: section.legend, dashes: section.dashes, height });
  }
  const parts = ['examples along the stream →'];
  if (section.note) parts.push(section.note);
  if (figures[0].drifts.length) parts.push(`dotted lines: ${figures[0].driftKind}`);
  if (figures[0].series.some(series => series.found.length)) parts.push('▼ on a line: drift detected from the errors of that learner');
  body.append(caption(parts.join(' · ')));
}

function metricTabs(figures, show) {
  const bar = element('div', { class: 'tabs', role: 'group', 'aria-label': 'Metric' });
  figures.forEach((figure, i) => bar.append(element('button', {
    type: 'button', 'aria-pressed': String(i === 0),
    onclick: event => {
      for (const button of bar.children) button.setAttribute('aria-pressed', String(button === event.currentTarget));
      show(figure);
    } }, figure.title, element('small', {}, figure.yAxis.label))));
  return bar;
}

function zoomControls(view, drifts) {
  const button = (text, label, action) => element('button', { type: 'button', 'aria-label': label, title: label, onclick: action }, text);
  return element('span', { class: 'zoom' },
    button('−', 'Zoom out', () => view.scaleBy(2)),
    button('+', 'Zoom in', () => view.scaleBy(0.5)),
    ...(drifts.length ? [button('drift', 'Zoom to the next drift', () => view.zoomToNext(drifts))] : []),
    button('all', 'Show the whole stream', () => view.reset()));
}
