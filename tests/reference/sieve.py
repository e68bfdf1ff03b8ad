"""A sieve: which features tell something, where there are more of them than columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.reference.single_precision import to_single

INTERVAL = 32  # examples, then those on trial are judged
_DULL = 5.0
_TELLING = 20.0
_MOST = 255
_RENEWED = 256
_FORGETTING = 0.995
_MAX_CALLS = 8
_N_RANGES = 4


@dataclass
class Trial:
    """How often the values of a feature, by range, came with some classes and with surprises."""

    mask: int
    bounds: list[float] = field(default_factory=list)
    n: list[int] = field(default_factory=lambda: [0] * _N_RANGES)
    high: list[int] = field(default_factory=lambda: [0] * _N_RANGES)
    surprises: list[int] = field(default_factory=lambda: [0] * _N_RANGES)
    kinds: set[bool] = field(default_factory=set)  # whether its values were texts

    def see(self, value: float, is_high: bool, is_surprise: bool) -> None:
        """The first values are the bounds of the ranges, each of the others is in one."""
        if len(self.bounds) < _N_RANGES - 1:
            self.bounds = [*self.bounds, value]
            if len(self.bounds) == _N_RANGES - 1:
                self.bounds.sort()
            return
        below = sum(bound < value for bound in self.bounds)
        at_most = sum(bound <= value for bound in self.bounds)
        i = (below + at_most + 1) // 2
        if self.n[i] < _MOST:
            self.n[i] += 1
            self.high[i] += is_high
            self.surprises[i] += is_surprise

    def score(self) -> float:
        """Chi squared of what depends more on the feature."""
        return max(self._chi_squared(self.high), self._chi_squared(self.surprises))

    def _chi_squared(self, counts: list[int]) -> float:
        if sum(counts) in (0, sum(self.n)):
            return 0.0
        share = sum(counts) / sum(self.n)
        variance = share * (1.0 - share)
        total = 0.0
        for n, count in zip(self.n, counts, strict=True):
            if n:
                difference = count - n * share
                total += difference * difference / (n * variance)
        return total


class Sieve:
    """Features are known by numbers; those that have a column are `kept`, in its order."""

    def __init__(self, n_slots: int, kept: list[int]) -> None:
        self.kept = list(kept)
        self.standing = [0.0] * len(kept)
        self.calls: list[tuple[int, bool, float]] = []
        self._n_slots = n_slots
        self._n_seen = 0
        self._n_begun = 0
        self._cursor = 0
        self._centre: float | None = None
        self._candidates: dict[int, Trial] = {}
        self._columns: list[Trial] = []

    def sift(
        self,
        row: Mapping[int, tuple[float, bool]],
        *,
        label: int = 0,
        target: float | None = None,
        surprise: bool,
    ) -> None:
        """Look at an example: by feature its value, unless missing, and whether it is a text."""
        if self._n_seen == 0:
            self._take_in([i for i in row if i not in self.kept and i not in self._candidates])
        while len(self._columns) < len(self.kept):
            self._columns.append(self._begin())
        on_trial = [*self._candidates.items(), *zip(self.kept, self._columns, strict=True)]
        for i, trial in on_trial:
            if i in row:
                value, is_text = row[i]
                trial.kinds.add(is_text)
                trial.see(to_single(value) + 0.0, self._is_high(trial, label, target), surprise)
        if target is not None:
            old = self._centre
            self._centre = target if old is None else old - old / 64.0 + target / 64.0
        self._n_seen += 1
        if self._n_seen == INTERVAL:
            self._n_seen = 0
            self._judge()

    def answer(self, i: int, column: int | None) -> None:
        """A feature that was called has this column now, or gets none."""
        (score,) = (score for called, _, score in self.calls if called == i)
        if column is not None:
            self.kept[column] = i
            self._columns[column] = self._begin()
            self.standing[column] = score
        self.calls = [call for call in self.calls if call[0] != i]
        self._candidates.pop(i, None)

    def _is_high(self, trial: Trial, label: int, target: float | None) -> bool:
        if target is None:
            return (label & trial.mask).bit_count() % 2 == 1
        return self._centre is not None and target > self._centre

    def _begin(self) -> Trial:
        self._n_begun += 1
        return Trial(mask=((self._n_begun - 1) * 0x9E3779B1 % 2**32 >> 16) | 1)

    def _take_in(self, newcomers: list[int]) -> None:
        """Fill free slots with those behind the cursor, round and round."""
        ordered = sorted(newcomers, key=lambda i: (i <= self._cursor, i))
        for i in ordered[: self._n_slots - len(self._candidates)]:
            self._candidates[i] = self._begin()
            self._cursor = i

    def _judge(self) -> None:
        for column, trial in enumerate(self._columns):
            self.standing[column] = max(self.standing[column] * _FORGETTING, trial.score())
            if sum(trial.n) >= _RENEWED or _MOST in trial.n:
                self._columns[column] = self._begin()
        calls = []
        for i in sorted(self._candidates):
            trial = self._candidates[i]
            score = trial.score() if len(trial.kinds) == 1 else 0.0
            if score >= _TELLING:
                calls.append((i, trial.kinds == {True}, score))
            if score < _DULL or _MOST in trial.n:
                del self._candidates[i]
        self.calls = sorted(calls, key=lambda call: -call[2])[:_MAX_CALLS]


def is_present(value: float | str | None) -> bool:
    """Whether a value counts."""
    return value is not None and not (isinstance(value, float) and math.isnan(value))
