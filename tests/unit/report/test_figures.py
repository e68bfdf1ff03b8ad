import re
from dataclasses import replace

import pytest

from shrubs.analysis.runs import arrange
from shrubs.report import write_figures
from shrubs.report.figures import KINDS, bands, lines
from shrubs.report.legend import Legend
from shrubs.report.page.shell import _read


def figures_of(make, records, stream=0):
    runs = arrange(records)[stream]
    return make(runs, Legend.of(run.learner for run in runs.runs))


def test_curves_show_the_trace_unchanged(records):
    curve = next(c for c in figures_of(lines, records) if c.name == "accuracy")
    series = next(s for s in curve.series if s.entry.learner == "WindowedTree")
    assert list(series.curve.y) == records[2].trace["accuracy"]


def test_accuracy_errors_and_memory_have_curves(records):
    assert [curve.name for curve in figures_of(lines, records)] == [
        "windowed_accuracy",
        "accuracy",
        "kappa_temporal",
        "memory",
    ]
    assert [curve.name for curve in figures_of(lines, records, 1)] == [
        "mae",
        "rmse",
        "r2",
        "memory",
    ]


def test_records_without_trace_have_no_curves(records):
    bare = [replace(record, trace={}, shrubs=()) for record in records]
    assert figures_of(lines, bare) == []
    assert figures_of(bands, bare) == []


def test_the_oldest_shrub_fits_below_the_last_bound(ensemble):
    # The oldest is 12 examples old.
    assert figures_of(bands, [ensemble])[0].ages == (1, 2, 5, 10, 20)


def test_the_caption_compares_detected_with_known_drifts(ensemble):
    assert figures_of(bands, [ensemble])[0].caption == (
        "1 known drift, 1 detected, 2 examples after a known one."
    )


def test_the_caption_says_that_nothing_was_known_nor_detected(ensemble):
    calm = replace(ensemble, known_drifts=(), found_drifts=())
    assert figures_of(bands, [calm])[0].caption == "No known drifts, none detected."


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


def test_the_page_draws_the_same_kinds():
    named = re.findall(r"^  (\w+): \w+,$", _read("kinds.js"), re.MULTILINE)
    assert sorted(named) == sorted(kind.kind for kind in KINDS)
