"""How much later than its example a label comes."""

import math
import struct

_PATIENCE = (1024, 65_536)
_WORD = 2**64 - 1


class LabelDelay:
    """Remembers some of the rows that were predicted, until they are learned.

    `examples`: how many examples are learned between the prediction of an example and its own
    lesson, the fewest of the last four that were found.
    """

    def __init__(self) -> None:
        self._asked: list[tuple[int, int] | None] = [None] * len(_PATIENCE)
        self._found = [0, 0, 0, 0]

    @property
    def examples(self) -> int:
        """So many at least."""
        return min(self._found)

    def ask(self, x: list[float], n_learned: int) -> None:
        """Take note of a prediction, if there is room."""
        for i, asked in enumerate(self._asked):
            if asked is None or n_learned - asked[1] > _PATIENCE[i]:
                self._asked[i] = _digest(x), n_learned
                return

    def learn(self, x: list[float], n_learned: int) -> None:
        """Take note of an example that is about to be learned."""
        for i, asked in enumerate(self._asked):
            if asked is not None and asked[0] == _digest(x):
                self._found = [min(n_learned - asked[1], _PATIENCE[-1]), *self._found[:3]]
                self._asked[i] = None


def _digest(x: list[float]) -> int:
    """A number for the bits of a row in single precision."""
    h = 1
    for value in x:
        bits = 0x7FC00000 if math.isnan(value) else struct.unpack("<I", struct.pack("<f", value))[0]
        h = ((h ^ bits) * 0x9E3779B97F4A7C15) & _WORD
        h ^= h >> 32
    return h or 1
