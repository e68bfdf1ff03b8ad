from dataclasses import replace

import pytest

from shrubs.report import write_figures
from shrubs.report.curves import accuracy_curves, kept_positions, memory_curve
from shrubs.report.ensemble_life import ensemble_lives
from shrubs.report.fronts import memory_front
from shrubs.report.runs import arrange


def test_curves_show_the_trace_unchanged(records):
    curve = next(c for c in accuracy_curves(arrange(records)[0]) if c.name == "accuracy")
    series = next(s for s in curve.series if s.run.learner == "WindowedTree")
    assert list(series.y) == records[2].trace["accuracy"]


def test_kappa_temporal_is_among_the_curves(records):
    assert "kappa_temporal" in {curve.name for curve in accuracy_curves(arrange(records)[0])}


def test_long_traces_are_thinned_and_keep_their_end():
    kept = kept_positions(10_001, 250)
    assert len(kept) <= 250
    assert kept[-1] == 10_000


def test_records_without_trace_have_no_curves(records):
    bare = [replace(record, trace={}, shrubs=()) for record in records]
    assert accuracy_curves(arrange(bare)[0]) == []
    assert memory_curve(arrange(bare)[0]) is None
    assert ensemble_lives(arrange(bare)[0]) == []


def life_of(record):
    return ensemble_lives(arrange([record])[0])[0]


@pytest.fixture
def ensemble(records):
    return replace(
        records[0],
        trace={"n_examples": [10, 20, 30]},
        shrubs=([[3, 0.4], [8, 0.6]], [[8, 0.5], [15, 0.3], [19, 0.2]], [[19, 1.0]]),
        known_drifts=(12,),
        found_drifts=(14,),
    )


def test_births_and_deaths_are_counted_between_points(ensemble):
    # Born 3 and 8 first; then 15 and 19 come and 3 goes; then 8 and 15 go.
    assert life_of(ensemble).births == (2, 2, 0)
    assert life_of(ensemble).deaths == (0, 1, 2)


def test_members_are_given_by_age(ensemble):
    assert life_of(ensemble).members[1] == ((12, 0.5), (5, 0.3), (1, 0.2))


def test_the_oldest_shrub_fits_below_the_last_bound(ensemble):
    # The oldest is 12 examples old.
    assert life_of(ensemble).ages == (1, 2, 5, 10, 20)


def test_the_caption_compares_detected_with_known_drifts(ensemble):
    assert life_of(ensemble).caption == ("1 known drift, 1 detected, 2 examples after a known one.")


def test_a_single_tree_has_no_ensemble_life(records):
    assert ensemble_lives(arrange([records[2]])[0]) == []


def test_the_front_of_a_regression_goes_to_small_errors(records):
    front = memory_front(arrange(records)[1])
    # No-change needs the least memory, the shrubs have the least error: both are on the front.
    assert len(front.front) == 2


def test_every_figure_is_written_in_every_format(records, tmp_path):
    files = write_figures([records[0]], tmp_path / "new")
    # Three curves, memory, front, matrix and life.
    assert len(files) == 7 * 3
    assert all(file.stat().st_size > 1000 for file in files)


def test_figures_are_the_same_every_time(records, tmp_path):
    first = write_figures([records[6]], tmp_path / "a", formats=["svg", "pdf"])
    again = write_figures([records[6]], tmp_path / "b", formats=["svg", "pdf"])
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in again]


def test_hostile_names_make_safe_file_names(hostile, tmp_path):
    files = write_figures([hostile[3]], tmp_path, formats=["svg"])
    assert {file.parent for file in files} == {tmp_path}
    assert all(file.stem.replace("-", "").isalnum() for file in files)


def test_an_unknown_format_is_refused(records, tmp_path):
    with pytest.raises(ValueError, match="formats must be of 'png', 'svg' and 'pdf', got 'gif'"):
        write_figures(records, tmp_path, formats=["gif"])
