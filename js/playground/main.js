// The page: what runs, what is shown, and what the visitor does to it.

import { compile, Learner } from '../shrubs.js';
import { CONCEPTS, NAMES, PlaneStream } from './concepts.js';
import { TableStream, possibleLabels, readTable } from './csv.js';
import { Race } from './race.js';
import { colourOf, rgb, token, traceShape } from './palette.js';
import { Plane } from './plane.js';
import { Garden } from './garden.js';
import { drawChart } from './chart.js';
import { sliceOf, wholePlane } from './view.js';

const $ = id => document.getElementById(id);
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const SPEEDS = [5, 20, 60, 150, 300, 600, 1200, 2500, 5000, Infinity];  // examples per second
const LEARNING = 7;  // milliseconds of a frame, at most
const SHOWING = 3;  // at least; more where frames are rare
const TITLES = { blobs: 'Blobs', waves: 'Waves', checker: 'Checker', spiral: 'Spiral', rings: 'Rings', slices: 'Slices' };

const asked = new URLSearchParams(location.hash.slice(1));
const settings = {
  seed: Number(asked.get('seed') ?? 1),
  concept: asked.get('concept') in CONCEPTS ? asked.get('concept') : 'spiral',
  nClasses: Number(asked.get('classes') ?? 3),
  memoryLimit: 1024 * Number(asked.get('kb') ?? 64),
  drift: asked.get('drift') ?? 'sudden',
  noise: Number(asked.get('noise') ?? 0),
  speed: Number(asked.get('speed') ?? 5),
};

const plane = new Plane($('plane'), calm);
const garden = new Garden($('garden'), calm);
const page = { running: !asked.has('paused'), tool: 'drag', owed: 0, hover: null, chosen: false };
let core;
let stream;
let race;
let view;

// Whatever cannot begin leaves the page as it was.
function begin(newStream) {
  race = new Race(Learner, core, {
    nFeatures: newStream.names.length, nClasses: newStream.nClasses, nominal: newStream.nominal,
    memoryLimit: settings.memoryLimit, seed: settings.seed,
  });
  stream = newStream;
  view = stream.table ? sliceOf(stream, [0, Math.min(1, stream.names.length - 1)]) : wholePlane;
  Object.assign(page, { owed: 0, chosen: false, });
  plane.reset();
  garden.reset();
  showSource();
  showMemory();
}

function restart(table = stream?.table) {
  try {
    begin(table ? new TableStream(table, table.label) : new PlaneStream(settings));
    say('');
  } catch (error) {
    say(error.message);
  }
}

function step(now) {
  const y = stream.next();
  const isRight = race.step(stream.x, y);
  const [u, v] = view.place(stream.x);
  plane.add(u, v, y, isRight, now);
}

const isOver = () => stream.isOver === true;

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
    say(`The end of ${stream.table.name}: ${percent(race.accuracy.overall)} of ${race.n.toLocaleString('en')} rows were predicted right before they were learned.`, false);
  }
  return n;
}

let last = performance.now();
const rates = { since: last, learned: 0, shown: 0, frames: 0 };
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
  plane.refresh(race.learner, view, Math.max(SHOWING, 0.2 * elapsed));
  plane.draw(now, { stream, tool: page.tool, hover: page.hover });
  if (rates.frames % 3 === 0) garden.update(race.learner.shrubs(), race.n, now);
  garden.draw(now);
  if (rates.frames++ % 6 === 0) showNumbers();
}

const percent = share => (Number.isNaN(share) ? '–' : `${(100 * share).toFixed(1)} %`);

