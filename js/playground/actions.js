// What the page does: begins, steps, and follows the visitor's choices.

import { PlaneStream } from './concepts.js';
import { TableStream, possibleLabels, readTable } from './csv.js';
import { Learner } from '../shrubs.js';
import { Race } from './race.js';
import { say, showConcept, showMemory, showSource } from './show.js';
import { $, SPEEDS, garden, isOver, page, plane, settings } from './state.js';
import { sliceOf, wholePlane } from './view.js';

// Whatever cannot begin leaves the page as it was.
export function begin(newStream) {
  page.race = new Race(Learner, page.core, {
    nFeatures: newStream.names.length, nClasses: newStream.nClasses, nominal: newStream.nominal,
    memoryLimit: settings.memoryLimit, seed: settings.seed,
  });
  page.stream = newStream;
  page.view = page.stream.table ? sliceOf(page.stream, [0, Math.min(1, page.stream.names.length - 1)]) : wholePlane;
  Object.assign(page, { owed: 0, chosen: false });
  plane.reset();
  garden.reset();
  showSource();
  showMemory();
}

export function restart(table = page.stream?.table) {
  try {
    begin(table ? new TableStream(table, table.label) : new PlaneStream(settings));
    say('');
  } catch (error) {
    say(error.message);
  }
}

export function step(now) {
  const y = page.stream.next();
  const isRight = page.race.step(page.stream.x, y);
  const [u, v] = page.view.place(page.stream.x);
  plane.add(u, v, y, isRight, now);
}

export function setRunning(running) {
  page.running = running && !isOver();
  $('play').setAttribute('aria-pressed', page.running);
  $('play').textContent = page.running ? '❚❚' : '▶';
  $('play').setAttribute('aria-label', page.running ? 'Pause' : 'Play');
}

export function stepOnce() {
  setRunning(false);
  if (!isOver()) step(performance.now());
}

export function setSpeed(speed) {
  settings.speed = Math.max(0, Math.min(SPEEDS.length - 1, speed));
  $('speed').value = settings.speed;
  const rate = SPEEDS[settings.speed];
  $('speed-shown').textContent = rate === Infinity ? 'max' : `${rate.toLocaleString('en')}/s`;
  $('speed').setAttribute('aria-valuetext', $('speed-shown').textContent);
}

export function setNoise(noise) {
  settings.noise = Math.max(0, Math.min(0.5, noise));
  if (!page.stream.table) page.stream.noise = settings.noise;
  $('noise').value = Math.round(100 * settings.noise);
  $('noise-shown').textContent = `${Math.round(100 * settings.noise)} %`;
}

export function setDrift(drift) {
  settings.drift = drift;
  if (!page.stream.table) page.stream.drift = drift;
}

export function chooseConcept(concept) {
  if (page.stream.table) return;
  setDrift($('drift').value = 'still');
  page.stream.choose(concept);
  showConcept();
}

export function swap() { if (!page.stream.table) page.stream.swap(); }

export async function openFile(file) {
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
