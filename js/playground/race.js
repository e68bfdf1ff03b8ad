// Two learners on one stream, each example predicted by both before they learn it.

const LAST = 250;  // examples that the accuracy is of
const EVERY = 20;  // examples from one point of the curve to the next
const POINTS = 700;

/** The share of right predictions, of all and of the last ones. */
class Accuracy {
  constructor() {
    this.last = new Uint8Array(LAST);
    this.right = 0;
    this.lately = 0;
    this.n = 0;
  }
  add(isRight) {
    const place = this.n % LAST;
    this.lately += isRight - this.last[place];
    this.last[place] = isRight;
    this.right += isRight;
    ++this.n;
  }
  get recent() { return this.n === 0 ? NaN : this.lately / Math.min(this.n, LAST); }
  get overall() { return this.n === 0 ? NaN : this.right / this.n; }
}

export class Race {
  constructor(Learner, core, { nFeatures, nClasses, nominal = [], memoryLimit, seed }) {
    const common = { nFeatures, nClasses, nominal, seed };
    // Rows of a file may follow from one another; points of the plane do not.
    this.learner = Learner.begin(core, { ...common, memoryLimit, lastOutcomes: false });
    this.tree = Learner.begin(core, { ...common, method: 'windowed tree', windowSize: 256 });
    this.accuracy = new Accuracy();
    this.treeAccuracy = new Accuracy();
    this.curve = [];
    this.memoryLimit = memoryLimit;
  }

  get n() { return this.accuracy.n; }

  /** Predicts and learns one example; returns whether the shrubs were right. */
  step(x, y) {
    const isRight = this.learner.predict(x) === y;
    this.accuracy.add(isRight ? 1 : 0);
    this.treeAccuracy.add(this.tree.predict(x) === y ? 1 : 0);
    this.learner.learn(x, y);
    this.tree.learn(x, y);
    if (this.n % EVERY === 0) {
      this.curve.push([this.n, this.accuracy.recent, this.treeAccuracy.recent]);
      if (this.curve.length > POINTS) this.curve.shift();
    }
    return isRight;
  }
}
