from dataclasses import replace

from shrubs.analysis.recovery import Recovery, recoveries
from shrubs.analysis.runs import arrange


def runs(record, values, *, known=(), found=(), metric="windowed_accuracy"):
    trace = {"n_examples": [100 * (i + 1) for i in range(len(values))], metric: values}
    n_examples = 100 * len(values)
    changes = {"known_drifts": known, "found_drifts": found, "n_examples": n_examples}
    return arrange([replace(record, trace=trace, shrubs=(), **changes)])[0]


def test_recovery_lasts_from_the_drift_until_accuracy_is_back(records):
    values = [0.8, 0.9, 0.7, 0.6, 0.85, 0.885, 0.9]
    found = recoveries(runs(records[0], values, known=(250,), found=(280,)))
    # 0.885 at 600 is the first within two points of the 0.9 at 200.
    assert found == [Recovery(250, 30, 0.9, 0.6, 350, 700)]


def test_a_drift_that_does_no_harm_needs_no_recovery(records):
    found = recoveries(runs(records[0], [0.9, 0.9, 0.89, 0.9], known=(200,)))
    assert found == [Recovery(200, None, 0.9, None, 0, 400)]


def test_the_next_drift_ends_the_wait_for_recovery(records):
    found = recoveries(runs(records[0], [0.9, 0.5, 0.6, 0.5, 0.6], known=(100, 300)))
    assert [(each.n_examples, each.until) for each in found] == [(None, 300), (200, 500)]


def test_without_known_drifts_the_detected_ones_are_told(records):
    found = recoveries(runs(records[0], [0.9, 0.5, 0.9], found=(150,)))
    assert [(each.drift, each.n_examples) for each in found] == [(150, 150)]


def test_an_error_recovers_downwards(records):
    values = [1.0, 4.0, 1.05]
    found = recoveries(runs(records[5], values, known=(100,), metric="windowed_mae"))
    assert found == [Recovery(100, None, 1.0, 4.0, 200, 300)]


def test_a_drift_before_the_first_point_tells_nothing(records):
    assert recoveries(runs(records[0], [0.9, 0.9], known=(50,))) == []
