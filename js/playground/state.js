// What the page knows: its settings, the stream, the race on it, and what is shown of them.

import { CONCEPTS } from './concepts.js';
import { Garden } from './garden.js';
import { Plane } from './plane.js';

export const $ = id => document.getElementById(id);
export const calm = matchMedia('(prefers-reduced-motion: reduce)');
export const SPEEDS = [5, 20, 60, 150, 300, 600, 1200, 2500, 5000, Infinity];  // examples per second

const asked = new URLSearchParams(location.hash.slice(1));
export const settings = {
  seed: Number(asked.get('seed') ?? 1),
  concept: asked.get('concept') in CONCEPTS ? asked.get('concept') : 'spiral',
  nClasses: Number(asked.get('classes') ?? 3),
  memoryLimit: 1024 * Number(asked.get('kb') ?? 64),
  drift: asked.get('drift') ?? 'sudden',
  noise: Number(asked.get('noise') ?? 0),
  speed: Number(asked.get('speed') ?? 5),
};

export const plane = new Plane($('plane'), calm);
export const garden = new Garden($('garden'), calm);
export const page = {
  core: null, stream: null, race: null, view: null,
  running: !asked.has('paused'), tool: 'drag', owed: 0, hover: null,
  chosen: false,  // the axes of a file
};
/** For how much it learns: examples in the current second, in the last one, and frames so far. */
export const rates = { since: performance.now(), learned: 0, shown: 0, frames: 0 };
export const isOver = () => page.stream.isOver === true;