function showNumbers() {
  const drifts = race.learner.drifts();
  $('ours').textContent = percent(race.accuracy.recent);
  $('theirs').textContent = percent(race.treeAccuracy.recent);
  $('overall').textContent = `${percent(race.accuracy.overall)} and ${percent(race.treeAccuracy.overall)} overall`;
  $('examples').textContent = race.n.toLocaleString('en');
  $('rate').textContent = page.running ? `${Math.round(rates.shown).toLocaleString('en')} a second` : 'paused';
  $('alive').textContent = garden.plants.size;
  const [window, share] = garden.leading;
  $('leading').textContent = share > 0 ? `windows of ${window.toLocaleString('en')} have ${Math.round(100 * share)} % of the weight` : 'none has weight yet';
  $('bytes').textContent = race.learner.memoryBytes.toLocaleString('en');
  $('after').textContent = race.n.toLocaleString('en');
  drawChart($('chart'), { curve: race.curve, changes: stream.changes, drifts, n: race.n });
  if (stream.table && !page.chosen && race.n >= 500) showWhatDecides();
  if (stream.concept && stream.concept !== page.shownConcept) showConcept();
}

// Of a file, the two columns that the splits ask for most.
function showWhatDecides() {
  page.chosen = true;
  const shares = [...race.learner.splitShares()];
  const order = shares.map((_, i) => i).sort((a, b) => shares[b] - shares[a]);
  if (order.length > 1) look(order.slice(0, 2));
}

function look(axes) {
  view = sliceOf(stream, axes);
  plane.reset();
  $('across').value = axes[0];
  $('up').value = axes[1];
}

function showMemory() {
  const { learner } = race;
  const parts = { ...learner.memoryReport() };
  parts.object = learner.memoryBytes - Object.values(parts).reduce((a, b) => a + b, 0);
  const limit = race.memoryLimit;
  $('meter').replaceChildren(...Object.entries(parts).map(([purpose, bytes]) => {
    const part = document.createElement('i');
    part.className = purpose;
    part.style.width = `${(100 * bytes) / limit}%`;
    part.title = `${purpose}: ${bytes.toLocaleString('en')} bytes`;
    return part;
  }));
  $('meter').setAttribute('aria-label', `${learner.memoryBytes} of ${limit} bytes`);
  $('limit').textContent = limit.toLocaleString('en');
  $('tree-bytes').textContent = `${Math.round(race.tree.memoryBytes / 1024)} KB`;
}

// Either the concepts of the plane or the columns of a file.
function showSource() {
  const isFile = Boolean(stream.table);
  document.body.classList.toggle('file', isFile);
  $('classes-legend').replaceChildren(...Array.from({ length: stream.nClasses }, (_, label) => classButton(label)), ...(isFile ? [] : [eraser()]));
  chooseTool('drag');
  if (isFile) {
    const options = stream.names.map((name, i) => new Option(name, i));
    $('across').replaceChildren(...options.map(option => option.cloneNode(true)));
    $('up').replaceChildren(...options);
    $('label').replaceChildren(...possibleLabels(stream.table).map(i => new Option(stream.table.names[i], i)));
    $('label').value = stream.table.label;
    $('file-name').textContent = `${stream.table.name}: ${stream.length.toLocaleString('en')} rows, ${stream.names.length} features`;
    look(view.axes);
  } else showConcept();
}

function showConcept() {
  page.shownConcept = stream.concept;
  settings.concept = stream.concept;
  for (const button of $('concepts').children) button.setAttribute('aria-pressed', button.dataset.concept === stream.concept);
}

function classButton(label) {
  const name = stream.classNames?.[label] ?? `class ${label + 1}`;
  const button = document.createElement(stream.table ? 'span' : 'button');
  button.className = 'class';
  button.dataset.tool = label;
  const icon = document.createElement('canvas');
  icon.width = icon.height = 32;
  const context = icon.getContext('2d');
  context.fillStyle = colourOf(label);
  traceShape(context, label, 16, 16, 10);
  context.fill();
  button.append(icon, stream.table ? name : '');
  if (!stream.table) {
    button.type = 'button';
    button.title = `Paint ${name} (${label + 1})`;
    button.setAttribute('aria-label', `Paint ${name}`);
  }
  return button;
}

function eraser() {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'class', textContent: '⌫', title: 'Erase paint (E)' });
  button.dataset.tool = -1;
  button.setAttribute('aria-label', 'Erase paint');
  return button;
}

