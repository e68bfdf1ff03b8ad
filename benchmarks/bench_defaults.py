"""Which defaults serve most streams: the accuracy of some settings of `PaperShrubClassifier`.

Prefixes of the paper's streams (drifts scaled to that length), and of the real ones that are in the
directory SHRUBS_DATA. Prints a Markdown table of the percentage right, and the mean.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

from shrubs import FrozenEnsembleWarning, PaperShrubClassifier
from shrubs.evaluation import evaluate
from shrubs.experiments.registry import STREAMS, make_stream

SETTINGS = [
    *(("best", 256, step) for step in (0.1, 0.5)),
    *(("random", 256, step) for step in (0.05, 0.1, 0.2, 0.5, 1.0)),
    *(("random", size, 0.5) for size in (64, 1024)),
]
LEFT_OUT = ("gas-sensor", "agrawal_g", "led_g")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=8000, help="length of each prefix")
    n_examples = parser.parse_args().examples
    warnings.simplefilter("ignore", FrozenEnsembleWarning)
    names = [
        name
        for name, entry in STREAMS.items()
        if entry.n_examples is not None and entry.is_available() and name not in LEFT_OUT
    ]
    streams = {name: make_stream(name, n_examples=n_examples) for name in names}
    print("| splitter | window | step |", " | ".join(names), "| mean |")
    print("|---" * (len(names) + 4) + "|")
    for splitter, window_size, step_size in SETTINGS:
        options: dict[str, Any] = {
            "splitter": splitter, "window_size": window_size, "step_size": step_size,
        }  # fmt: skip
        scores = [
            100 * evaluate(PaperShrubClassifier(**options), stream, n_examples=n_examples)
            .values()["accuracy"]  # type: ignore[operator]
            for stream in streams.values()
        ]  # fmt: skip
        cells = " | ".join(f"{score:.1f}" for score in scores)
        mean = sum(scores) / len(scores)
        print(f"| {splitter} | {window_size} | {step_size} | {cells} | {mean:.1f} |", flush=True)


if __name__ == "__main__":
    main()
