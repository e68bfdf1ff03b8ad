"""Predict, score, learn: the prequential loop, written once for every learner."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from shrubs.evaluation.checkpoint import Checkpoint, KeptLearner
from shrubs.evaluation.error_detector import ErrorDriftDetector
from shrubs.evaluation.evaluation import Evaluation
from shrubs.evaluation.metrics import ClassificationMetrics, RegressionMetrics
from shrubs.evaluation.rows import interleave_rows
from shrubs.evaluation.shifts import shifts_of
from shrubs.evaluation.trace import Point, living_shrubs
from shrubs.evaluation.weights import WeightColumn, interleave_repeated
from shrubs.interrupts import uninterrupted
from shrubs.messages import shown
from shrubs.protocols import Block, BlockLearner, Learner, Outcome, Schema, Stream

__all__ = ["evaluate"]

_BLOCK_SIZE = 1000
_POINTS = 200
_BETWEEN_POINTS = 500  # or a multiple, so that few blocks are cut
_FINER = 5  # times as many points just after a drift
_FINE_STRETCH = 4  # as long as so many of the usual steps
_MAX_FINE = 10  # drifts that get this many; of more known ones, each gets fewer
_MEASURING = 0.005  # the share of the time that measuring memory may take


def evaluate(
    learner: Learner | BlockLearner,
    stream: Stream,
    *,
    n_examples: int | None = None,
    delay: int = 0,
    weight: str | None = None,
    trace_every: int | None = None,
    checkpoint: Path | None = None,
    checkpoint_seconds: float = 60.0,
    progress: Callable[[Evaluation], None] | None = None,
) -> Evaluation:
    """Predict, score and learn every example of a stream.

    Args:
        learner: learns in place.
        stream: read from its beginning.
        n_examples: stop after this many; None for all.
        delay: the label of an example comes this many examples later.
        weight: the column of the stream that holds the weight of each example, 0 to 1000: it is
            learned and counts so many times, and no learner sees the column. None for 1 each.
        trace_every: examples between two points of the trace, at least 1; None for at most 200
            points, and at most 200 more just after drifts: the known ones, else those found.
        checkpoint: a file to resume from if it exists, and written along the way. It holds the
            state of the learner; one that resumes goes on with a learner made of that, and leaves
            ``learner`` as it is. The result is the same as that of an uninterrupted run. The
            learner must have ``to_bytes`` and ``from_bytes``, as those of this package do. The
            file is data: opening one runs nothing.
        checkpoint_seconds: time between two writes.
        progress: called after every block.

    Ctrl-C ends the evaluation early; what was measured is returned with ``finished=False``.
    """
    if delay < 0:
        raise ValueError(f"delay must be at least 0, got {delay}")
    if trace_every is not None and trace_every < 1:
        raise ValueError(f"trace_every must be at least 1, got {trace_every}")
    column = None if weight is None else WeightColumn(stream, weight)
    run = _Run(learner, stream, n_examples, delay, trace_every=trace_every, column=column)
    run.resume(checkpoint)
    run.save(checkpoint)  # what cannot be kept is told before the run, not after it
    try:
        for block in run.blocks():
            # A block that was learned but not scored would be learned again on resuming.
            with uninterrupted():
                run.take(block)
            if progress is not None:
                progress(run.evaluation)
            if time.monotonic() - run.saved > checkpoint_seconds:
                run.save(checkpoint)
        run.evaluation.finished = True
    except KeyboardInterrupt:
        run.evaluation.finished = False
    run.close()
    run.save(checkpoint)
    return run.evaluation


class _Run:
    """The state of one evaluation."""

    def __init__(
        self,
        learner: Learner | BlockLearner,
        stream: Stream,
        n_examples: int | None,
        delay: int,
        *,
        trace_every: int | None,
        column: WeightColumn | None,
    ) -> None:
        self.learner = learner
        self.stream = stream
        self.column = column
        self.delay = delay
        sizes = [n for n in (n_examples, stream.n_examples) if n is not None]
        self.length = min(sizes) if sizes else None
        automatic = math.ceil((self.length or 100_000) / (_POINTS * _BETWEEN_POINTS))
        self.trace_every = trace_every or automatic * _BETWEEN_POINTS
        schema = self.schema
        self.known = schema.drifts
        shared = _FINER * _MAX_FINE // max(len(self.known), 1)
        finer = 1 if trace_every else max(min(_FINER, shared), 1)
        self.step = math.ceil(self.trace_every / finer)  # between points just after a drift
        regression = schema.classes is None
        self.evaluation = (
            Evaluation(RegressionMetrics(), ErrorDriftDetector())
            if regression
            else Evaluation(ClassificationMetrics(schema.n_classes))
        )
        self.pending = _empty_block(stream.schema)
        self.is_whole = True  # no block was left in the middle
        # Asked once: the check reads `memory_bytes`, which some learners walk long for.
        self.block_learner = learner if isinstance(learner, BlockLearner) else None
        if self.block_learner is not None:
            self.block_learner.prepare(schema)
        self.n_announced = schema.n_classes

    @property
    def schema(self) -> Schema:
        """What the learner sees of the stream; that of a pipe grows as it is read."""
        return self.stream.schema if self.column is None else self.column.schema

    def blocks(self) -> Iterator[Block]:
        """The blocks from the current position on, none across a point of the trace."""
        position = 0
        for block in self.stream.blocks(_BLOCK_SIZE):
            start = max(self.evaluation.n_examples - position, 0)
            while start < len(block):
                at = position + start
                if self.length is not None and at >= self.length:
                    return
                stop = min(len(block), self._next_point(at) - position)
                if self.length is not None:
                    stop = min(stop, self.length - position)
                yield Block(block.X[start:stop], block.y[start:stop])
                start = stop
            position += len(block)

    def _next_point(self, at: int) -> int:
        """Where the trace has its next point: at multiples of a step, finer after drifts."""
        every, known = self.trace_every, self.known
        point = _next_multiple(at, every)
        if self.step == every:
            return point
        for drift in known or self.evaluation.drifts[:_MAX_FINE]:
            fine = _next_multiple(max(at, drift), self.step)
            if fine <= drift + _FINE_STRETCH * every:
                point = min(point, fine)
        return min([point, *(drift for drift in known if drift > at)])

    def take(self, block: Block) -> None:
        """Predict, score and learn one block, in parts where a drift may ask for finer points."""
        self.is_whole = False
        start = 0
        while start < len(block):
            at = self.evaluation.n_examples
            longest = len(block) if self.known else _next_multiple(at, self.step) - at
            part = slice(start, start + longest)
            self._take(Block(block.X[part], block.y[part]))
            start = part.stop
        self.is_whole = True

    def _take(self, block: Block) -> None:
        evaluation, column = self.evaluation, self.column
        self._check_targets(block.y)
        if column is None:
            weights, outcome = None, self._interleave(block, self._due(block))
        else:
            column.check(block, evaluation.n_examples)
            learned = self._due(block)
            times, evaluation.n_fractions = column.times(learned, evaluation.n_fractions)
            weights, outcome = (
                column.weights(block),
                interleave_repeated(
                    self._interleave, column.without(block), column.without(learned), times
                ),
            )
        if isinstance(evaluation.metrics, RegressionMetrics):
            weights = self._without_guesses(block, weights)
        scored = evaluation.metrics.update(block.y, outcome.predicted, outcome.p_true, weights)
        self._note_drifts(np.logical_not(scored) if scored.dtype == bool else scored)
        evaluation.predict_seconds += outcome.predict_seconds
        evaluation.learn_seconds += outcome.learn_seconds
        if self._is_point(evaluation.n_examples):
            self._add_point(self._sampled_memory())

    def _without_guesses(
        self, block: Block, weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """No weight for examples before the first target is known.

        A learner says 0 to them; where targets are far from 0, nothing else would be seen in R².
        """
        n_guesses = max(self.delay + 1 - self.evaluation.n_examples, 0)
        if n_guesses > 0:
            weights = np.ones(len(block)) if weights is None else weights.copy()
            weights[:n_guesses] = 0.0
        return weights

    def _interleave(self, block: Block, learned: Block) -> Outcome:
        if self.block_learner is None:
            row_learner = cast("Learner", self.learner)
            return interleave_rows(row_learner, self.schema, block, learned)
        self._announce_new_classes(self.block_learner)
        return self.block_learner.interleave(block, learned)

    def _note_drifts(self, errors: NDArray[Any]) -> None:
        """Ask the learner; watch the errors of one that does not tell.

        With weights it learns more or fewer examples than there are, and counts those.
        """
        evaluation = self.evaluation
        shifts = None
        if self.column is None:
            shifts = shifts_of(self.learner, evaluation.n_examples, evaluation.shifts or ())
        if shifts is None:
            evaluation.drifts += evaluation.detector.update(errors)
        else:
            evaluation.shifts = shifts
            evaluation.drifts = [shift.noticed for shift in shifts]

    def _is_point(self, position: int) -> bool:
        return self._next_point(position - 1) == position

    def _check_targets(self, y: NDArray[Any]) -> None:
        wrong = np.flatnonzero(~np.isfinite(y))
        if len(wrong):
            at = self.evaluation.n_examples + int(wrong[0])
            raise ValueError(
                f"stream {shown(self.stream.name)}, example {at + 1}: the target must be a number, "
                f"got {y[wrong[0]]}"
            )

    def _announce_new_classes(self, learner: BlockLearner) -> None:
        schema = self.schema
        if schema.n_classes > self.n_announced:
            learner.prepare(schema)
            self.n_announced = schema.n_classes

    def _due(self, block: Block) -> Block:
        """The examples whose labels arrive during this block."""
        if self.delay == 0:
            return block
        X = np.concatenate([self.pending.X, block.X])
        y = np.concatenate([self.pending.y, block.y])
        n_due = max(len(y) - self.delay, 0)
        self.pending = Block(X[n_due:], y[n_due:])
        return Block(X[:n_due], y[:n_due])

    def _add_point(self, memory_bytes: int) -> None:
        evaluation = self.evaluation
        evaluation.trace.append(
            Point(
                evaluation.n_examples,
                evaluation.metrics.values(),
                memory_bytes,
                evaluation.predict_seconds,
                evaluation.learn_seconds,
                living_shrubs(self.learner),
            )
        )

    def _sampled_memory(self) -> int:
        """The learner's bytes, or the last known ones where measuring would take too long.

        Some learners walk through all of their objects to find out.
        """
        evaluation = self.evaluation
        allowed = _MEASURING * (evaluation.predict_seconds + evaluation.learn_seconds)
        if evaluation.trace and evaluation.measuring_seconds > allowed:
            return evaluation.trace[-1].memory_bytes
        start = time.perf_counter()
        memory = self.learner.memory_bytes
        evaluation.measuring_seconds += time.perf_counter() - start
        return memory

    def close(self) -> None:
        """End the trace here, with a point whose memory is measured in any case."""
        n_examples, trace = self.evaluation.n_examples, self.evaluation.trace
        if trace and trace[-1].n_examples == n_examples:
            trace.pop()
        if n_examples:
            self._add_point(self.learner.memory_bytes)

    def save(self, file: Path | None) -> None:
        """Write everything needed to go on, atomically; not after a second Ctrl-C in a block."""
        if file is not None and self.is_whole:
            self._checkpoint().write(file)
        self.saved = time.monotonic()

    def resume(self, file: Path | None) -> None:
        """Go on from a checkpoint, if there is one."""
        if file is None:
            return
        if not isinstance(self.learner, KeptLearner):
            kind = type(getattr(self.learner, "model", self.learner)).__name__
            raise ValueError(
                f"{file}: a checkpoint needs a learner with to_bytes and from_bytes, which {kind} "
                "does not have; run it without one"
            )
        if not file.exists():
            return
        found = Checkpoint.read(file, like=self._checkpoint())
        try:
            self.learner = type(self.learner).from_bytes(found.learner)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{file}: {error}") from None
        self.evaluation, self.pending = found.evaluation, found.pending
        if self.block_learner is not None:
            self.block_learner = cast("BlockLearner", self.learner)
            self.block_learner.prepare(self.schema)
        trace = self.evaluation.trace
        if trace and not self._is_point(trace[-1].n_examples):
            trace.pop()

    def _checkpoint(self) -> Checkpoint:
        settings = {
            "stream": self.stream.name,
            "weight": None if self.column is None else self.column.name,
            "n_features": self.schema.n_features,
            "delay": self.delay,
            "trace_every": self.trace_every,
            "learner": type(self.learner).__name__,
            **_parameters(self.learner),
        }
        state = cast("KeptLearner", self.learner).to_bytes()
        return Checkpoint(settings, self.evaluation, self.pending, state)


def _next_multiple(at: int, step: int) -> int:
    return at - at % step + step


def _parameters(learner: Any) -> dict[str, Any]:
    """Its parameters, as far as it tells them; what JSON does not know is shown."""
    given = learner.get_params() if hasattr(learner, "get_params") else {}
    plain = (str, bool, int, float, type(None))
    return {name: v if isinstance(v, plain) else repr(v) for name, v in given.items()}


def _empty_block(schema: Schema) -> Block:
    kind = np.float64 if schema.classes is None else np.int64
    return Block(np.empty((0, schema.n_features), dtype=np.float32), np.empty(0, dtype=kind))
