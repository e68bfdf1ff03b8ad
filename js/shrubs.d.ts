/** What a learner is begun with. */
export interface Options {
  /** At most 16384. */
  nFeatures: number;
  /** At most 65535; 0, the default: y is a target, not a class. */
  nClasses?: number;
  /** 'auto' (default): without tuning. 'paper': Algorithm 1 of the paper. 'windowed tree': one tree on the window. */
  method?: 'auto' | 'paper' | 'windowed tree';
  /** 'auto': the most bytes that the learner takes, all included; 1 MB by default. */
  memoryLimit?: number;
  /** An integer; 0 by default. */
  seed?: number;
  /** The features that hold codes of categories, integers from 0 on. */
  nominal?: number[];
  /** 'auto': whether the last outcomes may help to predict the next; true by default. */
  lastOutcomes?: boolean;
  /** 'paper': greater than 0; 0.5 by default. */
  stepSize?: number;
  /** 'paper': 1 to 65534; 32 by default. */
  maxShrubs?: number;
  /** 'paper' and 'windowed tree': 1 to 65535; 256 by default. */
  windowSize?: number;
  /** 'paper': 0, the default, is no limit. */
  maxDepth?: number;
  /** 'paper': random splits (default) or the best ones. */
  randomSplits?: boolean;
  /** 'paper': cross-entropy, or the squared error (default). */
  crossEntropy?: boolean;
}

export interface Shrub {
  place: number;
  /** The example after which it was grown. */
  born: number;
  /** Its part in the prediction. */
  weight: number;
  /** The examples it was grown on. */
  window: number;
  leaves: number;
  /** Grown again when it was wrong, not by the clock. */
  reactive: boolean;
}

export interface Drift {
  /** The example at which the learner noticed it; the first is 1. */
  noticed: number;
  /** About where it began. */
  began: number;
}

export interface MemoryReport {
  window: number;
  shrubs: number;
  weights: number;
  caches: number;
  scratch: number;
}

/** Compiles the core, once for any number of learners; by default from the file beside the package's module. */
export function compile(source?: BufferSource | Response | Promise<Response> | URL | string): Promise<WebAssembly.Module>;

/** A learner. What it refuses, it refuses with a RangeError or TypeError, and stays as it was. */
export class Learner {
  private constructor();
  static begin(core: WebAssembly.Module, options: Options): Learner;
  /** Goes on with a learner that `save`, or Python, has saved. */
  static load(core: WebAssembly.Module, state: Uint8Array): Learner;
  readonly method: 'auto' | 'paper' | 'windowed tree';
  readonly nFeatures: number;
  readonly nClasses: number;
  readonly memoryBytes: number;
  readonly examplesSeen: number;
  /** Learns one example: its features, NaN for a missing one, and its class or target. */
  learn(x: ArrayLike<number>, y: number): this;
  /** The most likely class, or the target. */
  predict(x: ArrayLike<number>): number;
  /** The probability of each class; of a regression, the target alone. */
  predictProba(x: ArrayLike<number>, out?: Float64Array): Float64Array;
  /** The same of many rows, one behind the other. */
  predictMany(X: Float32Array, out?: Float64Array): Float64Array;
  predictProbaMany(X: Float32Array, out?: Float64Array): Float64Array;
  /** The learner as bytes, the same on every machine; Python loads them too. */
  save(): Uint8Array;
  shrubs(): Shrub[];
  splitShares(): Float64Array;
  drifts(): Drift[];
  memoryReport(): MemoryReport;
}
