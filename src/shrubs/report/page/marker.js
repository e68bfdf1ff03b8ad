// The markers of the learners, as paths around (0, 0).

const MARKERS = {
  circle: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z',
  ring: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z',
  square: 'M-3.6-3.6H3.6V3.6H-3.6Z',
  box: 'M-3.6-3.6H3.6V3.6H-3.6Z',
  triangle: 'M0-4.8L4.6 3.4H-4.6Z',
  down: 'M0 4.8L4.6-3.4H-4.6Z',
  diamond: 'M0-5.2L4.6 0L0 5.2L-4.6 0Z',
  plus: 'M-1.5-4.6H1.5V-1.5H4.6V1.5H1.5V4.6H-1.5V1.5H-4.6V-1.5H-1.5Z',
  cross: 'M-4.4-2.3L-2.3-4.4L0-2.1L2.3-4.4L4.4-2.3L2.1 0L4.4 2.3L2.3 4.4L0 2.1L-2.3 4.4L-4.4 2.3L-2.1 0Z',
  bar: 'M-1.5-5H1.5V5H-1.5Z',
};

function marker(entry, x = 0, y = 0, size = 1) {
  const hollow = entry.marker === 'ring' || entry.marker === 'box';
  return svg('path', {
    d: MARKERS[entry.marker],
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${size})`,
    style: hollow ? { fill: 'var(--surface)', stroke: colour(entry.slot), strokeWidth: 2 }
      : { fill: colour(entry.slot), stroke: 'var(--surface)', strokeWidth: 1 },
  });
}

// A short line with the marker on it, for legends.
function swatch(entry, dashes) {
  return svg('svg', { class: 'swatch', viewBox: '0 0 30 14', 'aria-hidden': 'true' },
    svg('line', { x1: 1, x2: 29, y1: 7, y2: 7,
      'stroke-dasharray': dashes[entry.dash].join(' ') || null,
      style: { stroke: colour(entry.slot), strokeWidth: 2.2 } }),
    marker(entry, 15, 7));
}
