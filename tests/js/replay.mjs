// Learns what comes as JSON on standard input and says what became of it, for tests in Python.

import { readFileSync } from 'node:fs';
import { compile, Learner } from '../../js/shrubs.js';

const { options, state, X, y } = JSON.parse(readFileSync(0, 'utf8'));
const core = await compile();
const learner = state ? Learner.load(core, Uint8Array.from(Buffer.from(state, 'base64'))) : Learner.begin(core, options);
const begun = learner.save();
const predictions = X.map((row, i) => {
  const x = Float32Array.from(row, value => value ?? NaN);
  const prediction = learner.predict(x);
  learner.learn(x, y[i]);
  return prediction;
});
const base64 = bytes => Buffer.from(bytes).toString('base64');
console.log(JSON.stringify({ begun: base64(begun), state: base64(learner.save()), predictions, memoryBytes: learner.memoryBytes }));
