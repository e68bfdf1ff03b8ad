"""A file as a stream: blocks of examples with missing values, category codes and class indices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from shrubs.messages import shown
from shrubs.protocols import Block, Feature, Schema
from shrubs.streams._coding import Codes, Distinct, coded, decode, distinct_labels, first_row
from shrubs.streams._survey import Survey
from shrubs.streams.formats.limits import CategoryRoom
from shrubs.streams.formats.table import Batch, Table, Texts, broken

__all__ = ["FileStream"]


class FileStream:
    """The examples of a file, made by ``open_stream``."""

    def __init__(self, name: str, table: Table, target: int, survey: Survey) -> None:
        self._name = name
        self._table = table
        self._target = target
        self._features = [i for i in range(len(table.columns)) if i != target]
        self._n_examples = None if table.read_once else survey.n_rows
        room = CategoryRoom(table.label) if table.read_once else None
        self._categories = {
            i: Codes(categories, room) for i, categories in survey.categories.items()
        }
        self._classes: Codes | None = None
        if survey.classes is not None:
            self._classes = Codes(survey.classes, room)
        self._schema = self._current_schema()
        self._was_read = False

    def __repr__(self) -> str:
        n = "unknown number of" if self._n_examples is None else self._n_examples
        kind = "regression" if self._classes is None else f"{self.schema.n_classes} classes"
        return (
            f"FileStream({self._name!r}: {n} examples, {self.schema.n_features} features, {kind})"
        )

    @property
    def name(self) -> str:
        """The name of the file without its endings."""
        return self._name

    @property
    def schema(self) -> Schema:
        """What the examples look like; for a pipe, as far as it has been read."""
        return self._current_schema() if self._table.read_once else self._schema

    @property
    def n_examples(self) -> int | None:
        """How many examples there are; None for a pipe."""
        return self._n_examples

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""
        if size < 1:
            raise ValueError(f"size must be at least 1, got {size}")
        if self._table.read_once and self._was_read:
            raise ValueError(f"{self._table.label} can be read only once")
        self._was_read = True
        batches = self._table.batches(range(len(self._table.columns)))
        return _in_blocks((self._block(batch) for batch in batches), size)

    def _current_schema(self) -> Schema:
        features = []
        for i in self._features:
            name = self._table.columns[i].name
            categories = self._categories[i].known if i in self._categories else ()
            features.append(Feature(name, i in self._categories, tuple(map(str, categories))))
        classes = None if self._classes is None else self._classes.known
        return Schema(tuple(features), classes)

    def _block(self, batch: Batch) -> Block:
        X = np.empty((batch.n_rows, len(self._features)), dtype=np.float32)
        for j, i in enumerate(self._features):
            with np.errstate(over="ignore"):  # reported with its place below
                X[:, j] = self._feature(batch, i)
        infinite = np.isinf(X)
        if infinite.any():
            row, j = np.argwhere(infinite)[0]
            raise self._not_finite(batch, int(row), self._features[j])
        return Block(X, self._targets(batch) if self._classes is None else self._labels(batch))

    def _feature(self, batch: Batch, i: int) -> NDArray[np.float64]:
        column = self._table.columns[i]
        values = decode(batch, i, column)
        if not isinstance(values, Texts):
            return values
        distinct = Distinct(values.values, values.codes)
        codes = coded(batch, column, distinct, self._categories[i]).astype(np.float64)
        codes[codes < 0] = np.nan
        return codes

    def _labels(self, batch: Batch) -> NDArray[np.int64]:
        assert self._classes is not None
        column = self._table.columns[self._target]
        distinct = distinct_labels(batch, self._target, column)
        y = coded(batch, column, distinct, self._classes)
        self._refuse_missing(batch, y < 0)
        return y

    def _targets(self, batch: Batch) -> NDArray[np.float64]:
        y = decode(batch, self._target, self._table.columns[self._target])
        assert not isinstance(y, Texts)
        self._refuse_missing(batch, np.isnan(y))
        if np.isinf(y).any():
            raise self._not_finite(batch, first_row(np.isinf(y)), self._target)
        return y

    def _refuse_missing(self, batch: Batch, missing: NDArray[np.bool_]) -> None:
        if missing.any():
            name = self._table.columns[self._target].name
            raise broken(batch.place(first_row(missing)), name, "the target is missing")

    def _not_finite(self, batch: Batch, row: int, i: int) -> ValueError:
        column = self._table.columns[i]
        values = decode(batch, i, column)
        assert not isinstance(values, Texts)
        problem = f"{shown(float(values[row]))} is not a finite number in single precision"
        return broken(batch.place(row), column.name, problem)


def _in_blocks(parts: Iterable[Block], size: int) -> Iterator[Block]:
    held: list[Block] = []
    n_held = 0
    for part in parts:
        held.append(part)
        n_held += len(part)
        if n_held < size:
            continue
        whole = _joined(held)
        for start in range(0, n_held - size + 1, size):
            yield _cut(whole, start, start + size)
        rest = n_held % size
        held = [_cut(whole, n_held - rest, n_held)] if rest else []
        n_held = rest
    if held:
        yield _joined(held)


def _joined(blocks: list[Block]) -> Block:
    if len(blocks) == 1:
        return blocks[0]
    return Block(
        np.concatenate([block.X for block in blocks]), np.concatenate([block.y for block in blocks])
    )


def _cut(block: Block, start: int, stop: int) -> Block:
    return Block(block.X[start:stop], block.y[start:stop])
