from dataclasses import replace

import pytest

from shrubs.analysis.runs import arrange
from shrubs.analysis.scores import leader, no_change, score, score_lines


def with_metrics(record, **metrics):
    return replace(record, metrics={**record.metrics, **metrics})


def test_seconds_are_per_example(records):
    # 600 examples in 0.0006 seconds are one microsecond each.
    assert score(with_metrics(records[0], learn_seconds=0.0006), "learn_seconds") == 1e-6


def test_a_run_without_examples_has_no_time_per_example(records):
    assert score(replace(records[0], n_examples=0), "learn_seconds") is None


def test_the_best_value_depends_on_which_way_is_better(records):
    runs = arrange([with_metrics(records[2], rmse=1.0), with_metrics(records[3], rmse=2.0)])[0]
    for better, best in (("lower", 1.0), ("higher", 2.0)):
        lines = score_lines(runs, {"rmse": better})
        assert [s.value for line in lines for s in line.scores if s.is_best] == [best]


def test_a_lone_value_is_not_the_best(records):
    lines = score_lines(arrange([records[2]])[0], {"accuracy": "higher"})
    assert not lines[0].scores[0].is_best


def test_no_change_follows_from_kappa_temporal(records):
    # p = 0.85, accuracy 0.91: kappa-temporal = (0.91 - 0.85) / 0.15 = 0.4.
    runs = arrange([with_metrics(records[2], accuracy=0.91, kappa_temporal=0.4)])[0]
    assert no_change(runs) == pytest.approx(0.85)


def test_a_learner_worse_than_no_change_tells_it_too(records):
    # p = 0.9, accuracy 0.7: kappa-temporal = -0.2 / 0.1 = -2.
    runs = arrange([with_metrics(records[2], accuracy=0.7, kappa_temporal=-2.0)])[0]
    assert no_change(runs) == pytest.approx(0.9)


def test_a_learner_without_errors_leaves_no_change_open(records):
    runs = arrange([with_metrics(records[2], accuracy=1.0, kappa_temporal=1.0)])[0]
    assert no_change(runs) is None


def test_a_measured_no_change_counts(records):
    runs = arrange(records)[0]
    assert no_change(runs) == records[3].metrics["accuracy"]


def test_the_leader_is_best_on_the_most_streams(records):
    planes, ramp = arrange(records)
    assert leader([planes, planes, ramp]).learner == planes.best.learner
    assert leader([planes, planes, ramp]).n_won == 2


def test_a_draw_has_no_leader(records):
    assert leader(arrange(records)).learner is None
