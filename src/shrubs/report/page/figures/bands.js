// The life of an ensemble: at every point of the trace a column, one block per shrub, as high as
// its weight and as dark as its age; below, births upwards and deaths downwards.

const STRIP = 58;

class Bands extends Frame {
  constructor(host, view, spec, { nAges, height }) {
    super(host, view, { height, margin: { top: 26, right: 14, bottom: 30 + STRIP + 14, left: 64 }, label: spec.alt });
    Object.assign(this, { spec, nAges });
  }

  show(spec) { this.spec = spec; this.svg.setAttribute('aria-label', spec.alt); this.redraw(); }

  shadeColour(shade) {
    const n = Math.max(this.spec.ages.length - 1, 1);
    return `var(--age-${Math.round(shade * (this.nAges - 1) / n)})`;
  }

  shade(age) {
    const i = this.spec.ages.findIndex(bound => age < bound);
    return i < 0 ? this.spec.ages.length - 1 : i;
  }

  draw() {
    this.y = linearScale([0, 1], [this.bottom, this.top]);
    this.drawYAxis(this.y, 'share', 4);
    this.drawBlocks();
    this.drawStrip();
    this.drawDrifts();
    this.drawXAxis(this.height - 30);
  }

  // Left and right edge of a column in pixels.
  edges(i) {
    const { x } = this.spec;
    return [this.x(i ? x[i - 1] : 0), this.x(x[i])].map(edge => Math.min(Math.max(edge, this.left), this.right));
  }

  // Calls back with every block of a column: age, weight, lower and upper end in [0, 1].
  blocks(i, callback) {
    const members = this.spec.members[i];
    let total = 0;
    for (let j = 1; j < members.length; j += 2) total += members[j];
    let low = 0;
    for (let j = 0; j < members.length; j += 2) {
      const high = low + members[j + 1] / (total || 1);
      callback(members[j], members[j + 1] / 1000, low, high);
      low = high;
    }
  }

  // One path per shade: few elements, however many shrubs there were.
  drawBlocks() {
    const paths = this.spec.ages.map(() => []);
    this.spec.x.forEach((_, i) => {
      const [left, right] = this.edges(i);
      if (right <= left) return;
      const width = (right - left + 0.3).toFixed(2);
      this.blocks(i, (age, weight, low, high) => {
        const height = this.y(low) - this.y(high);
        const gap = height > 5 ? 0.6 : 0;
        paths[this.shade(age)].push(
          `M${left.toFixed(1)} ${this.y(high).toFixed(2)}h${width}v${(height - gap).toFixed(2)}h-${width}z`);
      });
    });
    paths.forEach((parts, shade) => {
      if (parts.length) this.area.append(svg('path', { class: 'block', d: parts.join(''), style: { fill: this.shadeColour(shade) } }));
    });
  }

  drawStrip() {
    const { births, deaths, x } = this.spec;
    const top = this.bottom + 14;
    const middle = top + STRIP / 2;
    const most = Math.max(1, ...births, ...deaths);
    const bar = (n, i, sign) => {
      const [left, right] = this.edges(i);
      const height = n / most * (STRIP / 2 - 2);
      return `M${left.toFixed(1)} ${middle}v${(-sign * height).toFixed(1)}H${Math.max(right - 0.4, left + 0.5).toFixed(1)}V${middle}z`;
    };
    const clip = svg('g');
    const inside = i => { const [left, right] = this.edges(i); return right > left; };
    const columns = x.map((_, i) => i).filter(inside);
    clip.append(
      svg('path', { class: 'births', d: columns.map(i => bar(births[i], i, 1)).join('') }),
      svg('path', { class: 'deaths', d: columns.map(i => bar(deaths[i], i, -1)).join('') }),
      svg('line', { class: 'middle', x1: this.left, x2: this.right, y1: middle, y2: middle }));
    this.svg.insertBefore(clip, this.overlay);
    const axis = svg('g', { class: 'axis' },
      svg('text', { x: this.left - 8, y: middle - 10, 'text-anchor': 'end' }, 'born'),
      svg('text', { x: this.left - 8, y: middle + 18, 'text-anchor': 'end' }, 'gone'));
    this.svg.insertBefore(axis, this.overlay);
  }

