// A file of the visitor's own as a stream: a header, a class, numbers and texts.

const MAX_BYTES = 64e6;
const MAX_CLASSES = 12;
const MAX_COLUMNS = 200;

/** The fields of a CSV file, row by row; quotes may hold separators, line ends and doubled quotes. */
export function parseCsv(text) {
  const separator = separatorOf(text);
  const rows = [];
  let row = [];
  let at = text.charCodeAt(0) === 0xFEFF ? 1 : 0;
  while (at < text.length) {
    let field;
    [field, at] = text[at] === '"' ? quoted(text, at) : plain(text, at, separator);
    row.push(field.trim());
    if (text[at] === separator) {
      if (++at === text.length) row.push('');
      else continue;
    }
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}

function separatorOf(text) {
  const line = text.slice(0, text.search(/[\r\n]|$/));
  const count = mark => line.split(mark).length;
  return [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

function plain(text, at, separator) {
  let end = at;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') ++end;
  return [text.slice(at, end), end];
}

function quoted(text, at) {
  let field = '';
  for (let i = at + 1; i < text.length; ++i) {
    if (text[i] !== '"') field += text[i];
    else if (text[i + 1] === '"') field += text[++i];
    else return [field, i + 1];
  }
  throw new Error('a quote is opened and never closed');
}

const MISSING = new Set(['', '?', 'na', 'nan', 'null', 'none']);
const isMissing = field => MISSING.has(field.toLowerCase());

/** A file as columns: their names, their values, and which of them are texts. Errors are one line for people. */
export function readTable(text, name = 'the file') {
  if (text.length > MAX_BYTES) throw new Error(`${name} has more than ${MAX_BYTES / 1e6} MB`);
  const [header, ...rows] = parseCsv(text);
  if (!header || header.length < 2) throw new Error(`${name} needs a header and at least two columns`);
  if (header.length > MAX_COLUMNS) throw new Error(`${name} has ${header.length} columns; at most ${MAX_COLUMNS} fit here`);
  if (rows.length < 2) throw new Error(`${name} has ${rows.length} rows; it needs more`);
  const wrong = rows.findIndex(row => row.length !== header.length);
  if (wrong >= 0) throw new Error(`row ${wrong + 2} of ${name} has ${rows[wrong].length} fields, its header ${header.length}`);
  return { name, names: header, columns: header.map((_, i) => readColumn(rows, i)) };
}

function readColumn(rows, i) {
  const fields = rows.map(row => row[i]);
  const numbers = fields.map(field => (isMissing(field) ? NaN : Number(field)));
  const isNumeric = fields.every((field, k) => isMissing(field) || Math.abs(numbers[k]) <= 3e38);
  const codes = new Map();
  for (const field of fields) if (!isMissing(field) && !codes.has(field)) codes.set(field, codes.size);
  const values = isNumeric ? numbers : fields.map(field => codes.get(field) ?? NaN);
  return { isNumeric, values: Float32Array.from(values), labels: [...codes.keys()], codes: fields.map(field => codes.get(field) ?? -1) };
}

/** The columns that can be the class. */
export function possibleLabels(table) {
  return table.columns.map((column, i) => [column, i])
    .filter(([column]) => column.labels.length >= 2 && column.labels.length <= MAX_CLASSES && !column.codes.includes(-1))
    .map(([, i]) => i);
}

/** The rows of a table in their order, once. */
export class TableStream {
  constructor(table, label) {
    const column = table.columns[label];
    if (!possibleLabels(table).includes(label)) {
      throw new Error(`'${table.names[label]}' cannot be the class: it has ${column.labels.length} different values`
        + `${column.codes.includes(-1) ? ', and some are missing' : ''}; 2 to ${MAX_CLASSES} are allowed`);
    }
    const features = table.columns.map((_, i) => i).filter(i => i !== label);
    this.table = table;
    this.names = features.map(i => table.names[i]);
    this.columns = features.map(i => table.columns[i]);
    this.nominal = this.columns.map((_, i) => i).filter(i => !this.columns[i].isNumeric);
    this.labels = column.codes;
    this.classNames = column.labels;
    this.nClasses = column.labels.length;
    this.length = column.codes.length;
    this.x = new Float32Array(features.length);
    this.n = 0;
    this.changes = [];
    this.ranges = this.columns.map(rangeOf);
  }

  get isOver() { return this.n === this.length; }

  next() {
    this.columns.forEach((column, i) => { this.x[i] = column.values[this.n]; });
    return this.labels[this.n++];
  }
}

// What is shown of a column: nearly all of its values.
function rangeOf(column) {
  const sorted = column.values.filter(value => value === value).sort();
  if (sorted.length === 0) return { low: 0, high: 1, middle: NaN };
  const at = share => sorted[Math.round(share * (sorted.length - 1))];
  const [low, high] = column.isNumeric ? [at(0.01), at(0.99)] : [-0.5, column.labels.length - 0.5];
  return high > low ? { low, high, middle: at(0.5) } : { low: low - 1, high: low + 1, middle: at(0.5) };
}
