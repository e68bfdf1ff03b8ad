// The package in Node. tests/js compares its bits with those of Python.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { compile, Learner } from '../shrubs.js';
import { parseCsv, readTable, TableStream } from '../playground/csv.js';

const core = await compile();
const OPTIONS = { nFeatures: 2, nClasses: 3, memoryLimit: 32768 };

function teach(learner, n = 500) {
  for (let i = 0; i < n; ++i) {
    const x = [(i * 0.618034) % 1, (i * 0.754878) % 1];
    learner.learn(x, (x[0] > 0.5 ? 1 : 0) + (x[1] > 0.5 ? 1 : 0));
  }
  return learner;
}

test('the module imports nothing', () => {
  assert.deepEqual(WebAssembly.Module.imports(core), []);
});

test('bytes and responses compile as well', async () => {
  const bytes = await readFile(new URL('../shrubs.wasm', import.meta.url));
  const response = new Response(bytes, { headers: { 'content-type': 'application/wasm' } });
  for (const source of [bytes, response]) teach(Learner.begin(await compile(source), OPTIONS), 3);
  await assert.rejects(compile(new Response('', { status: 404 })), /could not be loaded.*404/);
});

test('memory stays as it was planned', () => {
  const learner = Learner.begin(core, OPTIONS);
  const before = learner.memoryBytes;
  teach(learner);
  assert.ok(before <= OPTIONS.memoryLimit);
  assert.equal(learner.memoryBytes, before);
  const parts = Object.values(learner.memoryReport()).reduce((a, b) => a + b);
  assert.ok(parts < before && before - parts <= 2880);
});

test('a prediction before the first example is uniform', () => {
  assert.deepEqual([...Learner.begin(core, OPTIONS).predictProba([0, 0])], [1 / 3, 1 / 3, 1 / 3]);
});

test('many rows are predicted as one by one', () => {
  const learner = teach(Learner.begin(core, OPTIONS));
  const X = Float32Array.from({ length: 2 * 600 }, (_, i) => (i * 0.318) % 1);
  const f = learner.predictProbaMany(X);
  const labels = learner.predictMany(X);
  for (let i = 0; i < 600; ++i) {
    const x = X.subarray(2 * i, 2 * i + 2);
    assert.deepEqual(f.slice(3 * i, 3 * i + 3), learner.predictProba(x));
    assert.equal(labels[i], learner.predict(x));
  }
});

test('a saved learner goes on with the same bits', () => {
  for (const method of ['auto', 'paper', 'windowed tree']) {
    const learner = teach(Learner.begin(core, { ...OPTIONS, method }));
    const again = Learner.load(core, learner.save());
    assert.equal(again.method, method);
    assert.equal(again.examplesSeen, 500);
    assert.deepEqual(teach(again, 50).save(), teach(learner, 50).save());
  }
});

test('shrubs have weights, windows and leaves', () => {
  const learner = teach(Learner.begin(core, OPTIONS));
  const shrubs = learner.shrubs();
  assert.ok(shrubs.length > 0);
  assert.ok(shrubs.reduce((sum, shrub) => sum + shrub.weight, 0) <= 1 + 1e-9);
  for (const { born, window, leaves } of shrubs) assert.ok(born <= 500 && window >= 8 && leaves >= 1);
  const shares = learner.splitShares();
  assert.ok(shares[0] > 0 && shares[1] > 0 && shares[0] + shares[1] <= 1 + 1e-9);
});

test('a sudden change is noticed', () => {
  const learner = Learner.begin(core, { nFeatures: 1, nClasses: 2, memoryLimit: 65536 });
  for (let i = 0; i < 3000; ++i) {
    const x = (i * 0.618034) % 1;
    learner.learn([x], (x > 0.5) !== (i >= 2000) ? 1 : 0);
  }
  const [drift] = learner.drifts();
  assert.ok(Math.abs(drift.began - 2000) < 100 && drift.noticed < 2200, JSON.stringify(drift));
});

test('what is wrong is refused by name, and the learner stays as it was', () => {
  const refusals = [
    [{ nClasses: 2 }, /nFeatures must be an integer from 0 to 16384, got undefined/],
    [{ ...OPTIONS, nClasses: 1.5 }, /nClasses must be an integer/],
    [{ ...OPTIONS, memoryLimit: 500 }, /memoryLimit=500 is too small for 2 features and 3 classes/],
    [{ ...OPTIONS, seed: -1 }, /seed must be/],
    [{ ...OPTIONS, nominal: [2] }, /nominal must be an integer from 0 to 1, got 2/],
    [{ ...OPTIONS, method: 'forest' }, /method must be 'auto', 'paper' or 'windowed tree', got forest/],
    [{ ...OPTIONS, method: 'paper', windowSize: 0 }, /out of range/],
  ];
  for (const [options, message] of refusals) assert.throws(() => Learner.begin(core, options), message);
  const learner = teach(Learner.begin(core, OPTIONS));
  const before = learner.save();
  assert.throws(() => learner.learn([0.5], 0), /x has 1 features, but this learner was built for 2/);
  assert.throws(() => learner.learn([0.5, Infinity], 0), /features must be finite/);
  assert.throws(() => learner.learn([0.5, 0.5], 3), /y must be/);
  assert.throws(() => learner.learn([0.5, 0.5], '1'), /y must be a number, got string/);
  assert.throws(() => learner.predictMany(new Float32Array(3)), /no multiple of 2 features/);
  assert.deepEqual(learner.save(), before);
});

test('damaged states are refused', () => {
  const state = teach(Learner.begin(core, OPTIONS)).save();
  const flipped = state.slice();
  flipped[state.length >> 1] ^= 1;
  assert.throws(() => Learner.load(core, flipped), /corrupted/);
  assert.throws(() => Learner.load(core, state.slice(0, 100)), /truncated/);
  assert.throws(() => Learner.load(core, new Uint8Array(40)), /not a saved learner/);
  assert.throws(() => Learner.load(core, [...state]), /must be a Uint8Array/);
});

test('a CSV file has quotes, separators of three kinds and missing fields', () => {
  assert.deepEqual(parseCsv('a,b\r\n1,"x, ""y""\n"\r\n\n2,'), [['a', 'b'], ['1', 'x, "y"'], ['2', '']]);
  assert.deepEqual(parseCsv('\uFEFFa;b\n1;2'), [['a', 'b'], ['1', '2']]);
  assert.deepEqual(parseCsv('a\tb\n1\t2\n'), [['a', 'b'], ['1', '2']]);
  assert.throws(() => parseCsv('a,b\n"1,2'), /a quote is opened and never closed/);
});

test('a table becomes a stream of numbers, codes and classes', () => {
  const stream = new TableStream(readTable('heat,kind,alarm\n1,a,no\n?,b,yes\n3,a,no\n'), 2);
  assert.deepEqual([stream.names, stream.nominal, stream.classNames], [['heat', 'kind'], [1], ['no', 'yes']]);
  const seen = [];
  while (!stream.isOver) seen.push([stream.next(), ...stream.x]);
  assert.deepEqual(seen, [[0, 1, 0], [1, NaN, 1], [0, 3, 0]]);
});

test('a table that is none is refused in one line', () => {
  assert.throws(() => readTable('only one column\n1\n2\n', 'f.csv'), /f.csv needs a header and at least two columns/);
  assert.throws(() => readTable('a,b\n1,2\n3\n', 'f.csv'), /row 3 of f.csv has 1 fields, its header 2/);
  assert.throws(() => new TableStream(readTable('a,b\n1,2\n3,2\n'), 1), /'b' cannot be the class: it has 1 different values/);
});
