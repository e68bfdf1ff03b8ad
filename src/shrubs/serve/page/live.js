// The page of a service: what its events say, drawn again whenever one comes.

const byId = id => document.getElementById(id);
const percent = value => value === null || value === undefined ? '–' : (100 * value).toFixed(1);
const seconds = value => value === null ? ['–', ''] : value < 0.001 ? [trimmed(value * 1e6, 3), 'µs']
  : value < 1 ? [trimmed(value * 1e3, 3), 'ms'] : [trimmed(value, 3), 's'];
const rate = value => value >= 100 ? format.count(value) : trimmed(value, 2);
const say = value => typeof value === 'number' ? format.number(value) : String(value ?? 'nothing yet');

const holds = facts => facts.keys === null ? `${format.count(facts.shrubs)} shrubs` : `${format.count(facts.keys)} keys`;

// -- tiles ----------------------------------------------------------------------------------------

const MEMORY = 60;  // seconds that a spark shows

const TILES = [
  ['score', ({ scores, regression }) => regression
    ? ['Recent error', scores.windowed_mae === undefined ? '–' : format.number(scores.windowed_mae), '', 'mean of the last 1,000', scores.windowed_mae]
    : ['Recent accuracy', percent(scores.windowed_accuracy), '%', 'right among the last 1,000', scores.windowed_accuracy]],
  ['so-far', ({ scores, regression }) => regression
    ? ['Error so far', scores.mae === undefined ? '–' : format.number(scores.mae), '', 'mean since the start', scores.mae]
    : ['Accuracy so far', percent(scores.accuracy), '%', 'right since the start', scores.accuracy]],
  ['predicted', ({ facts }) => ['Predicted', rate(facts.predicted), '/ s', 'rows', facts.predicted]],
  ['learned', ({ facts }) => ['Learned', rate(facts.learned), '/ s', 'labels, each safe on disk', facts.learned]],
  ['latency', ({ facts }) => ['Latency', ...seconds(facts.p99), `99 % are faster; half below ${seconds(facts.p50).join(' ')}`, facts.p99]],
  ['bytes', ({ facts }) => ['Memory', ...format.bytes(facts.bytes).split(' '), holds(facts), facts.bytes]],
  ['waiting', ({ facts }) => ['Waiting', format.count(facts.waiting), '', 'rows for their labels', facts.waiting]],
];

const sparks = new Map(TILES.map(([name]) => [name, []]));

function drawTiles(state) {
  byId('facts').replaceChildren(...TILES.map(([name, describe]) => {
    const [label, value, unit, remark, number] = describe(state);
    const past = sparks.get(name);
    past.push(number ?? null);
    if (past.length > MEMORY) past.shift();
    return element('div', { class: 'fact', 'data-fact': name },
      element('span', { class: 'label' }, label),
      element('span', { class: 'value' }, value, element('small', {}, unit)),
      element('span', { class: 'remark' }, remark), spark(past));
  }));
}

