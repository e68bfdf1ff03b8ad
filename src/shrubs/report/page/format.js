// Numbers as people read them. One KB is 1024 bytes.

const KB = 1024;

function trimmed(value, digits) {
  const text = Math.abs(value) < 1e6 ? String(Number(value.toPrecision(digits))) : value.toExponential(2);
  return text.replace('-', '−');
}

const format = {
  count: value => Math.round(value).toLocaleString('en-US'),
  share: value => `${(100 * value).toFixed(1)} %`,
  bytes: value => value < KB ? `${Math.round(value)} B`
    : value < KB * KB ? `${trimmed(value / KB, 3)} KB` : `${trimmed(value / KB / KB, 3)} MB`,
  number: value => trimmed(value, 4),
};

// Shorter, for axes; `most` is the largest number on the axis.
const formatTick = {
  count: (value, most) => value === 0 ? '0' : most >= 1e6 ? `${trimmed(value / 1e6, 4)}M`
    : most >= 1e4 ? `${trimmed(value / 1e3, 4)}k` : format.count(value),
  share: value => `${trimmed(100 * value, 4)} %`,
  bytes: format.bytes,
  number: format.number,
};
