// Pointer, keys, controls and files.

import { chooseConcept, openFile, restart, setDrift, setNoise, setRunning, setSpeed, stepOnce, swap } from './actions.js';
import { NAMES } from './concepts.js';
import { chooseTool, look } from './show.js';
import { $, page, settings } from './state.js';

function pointAt(event) {
  const box = $('plane').getBoundingClientRect();
  return { u: (event.clientX - box.left) / box.width, v: (event.clientY - box.top) / box.height };
}

function takeHold({ u, v }) {
  if (page.stream.concept === 'blobs') {
    const near = page.stream.centres.find(centre => Math.hypot(centre.x + page.stream.shift.x - u, centre.y + page.stream.shift.y - v) < 0.04);
    if (near) return near;
  }
  return page.stream.shift;
}

export function listenToPlane() {
  const canvas = $('plane');
  let held = null;
  canvas.addEventListener('pointerdown', event => {
    if (page.stream.table || event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const at = pointAt(event);
    held = { at, what: page.tool === 'drag' ? takeHold(at) : null };
    if (page.tool === 'drag') canvas.style.cursor = 'grabbing';
    else page.stream.paint(at.u, at.v, page.tool);
    $('hint').hidden = true;
  });
  canvas.addEventListener('pointermove', event => {
    const at = pointAt(event);
    page.hover = event.pointerType === 'touch' && !held ? null : at;
    if (!held) return;
    if (held.what) {
      held.what.x += at.u - held.at.u;
      held.what.y += at.v - held.at.v;
    } else page.stream.paint(at.u, at.v, page.tool);
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
  n: () => chooseConcept(NAMES[(NAMES.indexOf(page.stream.concept) + 1) % NAMES.length]),
  r: () => restart(),
  d: () => chooseTool('drag'),
  e: () => { if (!page.stream.table) chooseTool(-1); },
  t: () => $('theme').click(),
};

export function listenToKeys() {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select')) return;
    if (event.key === ' ' && event.target.closest('button')) return;
    const label = Number(event.key) - 1;
    if (!page.stream.table && label >= 0 && label < page.stream.nClasses) chooseTool(label);
    else if (KEYS[event.key]) KEYS[event.key]();
    else return;
    event.preventDefault();
  });
}

export function listenToControls() {
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

export function listenToFiles() {
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
    page.stream.table.label = Number(event.target.value);
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
