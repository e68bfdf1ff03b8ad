from dataclasses import replace

from shrubs.analysis.importances import changes
from shrubs.analysis.runs import arrange


def shift(noticed, before, after):
    return {
        "noticed": noticed,
        "began": noticed - 30,
        "probability": 0.95,
        "before": before,
        "after": after,
        "rules_before": ["if a > 1: 'x' 90%"],
        "rules_after": [],
    }


def test_the_best_run_that_tells_says_what_changed(records):
    told = replace(records[0], shifts=(shift(300, {"a": 0.7, "b": 0.3}, {"b": 1.0}),))
    run, (change,) = changes(arrange([told, records[1]])[0])
    assert run.record.learner == records[0].learner
    assert (change.noticed, change.began, change.probability) == (300, 270, 0.95)
    assert (change.before.first, change.after.first) == ("a", "b")
    assert change.before.rules == ("if a > 1: 'x' 90%",)


def test_a_drift_without_both_looks_says_nothing(records):
    told = replace(records[0], shifts=(shift(300, {}, {"b": 1.0}), shift(900, {"a": 1.0}, {})))
    assert changes(arrange([told])[0]) is None
    assert changes(arrange([records[0]])[0]) is None
