from dataclasses import replace

import pytest

from shrubs.analysis.lead import lead
from shrubs.analysis.runs import Run


def run(record, rights, size=100):
    """A record that was right so often in each stretch of ``size`` examples."""
    positions = [size * (i + 1) for i in range(len(rights))]
    shares = [sum(rights[: i + 1]) / n for i, n in enumerate(positions)]
    trace = {"n_examples": positions, "accuracy": shares}
    return Run(replace(record, metrics={"accuracy": shares[-1]}, trace=trace))


def test_the_margin_is_student_s_of_the_differences_of_stretches(records):
    best, rival = [90, 92] * 5, [80, 80] * 5
    found = lead(run(records[0], best), run(records[2], rival))
    assert found.by == pytest.approx(0.11)
    # Ten differences, 0.10 and 0.12 in turn: their standard deviation is 0.01 * sqrt(10 / 9), so
    # that of their mean is 0.01 / 3; the 97.5 % quantile with nine degrees of freedom is 2.262.
    assert found.margin == pytest.approx(2.262 * 0.01 / 3, rel=1e-3)
    assert found.is_clear


def test_a_lead_within_its_margin_is_not_clear(records):
    found = lead(run(records[0], [95, 70] * 5), run(records[2], [70, 94] * 5))
    assert not found.is_clear


def test_a_short_trace_tells_no_margin(records):
    found = lead(run(records[0], [90] * 9), run(records[2], [80] * 9))
    assert (found.margin, found.is_clear) == (None, False)


def test_a_long_trace_is_cut_into_thirty_stretches_and_the_rest_is_left_out(records):
    found = lead(run(records[0], [90] * 95), run(records[2], [80] * 95))
    assert found.n_stretches == 23  # of four points each: 95 / 30 is above three


def test_an_error_that_is_not_known_tells_no_lead(records):
    broken = replace(records[5], metrics={**records[5].metrics, "mae": None})
    assert lead(Run(records[6]), Run(broken)) is None
