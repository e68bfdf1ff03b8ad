// Which classes are taken for which: rows are the true classes, shaded by the share of their row.

const MAX_NUMBERS = 12;

function matrixTable(spec) {
  const { classes, counts } = spec;
  const dense = classes.length > MAX_NUMBERS;
  const head = element('tr', {}, element('th', { class: 'corner' }, 'true ↓\npredicted →'),
    ...classes.map(name => element('th', { scope: 'col', title: name }, dense ? '' : name)));
  const rows = counts.map((row, i) => {
    const total = row.reduce((sum, n) => sum + n, 0);
    return element('tr', {}, element('th', { scope: 'row', title: classes[i] }, classes[i]),
      ...row.map((n, j) => {
        const share = total ? n / total : 0;
        return element('td', {
          class: share > 0.55 ? 'deep' : null,
          title: `${classes[i]} taken for ${classes[j]}: ${format.count(n)} of ${format.count(total)}`,
          style: { background: `rgb(var(--heat) / ${(0.04 + 0.96 * share).toFixed(3)})` },
        }, dense ? '' : element('b', {}, `${Math.round(100 * share)} %`), dense ? '' : element('small', {}, format.count(n)));
      }));
  });
  return element('table', { class: dense ? 'matrix dense' : 'matrix' },
    element('thead', {}, head), element('tbody', {}, ...rows));
}

function matrixCard(section, figures) {
  const scroll = element('div', { class: 'scroll', tabindex: 0 });
  const show = spec => scroll.replaceChildren(matrixTable(spec));
  section.card(figures[0].title, { controls: [section.chooser(figures, show)] })
    .append(scroll, caption('Percent of each true class; counts below.'));
  show(figures[0]);
}
