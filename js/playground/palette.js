// Colours and shapes of the classes: apart for every kind of sight, in the light and in the dark.

const LIGHT = ['#0072b2', '#d98200', '#00916a', '#c2528f', '#6b5bd2', '#8a8500', '#3f9fd4', '#a03a1c', '#5c6470', '#7fb13c', '#b58adf', '#404040'];
const DARK = ['#56b4e9', '#f0a92e', '#2fd0a0', '#e58abf', '#9a8cff', '#d3cf4a', '#9fd8ff', '#e5754f', '#aab2bd', '#b5e36d', '#d6b6f5', '#e0e0e0'];
const SHAPES = ['circle', 'triangle', 'square', 'diamond', 'plus', 'down'];

export const isDark = () => document.documentElement.dataset.theme === 'dark';
export const colourOf = label => (isDark() ? DARK : LIGHT)[label % LIGHT.length];

const tokens = new Map();
/** A colour of the style sheet. */
export function token(name) {
  const key = `${name} ${isDark()}`;
  if (!tokens.has(key)) tokens.set(key, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return tokens.get(key);
}

export function rgb(colour) {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The outline of a class's shape around a point. */
export function traceShape(context, label, x, y, r) {
  const shape = SHAPES[label % SHAPES.length];
  context.beginPath();
  if (shape === 'circle') context.arc(x, y, r, 0, 7);
  else if (shape === 'square') context.rect(x - r * 0.88, y - r * 0.88, r * 1.76, r * 1.76);
  else if (shape === 'plus') {
    const [a, b] = [r * 1.1, r * 0.42];
    [[-b, -a], [b, -a], [b, -b], [a, -b], [a, b], [b, b], [b, a], [-b, a], [-b, b], [-a, b], [-a, -b], [-b, -b]]
      .forEach(([u, v]) => context.lineTo(x + u, y + v));
  } else {
    const corners = { triangle: [[0, -1.2], [1.1, 0.8], [-1.1, 0.8]], down: [[0, 1.2], [1.1, -0.8], [-1.1, -0.8]], diamond: [[0, -1.25], [1.1, 0], [0, 1.25], [-1.1, 0]] };
    corners[shape].forEach(([u, v]) => context.lineTo(x + u * r, y + v * r));
  }
  context.closePath();
}

/** Pixels of a canvas per CSS pixel. */
export const sharpness = () => Math.min(devicePixelRatio || 1, 2);

/** A canvas that is as sharp as the screen; returns its context and its size in CSS pixels. */
export function fit(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = sharpness();
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { context, width, height };
}