function chooseTool(tool) {
  page.tool = tool;
  for (const button of document.querySelectorAll('[data-tool]')) button.setAttribute('aria-pressed', button.dataset.tool === String(tool));
  $('plane').style.cursor = tool === 'drag' ? 'grab' : 'crosshair';
}

function say(text, isError = true) {
  $('message').textContent = text;
  $('message').classList.toggle('error', isError);
}

function setRunning(running) {
  page.running = running && !isOver();
  $('play').setAttribute('aria-pressed', page.running);
  $('play').textContent = page.running ? '❚❚' : '▶';
  $('play').setAttribute('aria-label', page.running ? 'Pause' : 'Play');
}

function stepOnce() {
  setRunning(false);
  if (!isOver()) step(performance.now());
}

function setSpeed(speed) {
  settings.speed = Math.max(0, Math.min(SPEEDS.length - 1, speed));
  $('speed').value = settings.speed;
  const rate = SPEEDS[settings.speed];
  $('speed-shown').textContent = rate === Infinity ? 'max' : `${rate.toLocaleString('en')}/s`;
  $('speed').setAttribute('aria-valuetext', $('speed-shown').textContent);
}

function setNoise(noise) {
  settings.noise = Math.max(0, Math.min(0.5, noise));
  if (!stream.table) stream.noise = settings.noise;
  $('noise').value = Math.round(100 * settings.noise);
  $('noise-shown').textContent = `${Math.round(100 * settings.noise)} %`;
}

function setDrift(drift) {
  settings.drift = drift;
  if (!stream.table) stream.drift = drift;
}

function chooseConcept(concept) {
  if (stream.table) return;
  setDrift($('drift').value = 'still');
  stream.choose(concept);
  showConcept();
}

function swap() { if (!stream.table) stream.swap(); }

async function openFile(file) {
  try {
    const table = readTable(await file.text(), file.name);
    const labels = possibleLabels(table);
    if (labels.length === 0) throw new Error(`${file.name} has no column that can be the class: 2 to 12 different values, none missing`);
    table.label = labels.at(-1);
    say('');
    begin(new TableStream(table, table.label));
    setRunning(true);
  } catch (error) {
    say(error.message);
  }
}

function pointAt(event) {
  const box = $('plane').getBoundingClientRect();
  return { u: (event.clientX - box.left) / box.width, v: (event.clientY - box.top) / box.height };
}

function takeHold({ u, v }) {
  if (stream.concept === 'blobs') {
    const near = stream.centres.find(centre => Math.hypot(centre.x + stream.shift.x - u, centre.y + stream.shift.y - v) < 0.04);
    if (near) return near;
  }
  return stream.shift;
}

function listenToPlane() {
  const canvas = $('plane');
  let held = null;
  canvas.addEventListener('pointerdown', event => {
    if (stream.table || event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const at = pointAt(event);
    held = { at, what: page.tool === 'drag' ? takeHold(at) : null };
    if (page.tool === 'drag') canvas.style.cursor = 'grabbing';
    else stream.paint(at.u, at.v, page.tool);
    $('hint').hidden = true;
  });
  canvas.addEventListener('pointermove', event => {
    const at = pointAt(event);
    page.hover = event.pointerType === 'touch' && !held ? null : at;
    if (!held) return;
    if (held.what) {
      held.what.x += at.u - held.at.u;
      held.what.y += at.v - held.at.v;
    } else stream.paint(at.u, at.v, page.tool);
    held.at = at;
  });
  const release = () => {
    held = null;
    chooseTool(page.tool);
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => { page.hover = null; });
}

const KEYS = {
  ' ': () => setRunning(!page.running),
  '.': stepOnce,
  ArrowUp: () => setSpeed(settings.speed + 1),
  ArrowDown: () => setSpeed(settings.speed - 1),
  '+': () => setNoise(settings.noise + 0.05),
  '-': () => setNoise(settings.noise - 0.05),
  s: swap,
  n: () => chooseConcept(NAMES[(NAMES.indexOf(stream.concept) + 1) % NAMES.length]),
  r: () => restart(),
  d: () => chooseTool('drag'),
  e: () => { if (!stream.table) chooseTool(-1); },
  t: () => $('theme').click(),
};

function listenToKeys() {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select')) return;
    if (event.key === ' ' && event.target.closest('button')) return;
    const label = Number(event.key) - 1;
    if (!stream.table && label >= 0 && label < stream.nClasses) chooseTool(label);
    else if (KEYS[event.key]) KEYS[event.key]();
    else return;
    event.preventDefault();
  });
}

