"""What `grow_every` costs in accuracy, and what it saves, on the streams of the paper.

Prefixes of the paper's streams (drifts scaled to that length), and of the real ones that are in the
directory SHRUBS_DATA; `PaperShrubClassifier` with its defaults. Prints the percentage right, and
the microseconds of CPU time per example on average, predicting and learning.
"""

from __future__ import annotations

import argparse
import warnings
from time import process_time

from results_file import write_results

from shrubs import FrozenEnsembleWarning, PaperShrubClassifier
from shrubs.evaluation import evaluate
from shrubs.experiments.registry import STREAMS, make_stream

PAUSES = (1, 2, 4, 8, 16, 64)
LEFT_OUT = "gas-sensor-8of10"  # the paper has all of it


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=20_000, help="length of each prefix")
    n_examples = parser.parse_args().examples
    warnings.simplefilter("ignore", FrozenEnsembleWarning)
    names = [
        name
        for name, entry in STREAMS.items()
        if entry.n_examples is not None and entry.is_available() and name != LEFT_OUT
    ]
    print("| k |", " | ".join(names), "| mean | us |")
    print("|---" * (len(names) + 3) + "|")
    rows = []
    for grow_every in PAUSES:
        scores = []
        seconds = 0.0
        n_done = 0
        for name in names:
            stream = make_stream(name, n_examples=n_examples)
            start = process_time()
            values = evaluate(
                PaperShrubClassifier(grow_every=grow_every), stream, n_examples=n_examples
            ).values()
            seconds += process_time() - start
            n_done += min(n_examples, STREAMS[name].n_examples or n_examples)
            scores.append(100.0 * float(values["accuracy"]))  # type: ignore[arg-type]
        mean = sum(scores) / len(scores)
        rows.append({"grow_every": grow_every, "scores": scores, "us": 1e6 * seconds / n_done})
        cells = " | ".join(f"{score:.1f}" for score in scores)
        print(f"| {grow_every} | {cells} | {mean:.1f} | {rows[-1]['us']:.1f} |", flush=True)
    write_results("grow_every", {"names": names, "rows": rows, "n_examples": n_examples})


if __name__ == "__main__":
    main()
