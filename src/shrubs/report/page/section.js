// The figures of one stream and their controls.

class Section {
  constructor(node, data, common) {
    Object.assign(this, { node, data, ...common });
    this.host = node.querySelector('.figures');
    this.view = new View(this.extent());
    this.buttons = [];
    const { curves, memory, front, matrices, lives } = data;
    if (curves.length || memory) this.addCurves(curves, memory);
    if (front) this.addFront(front);
    if (matrices.length) this.addMatrix(matrices);
    if (lives.length) this.addLife(lives);
    this.decorateTable();
  }

  extent() {
    const { curves, memory } = this.data;
    const series = [...curves, ...(memory ? [memory] : [])].flatMap(figure => figure.series);
    return [0, Math.max(1, ...series.map(s => s.x[s.x.length - 1]))];
  }

  card(title, { wide, controls = [] }) {
    const body = element('div', { class: 'body' });
    const card = element('figure', { class: wide ? 'card wide' : 'card' },
      element('figcaption', {}, element('h3', {}, title), ...controls), body);
    this.host.append(card);
    return body;
  }

  // Accuracy and memory share their legend, their zoom and their crosshair.
  addCurves(curves, memory) {
    const body = this.card('Over the stream', { wide: true, controls: [this.zoomControls()] });
    const drawn = new Set([...curves, ...(memory ? [memory] : [])].flatMap(figure => figure.series.map(series => series.run)));
    body.append(this.legendBar(drawn));
    const options = { legend: this.data.legend, dashes: this.dashes };
    if (curves.length) {
      const host = element('div', { class: 'chart accuracy' });
      const tabs = curves.length > 1 ? this.tabs(curves, figure => chart.show(figure)) : null;
      body.append(tabs || element('h4', {}, curves[0].title), host);
      const chart = new Lines(host, this.view, curves[0], { ...options, height: this.tall ? 250 : 320 });
    }
    if (memory) {
      const host = element('div', { class: 'chart memory' });
      body.append(element('h4', {}, memory.title), host);
      new Lines(host, this.view, memory, { ...options, height: 190 });
    }
    body.append(this.driftKey(curves[0] || memory));
  }

  get tall() { return matchMedia('(max-width: 600px)').matches; }

  driftKey(figure) {
    const parts = ['examples along the stream →'];
    if (this.data.note) parts.push(this.data.note);
    if (figure.known.length) parts.push('dotted lines: known drifts');
    if (figure.series.some(series => series.found.length)) parts.push('▼ on a line: drift detected from the errors of that learner');
    return element('p', { class: 'caption' }, parts.join(' · '));
  }

  tabs(figures, show) {
    const bar = element('div', { class: 'tabs', role: 'group', 'aria-label': 'Metric' });
    figures.forEach((figure, i) => bar.append(element('button', {
      type: 'button', 'aria-pressed': String(i === 0),
      onclick: event => {
        for (const button of bar.children) button.setAttribute('aria-pressed', String(button === event.currentTarget));
        show(figure);
      } }, figure.title, element('small', {}, figure.yAxis.label))));
    return bar;
  }

  zoomControls() {
    const { view } = this;
    const button = (text, label, action) => element('button', { type: 'button', 'aria-label': label, title: label, onclick: action }, text);
    return element('span', { class: 'zoom' },
      button('−', 'Zoom out', () => view.scaleBy(2)),
      button('+', 'Zoom in', () => view.scaleBy(0.5)),
      button('all', 'Show the whole stream', () => view.reset()));
  }

  legendBar(drawn) {
    const bar = element('div', { class: 'legend', role: 'group', 'aria-label': 'Learners' });
    this.data.legend.forEach((entry, run) => {
      if (!drawn.has(run)) return;
      const button = element('button', {
        type: 'button', 'aria-pressed': 'true', 'data-run': run, title: 'Click to hide, double-click to see alone',
        onclick: event => { if (event.detail < 2) this.toggle(run); },
        ondblclick: () => this.isolate(run),
      }, swatch(entry, this.dashes), element('span', {}, entry.learner),
      entry.detail ? element('small', {}, entry.detail) : null);
      this.buttons.push(button);
      bar.append(button);
    });
    return bar;
  }

  toggle(run) {
    const { hidden } = this.view;
    if (!hidden.delete(run)) hidden.add(run);
    this.refresh();
  }

  isolate(run) {
    const { hidden } = this.view;
    const others = this.data.legend.map((_, i) => i).filter(i => i !== run);
    const alone = this.alone === run;
    hidden.clear();
    if (!alone) others.forEach(i => hidden.add(i));
    this.alone = alone ? null : run;
    this.refresh();
  }

  refresh() {
    const { hidden } = this.view;
    for (const button of this.buttons) button.setAttribute('aria-pressed', String(!hidden.has(Number(button.dataset.run))));
    for (const row of this.node.querySelectorAll('tr[data-run]')) row.classList.toggle('off', hidden.has(Number(row.dataset.run)));
    this.view.redraw();
  }

  addFront(front) {
    const body = this.card(front.title, { wide: !this.data.matrices.length });
    const host = element('div', { class: 'chart' });
    body.append(host, element('p', { class: 'caption' }, front.fronts
      ? 'Every point is a configuration; the lines are the fronts of the methods, and beaten configurations are pale.'
      : 'On the line: no other run is better with as little memory.'));
    new Points(host, this.view, front, { legend: this.data.legend, height: 330 });
  }

  chooser(figures, show) {
    if (figures.length < 2) return element('span', { class: 'chosen' }, this.data.legend[figures[0].run].label);
    return element('select', { 'aria-label': 'Learner', onchange: event => show(figures[event.target.value]) },
      ...figures.map((figure, i) => element('option', { value: i }, this.data.legend[figure.run].label)));
  }

  addMatrix(matrices) {
    const scroll = element('div', { class: 'scroll', tabindex: 0 });
    const show = spec => scroll.replaceChildren(matrixTable(spec));
    const body = this.card(matrices[0].title, { controls: [this.chooser(matrices, show)] });
    body.append(scroll, element('p', { class: 'caption' }, 'Percent of each true class; counts below.'));
    show(matrices[0]);
  }

  addLife(lives) {
    const host = element('div', { class: 'chart life' });
    const caption = element('p', { class: 'caption' });
    const key = element('div');
    const describe = spec => {
      key.replaceChildren(chart.ageKey());
      caption.textContent = `${spec.caption} Each block is a shrub, as high as its share of the vote. `
        + 'Born and gone are counted between two columns.';
    };
    const choose = this.chooser(lives, spec => { chart.show(spec); describe(spec); });
    const body = this.card(lives[0].title, { wide: true, controls: [choose] });
    body.append(key, host, caption);
    const chart = new Bands(host, this.view, lives[0], { nAges: this.nAges, height: this.tall ? 340 : 400 });
    describe(lives[0]);
  }

  decorateTable() {
    const table = this.node.querySelector('table.results');
    makeSortable(table);
    for (const row of table.tBodies[0].rows) {
      if (row.dataset.run === undefined) continue;
      row.querySelector('.who').prepend(swatch(this.data.legend[row.dataset.run], this.dashes));
    }
  }
}
