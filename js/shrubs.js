// Learns from a stream of examples inside a fixed amount of memory, by the same core as the Python package.
//
//     import { compile, Learner } from 'shrubs';
//     const core = await compile();
//     const learner = Learner.begin(core, { nFeatures: 2, nClasses: 3, memoryLimit: 65536 });
//     const label = learner.predict([0.2, 0.7]);
//     learner.learn([0.2, 0.7], 1);

const METHODS = ['auto', 'paper', 'windowed tree'];
const PURPOSES = ['window', 'shrubs', 'weights', 'caches', 'scratch'];
const PAGE = 65536;
const ROWS = 256;  // predicted at a time
const SHRUB = 6;  // numbers that tell of one
const MAX_SHRUBS = 128;

/** Compiles the core, once for any number of learners. `source`: bytes, a response or a URL; by default the file beside this one. */
export async function compile(source = new URL('./shrubs.wasm', import.meta.url)) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (source instanceof URL && source.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return WebAssembly.compile(await readFile(source));
  }
  const response = await (source instanceof Response ? source : fetch(source));
  if (!response.ok) throw new Error(`the core could not be loaded: ${response.url} answers ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** A learner. It has an instance of the core, and its memory, to itself; there is nothing to free. */
export class Learner {
  #core;
  #memory;
  #x;
  #f;
  #free;
  #method;

  constructor(instance, method, at) {
    if (!(instance instanceof WebAssembly.Instance)) throw new TypeError('use Learner.begin or Learner.load');
    this.#core = instance.exports;
    this.#memory = instance.exports.memory;
    this.#method = method;
    ({ bytes: this.memoryBytes, free: this.#free } = at);
    this.nFeatures = this.#core.n_features();
    this.nClasses = this.#core.n_classes();
    this.#x = this.#take(4 * this.nFeatures);
    this.#f = this.#take(8 * this.#width);
    this.#ensure(this.#free + 8 * MAX_SHRUBS * SHRUB);
  }

  /** Begins a learner; `options` are described in shrubs.d.ts. */
  static begin(core, options) {
    const chosen = { method: 'auto', nClasses: 0, seed: 0, memoryLimit: 1 << 20, lastOutcomes: true, nominal: [], ...options };
    const paper = { stepSize: 0.5, maxShrubs: 32, windowSize: 256, maxDepth: 0, randomSplits: true, crossEntropy: false, ...options };
    check(chosen);
    const instance = new WebAssembly.Instance(core);
    const { exports } = instance;
    const nominal = exports.heap();
    grow(exports.memory, nominal + chosen.nFeatures);
    new Uint8Array(exports.memory.buffer, nominal, chosen.nFeatures).forEach((_, i, kinds) => {
      kinds[i] = chosen.nominal.includes(i) ? 1 : 0;
    });
    const method = METHODS.indexOf(chosen.method);
    let bytes = exports.plan(
      method, chosen.nFeatures, chosen.nClasses, nominal, chosen.seed, chosen.memoryLimit, chosen.lastOutcomes);
    if (method > 0) {
      bytes = exports.plan_paper(
        paper.stepSize, paper.maxShrubs, paper.windowSize, paper.maxDepth, paper.randomSplits, paper.crossEntropy);
    }
    if (bytes === 0) {
      throw new RangeError(method === 0
        ? `memoryLimit=${chosen.memoryLimit} is too small for ${chosen.nFeatures} features and ${chosen.nClasses} classes`
        : 'a hyperparameter is out of range; shrubs.d.ts says what is allowed');
    }
    const buffer = aligned(nominal + chosen.nFeatures);
    grow(exports.memory, buffer + bytes);
    refuse(exports, exports.begin(buffer, bytes));
    return new Learner(instance, method, { bytes, free: aligned(buffer + bytes) });
  }

  /** Goes on with a learner that `save`, or Python, has saved: a Uint8Array. */
  static load(core, state) {
    if (!(state instanceof Uint8Array)) throw new TypeError(`state must be a Uint8Array, got ${name(state)}`);
    const instance = new WebAssembly.Instance(core);
    const { exports } = instance;
    const at = exports.heap();
    grow(exports.memory, at + state.length);
    new Uint8Array(exports.memory.buffer, at, state.length).set(state);
    const method = exports.method_of_state(at, state.length);
    if (method === METHODS.length) throw new Error('these bytes are not a saved learner');
    const bytes = exports.load_bytes(method, at, state.length);
    const buffer = aligned(at + state.length);
    grow(exports.memory, buffer + bytes);
    refuse(exports, exports.load(method, at, state.length, buffer, bytes));
    return new Learner(instance, method, { bytes, free: aligned(buffer + bytes) });
  }

  get method() { return METHODS[this.#method]; }
  get examplesSeen() { return this.#core.examples_seen(); }

  /** Learns one example: its features, NaN for a missing one, and its class or target. */
  learn(x, y) {
    if (typeof y !== 'number') throw new TypeError(`y must be a number, got ${name(y)}`);
    this.#write(x);
    refuse(this.#core, this.#core.learn(this.#x, y));
    return this;
  }

  /** The most likely class, or the target. */
  predict(x) {
    const f = this.predictProba(x);
    return this.nClasses === 0 ? f[0] : mostLikely(f, 0, f.length);
  }

  /** The probability of each class (of a regression, the target alone), in a new Float64Array or in `out`. */
  predictProba(x, out = new Float64Array(this.#width)) {
    this.#write(x);
    refuse(this.#core, this.#core.predict(this.#x, 1, this.#f));
    out.set(new Float64Array(this.#memory.buffer, this.#f, this.#width));
    return out;
  }

  /** The same of many rows, one behind the other in `X`: `(n * nClasses)` numbers in a new array or in `out`. */
  predictProbaMany(X, out = new Float64Array((X.length / this.nFeatures) * this.#width)) {
    const n = this.#countRows(X);
    const rows = Math.min(n, ROWS);
    const f = aligned(this.#free + 4 * rows * this.nFeatures);
    this.#ensure(f + 8 * rows * this.#width);
    for (let first = 0; first < n; first += ROWS) {
      const count = Math.min(ROWS, n - first);
      const from = X.slice(first * this.nFeatures, (first + count) * this.nFeatures);
      new Float32Array(this.#memory.buffer, this.#free, from.length).set(from);
      refuse(this.#core, this.#core.predict(this.#free, count, f));
      out.set(new Float64Array(this.#memory.buffer, f, count * this.#width), first * this.#width);
    }
    return out;
  }

  /** The most likely class, or the target, of many rows, in a new Float64Array or in `out`. */
  predictMany(X, out = new Float64Array(X.length / this.nFeatures)) {
    const f = this.predictProbaMany(X);
    for (let i = 0; i < out.length; ++i) {
      out[i] = this.nClasses === 0 ? f[i] : mostLikely(f, i * this.nClasses, this.nClasses);
    }
    return out;
  }

  /** The learner as bytes, the same on every machine; Python loads them too. */
  save() {
    const bytes = this.#core.state_bytes();
    this.#ensure(this.#free + bytes);
    refuse(this.#core, this.#core.save(this.#free, bytes));
    return new Uint8Array(this.#memory.buffer, this.#free, bytes).slice();
  }

  /** The shrubs of a learner without tuning. Two of the same place and birth are the same shrub. */
  shrubs() {
    const n = this.#core.look_at_shrubs(this.#free);
    const rows = new Float64Array(this.#memory.buffer, this.#free, n * SHRUB);
    return Array.from({ length: n }, (_, i) => {
      const [place, born, weight, window, leaves, reactive] = rows.subarray(i * SHRUB, (i + 1) * SHRUB);
      return { place, born, weight, window, leaves, reactive: reactive === 1 };
    });
  }

  /** How much each feature decides: its part in the splits, by the weights of the shrubs. */
  splitShares() {
    this.#ensure(this.#free + 8 * this.nFeatures);
    this.#core.split_shares(this.#free);
    return new Float64Array(this.#memory.buffer, this.#free, this.nFeatures).slice();
  }

  /** The changes of concept that a learner without tuning noticed; the last 16. */
  drifts() {
    const n = this.#core.drifts(this.#free);
    const rows = new Float64Array(this.#memory.buffer, this.#free, 2 * n);
    return Array.from({ length: n }, (_, i) => ({ noticed: rows[2 * i], began: rows[2 * i + 1] }));
  }

  /** Bytes of a learner without tuning by purpose; what remains is the learner object. */
  memoryReport() {
    this.#core.memory_report(this.#free);
    const bytes = new Float64Array(this.#memory.buffer, this.#free, PURPOSES.length);
    return Object.fromEntries(PURPOSES.map((purpose, i) => [purpose, bytes[i]]));
  }

  get #width() { return Math.max(this.nClasses, 1); }

  #take(bytes) {
    const at = this.#free;
    this.#free = aligned(at + bytes);
    this.#ensure(this.#free);
    return at;
  }

  #ensure(end) { grow(this.#memory, end); }

  #write(x) {
    if (x.length !== this.nFeatures) throw new RangeError(`x has ${x.length} features, but this learner was built for ${this.nFeatures}`);
    new Float32Array(this.#memory.buffer, this.#x, this.nFeatures).set(x);
  }

  #countRows(X) {
    if (X.length % this.nFeatures !== 0) throw new RangeError(`X has ${X.length} numbers, no multiple of ${this.nFeatures} features`);
    return X.length / this.nFeatures;
  }
}

const aligned = at => Math.ceil(at / 8) * 8;

function grow(memory, end) {
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
}

// The first of equals.
function mostLikely(f, first, n) {
  let best = 0;
  for (let c = 1; c < n; ++c) if (f[first + c] > f[first + best]) best = c;
  return best;
}

function name(value) { return value === null ? 'null' : typeof value; }

function check({ method, nFeatures, nClasses, seed, memoryLimit, nominal }) {
  if (!METHODS.includes(method)) throw new RangeError(`method must be 'auto', 'paper' or 'windowed tree', got ${method}`);
  integer('nFeatures', nFeatures, 0, 16384);
  integer('nClasses', nClasses, 0, 65535);
  if (method === 'windowed tree' && nClasses === 0) throw new RangeError('nClasses must be at least 1 for a windowed tree, got 0');
  integer('seed', seed, 0, Number.MAX_SAFE_INTEGER);
  integer('memoryLimit', memoryLimit, 0, 2 ** 31);
  for (const feature of nominal) integer('nominal', feature, 0, nFeatures - 1);
}

function integer(name, value, least, most) {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${name} must be an integer from ${least} to ${most}, got ${value}`);
  }
}

function refuse(core, error) {
  if (error === 0) return;
  const bytes = new Uint8Array(core.memory.buffer, core.message(error));
  throw new RangeError(String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0))));
}
