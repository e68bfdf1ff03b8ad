"""Race the prediction of many rows against scikit-learn's random forest of the same shape.

Both have 32 trees of depth 8, grown on windows of 256 examples, and predict the same 10,000 rows of
the rotating stream (d=8, two classes) in one thread, in turns; times are CPU time, the best of many
repeats.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from results_file import write_results
from rotating_stream import RotatingStream
from sklearn.ensemble import RandomForestClassifier

from shrubs import PaperShrubClassifier

N_LEARNED = 4000
WINDOW_SIZE = 256
N_PREDICTED = 10_000
N_REPEATS = 40
TARGET = 10.0


def seconds(call: Callable[[npt.NDArray[np.float32]], Any], X: npt.NDArray[np.float32]) -> float:
    """Return the CPU time of one call."""
    start = time.process_time()
    call(X)
    return time.process_time() - start


def main() -> None:
    """Print one row per kind of prediction; fail if a target is missed."""
    X, y = RotatingStream(n_features=8).next_block(N_LEARNED + N_PREDICTED)
    learner = PaperShrubClassifier(
        max_shrubs=32, window_size=WINDOW_SIZE, max_depth=8, splitter="best"
    )
    learner.partial_fit(X[:N_LEARNED], y[:N_LEARNED])
    forest = RandomForestClassifier(n_estimators=32, max_depth=8, n_jobs=1, random_state=0)
    window = slice(N_LEARNED - WINDOW_SIZE, N_LEARNED)
    forest.fit(X[window], y[window])
    rows = np.ascontiguousarray(X[N_LEARNED:], dtype=np.float32)
    print(f"{learner.n_shrubs} shrubs, {len(forest.estimators_)} trees, {len(rows)} rows")
    print(f"{'call':<28} {'us per row':>10} {'forest':>10} {'ratio':>6} {'target':>6}")
    results = []
    for name in ("predict_proba", "predict"):
        for label, model in (("", learner), ("snapshot ", learner.snapshot())):
            ours: list[float] = []
            theirs: list[float] = []
            for _ in range(N_REPEATS):
                ours.append(seconds(getattr(model, name), rows))
                theirs.append(seconds(getattr(forest, name), rows))
            ratio = min(theirs) / min(ours)
            results.append(
                {
                    "setting": f"{label}`{name}`, M=32, depth 8",
                    "peer": "forest",
                    "us": 1e6 * min(ours) / len(rows),
                    "peer_us": 1e6 * min(theirs) / len(rows),
                    "ratio": ratio,
                    "target": TARGET,
                }
            )
            print(
                f"{label + name:<28} {1e6 * min(ours) / len(rows):>10.3f} "
                f"{1e6 * min(theirs) / len(rows):>10.3f} {ratio:>6.1f} {TARGET:>6.0f}",
                flush=True,
            )
    write_results("predict", results)
    held = all(row["ratio"] >= TARGET for row in results)
    sys.exit(0 if held else "a target is missed")


if __name__ == "__main__":
    main()
