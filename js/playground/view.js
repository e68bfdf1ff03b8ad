// Which two features the plane shows; the others stay at their middle.

/** The plane of a PlaneStream is itself. */
export const wholePlane = {
  axes: [0, 1],
  fill(X, size, row) {
    for (let i = 0; i < size; ++i) {
      X[2 * i] = (i + 0.5) / size;
      X[2 * i + 1] = (row + 0.5) / size;
    }
  },
  place: x => [x[0], x[1]],
};

/** Two columns of a TableStream; the vertical axis points up. */
export function sliceOf(stream, axes) {
  const [across, up] = axes.map(axis => stream.ranges[axis]);
  const share = (value, range) => (value - range.low) / (range.high - range.low);
  return {
    axes,
    fill(X, size, row) {
      const d = stream.names.length;
      for (let i = 0; i < size; ++i) {
        stream.ranges.forEach((range, k) => { X[i * d + k] = range.middle; });
        X[i * d + axes[0]] = valueAt(stream, axes[0], across, (i + 0.5) / size);
        X[i * d + axes[1]] = valueAt(stream, axes[1], up, 1 - (row + 0.5) / size);
      }
    },
    place: x => [share(x[axes[0]], across), 1 - share(x[axes[1]], up)],
  };
}

function valueAt(stream, axis, range, at) {
  const value = range.low + at * (range.high - range.low);
  return stream.columns[axis].isNumeric ? value : Math.round(value);
}
