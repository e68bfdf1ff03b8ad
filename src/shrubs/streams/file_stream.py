"""A file as a stream: blocks of examples with missing values, category codes and class indices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.dates import names_of_parts
from shrubs.messages import shown
from shrubs.protocols import Block, Feature, Kind, Schema
from shrubs.streams._coding import (
    Codes,
    Distinct,
    by_name,
    coded,
    date_parts,
    decode,
    distinct_labels,
    first_row,
)
from shrubs.streams._survey import Survey
from shrubs.streams.formats.limits import CategoryRoom, checked_columns
from shrubs.streams.formats.otherwise import doubt_about
from shrubs.streams.formats.table import Batch, Column, Numbers, Table, Texts, broken

__all__ = ["FileStream"]


class FileStream:
    """The examples of a file, made by ``open_stream``.

    ``for x, y in stream`` gives them one by one, as River's streams do.
    """

    def __init__(self, name: str, target: int, survey: Survey) -> None:
        table = survey.table
        self._name = name
        self._table: Table = table
        self._target = target
        self._date_parts = survey.date_parts
        self._features = [i for i in range(len(table.columns)) if i != target]
        self._n_examples = None if table.read_once else survey.n_rows - survey.n_unlabelled
        self._n_unlabelled = 0 if table.read_once else survey.n_unlabelled
        room = CategoryRoom(table.label) if table.read_once else None
        self._categories = {
            i: Codes(categories, room) for i, categories in survey.categories.items()
        }
        self._classes: Codes | None = None
        if survey.classes is not None:
            self._classes = Codes(survey.classes, room)
        self._schema = self._current_schema()
        names = (feature.name for feature in self._schema.features)
        checked_columns((table.label, Column(name, "number")) for name in names)
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
    def target(self) -> str:
        """The name of the target column."""
        return self._table.columns[self._target].name

    @property
    def kinds(self) -> dict[str, Kind]:
        """What the columns hold, the target too."""
        return {column.name: column.kind for column in self._table.columns}

    @property
    def schema(self) -> Schema:
        """What the examples look like; for a pipe, as far as it has been read."""
        return self._current_schema() if self._table.read_once else self._schema

    @property
    def n_examples(self) -> int | None:
        """How many examples there are; None for a pipe."""
        return self._n_examples

    @property
    def n_unlabelled(self) -> int:
        """How many rows are skipped, as they have no label; for a pipe, as far as it was read."""
        return self._n_unlabelled

    @property
    def doubts(self) -> tuple[str, ...]:
        """Which columns are read as categories though they look like numbers or dates.

        Those of ``nominal`` are meant so. For a pipe, as far as it was read.
        """
        known = {i: codes.known for i, codes in self._categories.items()}
        if self._classes is not None:
            known[self._target] = self._classes.known
        doubts = []
        for i in sorted(known.keys() & self._table.guessed):
            if (found := doubt_about(known[i])) is not None:
                name = shown(self._table.columns[i].name)
                doubts.append(f"the values of column {name} are read as categories but {found}")
        return tuple(doubts)

    def __iter__(self) -> Iterator[tuple[dict[str, Any], Hashable]]:
        """Yields the examples in order: features by name, categories as texts; and the label.

        Missing values are left out.
        """
        for batch in self._batches():
            features = {
                name: values for i in self._features for name, values in self._named(batch, i)
            }
            y, labelled = self._outcomes(batch)
            outcomes = y.tolist()
            if self._classes is not None:
                labels = (*self._classes.known, None)  # the last one is for code -1
                outcomes = [labels[code] for code in outcomes]
            yield from compress(zip(by_name(features), outcomes, strict=True), labelled.tolist())

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""
        if size < 1:
            raise ValueError(f"size must be at least 1, got {size}")
        return _in_blocks(map(self._block, self._batches()), size)

    def _batches(self) -> Iterator[Batch]:
        if self._table.read_once and self._was_read:
            raise ValueError(f"{self._table.label} can be read only once")
        self._was_read = True
        return self._table.batches(range(len(self._table.columns)))

    def _current_schema(self) -> Schema:
        features = []
        for i in self._features:
            name = self._table.columns[i].name
            if i in self._date_parts:
                names = self._names_of_parts(i)
                features += [Feature(part, of_date=True) for part in names]
                continue
            categories = self._categories[i].known if i in self._categories else ()
            features.append(Feature(name, i in self._categories, tuple(map(str, categories))))
        classes = None if self._classes is None else self._classes.known
        return Schema(tuple(features), classes)

    def _block(self, batch: Batch) -> Block:
        y, labelled = self._outcomes(batch)
        columns = [(i, values) for i in self._features for values in self._feature(batch, i)]
        X = np.empty((batch.n_rows, len(columns)), dtype=np.float32)
        with np.errstate(over="ignore"):
            for j, (_, values) in enumerate(columns):
                X[:, j] = values
        for j in np.flatnonzero(np.isinf(X).any(axis=0)).tolist():
            self._decoded(batch, columns[j][0])  # raises, with its place
        return Block(X, y) if labelled.all() else Block(X[labelled], y[labelled])

    def _outcomes(self, batch: Batch) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Class indices or targets, and whether there is one at all."""
        y: NDArray[Any]
        if self._classes is None:
            targets = self._decoded(batch, self._target)
            assert not isinstance(targets, Texts)
            y, labelled = targets, ~np.isnan(targets)
        else:
            column = self._table.columns[self._target]
            y = coded(batch, column, distinct_labels(batch, self._target, column), self._classes)
            labelled = y >= 0
        if self._table.read_once:
            self._n_unlabelled += int(np.count_nonzero(~labelled))
        return y, labelled

    def _names_of_parts(self, i: int) -> list[str]:
        """What the features of a column of dates are called."""
        names = names_of_parts(self._table.columns[i].name)
        return [names[part] for part in self._date_parts[i]]

    def _feature(self, batch: Batch, i: int) -> Sequence[NDArray[np.float64]]:
        """The numbers of a column; a date is several features."""
        if i in self._date_parts:
            return [*date_parts(batch, i, self._table.columns[i])[list(self._date_parts[i])]]
        values = decode(batch, i, self._table.columns[i])
        if not isinstance(values, Texts):
            return [values]
        distinct = Distinct(values.values, values.codes)
        codes = coded(batch, self._table.columns[i], distinct, self._categories[i])
        return [np.where(codes < 0, np.nan, codes)]

    def _named(self, batch: Batch, i: int) -> Iterable[tuple[str, Numbers | Texts]]:
        if i in self._date_parts:
            return zip(self._names_of_parts(i), self._feature(batch, i), strict=True)
        return [(self._table.columns[i].name, self._decoded(batch, i))]

    def _decoded(self, batch: Batch, i: int) -> Numbers | Texts:
        """A column of a batch; numbers must be finite, features in single precision."""
        column = self._table.columns[i]
        values = decode(batch, i, column)
        if not isinstance(values, Texts):
            with np.errstate(over="ignore"):
                infinite = np.isinf(values if i == self._target else values.astype(np.float32))
            if infinite.any():
                row = first_row(infinite)
                problem = f"{shown(float(values[row]))} is not a finite number in single precision"
                raise broken(batch.place(row), column.name, problem)
        return values


def _in_blocks(parts: Iterable[Block], size: int) -> Iterator[Block]:
    held: list[Block] = []
    n_held = 0
    for part in filter(len, parts):
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
