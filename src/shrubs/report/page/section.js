// A section with its figures, their common legend and, for a stream, the table of its results.

class Section {
  constructor(node, data, common) {
    Object.assign(this, { node, ...data, ...common });
    this.host = node.querySelector('.figures');
    this.after = this.host.firstElementChild;
    this.buttons = [];
    const ends = this.figures.flatMap(figure => figure.series || []).map(series => series.x.at(-1));
    this.view = new View([0, Math.max(1, ...ends)]);
    for (const [kind, figures] of groupBy(this.figures, figure => figure.kind)) KINDS[kind](this, figures);
    this.decorateTable();
  }

  // A card in front of those that the page came with; returns the place for its content.
  card(title, { wide = false, controls = [] } = {}) {
    const body = element('div', { class: 'body' });
    this.host.insertBefore(element('figure', { class: wide ? 'card wide' : 'card' },
      element('figcaption', {}, element('h3', {}, title), ...controls), body), this.after);
    return body;
  }

  // Chooses between figures of several runs.
  chooser(figures, show) {
    const label = figure => this.legend[figure.run].label;
    if (figures.length < 2) return element('span', { class: 'chosen' }, label(figures[0]));
    return element('select', { 'aria-label': 'Learner', onchange: event => show(figures[event.target.value]) },
      ...figures.map((figure, i) => element('option', { value: i }, label(figure))));
  }

  legendBar(drawn) {
    const bar = element('div', { class: 'legend', role: 'group', 'aria-label': 'Learners' });
    this.legend.forEach((entry, run) => {
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
    const isAlone = this.alone === run;
    hidden.clear();
    if (!isAlone) this.legend.forEach((_, i) => { if (i !== run) hidden.add(i); });
    this.alone = isAlone ? null : run;
    this.refresh();
  }

  refresh() {
    const { hidden } = this.view;
    for (const button of this.buttons) button.setAttribute('aria-pressed', String(!hidden.has(Number(button.dataset.run))));
    for (const row of this.node.querySelectorAll('tr[data-run]')) row.classList.toggle('off', hidden.has(Number(row.dataset.run)));
    this.view.redraw();
  }

  decorateTable() {
    const table = this.node.querySelector('table.results');
    if (!table) return;
    makeSortable(table);
    for (const row of table.tBodies[0].rows) {
      if (row.dataset.run === undefined) continue;
      row.querySelector('.who').prepend(swatch(this.legend[row.dataset.run], this.dashes));
    }
  }
}