  drawDrifts() {
    const group = svg('g');
    const draw = (positions, make) => positions.map(p => this.x(p))
      .filter(x => x >= this.left && x <= this.right).forEach(x => group.append(make(x)));
    draw(this.spec.known, x => svg('line', { class: 'known strong', x1: x, x2: x, y1: this.top - 18, y2: this.height - 30 }));
    draw(this.spec.found, x => svg('path', { class: 'found alarm', d: 'M-6-14H6L0-3Z', transform: `translate(${x.toFixed(1)} ${this.top})` }));
    this.svg.insertBefore(group, this.overlay);
  }

  point(cursor) {
    this.clearCursor();
    if (cursor === null || !this.spec.x.length) return;
    const { x, births, deaths, members } = this.spec;
    const after = x.findIndex(at => at >= cursor);
    const i = after < 0 ? x.length - 1 : after;
    const pointed = this.pointedBlock(i);
    this.drawCursor(x[i], [
      element('strong', {}, `after ${format.count(x[i])} examples`),
      element('div', {}, `${members[i].length / 2} shrubs, ${births[i]} new and ${deaths[i]} gone since the last column`),
      pointed && element('div', {}, `under the pointer: born at ${format.count(pointed.born)}, `
        + `age ${format.count(pointed.age)}, weight ${format.share(pointed.weight)}`)].filter(Boolean));
    if (pointed) this.outline(pointed.born);
  }

  pointedBlock(i) {
    if (!this.active || !this.pointer) return null;
    const box = this.svg.getBoundingClientRect();
    const level = this.y.invert((this.pointer.clientY - box.top) * this.height / (box.height || 1));
    let found = null;
    this.blocks(i, (age, weight, low, high) => {
      if (level >= low && level < high) found = { age, weight, born: this.spec.x[i] - age };
    });
    return found;
  }

  // All columns in which a shrub lives.
  outline(born) {
    let path = '';
    this.spec.x.forEach((at, i) => this.blocks(i, (age, weight, low, high) => {
      if (at - age !== born) return;
      const [left, right] = this.edges(i);
      path += `M${left.toFixed(1)} ${this.y(high).toFixed(1)}H${right.toFixed(1)}V${this.y(low).toFixed(1)}H${left.toFixed(1)}z`;
    }));
    this.overlay.append(svg('path', { class: 'outline', d: path, 'clip-path': `url(#${this.clip})` }));
  }

  // What the shades mean.
  ageKey() {
    const { ages, known, found } = this.spec;
    const drift = (there, mark, text) => there.length
      ? [element('span', { class: 'shade' }, svg('svg', { viewBox: '0 0 12 14' }, mark), text)] : [];
    return element('div', { class: 'key' }, element('span', {}, 'age of a shrub in examples'),
      ...ages.map((bound, i) => element('span', { class: 'shade' },
        element('i', { style: { background: this.shadeColour(i) } }),
        i === 0 ? `below ${format.count(bound)}` : `to ${format.count(bound)}`)),
      ...drift(known, svg('line', { class: 'known strong', x1: 6, x2: 6, y1: 0, y2: 14 }), 'known drift'),
      ...drift(found, svg('path', { class: 'found alarm', d: 'M0 2H12L6 13Z' }), 'detected drift'));
  }
}

function bandsCard(section, figures) {
  const [key, host, text] = [element('div'), element('div', { class: 'chart life' }), caption('')];
  const describe = spec => {
    key.replaceChildren(chart.ageKey());
    text.textContent = `${spec.caption} Each block is a shrub, as high as its share of the vote. `
      + 'Born and gone are counted between two columns.';
  };
  const choose = section.chooser(figures, spec => { chart.show(spec); describe(spec); });
  section.card(figures[0].title, { wide: true, controls: [choose] }).append(key, host, text);
  const chart = new Bands(host, section.view, figures[0], { nAges: section.nAges, height: isNarrow() ? 340 : 400 });
  describe(figures[0]);
}
