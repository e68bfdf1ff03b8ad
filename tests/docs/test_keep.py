"""What is kept of a study for the documentation."""

import runpy
import sys

import pytest

from tests.unit.analysis.study_records import small_study

from .documents import ROOT

KEEP = runpy.run_path(str(ROOT / "docs/study/keep.py"))
keep = KEEP["without_most_traces"]


def test_only_the_best_run_of_a_method_on_a_stream_keeps_its_trace():
    records = small_study()
    kept = keep([*records, records[0]])
    assert [r.run_id for r in kept] == [r.run_id for r in records]
    traced = {(r.label, r.stream, r.metrics["accuracy"]) for r in kept if r.trace}
    assert traced == {
        (label, stream, best)
        for stream in ("elec", "led_a")
        for label, best in (("SE", 0.96), ("NB", 0.7616), ("NC", 0.85))
    } | {("HT", "elec", 0.80)}
    times = {"predict_seconds", "learn_seconds"}
    assert not any(times & {*r.metrics, *r.trace} for r in kept)
    assert [r.metrics for r in kept] == [
        {name: value for name, value in r.metrics.items() if name not in times} for r in records
    ]


def test_a_directory_without_results_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["keep.py", str(tmp_path), str(tmp_path / "kept")])
    with pytest.raises(SystemExit):
        KEEP["main"]()
    assert capsys.readouterr().err.splitlines()[-1].startswith("keep.py: error: ")
    assert not (tmp_path / "kept").exists()
