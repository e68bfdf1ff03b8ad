"""The same block for learners that take one example at a time, as dicts."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from shrubs.protocols import Block, Learner, Outcome, Schema

__all__ = ["as_rows", "interleave_rows"]


def as_rows(schema: Schema, block: Block) -> list[dict[str, Any]]:
    """The examples by name: categories as texts, missing values left out."""
    names = [feature.name for feature in schema.features]
    values = _with_categories(schema, block) if schema.nominal_features else block.X.tolist()
    rows = [dict(zip(names, row)) for row in values]  # noqa: B905
    for i, j in np.argwhere(np.isnan(block.X)):
        del rows[i][names[j]]
    return rows


def _with_categories(schema: Schema, block: Block) -> Iterable[Iterable[Any]]:
    columns = []
    for i, feature in enumerate(schema.features):
        values: list[Any] = block.X[:, i].tolist()
        if feature.categories:
            values = [v if math.isnan(v) else feature.categories[int(v)] for v in values]
        elif feature.nominal:
            values = [v if math.isnan(v) else int(v) for v in values]
        columns.append(values)
    return zip(*columns, strict=True)


def interleave_rows(learner: Learner, schema: Schema, block: Block, learned: Block) -> Outcome:
    """Predict every row of ``block`` and learn a row of ``learned`` after each."""
    rows = as_rows(schema, block)
    truth = _labels(schema, block)
    # The label of an example comes late: None where nothing has arrived yet.
    n_early = len(block) - len(learned)
    due = rows if learned is block else [None] * n_early + as_rows(schema, learned)
    labels = truth if learned is block else [None] * n_early + _labels(schema, learned)
    indices = {label: i for i, label in enumerate(schema.classes or ())}
    predict_proba = getattr(learner, "predict_proba_one", None) if indices else None
    predict_one, learn_one = learner.predict_one, learner.learn_one
    predicted: list[Any] = []
    p_true: list[float] = []
    predict_seconds = learn_seconds = 0.0
    clock = time.perf_counter
    start = clock()
    for x, true, x_due, label in zip(rows, truth, due, labels, strict=True):
        if predict_proba is None:
            predicted.append(predict_one(x))
            p_true.append(math.nan)
        else:
            shares = predict_proba(x)
            predicted.append(max(shares, key=shares.get) if shares else None)
            p_true.append(shares.get(true, 0.0))
        middle = clock()
        if x_due is not None:
            learn_one(x_due, label)
        end = clock()
        predict_seconds += middle - start
        learn_seconds += end - middle
        start = end
    if indices:
        codes = [-1 if guess is None else indices.get(guess, -1) for guess in predicted]
        result = np.array(codes, dtype=np.int64)
    else:
        result = np.array([0.0 if guess is None else guess for guess in predicted])
    return Outcome(result, np.array(p_true), predict_seconds, learn_seconds)


def _labels(schema: Schema, block: Block) -> list[Any]:
    values = block.y.tolist()
    return values if schema.classes is None else [schema.classes[i] for i in values]
