"""One run, described by names, so that any process on any machine can do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shrubs.evaluation import Evaluation
from shrubs.evaluation.weights import WeightColumn
from shrubs.experiments.registry import find_learner, make_learner, make_stream
from shrubs.experiments.run import run
from shrubs.protocols import Stream
from shrubs.results import Failure, Record

__all__ = ["Job", "do_job", "do_job_on"]


@dataclass(frozen=True)
class Job:
    """A run by the names of the registry: configuration x stream x seed.

    ``label`` is what tables call the method, by default what the registry calls its learner.
    ``file`` is where the stream is, if it is a file; the same file elsewhere gives the same run.
    """

    learner: str
    stream: str
    configuration: Mapping[str, Any] = field(default_factory=dict)
    stream_options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1
    delay: int = 0
    label: str = ""
    file: str | None = None

    def __post_init__(self) -> None:
        if not self.label:
            object.__setattr__(self, "label", find_learner(self.learner).label)

    @property
    def run_id(self) -> str:
        """The `run_id` of its record."""
        return self.failed("error", "").run_id

    def failed(
        self,
        failure: Failure,
        message: str,
        *,
        n_examples: int = 0,
        metrics: Mapping[str, float | None] | None = None,
    ) -> Record:
        """The record of this run if it fails, with what was known by then."""
        from shrubs import __version__

        return Record(
            learner=self.learner,
            configuration=dict(self.configuration),
            stream=self.stream,
            stream_options=dict(self.stream_options),
            seed=self.seed,
            code_version=__version__,
            n_examples=n_examples,
            finished=False,
            metrics=dict(metrics or {}),
            delay=self.delay,
            failure=failure,
            message=message,
            label=self.label,
        )


def do_job(
    job: Job,
    report: Callable[[Evaluation, int | None], None] | None = None,
    *,
    checkpoint: Path | None = None,
) -> Record:
    """Do one run in this process; it resumes from ``checkpoint`` if that exists."""
    stream = make_stream(job.stream, file=job.file, seed=job.seed, **job.stream_options)
    return do_job_on(stream, job, report, checkpoint=checkpoint)


def do_job_on(
    stream: Stream,
    job: Job,
    report: Callable[[Evaluation, int | None], None] | None = None,
    *,
    checkpoint: Path | None = None,
) -> Record:
    """Do one run on a stream that is open already."""
    limit, weight = job.stream_options.get("n_examples"), job.stream_options.get("weight")
    schema = stream.schema if weight is None else WeightColumn(stream, weight).schema
    learner = make_learner(job.learner, schema, job.configuration, job.seed)
    sizes = [size for size in (limit, stream.n_examples) if size is not None]
    length = min(sizes) if sizes else None
    record = run(
        learner,
        stream,
        name=job.learner,
        label=job.label,
        configuration=job.configuration,
        seed=job.seed,
        stream_options=dict(job.stream_options),
        n_examples=limit,
        delay=job.delay,
        weight=weight,
        checkpoint=checkpoint,
        progress=None if report is None else lambda evaluation: report(evaluation, length),
    )
    return replace(record, stream=job.stream)
