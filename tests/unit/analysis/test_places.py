from dataclasses import replace

from shrubs.analysis.places import places
from shrubs.analysis.runs import arrange


def with_scores(records):
    accuracies = {"a": {"s": 0.9, "t": 0.5}, "b": {"s": 0.8, "t": 0.5}, "c": {"s": 0.7}}
    return arrange(
        replace(records[0], learner=label, label=label, stream=stream, metrics={"accuracy": x})
        for label, by_stream in accuracies.items()
        for stream, x in by_stream.items()
    )


def test_equal_scores_share_their_places(records):
    found = places(with_scores(records))
    assert found.at == {("a", 0): 1, ("b", 0): 2, ("c", 0): 3, ("a", 1): 1.5, ("b", 1): 1.5}


def test_only_learners_on_all_streams_have_a_mean_place(records):
    found = places(with_scores(records))
    assert found.means == {"a": 1.25, "b": 1.75}
    assert found.learners == ("a", "b", "c")


def test_a_smaller_error_has_the_better_place(records):
    found = places(arrange(records[5:]))
    assert found.learners[0] == "ShrubRegressor"
