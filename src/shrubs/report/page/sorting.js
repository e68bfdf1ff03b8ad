// Sorting the table of results; rows without a value stay last.

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const key = (row, column) => {
    const text = row.cells[column].dataset.value;
    return column === 0 || text === undefined ? text : Number(text);
  };
  const compare = (a, b) => typeof a === 'string' ? a.localeCompare(b) : a - b;

  heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => {
    const first = head.dataset.better === 'higher' ? 'descending' : 'ascending';
    const other = first === 'ascending' ? 'descending' : 'ascending';
    const order = head.getAttribute('aria-sort') === first ? other : first;
    for (const each of heads) each.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', order);
    const sign = order === 'ascending' ? 1 : -1;
    const rows = [...body.rows].sort((r, s) => {
      const [a, b] = [key(r, column), key(s, column)];
      if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
      return sign * compare(a, b);
    });
    body.append(...rows);
  }));
}
