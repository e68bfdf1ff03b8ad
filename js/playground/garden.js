// The garden: a shrub for each shrub of the ensemble, in a bed for each window length.

import { fit, token } from './palette.js';

const AGES = ['#e3d95f', '#b5d65f', '#82c766', '#45ad6d', '#1b9077', '#19717c', '#275377', '#3d4a86'];
const FADE = 900;  // milliseconds in which a shrub that was pruned is gone
const SPROUT = 700;
const MARGIN = 14;

export class Garden {
  constructor(canvas, calm) {
    this.canvas = canvas;
    this.calm = calm;
    this.reset();
  }

  reset() {
    this.plants = new Map();
    this.gone = [];
    this.beds = [];
    this.heaviest = 0;
  }

  /** Compares the shrubs with those that stand here: new ones sprout, missing ones fade. */
  update(shrubs, n, now) {
    this.n = n;
    const key = shrub => shrub.place;
    const beds = [...new Set(shrubs.map(bedOf))].sort((a, b) => a - b);
    if (beds.length > this.beds.length || beds.some((bed, i) => bed !== this.beds[i])) this.beds = beds;
    const here = new Set(shrubs.map(key));
    for (const [place, plant] of this.plants) if (!here.has(place)) this.remove(place, plant, now);
    for (const shrub of shrubs) {
      let plant = this.plants.get(key(shrub));
      if (plant && plant.born !== shrub.born) {
        this.remove(shrub.place, plant, now);
        plant = null;
      }
      if (!plant) {
        plant = { ...shrub, size: 0, since: now };
        this.plants.set(key(shrub), plant);
      }
      Object.assign(plant, shrub);
    }
    this.places = placesOf(shrubs, this.beds);
    this.heaviest = Math.max(0.04, ...shrubs.map(shrub => shrub.weight));
  }

  /** The window length whose shrubs have the most weight together, and their share. */
  get leading() {
    const shares = new Map();
    for (const plant of this.plants.values()) {
      shares.set(plant.window, (shares.get(plant.window) ?? 0) + plant.weight);
    }
    return [...shares].reduce((best, bed) => (bed[1] > best[1] ? bed : best), [0, 0]);
  }

  remove(place, plant, now) {
    this.plants.delete(place);
    this.gone.push({ ...plant, at: now });
    if (this.gone.length > 160) this.gone.shift();
  }

  draw(now) {
    const { context, width, height } = fit(this.canvas);
    context.clearRect(0, 0, width, height);
    if (this.beds.length === 0) return;
    const ground = height - 24;
    const bed = (width - 2 * MARGIN) / this.beds.length;
    this.drawBeds(context, width, ground, bed);
    this.gone = this.gone.filter(plant => now - plant.at < FADE);
    for (const plant of this.gone) {
      const fading = (now - plant.at) / FADE;
      this.drawPlant(context, plant, { ground, bed, alpha: (1 - fading) * 0.6, drop: fading * 7, colour: '#8a938e', now });
    }
    for (const plant of this.plants.values()) {
      const grown = this.calm.matches ? 1 : Math.min(1, (now - plant.since) / SPROUT);
      plant.size += (Math.sqrt(plant.weight / this.heaviest) - plant.size) * (this.calm.matches ? 1 : 0.12);
      this.drawPlant(context, plant, { ground, bed, alpha: 1, drop: 0, colour: this.colour(plant), grown, now });
    }
  }

  drawBeds(context, width, ground, bed) {
    context.fillStyle = token('--soil');
    context.fillRect(0, ground, width, 2.5);
    context.font = `11px ${token('--sans')}`;
    context.textAlign = 'center';
    this.beds.forEach((length, i) => {
      context.fillStyle = token('--muted');
      context.fillText(length < 0 ? 'quick' : length >= 1000 ? `${+(length / 1024).toFixed(1)}K` : `${length}`, MARGIN + (i + 0.5) * bed, ground + 17);
      if (i > 0) {
        context.fillStyle = token('--line');
        context.fillRect(MARGIN + i * bed, 6, 1, ground - 6);
      }
    });
  }

  // By its age in windows of its length: a young shrub is bright, an old one dark.
  colour(plant) {
    const age = (this.n - plant.born) / Math.max(plant.window, 1);
    return AGES[Math.min(AGES.length - 1, Math.floor(Math.log2(1 + 2 * age) * 2))];
  }

  drawPlant(context, plant, { ground, bed, alpha, drop, colour, grown = 1, now }) {
    const at = this.places.get(plant.place) ?? plant.seat;
    if (!at) return;
    plant.seat = at;
    const x = MARGIN + (at.bed + 0.5 + at.offset * 0.72) * bed;
    const eased = 1 - (1 - grown) ** 3;
    const tall = (8 + (ground - 42) * Math.min(1, plant.size)) * eased;
    const crown = (3 + Math.min(14, 13 * plant.size)) * eased;
    const sway = this.calm.matches ? 0 : Math.sin(now / 900 + plant.place * 1.7) * (0.6 + tall / 60);
    const top = ground - tall + drop;
    context.globalAlpha = alpha;
    context.strokeStyle = token('--stem');
    context.lineWidth = 1.2 + crown / 9;
    context.beginPath();
    context.moveTo(x, ground);
    context.quadraticCurveTo(x, (ground + top) / 2, x + sway, top);
    context.stroke();
    context.fillStyle = colour;
    if (plant.size < 0.08) leaves(context, x + sway, top, crown * 1.5);
    else bush(context, x + sway, top, crown);
    context.globalAlpha = 1;
  }
}

const bedOf = shrub => (shrub.reactive ? -1 : shrub.window);

// Each shrub keeps its seat in its bed, by its place.
function placesOf(shrubs, beds) {
  const places = new Map();
  beds.forEach((bed, index) => {
    const members = shrubs.filter(shrub => bedOf(shrub) === bed).sort((a, b) => a.place - b.place);
    members.forEach((shrub, i) => {
      places.set(shrub.place, { bed: index, offset: members.length > 1 ? i / (members.length - 1) - 0.5 : 0 });
    });
  });
  return places;
}

function bush(context, x, y, r) {
  [[0, -r * 0.55, r], [-r * 0.85, r * 0.35, r * 0.78], [r * 0.85, r * 0.35, r * 0.78]].forEach(([u, v, size]) => {
    context.beginPath();
    context.arc(x + u, y + v, size, 0, 7);
    context.fill();
  });
}

function leaves(context, x, y, r) {
  for (const side of [-1, 1]) {
    context.beginPath();
    context.ellipse(x + side * r * 0.55, y, r * 0.62, r * 0.3, side * -0.6, 0, 7);
    context.fill();
  }
}
