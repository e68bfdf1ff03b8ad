import math
import re
import time
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

from shrubs import (
    MajorityClass,
    NoChange,
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
)
from shrubs.evaluation import Evaluation, evaluate, prequential
from shrubs.evaluation.metrics import ClassificationMetrics
from shrubs.evaluation.rows import as_rows
from shrubs.evaluation.trace import Point
from shrubs.protocols import Block
from tests.unit.evaluation.toys import ToyStream

SMALL = {"max_shrubs": 4, "window_size": 32}


class OneByOne:
    """Hides everything but the verbs for one example."""

    def __init__(self, learner):
        self.learner = learner
        self.memory_bytes = 1

    def learn_one(self, x, y):
        self.learner.learn_one(x, y)

    def predict_one(self, x):
        return self.learner.predict_one(x)

    def predict_proba_one(self, x):
        return self.learner.predict_proba_one(x)


def plain_predictions(learner, stream, delay):
    """The loop as one would write it: predict, then learn the example whose label has come."""
    rows, labels, predictions = [], [], []
    for block in stream.blocks():
        rows += as_rows(stream.schema, block)
        labels += [stream.schema.classes[i] for i in block.y]
    for i, row in enumerate(rows):
        predictions.append(learner.predict_one(row))
        if i >= delay:
            learner.learn_one(rows[i - delay], labels[i - delay])
    right = np.mean([p == y for p, y in zip(predictions, labels, strict=True)])
    return right, learner


@pytest.mark.parametrize("delay", [0, 1, 50])
def test_the_loop_inside_the_core_is_the_plain_loop(delay):
    stream = ToyStream(300)
    learner = PaperShrubClassifier(**SMALL)
    evaluation = evaluate(learner, stream, delay=delay)
    # Announced as the stream announces them, so that both count classes alike.
    plain = PaperShrubClassifier(**SMALL)
    plain.prepare(stream.schema)
    X, y = (
        np.concatenate(parts) for parts in zip(*((b.X, b.y) for b in stream.blocks()), strict=True)
    )
    right = 0
    for i in range(len(y)):
        right += plain.predict_one(X[i]) == stream.schema.classes[y[i]]
        if i >= delay:
            plain.learn_one(X[i - delay], stream.schema.classes[y[i - delay]])
    assert evaluation.metrics.accuracy == right / len(y)
    assert learner.to_bytes() == plain.to_bytes()


@pytest.mark.parametrize("delay", [0, 3])
def test_learners_by_row_see_names_and_categories(delay):
    stream = ToyStream(300)
    evaluation = evaluate(OneByOne(PaperShrubClassifier(**SMALL)), stream, delay=delay)
    right, _ = plain_predictions(PaperShrubClassifier(**SMALL), stream, delay)
    assert evaluation.metrics.accuracy == right


def test_missing_values_are_left_out_of_rows():
    stream = ToyStream(200)
    rows = as_rows(stream.schema, next(stream.blocks()))
    assert any(len(row) < 3 for row in rows)
    assert not any(math.isnan(row.get("a", 0.0)) for row in rows)


@pytest.mark.parametrize("make", [NoChange, MajorityClass])
@pytest.mark.parametrize("delay", [0, 7])
def test_baselines_by_block_are_baselines_by_row(make, delay):
    stream = ToyStream(500)
    by_block = evaluate(make(), stream, delay=delay)
    by_row = evaluate(OneByOne(make()), stream, delay=delay)
    assert by_block.metrics.accuracy == by_row.metrics.accuracy


def test_no_change_has_no_kappa_temporal():
    assert evaluate(NoChange(), ToyStream(500)).metrics.values()["kappa_temporal"] == 0.0


@pytest.mark.parametrize("learner", [PaperShrubRegressor(**SMALL), NoChange()])
def test_regression_is_scored_by_error(learner):
    values = evaluate(learner, ToyStream(500, regression=True)).values()
    assert {"mae", "rmse", "r2"} <= set(values)


