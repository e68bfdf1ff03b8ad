"""Does one run and returns its record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shrubs.evaluation import Evaluation, evaluate
from shrubs.evaluation.metrics import ClassificationMetrics
from shrubs.experiments.environment import environment
from shrubs.protocols import BlockLearner, Feature, Learner, Schema, Stream
from shrubs.results import Record

__all__ = ["make_record", "run"]

_MAX_KEPT = 100


def run(
    learner: Learner | BlockLearner,
    stream: Stream,
    *,
    name: str,
    configuration: Mapping[str, Any],
    seed: int,
    stream_options: Mapping[str, Any],
    label: str = "",
    n_examples: int | None = None,
    delay: int = 0,
    weight: str | None = None,
    trace_every: int | None = None,
    checkpoint: Path | None = None,
    progress: Callable[[Evaluation], None] | None = None,
) -> Record:
    """Evaluate ``learner`` on ``stream``; see `shrubs.evaluation.evaluate`.

    ``name`` is what the registry calls the learner, ``label`` what tables do.
    """
    evaluation = evaluate(
        learner,
        stream,
        n_examples=n_examples,
        delay=delay,
        weight=weight,
        trace_every=trace_every,
        checkpoint=checkpoint,
        progress=progress,
    )
    return make_record(
        evaluation,
        stream,
        learner=name,
        configuration=dict(configuration),
        seed=seed,
        stream_options=dict(stream_options),
        delay=delay,
        label=label,
    )


def make_record(evaluation: Evaluation, stream: Stream, **identity: Any) -> Record:
    """The record of an evaluation; ``identity`` says which run it was."""
    from shrubs import __version__

    metrics, shifts = evaluation.metrics, evaluation.shifts
    confusion = None
    if isinstance(metrics, ClassificationMetrics):
        confusion = tuple(tuple(round(float(n)) for n in row) for row in metrics.confusion)
    trace: dict[str, list[Any]] = {"n_examples": [point.n_examples for point in evaluation.trace]}
    for name in metrics.values():
        trace[name] = [point.metrics[name] for point in evaluation.trace]
    for name in ("memory_bytes", "predict_seconds", "learn_seconds"):
        trace[name] = [getattr(point, name) for point in evaluation.trace]
    classes = stream.schema.classes
    return Record(
        **identity,
        stream=stream.name,
        code_version=__version__,
        n_examples=evaluation.n_examples,
        finished=evaluation.finished,
        metrics=evaluation.values(),
        classes=None if classes is None else tuple(str(label) for label in classes),
        confusion=confusion,
        known_drifts=stream.schema.drifts,
        found_drifts=tuple(evaluation.drifts),
        trace=trace,
        shrubs=tuple(
            [[born, round(weight, 6)] for born, weight in point.shrubs]
            for point in evaluation.trace
        ),
        shifts=None if shifts is None else tuple(asdict(shift) for shift in shifts),
        columns=_columns(stream.schema),
        environment=environment(),
    )


def _columns(schema: Schema) -> dict[str, str]:
    """How each feature was read, in words; of very wide streams nothing is kept."""
    if schema.n_features > _MAX_KEPT:
        return {}
    return {str(feature.name): _kind(feature) for feature in schema.features}


def _kind(feature: Feature) -> str:
    if feature.nominal:
        n = len(feature.categories)
        return f"{n} categories" if n else "codes of categories"
    if feature.of_date:
        return "date"
    return "yes or no" if feature.indicator else "number"
