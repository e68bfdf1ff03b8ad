// The plane: what the learner would say everywhere, and the last points that rained onto it.

import { CELLS } from './concepts.js';
import { colourOf, fit, isDark, rgb, sharpness, token, traceShape } from './palette.js';

const GRID = 72;  // cells of the surface, per side
const ROOM = 1000;  // square pixels of the plane for each point that is shown
const NEW = 7;  // of which so many may come with a frame
const FALL = 420;  // milliseconds
const SPRITE = 26;

export class Plane {
  constructor(canvas, calm) {
    this.canvas = canvas;
    this.calm = calm;
    this.surface = new OffscreenCanvas(GRID, GRID);
    this.image = new ImageData(GRID, GRID);
    this.image.data.fill(255);
    this.coming = new Float32Array(GRID * GRID * 3);  // not complete yet
    this.wanted = new Float32Array(GRID * GRID * 3);
    this.shown = new Float32Array(GRID * GRID * 3);
    this.points = [];
    this.reset();
  }

  reset() {
    this.points.length = 0;
    this.arrived = 0;
    this.row = 0;
    this.isNew = true;  // nothing is shown yet
    this.X = null;
  }

  /** A point has come. Only some are shown when many come with a frame. */
  add(u, v, label, isRight, now) {
    if (++this.arrived > NEW || !(u >= 0 && u <= 1 && v >= 0 && v <= 1)) return;
    this.points.push({ u, v, label, isRight, at: now + 16 * this.arrived });
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.kept = Math.min(420, Math.round((width * height) / ROOM));
    while (this.points.length > this.kept) this.points.shift();
  }

  /** Asks the learner for some rows of the surface, for so many milliseconds; `view` says what the axes are. */
  refresh(learner, view, budget) {
    const { nFeatures, nClasses } = learner;
    if (this.X?.length !== GRID * nFeatures) this.X = new Float32Array(GRID * nFeatures);
    const colours = Array.from({ length: nClasses }, (_, label) => rgb(colourOf(label)));
    const paper = rgb(token('--plane'));
    if (this.isNew && this.row === 0) this.clear(paper);
    const end = performance.now() + budget;
    for (let done = 0; done < GRID && (done === 0 || performance.now() < end); ++done) {
      view.fill(this.X, GRID, this.row);
      this.shade(learner.predictProbaMany(this.X), nClasses, colours, paper);
      this.row = (this.row + 1) % GRID;
      if (this.row === 0) this.complete();
    }
    this.ease();
  }

  clear(paper) {
    for (let i = 0; i < this.shown.length; ++i) this.wanted[i] = this.shown[i] = paper[i % 3];
  }

  complete() {
    this.wanted.set(this.coming);
    if (this.isNew) this.shown.set(this.coming);
    this.isNew = false;
  }

  // What is shown follows the last complete surface.
  ease() {
    const part = this.calm.matches ? 1 : 0.2;
    const { data } = this.image;
    for (let i = 0, at = 0; i < this.shown.length; i += 3, at += 4) {
      for (let k = 0; k < 3; ++k) {
        this.shown[i + k] += part * (this.wanted[i + k] - this.shown[i + k]);
        data[at + k] = this.shown[i + k];
      }
    }
    this.surface.getContext('2d').putImageData(this.image, 0, 0);
  }

  shade(f, nClasses, colours, paper) {
    const [least, more] = isDark() ? [0.12, 0.5] : [0.1, 0.46];
    for (let i = 0; i < GRID; ++i) {
      let r = 0;
      let g = 0;
      let b = 0;
      let sum = 0;
      let most = 0;
      for (let c = 0; c < nClasses; ++c) {
        const p = f[i * nClasses + c];
        const part = p * p * p;
        r += part * colours[c][0];
        g += part * colours[c][1];
        b += part * colours[c][2];
        sum += part;
        if (p > most) most = p;
      }
      const sure = nClasses > 1 ? Math.max(0, (most * nClasses - 1) / (nClasses - 1)) : 1;
      const depth = least + more * sure;
      const at = 3 * (this.row * GRID + i);
      this.coming[at] = paper[0] + depth * (r / sum - paper[0]);
      this.coming[at + 1] = paper[1] + depth * (g / sum - paper[1]);
      this.coming[at + 2] = paper[2] + depth * (b / sum - paper[2]);
    }
  }