def test_the_trace_has_a_point_every_so_many_examples_and_at_the_end():
    evaluation = evaluate(PaperShrubClassifier(**SMALL), ToyStream(250), trace_every=100)
    assert [point.n_examples for point in evaluation.trace] == [100, 200, 250]
    assert len(evaluation.trace[0].shrubs) == 4


def test_a_full_trace_has_every_example():
    evaluation = evaluate(WindowedTree(window_size=8), ToyStream(30), trace_every=1)
    assert [point.n_examples for point in evaluation.trace] == list(range(1, 31))


class LongToMeasure(NoChange):
    """Its bytes are the examples that it has learned; finding out takes an hour by the clock."""

    n_learned = 0
    now = 0.0

    def perf_counter(self):
        return self.now

    def interleave(self, block, learned):
        self.n_learned += len(learned)
        return super().interleave(block, learned)

    @property
    def memory_bytes(self):
        self.now += 3600.0
        return self.n_learned


@pytest.mark.parametrize("n_examples", [300, 250])
def test_memory_is_sampled_where_it_takes_long_and_always_known_at_the_end(monkeypatch, n_examples):
    learner = LongToMeasure()
    monkeypatch.setattr(prequential, "time", Mock(wraps=time, perf_counter=learner.perf_counter))
    evaluation = evaluate(learner, ToyStream(n_examples), trace_every=100)
    assert [point.memory_bytes for point in evaluation.trace] == [100, 100, n_examples]
    assert evaluation.values()["max_memory_bytes"] == n_examples


def test_n_examples_stops_early():
    assert evaluate(NoChange(), ToyStream(5000), n_examples=1500).n_examples == 1500


def test_a_stream_that_ends_early_is_finished():
    evaluation = evaluate(NoChange(), ToyStream(100), n_examples=1500)
    assert (evaluation.n_examples, evaluation.finished) == (100, True)


def test_drifts_are_found_after_the_known_one():
    evaluation = evaluate(PaperShrubClassifier(max_shrubs=16, window_size=256), ToyStream(4000))
    assert any(2000 < drift < 2300 for drift in evaluation.drifts)


def interrupt_after(n_examples):
    def progress(evaluation):
        if evaluation.n_examples >= n_examples:
            raise KeyboardInterrupt

    return progress


def test_an_interruption_keeps_what_was_measured():
    evaluation = evaluate(
        PaperShrubClassifier(**SMALL), ToyStream(4000), progress=interrupt_after(2000)
    )
    assert not evaluation.finished
    assert evaluation.n_examples == evaluation.trace[-1].n_examples >= 2000


@pytest.mark.parametrize("delay", [0, 5])
@pytest.mark.parametrize("make", [lambda: PaperShrubClassifier(**SMALL), MajorityClass])
def test_a_resumed_run_ends_like_an_uninterrupted_one(tmp_path, make, delay):
    stream = ToyStream(4000)
    file = tmp_path / "run.checkpoint"
    first = evaluate(make(), stream, delay=delay, checkpoint=file, progress=interrupt_after(1500))
    assert not first.finished
    resumed = evaluate(make(), stream, delay=delay, checkpoint=file)
    whole = evaluate(make(), stream, delay=delay)
    assert resumed.finished
    assert resumed.metrics.values() == whole.metrics.values()
    assert resumed.drifts == whole.drifts
    ours = [(point.n_examples, point.metrics, point.shrubs) for point in resumed.trace]
    assert ours == [(point.n_examples, point.metrics, point.shrubs) for point in whole.trace]


def test_a_block_that_was_left_in_the_middle_is_in_no_checkpoint(tmp_path):
    class Impatient(PaperShrubClassifier):
        def interleave(self, block, learned):
            if self.examples_seen >= 2000 and impatient:
                super().interleave(Block(block.X[:5], block.y[:5]), Block(block.X[:5], block.y[:5]))
                raise impatient.pop()
            return super().interleave(block, learned)

    file, impatient = tmp_path / "run.checkpoint", [KeyboardInterrupt()]
    stream = ToyStream(4000)
    first = evaluate(Impatient(**SMALL), stream, checkpoint=file, checkpoint_seconds=0)
    assert not first.finished
    resumed = evaluate(Impatient(**SMALL), stream, checkpoint=file)
    whole = evaluate(Impatient(**SMALL), stream)
    assert resumed.metrics.values() == whole.metrics.values()


