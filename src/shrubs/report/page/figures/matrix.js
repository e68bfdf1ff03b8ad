// Which classes are taken for which: rows are the true classes, shaded by the share of their row.

const MAX_COUNTS = 5;
const MAX_NUMBERS = 12;

function matrixTable(spec) {
  const { classes, counts, alt } = spec;
  const n = classes.length;
  const [compact, dense] = [n > MAX_COUNTS, n > MAX_NUMBERS];
  const head = element('tr', {}, element('th', { class: 'corner' }, compact ? 'true ↓' : 'true ↓\npredicted →'),
    ...classes.map(name => element('th', { scope: 'col', title: name }, dense ? '' : name)));
  const rows = counts.map((row, i) => {
    const total = row.reduce((sum, count) => sum + count, 0);
    return element('tr', {}, element('th', { scope: 'row', title: classes[i] }, classes[i]),
      ...row.map((count, j) => {
        const share = total ? count / total : 0;
        const percent = Math.round(100 * share);
        return element('td', {
          class: share > 0.55 ? 'deep' : null,
          title: `${classes[i]} taken for ${classes[j]}: ${format.count(count)} of ${format.count(total)}`,
          style: { background: `rgb(var(--heat) / ${(0.04 + 0.96 * share).toFixed(3)})` },
        }, ...(dense ? [] : compact ? [percent || ''] : [element('b', {}, `${percent} %`), element('small', {}, format.count(count))]));
      }));
  });
  return element('table', { class: `matrix${compact ? ' compact' : ''}${dense ? ' dense' : ''}`, 'aria-label': alt },
    element('thead', {}, head), element('tbody', {}, ...rows));
}

function matrixCard(section, figures) {
  const host = element('div');
  const show = spec => host.replaceChildren(matrixTable(spec));
  const counts = figures[0].classes.length > MAX_COUNTS ? 'point at a cell for its count' : 'counts below';
  section.card(figures[0].title, { controls: [section.chooser(figures, show)] })
    .append(host, caption(`Percent of each true class; columns are what was predicted; ${counts}.`));
  show(figures[0]);
}
