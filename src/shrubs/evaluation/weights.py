"""The column of a stream that holds the weights of its examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shrubs.messages import shown
from shrubs.protocols import Block, Outcome, Schema, Stream
from shrubs.repetition import LARGEST_WEIGHT, are_fractions, times

__all__ = ["WeightColumn", "interleave_repeated"]


class WeightColumn:
    """Takes the weights out of blocks; no learner sees their column.

    Args:
        stream: the stream that has the column.
        name: that of the column, a number.
    """

    def __init__(self, stream: Stream, name: str) -> None:
        self.name = name
        self._stream = stream
        columns = {f.name: i for i, f in enumerate(stream.schema.features) if not f.nominal}
        if name not in columns:
            raise ValueError(
                f"weight must be one of the columns with numbers of stream {shown(stream.name)}, "
                f"{', '.join(columns) or 'of which there are none'}; got {shown(name)}"
            )
        self._at = columns[name]

    @property
    def schema(self) -> Schema:
        """What the learner sees."""
        schema = self._stream.schema
        features = schema.features
        return replace(schema, features=features[: self._at] + features[self._at + 1 :])

    def without(self, block: Block) -> Block:
        """The examples as the learner sees them."""
        return Block(np.ascontiguousarray(np.delete(block.X, self._at, axis=1)), block.y)

    def weights(self, block: Block) -> NDArray[np.float64]:
        """The weights of a block, ``(n,)``."""
        return block.X[:, self._at].astype(np.float64)

    def check(self, block: Block, n_before: int) -> None:
        """Raise for a weight that is none, with the number of its example."""
        weights = self.weights(block)
        wrong = np.flatnonzero(~((weights >= 0) & (weights <= LARGEST_WEIGHT)))
        if len(wrong):
            raise ValueError(
                f"stream {shown(self._stream.name)}, example {n_before + int(wrong[0]) + 1}: the "
                f"weight must be a number from 0 to {LARGEST_WEIGHT}, got {weights[wrong[0]]:g}"
            )

    def times(self, learned: Block, n_before: int) -> tuple[NDArray[np.int64], int]:
        """How often each example is learned, and how many weights so far were fractions."""
        weights = self.weights(learned)
        return times(weights, n_before), n_before + int(np.count_nonzero(are_fractions(weights)))


def interleave_repeated(
    interleave: Callable[[Block, Block], Outcome],
    block: Block,
    learned: Block,
    n_times: NDArray[np.int64],
) -> Outcome:
    """Predict every row of ``block``, and learn a row of ``learned`` so many times after each.

    A row that is learned again is predicted again as well; the first prediction counts.
    """
    n_early = len(block) - len(learned)
    after = np.concatenate([np.zeros(n_early, dtype=np.int64), n_times])
    outcomes = []
    for part in _parts(after):
        repeated = np.repeat(part, np.maximum(after[part], 1))
        again = np.repeat(part, after[part]) - n_early
        found = interleave(
            Block(block.X[repeated], block.y[repeated]), Block(learned.X[again], learned.y[again])
        )
        first = np.searchsorted(repeated, part)
        outcomes.append(
            replace(found, predicted=found.predicted[first], p_true=found.p_true[first])
        )
    return Outcome(
        np.concatenate([outcome.predicted for outcome in outcomes]),
        np.concatenate([outcome.p_true for outcome in outcomes]),
        sum(outcome.predict_seconds for outcome in outcomes),
        sum(outcome.learn_seconds for outcome in outcomes),
    )


def _parts(after: NDArray[np.int64]) -> Iterator[NDArray[np.intp]]:
    """Rows that are only predicted, then rows that are learned too, as one block can have them."""
    begins = np.flatnonzero((after[1:] == 0) & (after[:-1] > 0)) + 1
    yield from np.split(np.arange(len(after)), begins)
