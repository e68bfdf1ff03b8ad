"""Learn a long drifting stream and watch speed and memory.

A learner for endless streams must be as fast and as small after ten million examples as after ten
thousand. Times are CPU time of `prequential` alone, without making the stream.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from rotating_stream import RotatingStream

from shrubs import PaperShrubClassifier

N_FEATURES = 8
BLOCK_SIZE = 1000
N_CHECKPOINTS = 20
MOST_GROWTH = 1 << 20  # bytes of resident memory; the interpreter itself breathes a little
MOST_SLOWDOWN = 1.1


@dataclass(frozen=True)
class Checkpoint:
    """What was seen in one twentieth of the stream."""

    n_examples: int
    seconds_per_example: float
    accuracy: float
    memory_bytes: int
    resident_bytes: int


def resident_bytes() -> int:
    """Return the resident memory of this process; its peak where the system tells no more."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def learn(
    learner: PaperShrubClassifier, stream: RotatingStream, n_before: int, n_blocks: int
) -> Checkpoint:
    """Learn some blocks and report."""
    seconds = 0.0
    n_right = 0
    for _ in range(n_blocks):
        X, y = stream.next_block(BLOCK_SIZE)
        start = process_time()
        predicted = learner.prequential(X, y)
        seconds += process_time() - start
        n_right += int((predicted == y).sum())
    n = n_blocks * BLOCK_SIZE
    return Checkpoint(
        n_before + n, seconds / n, n_right / n, learner.memory_bytes, resident_bytes()
    )


def show(checkpoint: Checkpoint) -> None:
    """Print one line."""
    print(
        f"{checkpoint.n_examples:>12,} {1.0 / checkpoint.seconds_per_example:>12,.0f} "
        f"{checkpoint.accuracy:>9.3f} {checkpoint.memory_bytes:>13,} "
        f"{checkpoint.resident_bytes / 1024:>12,.0f}",
        flush=True,
    )


def judge(checkpoints: list[Checkpoint]) -> bool:
    """Print the verdict: memory from the first tenth on, speed of the last against the first."""
    tenth = N_CHECKPOINTS // 10
    settled = checkpoints[tenth - 1 :]
    growth = settled[-1].resident_bytes - settled[0].resident_bytes
    constant = len({c.memory_bytes for c in checkpoints}) == 1 and growth <= MOST_GROWTH
    first = sum(c.seconds_per_example for c in checkpoints[:tenth])
    last = sum(c.seconds_per_example for c in checkpoints[-tenth:])
    print(
        f"memory constant: {'yes' if constant else 'no'} (resident {growth / 1024:+,.0f} KB since "
        f"the first tenth); slowdown of the last tenth against the first: {last / first - 1:+.1%}"
    )
    return constant and last <= first * MOST_SLOWDOWN


def main() -> None:
    """Print a line every 5% and the verdict; fail if memory grows or speed falls."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=10_000_000)
    n_blocks = max(parser.parse_args().examples // (BLOCK_SIZE * N_CHECKPOINTS), 1)
    learner = PaperShrubClassifier(max_shrubs=16, window_size=64, max_depth=5)
    stream = RotatingStream(n_features=N_FEATURES)
    print(
        f"{'examples':>12} {'per second':>12} {'accuracy':>9} {'memory_bytes':>13} {'RSS, KB':>12}"
    )
    checkpoints: list[Checkpoint] = []
    for i in range(N_CHECKPOINTS):
        checkpoints.append(learn(learner, stream, i * n_blocks * BLOCK_SIZE, n_blocks))
        show(checkpoints[-1])
    sys.exit(0 if judge(checkpoints) else "memory or speed did not hold")


if __name__ == "__main__":
    main()
