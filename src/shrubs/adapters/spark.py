"""A learner per key on Spark's Structured Streaming (extra ``shrubs[spark]``).

`prequential` turns a stream of rows into a stream of predictions. What a key has learned is its
byte state in Spark's state store, so Spark's checkpoints and restarts are those of the learners.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

try:
    from pyspark.sql import DataFrame, Row
    from pyspark.sql.streaming import StatefulProcessor
    from pyspark.sql.types import BinaryType, BooleanType, DoubleType, StructField, StructType
except ModuleNotFoundError as error:
    message = "shrubs.adapters.spark needs PySpark: pip install 'shrubs[spark]'"
    raise ModuleNotFoundError(message, name=error.name) from None

from shrubs.learners.loading import SavedLearner
from shrubs.messages import shown

__all__ = ["prequential"]

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def prequential(
    rows: DataFrame,
    make: Callable[[], SavedLearner],
    *,
    key: str,
    order: str,
    label: str,
    features: Sequence[str] | None = None,
) -> DataFrame:
    """Predict each row of a streaming data frame before the learner of its key learns it.

    The rows that a micro-batch has of a key are sorted by ``order``, then predicted and learned one
    after the other: the predictions and states are those of a plain loop over the rows of the key.

    - A row without a label (null or NaN) is predicted and not learned.
    - A row is late if its ``order`` is not beyond that of the last row that its key has learned,
      or null: an earlier micro-batch, or a row of the same ``order``, was first. It is predicted by
      what is known by then, not learned, and marked.
    - A row that the learner refuses stops the query, with its key and order in the message.

    Args:
        rows: a streaming data frame.
        make: returns a new learner of this package, for a key that is met for the first time.
        key: the column that says whose learner a row is for.
        order: the column that tells the order of the rows of a key: a number, time or text.
        label: the column with the label or target.
        features: the columns to learn from; all others (default).

    Returns:
        A streaming data frame of key, order, label, ``prediction`` (null while nothing is known)
        and ``late``, with a row for each that came in.
    """
    columns = _Columns.of(rows, key, order, label, features)
    provider = rows.sparkSession.conf.get(_PROVIDER)
    if "RocksDB" not in provider:
        raise ValueError(f"{_PROVIDER} must be {_ROCKSDB}, got {shown(provider)}")
    types = {field.name: field.dataType for field in rows.schema.fields}
    target = types[label] if hasattr(make(), "predict_proba_one") else DoubleType()
    told = [StructField(name, types[name]) for name in (key, order, label)]
    output = [*told, StructField("prediction", target), StructField("late", BooleanType())]
    state = [StructField("state", BinaryType()), StructField("last", types[order])]
    return rows.groupBy(key).transformWithState(
        statefulProcessor=_LearnerOfKey(make, columns, StructType(state)),
        outputStructType=StructType(output),
        outputMode="Append",
        timeMode="None",
    )


@dataclass(frozen=True)
class _Columns:
    """What is in which column."""

    key: str
    order: str
    label: str
    features: tuple[str, ...]

    @classmethod
    def of(
        cls, rows: DataFrame, key: str, order: str, label: str, features: Sequence[str] | None
    ) -> _Columns:
        told = (key, order, label)
        if len(set(told)) < len(told):
            raise ValueError(f"key, order and label must be three columns, got {shown(told)}")
        if features is None:
            features = [name for name in rows.columns if name not in told]
        for name in (*told, *features):
            if name not in rows.columns:
                raise ValueError(f"rows have no column {shown(name)}; they have {rows.columns}")
        if not features:
            raise ValueError("rows need a column beside key, order and label to learn from")
        return cls(key, order, label, tuple(features))

    def features_of(self, row: Any) -> dict[str, Any]:
        """The features of a row that are not null."""
        values = {name: row[name] for name in self.features}
        return {name: value for name, value in values.items() if value is not None}

    def in_order(self, rows: Iterator[Any]) -> list[Any]:
        """Rows in order, those without any last; the same in whichever order they come."""

        def place(row: Any) -> tuple[bool, Any, str]:
            order = row[self.order]
            return order is None, 0 if order is None else order, repr(row)

        return sorted(rows, key=place)


class _LearnerOfKey(StatefulProcessor):  # type: ignore[misc]
    """What Spark calls with the rows that a micro-batch has of a key."""

    def __init__(
        self, make: Callable[[], SavedLearner], columns: _Columns, schema: StructType
    ) -> None:
        self._make = make
        self._columns = columns
        self._schema = schema

    def init(self, handle: Any) -> None:
        self._kept = handle.getValueState("learner", self._schema)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:  # noqa: N802
        learner, last = self._make(), None
        if self._kept.exists():
            state, last = self._kept.get()
            learner = type(learner).from_bytes(bytes(state))
        n_before = learner.examples_seen
        told = []
        for row in self._columns.in_order(rows):
            order = row[self._columns.order]
            is_late = order is None or (last is not None and order <= last)
            try:
                told.append(self._predicted(learner, row, is_late))
                if not is_late and _is_there(row[self._columns.label]):
                    learner.learn_one(self._columns.features_of(row), row[self._columns.label])
                    last = order
            except (TypeError, ValueError) as error:
                where = f"the row of key {shown(key[0])} and order {shown(order)}"
                raise ValueError(f"{where} cannot be learned: {error}") from error
        if learner.examples_seen > n_before:
            self._kept.update((learner.to_bytes(), last))
        return iter(told)

    def _predicted(self, learner: SavedLearner, row: Any, is_late: bool) -> Any:
        columns = self._columns
        told = {name: row[name] for name in (columns.key, columns.order, columns.label)}
        prediction = learner.predict_one(columns.features_of(row))
        return Row(**told, prediction=prediction, late=is_late)

    def close(self) -> None:
        """There is nothing to give back."""


def _is_there(label: Any) -> bool:
    return label is not None and not (isinstance(label, float) and math.isnan(label))
