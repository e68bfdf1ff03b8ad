// The page: begins, and then shows a frame after the other.

import { compile } from '../shrubs.js';
import { openFile, restart, setNoise, setRunning, setSpeed, step } from './actions.js';
import { PlaneStream } from './concepts.js';
import { listenToControls, listenToFiles, listenToKeys, listenToPlane } from './controls.js';
import { drawConcepts, percent, say, showNumbers, showSource } from './show.js';
import { $, SPEEDS, garden, isOver, page, plane, rates, settings } from './state.js';

const LEARNING = 5;  // milliseconds of a frame, at most
const SHOWING = [2, 5];  // the more the rarer frames are

// As many examples as are due, while there is time.
function learn(now, elapsed) {
  const rate = SPEEDS[settings.speed];
  page.owed = Math.min(page.owed + (rate * elapsed) / 1000, rate === Infinity ? 1e9 : Math.max(1, rate / 10));
  const end = performance.now() + LEARNING;
  let n = 0;
  while (page.owed >= 1 && !isOver()) {
    step(now);
    page.owed -= 1;
    if (++n % 8 === 0 && performance.now() > end) break;
  }
  if (isOver()) {
    setRunning(false);
    say(`The end of ${page.stream.table.name}: ${percent(page.race.accuracy.overall)} of ${page.race.n.toLocaleString('en')} rows were predicted right before they were learned.`, false);
  }
  return n;
}

let last = performance.now();
function frame(now) {
  const elapsed = Math.min(100, now - last);
  last = now;
  if (page.running) rates.learned += learn(now, elapsed);
  show(now, elapsed);
  if (now - rates.since > 1000) {
    rates.shown = (1000 * rates.learned) / (now - rates.since);
    Object.assign(rates, { since: now, learned: 0 });
  }
  requestAnimationFrame(frame);
}

function show(now, elapsed) {
  plane.refresh(page.race.learner, page.view, Math.min(SHOWING[1], Math.max(SHOWING[0], 0.2 * elapsed)));
  plane.draw(now, { stream: page.stream, tool: page.tool, hover: page.hover });
  if (rates.frames % 3 === 0) garden.update(page.race.learner.shrubs(), page.race.n, now);
  if (rates.frames % 2 === 0) garden.draw(now);  // it moves slowly
  if (rates.frames++ % 6 === 0) showNumbers();
}

// Colours are drawn again when the theme changes.
function followTheme() {
  new MutationObserver(() => {
    drawConcepts();
    showSource();
    Object.assign(plane, { isNew: true, row: 0 });
  }).observe(document.documentElement, { attributeFilter: ['data-theme'] });
}

async function start() {
  page.core = await compile(await wasmBytes());
  drawConcepts();
  $('memory').value = settings.memoryLimit / 1024;
  $('n-classes').value = settings.nClasses;
  $('drift').value = settings.drift;
  restart();
  setSpeed(settings.speed);
  setNoise(settings.noise);
  setRunning(page.running);
  listenToPlane();
  listenToKeys();
  listenToControls();
  listenToFiles();
  followTheme();
  // For tests, and for whoever is curious.
  globalThis.playground = {
    get race() { return page.race; },
    get stream() { return page.stream; },
    get rates() { return rates; },
    PlaneStream,
    step(n) { for (let i = 0; i < n && !isOver(); ++i) step(performance.now()); },
    openText: (name, text) => openFile(new File([text], name)),
  };
  document.body.classList.add('ready');
  requestAnimationFrame(frame);
}

// The core is in the page itself, compressed.
async function wasmBytes() {
  const packed = Uint8Array.from(atob($('core').textContent), letter => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

start().catch(error => {
  say(`The playground cannot start: ${error.message}`);
});
