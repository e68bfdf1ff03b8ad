// Accuracy over time: shrubs, the windowed tree, where the concept changed, where the shrubs noticed.

import { fit, token } from './palette.js';

const SPAN = 12000;  // examples that are shown

export function drawChart(canvas, { curve, changes, drifts, n }) {
  const { context, width, height } = fit(canvas);
  const [left, right, top, bottom] = [40, 8, 12, 20];
  context.clearRect(0, 0, width, height);
  context.font = `11px ${token('--sans')}`;
  const end = Math.max(n, 2000);
  const begin = Math.max(0, end - SPAN);
  const seen = curve.filter(point => point[0] >= begin);
  const least = Math.min(0.5, ...seen.map(point => Math.min(point[1], point[2])));
  const low = Math.max(0, Math.floor(least * 10) / 10);
  const x = at => left + ((at - begin) / (end - begin)) * (width - left - right);
  const y = share => top + (1 - (share - low) / (1 - low)) * (height - top - bottom);
  drawAxes(context, { x, y, low, begin, end, width, height, left, right });
  for (const at of changes.filter(at => at > begin)) mark(context, x(at), top, height - bottom);
  line(context, seen, 2, x, y, token('--tree'), 1.75, [5, 3]);
  line(context, seen, 1, x, y, token('--accent'), 2.5, []);
  for (const { noticed } of drifts.filter(drift => drift.noticed > begin)) notice(context, x(noticed), height - bottom);
}

function drawAxes(context, { x, y, low, begin, end, width, height, left, right }) {
  context.textAlign = 'right';
  context.lineWidth = 1;
  const gap = low < 0.45 ? 0.25 : 0.1;
  for (let share = 1; share >= low - 1e-9; share -= gap) {
    context.strokeStyle = token('--grid');
    context.beginPath();
    context.moveTo(left, y(share));
    context.lineTo(width - right, y(share));
    context.stroke();
    context.fillStyle = token('--muted');
    context.fillText(`${Math.round(100 * share)} %`, left - 5, y(share) + 4);
  }
  context.textAlign = 'center';
  const step = end - begin > 6000 ? 2000 : 1000;
  for (let at = Math.ceil((begin + 1) / step) * step; at <= end; at += step) {
    if (x(at) < width - 16) context.fillText(at.toLocaleString('en'), x(at), height - 4);
  }
}

function line(context, points, column, x, y, colour, thick, dash) {
  context.strokeStyle = colour;
  context.lineWidth = thick;
  context.lineJoin = 'round';
  context.setLineDash(dash);
  context.beginPath();
  points.forEach(point => context.lineTo(x(point[0]), y(point[column])));
  context.stroke();
  context.setLineDash([]);
}

function mark(context, x, top, bottom) {
  context.strokeStyle = token('--muted');
  context.lineWidth = 1;
  context.setLineDash([1.5, 3]);
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, bottom);
  context.stroke();
  context.setLineDash([]);
}

function notice(context, x, bottom) {
  context.fillStyle = token('--accent');
  context.beginPath();
  context.moveTo(x, bottom - 9);
  context.lineTo(x + 5, bottom);
  context.lineTo(x - 5, bottom);
  context.fill();
}
