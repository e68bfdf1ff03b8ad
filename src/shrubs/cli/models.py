"""Learning from files into a saved model, and predicting files with it."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shrubs import learners
from shrubs.evaluation.rows import as_rows
from shrubs.experiments.registry import make_learner
from shrubs.protocols import Stream
from shrubs.streams import open_stream, read_rows

__all__ = ["learn_file", "predict_file"]


def learn_file(
    file: str, model: Path, stream_options: Mapping[str, Any], options: dict[str, Any]
) -> tuple[Any, int]:
    """Learn every example of a file into a model; returns the learner and their number.

    The model is saved at the end, also when Ctrl-C or a broken row ends it early.
    """
    _check_directory(model.parent)
    stream = open_stream(file, **stream_options)
    if model.exists():
        if options:
            raise ValueError(f"{model} exists already; its options cannot be changed")
        learner: Any = learners.load(model)
    else:
        learner = make_learner("shrubs", stream.schema, options, options.pop("seed", 0))
    if hasattr(learner, "predict_proba") == (stream.schema.classes is None):
        raise ValueError(f"{model} is a {type(learner).__name__}, which cannot learn this target")
    before = learner.examples_seen
    try:
        _learn(learner, stream)
    finally:
        if learner.examples_seen > before:
            learner.save(model)
    return learner, learner.examples_seen - before


def _check_directory(directory: Path) -> None:
    """Fail before learning, not after it, where the model cannot be kept."""
    try:
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise OSError(
            error.errno, f"cannot keep a model there ({error.strerror})", str(directory)
        ) from None


def _learn(learner: Any, stream: Stream) -> None:
    for block in stream.blocks():
        schema = stream.schema
        for row, y in zip(as_rows(schema, block), block.y.tolist(), strict=True):
            learner.learn_one(row, y if schema.classes is None else schema.classes[y])


def predict_file(learner: Any, file: str, probabilities: bool, as_json: bool) -> None:
    """Print the prediction for every row of a file, one line each."""
    if probabilities and not hasattr(learner, "predict_proba"):
        raise ValueError("a regression has no probabilities")
    for row in read_rows(file, nominal=learner.text_features()):
        prediction: Any = learner.predict_one(row)
        if probabilities:
            prediction = {str(k): p for k, p in learner.predict_proba_one(row).items()}
        plain = not as_json and not probabilities
        sys.stdout.write((str(prediction) if plain else json.dumps(prediction)) + "\n")
