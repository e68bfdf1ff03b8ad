// Shows what the page knows: numbers, the meter, the concepts or the columns of a file.

import { NAMES, PlaneStream } from './concepts.js';
import { possibleLabels } from './csv.js';
import { drawChart } from './chart.js';
import { colourOf, rgb, traceShape } from './palette.js';
import { $, garden, page, plane, rates, settings } from './state.js';
import { sliceOf } from './view.js';

const TITLES = { blobs: 'Blobs', waves: 'Waves', checker: 'Checker', spiral: 'Spiral', rings: 'Rings', slices: 'Slices' };

export const percent = share => (Number.isNaN(share) ? '–' : `${(100 * share).toFixed(1)} %`);

export function say(text, isError = true) {
  $('message').textContent = text;
  $('message').classList.toggle('error', isError);
}

export function showNumbers() {
  const drifts = page.race.learner.drifts();
  $('ours').textContent = percent(page.race.accuracy.recent);
  $('theirs').textContent = percent(page.race.treeAccuracy.recent);
  $('overall').textContent = `${percent(page.race.accuracy.overall)} and ${percent(page.race.treeAccuracy.overall)} overall`;
  $('examples').textContent = page.race.n.toLocaleString('en');
  $('rate').textContent = page.running ? `${Math.round(rates.shown).toLocaleString('en')} a second` : 'paused';
  $('alive').textContent = garden.plants.size;
  const [window, share] = garden.leading;
  $('leading').textContent = share > 0 ? `windows of ${window.toLocaleString('en')} have ${Math.round(100 * share)} % of the weight` : 'none has weight yet';
  $('bytes').textContent = page.race.learner.memoryBytes.toLocaleString('en');
  $('after').textContent = page.race.n.toLocaleString('en');
  drawChart($('chart'), { curve: page.race.curve, changes: page.stream.changes, drifts, n: page.race.n });
  if (page.stream.table && !page.chosen && page.race.n >= 500) showWhatDecides();
  if (page.stream.concept && page.stream.concept !== page.shownConcept) showConcept();
}

// Of a file, the two columns that the splits ask for most.
function showWhatDecides() {
  page.chosen = true;
  const shares = [...page.race.learner.splitShares()];
  const order = shares.map((_, i) => i).sort((a, b) => shares[b] - shares[a]);
  if (order.length > 1) look(order.slice(0, 2));
}

export function look(axes) {
  page.view = sliceOf(page.stream, axes);
  plane.reset();
  $('across').value = axes[0];
  $('up').value = axes[1];
}

export function showMemory() {
  const { learner } = page.race;
  const parts = { ...learner.memoryReport() };
  parts.object = learner.memoryBytes - Object.values(parts).reduce((a, b) => a + b, 0);
  const limit = page.race.memoryLimit;
  $('meter').replaceChildren(...Object.entries(parts).map(([purpose, bytes]) => {
    const part = document.createElement('i');
    part.className = purpose;
    part.style.width = `${(100 * bytes) / limit}%`;
    part.title = `${purpose}: ${bytes.toLocaleString('en')} bytes`;
    return part;
  }));
  $('meter').setAttribute('aria-label', `${learner.memoryBytes} of ${limit} bytes`);
  $('limit').textContent = limit.toLocaleString('en');
  $('tree-bytes').textContent = `${Math.round(page.race.tree.memoryBytes / 1024)} KB`;
}

// Either the concepts of the plane or the columns of a file.
export function showSource() {
  const isFile = Boolean(page.stream.table);
  document.body.classList.toggle('file', isFile);
  $('classes-legend').replaceChildren(...Array.from({ length: page.stream.nClasses }, (_, label) => classButton(label)), ...(isFile ? [] : [eraser()]));
  chooseTool('drag');
  if (isFile) {
    const options = page.stream.names.map((name, i) => new Option(name, i));
    $('across').replaceChildren(...options.map(option => option.cloneNode(true)));
    $('up').replaceChildren(...options);
    $('label').replaceChildren(...possibleLabels(page.stream.table).map(i => new Option(page.stream.table.names[i], i)));
    $('label').value = page.stream.table.label;
    $('file-name').textContent = `${page.stream.table.name}: ${page.stream.length.toLocaleString('en')} rows, ${page.stream.names.length} features`;
    look(page.view.axes);
  } else showConcept();
}

export function showConcept() {
  page.shownConcept = page.stream.concept;
  settings.concept = page.stream.concept;
  for (const button of $('concepts').children) button.setAttribute('aria-pressed', button.dataset.concept === page.stream.concept);
}

function classButton(label) {
  const name = page.stream.classNames?.[label] ?? `class ${label + 1}`;
  const button = document.createElement(page.stream.table ? 'span' : 'button');
  button.className = 'class';
  button.dataset.tool = label;
  const icon = document.createElement('canvas');
  icon.width = icon.height = 32;
  const context = icon.getContext('2d');
  context.fillStyle = colourOf(label);
  traceShape(context, label, 16, 16, 10);
  context.fill();
  button.append(icon, page.stream.table ? name : '');
  if (!page.stream.table) {
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

export function chooseTool(tool) {
  page.tool = tool;
  for (const button of document.querySelectorAll('[data-tool]')) button.setAttribute('aria-pressed', button.dataset.tool === String(tool));
  $('plane').style.cursor = tool === 'drag' ? 'grab' : 'crosshair';
}

// Small pictures of the concepts, in the colours of the classes.
export function drawConcepts() {
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
