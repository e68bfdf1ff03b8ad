"""What crossing to Java costs beside MOA's learners, in microseconds per example.

Learner: predicting and learning inside the Java machine. Bridge: everything else that handing over
a block and taking back its predictions takes, making MOA's instances included. Of the last blocks,
when Java has compiled what it will; the least of each, since other processes only add.

Target: a bridge of less than 1 microsecond.
"""

from __future__ import annotations

import importlib.util
import sys

from shrubs.adapters import moa_jvm
from shrubs.adapters.moa_peers import MoaPeer
from shrubs.protocols import Stream
from shrubs.streams import paper_stream

LEARNERS = {
    "NB": ("bayes.NaiveBayes", ""),
    "HT": ("trees.HoeffdingTree", ""),
    "HTT": ("trees.EFDT", ""),
    "Bag 10": ("meta.OzaBag", ""),
    "SB 10": ("meta.OnlineSmoothBoost", ""),
    "ARF 10": ("meta.AdaptiveRandomForest", "-s 10"),
    "SRP 10": ("meta.StreamingRandomPatches", "-s 10"),
    "SGBT 10": ("meta.StreamingGradientBoostedTrees", "-s 10"),
}
BLOCK_SIZE = 1024
LAST_BLOCKS = 10
TARGET = 1e-6  # seconds per example


def measure(peer: MoaPeer, stream: Stream) -> tuple[float, float]:
    """Seconds of learner and bridge for one example."""
    peer.prepare(stream.schema)
    seconds = []
    for block in stream.blocks(BLOCK_SIZE):
        before = peer.bridge_seconds
        outcome = peer.interleave(block, block)
        learner = outcome.predict_seconds + outcome.learn_seconds
        seconds.append((learner / len(block), (peer.bridge_seconds - before) / len(block)))
    last = seconds[-LAST_BLOCKS:]
    return min(learner for learner, _ in last), min(bridge for _, bridge in last)


def compare(stream: Stream) -> float:
    """One line per learner; returns the seconds of the slowest bridge."""
    print(f"{stream.name}, {stream.schema.n_features} features, blocks of {BLOCK_SIZE}")
    slowest = 0.0
    for label, (learner, options) in LEARNERS.items():
        seconds, bridge = measure(MoaPeer(learner, options=options), stream)
        print(
            f"  {label:8} learner {1e6 * seconds:8.2f} us, bridge {1e6 * bridge:5.2f} us "
            f"({100 * bridge / (seconds + bridge):4.1f}%)"
        )
        slowest = max(slowest, bridge)
    return slowest


if __name__ == "__main__":
    if importlib.util.find_spec("capymoa") is None or not moa_jvm.has_java():
        sys.exit("MOA needs capymoa and Java: pip install 'shrubs[moa]'")
    streams = [
        paper_stream("rbf_f", n_examples=20 * BLOCK_SIZE),
        paper_stream("agrawal_a", n_examples=20 * BLOCK_SIZE, one_hot=True, scale_drifts=True),
    ]
    if max([compare(stream) for stream in streams]) > TARGET:
        sys.exit("the bridge takes more than 1 us per example")
