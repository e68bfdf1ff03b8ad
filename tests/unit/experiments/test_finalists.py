import pytest

from shrubs.experiments.finalists import Finalists, choose_finalists
from shrubs.results import Record


def record(name, accuracy, *, size=100.0, seconds=1.0, stream="sea", **changes):
    given = {
        "learner": "shrubs-paper",
        "label": "SE",
        "configuration": {"name": name},
        "stream": stream,
        "stream_options": {"n_examples": 10},
        "seed": 1,
        "code_version": "0",
        "n_examples": 10,
        "finished": True,
        "metrics": {
            "mean_running_accuracy": accuracy,
            "mean_memory_bytes": size,
            "predict_seconds": 0.0,
            "learn_seconds": seconds,
        },
    }
    return Record(**{**given, **changes})


def names(rules, records, stream="sea"):
    chosen = choose_finalists(rules, records)[stream]
    return [run.configuration["name"] for run in chosen]


def test_the_most_accurate_go_on_the_fastest_first():
    records = [record("a", 0.9, seconds=3), record("b", 0.7), record("c", 0.8, seconds=2)]
    assert names([Finalists(2)], records) == ["c", "a"]


def test_the_best_small_ones_go_on_too_each_once():
    records = [record("a", 0.9, size=200), record("b", 0.8, seconds=2), record("c", 0.7, seconds=3)]
    assert names([Finalists(2), Finalists(2, max_bytes=100)], records) == ["a", "b", "c"]


def test_every_method_and_stream_has_its_own():
    tree = {"learner": "windowed-tree", "label": "WT", "seconds": 2}
    records = [record("a", 0.9), record("b", 0.1, **tree), record("c", 0.2, stream="sine")]
    assert names([Finalists(1)], records) == ["a", "b"]
    assert names([Finalists(1)], records, "sine") == ["c"]


def test_two_learners_with_one_label_share_their_places():
    records = [record("a", 0.9), record("b", 0.8, learner="shrubs-paper-rho")]
    assert names([Finalists(1)], records) == ["a"]


def test_each_way_to_run_a_stream_has_its_own():
    # Accuracies of a stream with drifts and of its beginning without any do not compare.
    whole = {"stream_options": {"n_examples": 10, "scale_drifts": False}, "seconds": 2}
    records = [record("a", 0.5), record("b", 0.4), record("c", 0.9, **whole)]
    assert names([Finalists(1)], records) == ["a", "c"]


def test_runs_that_failed_or_were_stopped_do_not_go_on():
    records = [
        record("a", 0.9, finished=False, failure="time"),
        record("b", 0.8, finished=False),
        record("c", 0.1),
    ]
    assert names([Finalists(1)], records) == ["c"]


def test_a_run_that_was_recorded_twice_counts_once():
    records = [record("a", 0.9), record("a", 0.9), record("b", 0.8, seconds=2)]
    assert names([Finalists(2)], records) == ["a", "b"]


def test_imported_learners_do_not_go_on():
    # A file of records is data: it must not have code run.
    with pytest.raises(ValueError, match="finalists must be learners of `shrubs learners`, got"):
        choose_finalists([Finalists(1)], [record("a", 0.9, learner="os:system")])
