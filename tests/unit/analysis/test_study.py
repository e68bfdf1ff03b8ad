"""The runs of a study: what counts, areas, fronts and ranks."""

import pytest

from shrubs.analysis.study import (
    Outcomes,
    areas,
    best_of_each,
    best_runs,
    compare_areas,
    compare_areas_everywhere,
    compare_printed,
    method_fronts,
)

from .study_records import MB, record, small_study


@pytest.fixture(scope="module")
def outcomes():
    return Outcomes.of(small_study())


def test_methods_go_by_their_labels_ours_first_baselines_last(outcomes):
    assert outcomes.methods == ("SE", "HT", "NB", "NC")


def test_methods_that_the_order_does_not_name_come_before_the_baselines():
    names = ("no-change", "river:other", "shrubs-paper")
    assert Outcomes.of(record(name, "elec") for name in names).methods == (
        "SE",
        "river:other",
        "NC",
    )


def test_failed_runs_are_counted_by_method_stream_and_cause(outcomes):
    assert outcomes.dropped == {
        ("HT", "elec"): {"time": 1},
        ("HT", "led_a"): {"memory": 1, "crash": 1, "error": 1},
    }
    assert (outcomes.n_counted, sum(outcomes.n_dropped.values())) == (11, 4)


def test_a_stopped_run_does_not_count():
    found = Outcomes.of([record("shrubs-paper", "elec", finished=False)])
    assert (found.n_counted, found.n_dropped) == (0, {"stopped": 1})


def test_of_two_records_of_a_run_the_last_counts():
    first, second = record("shrubs-paper", "elec"), record("shrubs-paper", "elec", accuracy=0.7)
    assert Outcomes.of([first, second]).counted == {("SE", "elec"): (second,)}


def test_a_regression_is_no_part_of_a_study():
    with pytest.raises(ValueError, match="'shrubs-paper' on 'elec' has no mean running accuracy"):
        Outcomes.of([record("shrubs-paper", "elec", metrics={"mae": 1.0})])


def test_runs_of_two_lengths_are_refused():
    runs = [record("shrubs-paper", "elec"), record("no-change", "elec", n_examples=200)]
    with pytest.raises(ValueError, match="'elec' was run on 100 and on 200 examples"):
        Outcomes.of(runs)


def test_an_empty_study_is_refused():
    with pytest.raises(ValueError, match="at least one run"):
        Outcomes.of([])


def test_a_method_whose_runs_were_all_dropped_has_no_area(outcomes):
    found = areas(outcomes)
    assert found["HT", "led_a"] == 0.0
    assert set(found) == {(m, s) for m in outcomes.methods for s in outcomes.streams}


def test_area_of_one_model(outcomes):
    # 0.7616 right of 3 of 204,800 KB.
    assert areas(outcomes)["NB", "elec"] == pytest.approx(0.7616 * (1 - 3 / 204_800))


def test_the_best_run_depends_on_the_budget(outcomes):
    free, small = best_runs(outcomes, float("inf")), best_runs(outcomes, MB)
    assert free["SE", "elec"].metrics["mean_running_accuracy"] == 0.96
    assert small["SE", "elec"].metrics["mean_running_accuracy"] == 0.94
    assert ("HT", "led_a") not in free


def test_streams_where_a_method_was_not_tried_are_not_ranked():
    names = ("shrubs-paper", "no-change", "windowed-tree")
    runs = [record(name, stream) for name in names for stream in ("elec", "led_a", "nomao")]
    found = Outcomes.of([run for run in runs if (run.learner, run.stream) != (names[1], "nomao")])
    assert compare_areas(found).n_streams == 2
    assert compare_areas_everywhere(found) is None  # only two methods were


def test_methods_that_were_tried_everywhere_are_ranked_on_all_streams():
    names = ("shrubs-paper", "no-change", "windowed-tree", "moa:naive-bayes")
    runs = [record(name, stream) for name in names for stream in ("elec", "led_a", "nomao")]
    all_tried = Outcomes.of(runs)
    assert compare_areas_everywhere(all_tried) == compare_areas(all_tried)
    found = compare_areas_everywhere(Outcomes.of(runs[:-1]))
    assert (set(found.methods), found.n_streams) == ({"SE", "NC", "WT"}, 3)


def test_two_methods_are_too_few_to_rank():
    found = Outcomes.of(
        record(n, s) for n in ("shrubs-paper", "no-change") for s in ("elec", "led_a")
    )
    assert compare_areas(found) is None


def test_the_best_configuration_of_each_method_is_drawn(outcomes):
    runs = best_of_each(outcomes, "elec").runs
    assert [run.label for run in runs] == ["SE", "NC", "HT", "NB"]
    assert runs[0].record.metrics["mean_memory_bytes"] == 2 * MB


def test_fronts_hold_every_configuration_and_the_unbeaten_of_each_method(outcomes):
    front = method_fronts(outcomes, "elec")
    # SE's third model is larger and worse than its second.
    assert [run.label for run in front.runs] == ["SE", "SE", "SE", "HT", "NB", "NC"]
    assert front.fronts == ((0, 1), (3,), (4,), (5,))
    assert (front.sizes[0], front.scores[0]) == (20 * 1024, 0.94)


def test_printed_areas_give_the_paper_s_ranking():
    assert compare_printed().methods[:3] == ("SE", "SRP", "ARF")