@pytest.mark.parametrize(
    ("learner", "options", "message"),
    [
        (PaperShrubClassifier(**SMALL), {"delay": 2}, "delay=0, not 2"),
        (PaperShrubClassifier(**SMALL), {"trace_every": 7}, "trace_every=500, not 7"),
        (PaperShrubClassifier(max_shrubs=4, window_size=64), {}, "window_size=32, not 64"),
        (PaperShrubClassifier(**SMALL, seed=1), {}, "seed=0, not 1"),
        (NoChange(), {}, "learner='PaperShrubClassifier', not 'NoChange'"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(tmp_path, learner, options, message):
    file = tmp_path / "run.checkpoint"
    evaluate(PaperShrubClassifier(**SMALL), ToyStream(100), checkpoint=file)
    with pytest.raises(ValueError, match=f"{file} was written with {message}"):
        evaluate(learner, ToyStream(100), checkpoint=file, **options)


@pytest.mark.parametrize("make", [NoChange, MajorityClass])
def test_baselines_have_a_byte_state(make):
    learner = make()
    for label in ("b", 1, 2.5, True, "a", "a"):
        learner.learn_one({}, label)
    again = make.from_bytes(learner.to_bytes())
    assert again.predict_proba_one({}) == learner.predict_proba_one({})
    assert again.to_bytes() == learner.to_bytes()
    assert make.from_bytes(make().to_bytes()).predict_one({}) is None
    with pytest.raises(ValueError, match="cannot be saved: labels must be texts, numbers or boo"):
        make().learn_one({}, ("a", "b")).to_bytes()
    for state in (b"", b"{}", b"[]", b'{"learner":"Other","counts":[]}', b"[" * 10**6):
        with pytest.raises(ValueError, match=f"this is no saved {make.__name__}"):
            make.from_bytes(state)


def test_targets_may_be_large():
    stream = ToyStream(2000, regression=True)
    large = Mock(wraps=stream, schema=stream.schema, n_examples=2000)
    large.name = "large"
    large.blocks = lambda size: (Block(b.X, b.y * 1e200) for b in stream.blocks(size))
    values = evaluate(NoChange(), large).values()
    assert values["mae"] > 1e199
    assert (values["rmse"], values["r2"]) == (None, None)  # their squares are too large


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delay": -1}, "delay must be at least 0, got -1"),
        ({"trace_every": 0}, "trace_every must be at least 1, got 0"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        evaluate(NoChange(), ToyStream(10), **options)


def test_a_classifier_refuses_targets():
    with pytest.raises(ValueError, match="ShrubClassifier cannot learn a regression"):
        evaluate(ShrubClassifier(), ToyStream(10, regression=True))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("make", [lambda: PaperShrubRegressor(**SMALL), ShrubRegressor, NoChange])
def test_a_target_that_is_no_number_is_named_with_its_place(make, value):
    class Broken(ToyStream):
        def blocks(self, size=1024):
            for block in super().blocks(size):
                block.y[500] = value
                yield block

    stream = Broken(3000, regression=True, name="toy[/x]")
    message = re.escape(f"stream 'toy[/x]', example 501: the target must be a number, got {value}")
    learner = make()
    with pytest.raises(ValueError, match=f"^{message}$"):
        evaluate(learner, stream)
    if not isinstance(learner, NoChange):
        assert learner.examples_seen == 500


def test_the_trace_is_finer_after_a_known_drift():
    trace = evaluate(NoChange(), ToyStream(6000)).trace
    positions = [point.n_examples for point in trace]
    assert positions == [*range(500, 3001, 500), *range(3100, 5001, 100), 5500, 6000]


class ManyDrifts(ToyStream):
    n_drifts = 0

    @property
    def schema(self):
        drifts = np.linspace(0, self.n_examples, self.n_drifts + 2, dtype=int)[1:-1]
        return replace(super().schema, drifts=tuple(drifts.tolist()))


@pytest.mark.parametrize("n_drifts", [0, 1, 10, 25, 50, 3000])
def test_the_trace_is_bounded_however_many_drifts_there_are(n_drifts):
    stream = ManyDrifts(100_000)
    object.__setattr__(stream, "n_drifts", n_drifts)
    trace = evaluate(NoChange(), stream).trace
    assert len(trace) <= 400
    assert (len(trace) > 200) == (1 <= n_drifts <= 25)


def test_the_trace_is_finer_after_a_drift_that_nobody_knew_also_when_resumed(tmp_path):
    def made():
        return PaperShrubClassifier(max_shrubs=16, window_size=256)

    stream, file = ManyDrifts(8000), tmp_path / "run.checkpoint"
    whole = evaluate(made(), stream)
    evaluate(made(), stream, checkpoint=file, progress=interrupt_after(whole.drifts[0] + 200))
    resumed = evaluate(made(), stream, checkpoint=file)
    positions = [point.n_examples for point in whole.trace]
    assert [point.n_examples for point in resumed.trace] == positions
    first = whole.drifts[0]
    assert [at for at in positions if first < at < first + 2000] == [
        *range(first // 100 * 100 + 100, first + 2000, 100)
    ]


def test_the_mean_memory_counts_every_example_not_every_point():
    trace = [Point(n, {}, memory, 0.0, 0.0) for n, memory in [(500, 1), (550, 3), (1000, 3)]]
    evaluation = Evaluation(ClassificationMetrics(2), trace=trace)
    assert evaluation.values()["mean_memory_bytes"] == 2


def test_a_learner_tells_when_it_drifted_and_what_changed_also_when_resumed(tmp_path):
    stream, file = ToyStream(6000), tmp_path / "run.checkpoint"
    whole = evaluate(ShrubClassifier(memory_limit="64KB"), stream)
    (shift,) = whole.shifts
    assert whole.drifts == [shift.noticed]
    assert 2990 <= shift.began <= shift.noticed <= 3200
    assert 0.9 < shift.probability <= 1
    assert next(iter(shift.before)) == next(iter(shift.after)) == "a"
    assert re.match(r"if \(?a (<=|>) .*: '(yes|no)' ", shift.rules_before[0])
    learner = ShrubClassifier(memory_limit="64KB")
    evaluate(learner, stream, checkpoint=file, progress=interrupt_after(3500))
    resumed = evaluate(ShrubClassifier(memory_limit="64KB"), stream, checkpoint=file)
    assert (resumed.shifts, resumed.drifts) == (whole.shifts, whole.drifts)


def test_positions_of_drifts_are_those_of_the_stream():
    learner = ShrubClassifier(memory_limit="64KB")
    evaluate(learner, ToyStream(2000))
    late = evaluate(learner, ToyStream(6000), delay=100)
    assert late.drifts[0] > 0
    assert 3100 <= late.drifts[-1] <= 3300


def test_the_errors_of_learners_that_do_not_tell_are_watched():
    assert evaluate(NoChange(), ToyStream(6000)).shifts is None


@pytest.mark.parametrize("delay", [0, 30])
def test_targets_are_no_errors_before_one_is_known(delay):
    stream = ToyStream(600, regression=True)
    far = Mock(wraps=stream, schema=stream.schema, n_examples=600)
    far.name = "far"
    far.blocks = lambda size: (Block(b.X, b.y + 1000) for b in stream.blocks(size))
    evaluation = evaluate(ShrubRegressor(seed=1), far, delay=delay)
    values = evaluation.values()
    assert evaluation.n_examples == 600
    assert values["mae"] < 1.5
    assert values["rmse"] < 1.5
    assert values["r2"] > -0.5
    assert max(point.metrics["mae"] for point in evaluation.trace) < 3