function listenToControls() {
  $('play').addEventListener('click', () => setRunning(!page.running));
  $('step').addEventListener('click', stepOnce);
  $('reset').addEventListener('click', () => restart());
  $('swap').addEventListener('click', swap);
  $('speed').addEventListener('input', event => setSpeed(Number(event.target.value)));
  $('noise').addEventListener('input', event => setNoise(Number(event.target.value) / 100));
  $('drift').addEventListener('change', event => setDrift(event.target.value));
  $('memory').addEventListener('change', event => {
    settings.memoryLimit = 1024 * Number(event.target.value);
    restart();
  });
  $('n-classes').addEventListener('change', event => {
    settings.nClasses = Number(event.target.value);
    restart();
  });
  document.addEventListener('click', event => {
    const tool = event.target.closest('button[data-tool]')?.dataset.tool;
    if (tool !== undefined) chooseTool(tool === 'drag' || String(page.tool) === tool ? 'drag' : Number(tool));
    const concept = event.target.closest('[data-concept]')?.dataset.concept;
    if (concept) chooseConcept(concept);
  });
}

function listenToFiles() {
  $('file').addEventListener('change', event => {
    if (event.target.files[0]) openFile(event.target.files[0]);
    event.target.value = '';
  });
  $('close').addEventListener('click', () => {
    restart(null);
    setRunning(true);
  });
  for (const id of ['across', 'up']) {
    $(id).addEventListener('change', () => {
      page.chosen = true;
      look([Number($('across').value), Number($('up').value)]);
    });
  }
  $('label').addEventListener('change', event => {
    stream.table.label = Number(event.target.value);
    restart();
    setRunning(true);
  });
  let depth = 0;
  const over = change => event => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    depth = Math.max(0, depth + change);
    document.body.classList.toggle('dropping', depth > 0);
  };
  document.addEventListener('dragenter', over(1));
  document.addEventListener('dragleave', over(-1));
  document.addEventListener('dragover', over(0));
  document.addEventListener('drop', event => {
    event.preventDefault();
    depth = 0;
    document.body.classList.remove('dropping');
    if (event.dataTransfer?.files[0]) openFile(event.dataTransfer.files[0]);
  });
}

// Small pictures of the concepts, in the colours of the classes.
function drawConcepts() {
  const size = 44;
  const sample = new PlaneStream({ seed: 3, nClasses: 3, drift: 'still' });
  $('concepts').replaceChildren(...NAMES.map(concept => {
    const button = document.createElement('button');
    Object.assign(button, { type: 'button', title: `${TITLES[concept]} (N: next)` });
    button.dataset.concept = concept;
    button.setAttribute('aria-label', `Concept: ${TITLES[concept]}`);
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = size;
    const context = canvas.getContext('2d');
    const image = context.createImageData(size, size);
    sample.concept = concept;
    for (let i = 0; i < size * size; ++i) {
      const label = sample.labelAt(((i % size) + 0.5) / size, (Math.floor(i / size) + 0.5) / size);
      image.data.set([...rgb(colourOf(label)), 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
    button.append(canvas);
    return button;
  }));
}

// Colours are drawn again when the theme changes.
function followTheme() {
  new MutationObserver(() => {
    drawConcepts();
    showSource();
    plane.isNew = true;
  }).observe(document.documentElement, { attributeFilter: ['data-theme'] });
}

async function start() {
  core = await compile(await wasmBytes());
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
    get race() { return race; },
    get stream() { return stream; },
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
