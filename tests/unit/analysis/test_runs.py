from dataclasses import replace

import pytest

from shrubs.analysis.runs import arrange


def test_streams_keep_the_order_of_the_records(records):
    assert [runs.title for runs in arrange(records)] == ["planes", "ramp"]


def test_the_best_run_is_first(records):
    planes, ramp = arrange(records)
    accuracies = [run.record.metrics["accuracy"] for run in planes.runs]
    errors = [run.record.metrics["mae"] for run in ramp.runs]
    assert accuracies == sorted(accuracies, reverse=True)
    assert errors == sorted(errors)


def test_a_label_says_only_what_differs(records):
    labels = {run.label for run in arrange(records)[0].runs}
    assert "ShrubClassifier (max_shrubs=4, window_size=32)" in labels
    assert "WindowedTree" in labels


def test_seeds_tell_runs_apart(records):
    again = replace(records[2], seed=1)
    labels = {run.label for run in arrange([*records, again])[0].runs}
    assert {"WindowedTree (seed=0)", "WindowedTree (seed=1)"} <= labels


def test_runs_go_by_their_labels(records):
    small, large = replace(records[0], label="small"), replace(records[1], label="large")
    assert {run.label for run in arrange([small, large])[0].runs} == {"small", "large"}


def test_two_learners_under_one_label_are_told_apart(records):
    twins = [replace(record, label="tree", configuration={}) for record in (records[2], records[3])]
    assert {run.label for run in arrange(twins)[0].runs} == {
        "tree (learner=WindowedTree)",
        "tree (learner=NoChange)",
    }


def test_a_configuration_is_the_same_variant_on_every_stream(records):
    # On the second stream the other configuration is better and comes first.
    small, large = records[0], records[1]
    swapped = [
        replace(small, stream="other", metrics=large.metrics),
        replace(large, stream="other", metrics=small.metrics),
    ]
    first, second = arrange([small, large, *swapped])
    assert first.runs[0].label != second.runs[0].label
    assert {run.label: run.variant for run in first.runs} == {
        run.label: run.variant for run in second.runs
    }


def test_the_last_of_several_records_of_a_run_counts(records):
    better = replace(records[0], metrics={**records[0].metrics, "accuracy": 1.0})
    runs = arrange([*records, better])[0].runs
    assert len(runs) == 5
    assert runs[0].record.metrics["accuracy"] == 1.0


def test_streams_with_other_options_are_apart(records):
    other = replace(records[0], stream_options={"seed": 2})
    titles = [
        runs.title for runs in arrange([replace(records[0], stream_options={"seed": 1}), other])
    ]
    assert titles == ["planes (seed=1)", "planes (seed=2)"]


def test_no_records_are_refused():
    with pytest.raises(ValueError, match="records must hold at least one run, got none"):
        arrange([])


def test_one_stream_with_both_tasks_is_refused(records):
    mixed = [records[0], replace(records[5], stream="planes")]
    with pytest.raises(ValueError, match="stream 'planes' has records of classification and of"):
        arrange(mixed)


def test_a_record_without_metrics_is_refused(records):
    with pytest.raises(ValueError, match="'ShrubClassifier' on 'planes' has neither accuracy nor"):
        arrange([replace(records[0], metrics={})])


def test_failed_runs_are_left_out(records):
    failed = replace(records[0], seed=77, metrics={}, failure="crash")
    assert arrange([*records, failed]) == arrange(records)


def test_only_failures_are_no_runs(records):
    with pytest.raises(ValueError, match="records must hold at least one run, got none"):
        arrange([replace(records[0], metrics={}, failure="crash")])
