// From values to pixels, and the values worth a tick.

function linearScale(domain, range) {
  const [d0, d1] = domain;
  const [r0, r1] = range;
  const scale = value => r0 + (value - d0) / (d1 - d0 || 1) * (r1 - r0);
  scale.invert = pixel => d0 + (pixel - r0) / (r1 - r0 || 1) * (d1 - d0);
  scale.ticks = n => linearTicks(d0, d1, n);
  return scale;
}

function logScale(domain, range) {
  const inner = linearScale(domain.map(Math.log), range);
  const scale = value => inner(Math.log(value));
  scale.invert = pixel => Math.exp(inner.invert(pixel));
  scale.ticks = n => byteTicks(domain[0], domain[1], n);
  return scale;
}

// Multiples of 1, 2 or 5 times a power of ten.
function linearTicks(low, high, n) {
  const rough = (high - low) / Math.max(n, 1);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(i * step || 0);
  return ticks;
}

// Round numbers of bytes, KB and MB; finer ones if few of them fit.
function byteTicks(low, high, n) {
  const decades = [1, 10, 100].flatMap(m => [m, m * KB, m * KB * KB]).sort((a, b) => a - b);
  const within = factors => decades.flatMap(d => factors.map(f => d * f)).filter(v => v >= low && v <= high);
  const choices = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 8]];
  return choices.map(within).find(ticks => ticks.length >= Math.min(n, 3)) || within(choices[3]);
}