function spark(past) {
  const known = past.filter(value => value !== null);
  const drawing = svg('svg', { class: 'spark', viewBox: `0 0 ${MEMORY - 1} 36`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  if (known.length < 2) return drawing;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const y = linearScale([low, high === low ? low + 1 : high], [high === low ? 18 : 32, high === low ? 17 : 4]);
  const first = MEMORY - past.length;
  const points = past.map((value, i) => value === null ? null : `${first + i} ${y(value).toFixed(1)}`).filter(Boolean);
  const line = `M${points.join('L')}`;
  drawing.append(svg('path', { class: 'under', d: `${line}L${MEMORY - 1} 36L${first + past.length - points.length} 36Z` }),
    svg('path', { d: line }));
  return drawing;
}

// -- figures: those of the report -------------------------------------------------------------------

let drawn = null;

function drawFigures(state) {
  const { figures, legend, dashes, nAges } = state.figures;
  if (!figures.length) return;
  const extent = [state.start, Math.max(state.examples, state.start + 1)];
  if (!drawn) drawn = makeFigures(figures, { legend, dashes, nAges }, new View(extent));
  const { view, charts, life, turn } = drawn;
  view.extent = extent;
  for (const [panel, chart] of charts) {
    const turns = figures.filter(figure => figure.panel === panel);
    chart.show(turns.find(figure => figure.title === turn.title) || turns[0]);
  }
  drawn.note.textContent = `examples along the stream →${state.found.length ? ' · dotted lines: drifts that were noticed' : ''}`;
  const bands = figures.find(figure => figure.kind === 'bands');
  if (bands && !life.chart) makeLife(bands, life, { nAges }, view);
  if (bands) { life.chart.show(bands); life.describe(bands); }
}

function makeFigures(figures, common, view) {
  const body = byId('course').querySelector('.body');
  byId('course').hidden = false;
  byId('course').querySelector('figcaption').append(zoomControls(view, []));
  const state = { view, charts: new Map(), life: {}, turn: { title: '' } };
  const lines = figures.filter(figure => figure.kind === 'lines');
  for (const [panel, turns] of groupBy(lines, figure => figure.panel)) {
    const host = element('div', { class: `chart ${panel}` });
    const show = figure => { state.turn.title = figure.title; state.charts.get(panel).show(state.latest(panel, figure)); };
    body.append(turns.length > 1 ? metricTabs(turns, show) : element('h4', {}, turns[0].title), host);
    const height = panel === 'memory' ? 170 : isNarrow() ? 230 : 300;
    state.charts.set(panel, new Lines(host, view, turns[0], { ...common, height }));
  }
  state.latest = (panel, figure) => latest.figures.figures.find(f => f.panel === panel && f.title === figure.title) || figure;
  body.append(state.note = caption(''));
  return state;
}

function makeLife(spec, life, { nAges }, view) {
  const [key, host, text] = [element('div'), element('div', { class: 'chart life' }), caption('')];
  byId('life').hidden = false;
  byId('life').querySelector('.body').append(key, host, text);
  life.chart = new Bands(host, view, spec, { nAges, height: isNarrow() ? 300 : 360 });
  life.describe = bands => {
    key.replaceChildren(life.chart.ageKey());
    text.textContent = 'Each block is a shrub, as high as its share of the vote. Born and gone are counted between two columns.';
  };
}

// -- words ------------------------------------------------------------------------------------------

function drawWords(state) {
  const { scores, examples, regression, facts, found } = state;
  const known = regression ? scores.mae !== undefined : scores.accuracy !== undefined;
  byId('kind').textContent = `${state.model} · ${state.kind}`;
  const score = regression ? `off by ${known ? format.number(scores.windowed_mae) : ''}` : `${percent(scores.windowed_accuracy)} % right`;
  byId('headline').replaceChildren(...(known
    ? [element('em', {}, score), ', and still learning'] : ['Waiting for the first label']));
  const drift = found.length ? ` The last drift was noticed at example ${format.count(found.at(-1))}.` : '';
  byId('lead').textContent = state.trouble ? `Nothing can be learned: ${state.trouble}`
    : `${format.count(examples)} examples learned, ${holds(facts)}, ${format.bytes(facts.bytes).replace(' ', '\u00a0')} in memory.${drift}`;
  byId('model').hidden = facts.keys !== null;  // there is one for each key
  document.title = known ? `${score} · ${state.model}` : state.model;
}

function drawPredictions({ predictions }) {
  byId('asked').hidden = !predictions.length;
  byId('asked').querySelector('.body').replaceChildren(element('ul', { class: 'asked' }, ...predictions.map(made =>
    element('li', {},
      element('div', { class: 'said' }, say(made.predicted), element('small', {}, made.id ?? `after ${format.count(made.at)} examples`)),
      element('div', { class: 'x' }, ...made.x.flatMap(([name, value], i) =>
        [i ? ', ' : '', `${name} `, element('b', {}, value === null ? 'missing' : say(value))]), made.more ? `, and ${made.more} more` : ''),
      element('div', {}, ...made.rules.map(([weight, rule]) => element('div', { class: 'rule', title: rule },
        element('span', { class: 'weight' }, format.share(weight)), element('code', {}, rule))))))));
}

const shares = concept => Object.entries(concept).filter(([, share]) => share >= 0.01).slice(0, 4).map(([name, share]) => `${name} ${Math.round(100 * share)} %`).join(', ');

function drawDrifts({ drifts, found }) {
  byId('drifts').hidden = !found.length;
  const told = drifts.length ? drifts : found.map(noticed => ({ noticed, before: {}, after: {} }));
  byId('drifts').querySelector('.body').replaceChildren(element('ul', { class: 'drifted' }, ...[...told].reverse().map(drift =>
    element('li', {}, element('b', {}, `Example ${format.count(drift.noticed)}`),
      drift.began ? `began at about ${format.count(drift.began)}` : 'the errors began to rise',
      shares(drift.before) && shares(drift.after) ? `; what mattered was ${shares(drift.before)}, and is now ${shares(drift.after)}` : '',
      drift.rule ? element('code', {}, drift.rule) : null))));
}

// -- events -----------------------------------------------------------------------------------------

let latest = {};

function draw(state) {
  latest = { ...latest, ...state };
  drawWords(latest);
  drawTiles(latest);
  drawPredictions(latest);
  drawDrifts(latest);
  if (state.figures) drawFigures(latest);
}

function pulse(state, text) {
  byId('pulse').dataset.state = state;
  byId('pulse').textContent = text;
}

let token = null;
try { token = sessionStorage.getItem('shrubs-token'); } catch { /* then it is asked for again */ }

// Not EventSource, which cannot send a token.
async function watch() {
  const answer = await fetch('/events', { headers: token ? { authorization: `Bearer ${token}` } : {} });
  byId('token').hidden = answer.status !== 401;
  if (answer.status === 401) { pulse('waiting', 'locked'); return false; }
  if (!answer.ok) throw new Error(answer.status);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return true;
    const events = (rest + value).split('\n\n');
    rest = events.pop();
    for (const event of events) { pulse('live', 'live'); draw(JSON.parse(event.replace(/^data: /, ''))); }
  }
}

async function watchAlways() {
  for (;;) {
    try { if (!await watch()) return; } catch { /* said below */ }
    pulse('lost', 'reconnecting');
    await new Promise(resolve => setTimeout(resolve, 1000));
  }
}

byId('token').addEventListener('submit', event => {
  event.preventDefault();
  token = byId('secret').value;
  try { sessionStorage.setItem('shrubs-token', token); } catch { /* then it lasts for this page */ }
  watchAlways();
});
watchAlways();
