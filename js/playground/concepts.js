// What the points mean: ways to divide the plane among the classes, and the stream that follows one of them.

/** Random numbers in [0, 1), the same in every browser. */
export class Random {
  constructor(seed) { this.state = (seed * 0x9E3779B9 + 0x6D2B79F5) >>> 0; }
  next() {
    this.state = (this.state + 0x6D2B79F5) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 4294967296;
  }
  below(n) { return Math.floor(this.next() * n); }
}

const TURN = 2 * Math.PI;
const part = (share, n) => Math.min(n - 1, Math.floor((share - Math.floor(share)) * n));

// Each takes a point around the centre of the plane, from -0.5 to 0.5, and the number of classes.
export const CONCEPTS = {
  blobs: (x, y, n, centres) => {
    let best = 0;
    let least = Infinity;
    for (const centre of centres) {
      const distance = (x + 0.5 - centre.x) ** 2 + (y + 0.5 - centre.y) ** 2;
      if (distance < least) [least, best] = [distance, centre.label];
    }
    return best;
  },
  waves: (x, y, n) => part(y + 0.5 + 0.13 * Math.sin(TURN * x * 1.5), n),
  checker: (x, y, n) => (((Math.floor(x * 4) + Math.floor(y * 4)) % n) + n) % n,
  spiral: (x, y, n) => part(Math.atan2(y, x) / TURN + 1.9 * Math.hypot(x, y), n),
  rings: (x, y, n) => Math.floor(Math.hypot(x, y) * 6) % n,
  slices: (x, y, n) => part(Math.atan2(y, x) / TURN + 0.125, n),
};
export const NAMES = Object.keys(CONCEPTS);
export const CELLS = 48;  // of the paint, per side
const JUMP = 5000;  // examples from one sudden change to the next
const FULL_TURN = 24000;

/** Where the centres of the blobs are at first. */
export function makeCentres(random, nClasses) {
  return Array.from({ length: 2 * nClasses }, (_, i) => {
    const angle = TURN * (i / (2 * nClasses) + 0.06 * random.next());
    const radius = 0.24 + 0.14 * (i % 2);
    return { x: 0.5 + radius * Math.cos(angle), y: 0.5 + radius * Math.sin(angle), label: i % nClasses };
  });
}

/** Points that rain evenly onto the plane, labelled by a concept, by what was painted over it, and by noise. */
export class PlaneStream {
  constructor({ seed, nClasses, concept = 'spiral', noise = 0, drift = 'sudden' }) {
    Object.assign(this, { nClasses, concept, noise, drift });
    this.random = new Random(seed);
    this.centres = makeCentres(this.random, nClasses);
    this.shift = { x: 0, y: 0 };
    this.turn = 0;
    this.swapped = 0;
    this.painted = new Int8Array(CELLS * CELLS).fill(-1);
    this.x = new Float32Array(2);
    this.n = 0;
    this.changes = [];  // examples after which the concept changed at once
  }

  get names() { return ['x', 'y']; }

  /** The class of a place, without noise. */
  labelAt(x, y) {
    const painted = this.painted[cell(x, y)];
    if (painted >= 0) return painted;
    const [u, v] = [x - 0.5 - this.shift.x, y - 0.5 - this.shift.y];
    const [c, s] = [Math.cos(this.turn), Math.sin(this.turn)];
    return (CONCEPTS[this.concept](c * u + s * v, c * v - s * u, this.nClasses, this.centres) + this.swapped) % this.nClasses;
  }

  /** Puts the next example into `x` and returns its class. */
  next() {
    if (this.drift === 'slow') this.turn += TURN / FULL_TURN;
    if (this.drift === 'sudden' && this.n > 0 && this.n % JUMP === 0) this.jump();
    ++this.n;
    this.x[0] = this.random.next();
    this.x[1] = this.random.next();
    const label = this.labelAt(this.x[0], this.x[1]);
    return this.random.next() < this.noise ? this.random.below(this.nClasses) : label;
  }

  jump() {
    if (this.random.next() < 0.5) this.swap();
    else this.choose(NAMES[(NAMES.indexOf(this.concept) + 1 + this.random.below(NAMES.length - 1)) % NAMES.length]);
  }

  choose(concept) {
    this.concept = concept;
    this.changed();
  }

  /** Every class takes the places of the one before it. */
  swap() {
    this.swapped = (this.swapped + 1) % this.nClasses;
    this.changed();
  }

  changed() {
    if (this.changes.at(-1) !== this.n) this.changes.push(this.n);
  }

  /** Gives a round spot to a class; -1 gives it back to the concept. */
  paint(x, y, label, radius = 0.055) {
    const reach = Math.ceil(radius * CELLS);
    const [column, row] = [Math.floor(x * CELLS), Math.floor(y * CELLS)];
    for (let j = Math.max(0, row - reach); j <= Math.min(CELLS - 1, row + reach); ++j) {
      for (let i = Math.max(0, column - reach); i <= Math.min(CELLS - 1, column + reach); ++i) {
        if (Math.hypot((i + 0.5) / CELLS - x, (j + 0.5) / CELLS - y) <= radius) this.painted[j * CELLS + i] = label;
      }
    }
  }
}

function cell(x, y) {
  return Math.min(CELLS - 1, Math.floor(y * CELLS)) * CELLS + Math.min(CELLS - 1, Math.floor(x * CELLS));
}
