from dataclasses import replace

from shrubs.analysis.importances import shifts
from shrubs.analysis.runs import arrange


def looked(record, *looks, **changes):
    return replace(record, importances=tuple([at, shares] for at, shares in looks), **changes)


def test_a_drift_stands_between_the_looks_next_to_it(records):
    looks = [(100, {"a": 1.0}), (300, {"b": 0.7, "a": 0.3}), (350, {"c": 1.0}), (600, {"d": 1.0})]
    run, (shift,) = shifts(arrange([looked(records[0], *looks)])[0])
    assert run.record.learner == records[0].learner
    assert (shift.drift, shift.before.first, shift.after.first) == (300, "b", "c")


def test_drifts_that_were_only_found_count_where_none_is_known(records):
    looks = [(100, {"a": 1.0}), (400, {"b": 1.0})]
    record = looked(records[0], *looks, known_drifts=(), found_drifts=(210, 230, 500))
    _, found = shifts(arrange([record])[0])
    assert [shift.drift for shift in found] == [210]  # both lie between the same looks


def test_without_looks_around_a_drift_nothing_is_said(records):
    assert shifts(arrange([looked(records[0], (100, {"a": 1.0}))])[0]) is None
    assert shifts(arrange([looked(records[0], (100, {"a": 0.0}), (400, {"a": 1.0}))])[0]) is None
