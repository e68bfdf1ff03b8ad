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
    same = learned is block
    to_learn = rows if same else as_rows(schema, learned)
    labels = _labels(schema, learned)
    truth = labels if same else _labels(schema, block)
    indices = {label: i for i, label in enumerate(schema.classes or ())}
    predict_proba = getattr(learner, "predict_proba_one", None) if indices else None
    predicted: list[Any] = []
    p_true = [math.nan] * len(rows)
    predict_seconds = learn_seconds = 0.0
    learn_one = learner.learn_one
    offset = len(rows) - len(to_learn)
    clock = time.perf_counter
    start = clock()
    for i, x in enumerate(rows):
        if predict_proba is None:
            guess = learner.predict_one(x)
        else:
            shares = predict_proba(x)
            guess = max(shares, key=shares.get) if shares else None
            p_true[i] = shares.get(truth[i], 0.0)
        middle = clock()
        if i >= offset:
            learn_one(to_learn[i - offset], labels[i - offset])
        predict_seconds += middle - start
        predicted.append(guess)
        start = clock()
        learn_seconds += start - middle
    if indices:
        codes = [-1 if guess is None else indices.get(guess, -1) for guess in predicted]
        result = np.array(codes, dtype=np.int64)
    else:
        result = np.array([0.0 if guess is None else guess for guess in predicted])
    return Outcome(result, np.array(p_true), predict_seconds, learn_seconds)


def _labels(schema: Schema, block: Block) -> list[Any]:
    values = block.y.tolist()
    return values if schema.classes is None else [schema.classes[i] for i in values]