  draw(now, { stream, tool, hover }) {
    this.arrived = 0;
    const { context, width, height } = fit(this.canvas);
    context.imageSmoothingEnabled = true;
    context.drawImage(this.surface, 0.5, 0.5, GRID - 1, GRID - 1, 0, 0, width, height);
    if (stream.painted && tool !== 'drag') this.drawPaint(context, stream, width, height);
    this.drawPoints(context, now, width, height);
    if (stream.concept === 'blobs') this.drawCentres(context, stream, width, height);
    if (hover && tool !== 'drag' && stream.painted) {
      context.beginPath();
      context.arc(hover.u * width, hover.v * height, 0.055 * width, 0, 7);
      context.strokeStyle = tool < 0 ? token('--ink') : colourOf(tool);
      context.lineWidth = 2;
      context.stroke();
    }
  }

  drawPoints(context, now, width, height) {
    const sprites = this.sprites();
    const n = this.points.length;
    const still = this.calm.matches;
    this.points.forEach((point, i) => {
      const age = now - point.at;
      if (age < 0 && !still) return;
      const fallen = still ? 1 : Math.min(1, age / FALL);
      const [x, y] = [point.u * width, point.v * height - (1 - fallen) ** 2 * 70];
      context.globalAlpha = (0.12 + 0.88 * ((this.kept - n + i + 1) / this.kept) ** 1.6) * Math.min(1, 0.25 + fallen);
      const size = SPRITE * (1 + 0.7 * (1 - fallen));
      context.drawImage(sprites[2 * point.label + (point.isRight ? 0 : 1)], x - size / 2, y - size / 2, size, size);
      if (fallen === 1 && age < FALL + 260) {
        const ripple = (age - FALL) / 260;
        context.globalAlpha = 0.5 * (1 - ripple);
        context.beginPath();
        context.arc(x, y, 5 + 9 * ripple, 0, 7);
        context.strokeStyle = colourOf(point.label);
        context.lineWidth = 1.5;
        context.stroke();
      }
    });
    context.globalAlpha = 1;
  }

  // Drawn once per theme and scale, so that most are copied pixel by pixel: for each class, one that was right and
  // one that was not.
  sprites() {
    const scale = sharpness();
    if (this.drawn?.theme === isDark() && this.drawn.scale === scale) return this.drawn.sprites;
    const sprites = Array.from({ length: 24 }, (_, i) => {
      const canvas = new OffscreenCanvas(Math.ceil(scale * SPRITE), Math.ceil(scale * SPRITE));
      const context = canvas.getContext('2d');
      context.scale(scale, scale);
      traceShape(context, i >> 1, SPRITE / 2, SPRITE / 2, 4.2);
      context.lineWidth = 2.2;
      context.lineJoin = 'round';
      context.strokeStyle = token('--plane');
      context.stroke();
      context.fillStyle = colourOf(i >> 1);
      context.fill();
      if (i % 2 === 1) {
        context.lineWidth = 1.4;
        context.strokeStyle = token('--ink');
        context.beginPath();
        context.arc(SPRITE / 2, SPRITE / 2, 8, 0, 7);
        context.stroke();
      }
      return canvas;
    });
    this.drawn = { theme: isDark(), scale, sprites };
    return sprites;
  }

  drawPaint(context, stream, width, height) {
    const [w, h] = [width / CELLS, height / CELLS];
    context.lineWidth = 1.5;
    context.globalAlpha = 0.75;
    stream.painted.forEach((label, i) => {
      if (label < 0) return;
      const [x, y] = [(i % CELLS) * w, Math.floor(i / CELLS) * h];
      context.strokeStyle = colourOf(label);
      context.beginPath();
      context.moveTo(x, y + h);
      context.lineTo(x + w, y);
      context.stroke();
    });
    context.globalAlpha = 1;
  }

  drawCentres(context, stream, width, height) {
    for (const centre of stream.centres) {
      const label = (centre.label + stream.swapped) % stream.nClasses;
      const [x, y] = [(centre.x + stream.shift.x) * width, (centre.y + stream.shift.y) * height];
      context.beginPath();
      context.arc(x, y, 13, 0, 7);
      context.fillStyle = token('--surface');
      context.fill();
      context.lineWidth = 2.5;
      context.strokeStyle = colourOf(label);
      context.stroke();
      traceShape(context, label, x, y, 4.5);
      context.fillStyle = colourOf(label);
      context.fill();
    }
  }
}
