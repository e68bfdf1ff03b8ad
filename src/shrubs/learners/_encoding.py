"""Examples as plain numbers, for learners that know neither categories nor missing values.

Nominal features become one indicator per category. Numeric features are standardised with the mean
and the spread of the examples learned so far, never of later ones. A missing number becomes the
mean, a missing or unknown category no indicator at all. New columns come last, so that what was
learned for the others stays where it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs._core import Tables
from shrubs.learners._dates import spread_row
from shrubs.learners._inputs import encode
from shrubs.learners._tables import add_row, all_or_nothing, is_missing
from shrubs.messages import shown
from shrubs.protocols import Row, Schema

__all__ = ["Encoder", "Scales"]

Scales = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Means and spreads by feature, one row per example: ``(n, n_features)`` each."""

_LARGEST = 5.0  # standardised values are cut off here; one outlier must not throw a learner off


class Encoder:
    """Turns rows and blocks into matrices of numbers.

    Args:
        standardise: subtract the mean and divide by the spread; otherwise numbers stay as they are.
    """

    def __init__(self, *, standardise: bool = True) -> None:
        self.standardise = standardise
        self.tables = Tables()  # of features and, for those who use this, of classes
        self._numeric = np.empty(0, dtype=np.intp)  # numeric features, ...
        self._places = np.empty(0, dtype=np.intp)  # ... and the column of each
        self._indicators = np.empty((0, 0), dtype=np.intp)  # column by feature, code; -1 for none
        self.n_columns = 0
        # By feature, of the values that are not missing. Sums are of differences from the first
        # value, which keeps their digits.
        self._counts, self._first, self._sums, self._squares = np.zeros((4, 0))

    def prepare(self, schema: Schema) -> None:
        """Announce the features of a stream."""
        if len(self.tables):
            return
        self.tables.named = True
        for i, feature in enumerate(schema.features):
            self.tables.add_feature(feature.name, feature.nominal, bool(feature.categories))
            for category in feature.categories:
                self.tables.add_category(i, category)
        self._make_room(np.array([len(f.categories) for f in schema.features], dtype=np.intp))

    def read(self, row: Row, *, learn: bool) -> NDArray[np.float64]:
        """One example as ``(1, n_features)``: numbers, codes of categories, NaN for missing.

        With ``learn``, new features and categories are added; otherwise they are left out.
        """
        tables = self.tables
        values: Any = dict(row) if isinstance(row, Mapping) else list(row)
        values = spread_row(tables, values, (), learning=learn)
        by_name = isinstance(values, dict)
        before = tables.mark()
        with all_or_nothing(tables):
            if learn or not len(tables):
                add_row(tables, values, ())
            names = tables.names() or ()
            cells = [values.get(name) for name in names] if by_name else values
            if len(cells) != len(tables):
                raise ValueError(
                    f"x has {len(cells)} features, but this learner was built for {len(tables)}"
                )
            columns = [
                [cell] if tables.has_texts(i) else _number(cell) for i, cell in enumerate(cells)
            ]
            matrix = encode(tables, columns, 1)
        if learn:
            self._adopt()
        else:
            tables.go_back_to(before)
        return matrix

    def learn(self, X: NDArray[Any]) -> Scales:
        """Take in examples, ``(n, n_features)``; returns the n + 1 scales before, between, after.

        One block gives the same scales, to the bit, as its rows one after the other.
        """
        X = np.asarray(X, dtype=np.float64)
        self._add_codes(X)
        known = ~np.isnan(X)
        new = (self._counts == 0) & known.any(axis=0)
        self._first[new] = X[known.argmax(axis=0)[new], new.nonzero()[0]]
        offsets = np.where(known, X - self._first, 0.0)
        counts = np.cumsum(np.vstack([self._counts, known]), axis=0)
        sums = np.cumsum(np.vstack([self._sums, offsets]), axis=0)
        squares = np.cumsum(np.vstack([self._squares, offsets**2]), axis=0)
        self._counts, self._sums, self._squares = counts[-1], sums[-1], squares[-1]
        return self._scales(counts, sums, squares)

    def now(self) -> Scales:
        """The scales after everything learned so far, one row."""
        return self._scales(self._counts[None], self._sums[None], self._squares[None])

    def encode(self, X: NDArray[Any], scales: Scales) -> NDArray[np.float32]:
        """Examples ``(n, n_features)`` as ``(n, n_columns)``, each with its own row of scales."""
        out = np.zeros((len(X), self.n_columns), dtype=np.float32)
        means, spreads = (part[:, self._numeric] for part in scales)
        numbers = np.asarray(X, dtype=np.float64)[:, self._numeric]
        numbers = np.where(np.isnan(numbers), means, numbers)
        if self.standardise:
            numbers = np.clip((numbers - means) / spreads, -_LARGEST, _LARGEST)
        out[:, self._places] = np.nan_to_num(numbers)
        nominal = np.flatnonzero(np.frombuffer(self.tables.nominal, dtype=np.uint8))
        if len(nominal):
            codes = np.nan_to_num(X[:, nominal], nan=-1.0).astype(np.intp)
            known = (codes >= 0) & (codes < self._indicators.shape[1])
            places = np.where(known, self._indicators[nominal, np.where(known, codes, 0)], -1)
            rows, which = np.nonzero(places >= 0)
            out[rows, places[rows, which]] = 1.0
        return out

    @property
    def memory_bytes(self) -> int:
        """Bytes of the statistics and of the tables of names, categories and columns."""
        scales = (self._counts, self._first, self._sums, self._squares)
        arrays = (*scales, self._numeric, self._places, self._indicators)
        return sum(array.nbytes for array in arrays) + self.tables.memory_bytes

    def _scales(self, counts: Any, sums: Any, squares: Any) -> Scales:
        """Before the first value the mean is not known; a constant feature says nothing."""
        n = np.maximum(counts, 1)
        variances = np.maximum(squares / n - (sums / n) ** 2, 0.0)
        means = np.where(counts > 0, self._first + sums / n, np.nan)
        return means, np.where(variances > 0, np.sqrt(variances), np.inf)

    def _adopt(self) -> None:
        """Make room for what the tables have more than before."""
        categories = self.tables.categories()
        if len(categories) > len(self._counts) or any(
            known is not None and len(known) > self._n_codes(i)
            for i, known in enumerate(categories)
        ):
            self._make_room(np.array([len(known or ()) for known in categories]))

    def _n_codes(self, feature: int) -> int:
        return int((self._indicators[feature] >= 0).sum())

    def _add_codes(self, X: NDArray[np.float64]) -> None:
        """Columns for codes of categories that have no names and were not seen before."""
        nominal = np.frombuffer(self.tables.nominal, dtype=np.uint8).astype(bool)
        largest = np.where(nominal & ~np.isnan(X).all(axis=0), np.nanmax(X, axis=0, initial=-1), -1)
        if (largest >= self._indicators.shape[1]).any():
            self._make_room(largest.astype(np.intp) + 1)

    def _make_room(self, n_codes: NDArray[Any]) -> None:
        """Columns for new features and categories, after all others."""
        n_features, n_old = len(self.tables), len(self._counts)
        wider = max(int(n_codes.max(initial=0)), self._indicators.shape[1])
        indicators = np.full((n_features, wider), -1, dtype=np.intp)
        indicators[:n_old, : self._indicators.shape[1]] = self._indicators
        numeric, places = self._numeric.tolist(), self._places.tolist()
        nominal = self.tables.nominal
        for i in range(n_features):
            if not nominal[i]:
                if i >= n_old:
                    numeric.append(i)
                    places.append(self.n_columns)
                    self.n_columns += 1
                continue
            for code in range(int(n_codes[i])):
                if indicators[i, code] < 0:
                    indicators[i, code] = self.n_columns
                    self.n_columns += 1
        self._indicators = indicators
        self._numeric, self._places = np.array(numeric, np.intp), np.array(places, np.intp)
        more = n_features - n_old
        self._counts, self._first, self._sums, self._squares = (
            np.pad(part, (0, more))
            for part in (self._counts, self._first, self._sums, self._squares)
        )


def _number(cell: Any) -> NDArray[np.float64]:
    if is_missing(cell):
        return np.array([np.nan])
    if isinstance(cell, str | bytes):
        raise TypeError(f"a feature that held numbers so far takes numbers, got {shown(cell)}")
    return np.array([float(cell)])
