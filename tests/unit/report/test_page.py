from dataclasses import replace

import pytest

from shrubs.report import write_html
from shrubs.report.pages.race import MAX_BYTES


def test_page_needs_records(tmp_path):
    with pytest.raises(ValueError, match="records must hold at least one run, got none"):
        write_html([], tmp_path / "report.html")


def test_page_of_a_small_race_is_far_below_the_limit(records, tmp_path):
    write_html(records, tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < MAX_BYTES / 20


def test_page_is_the_same_every_time(records, tmp_path):
    for name in ("a", "b"):
        write_html(records, tmp_path / name, command="shrubs race planes")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_page_names_no_other_place(records, tmp_path):
    write_html(records, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    addresses = text.replace("http://www.w3.org/2000/svg", "")
    assert "http:" not in addresses
    assert "https:" not in addresses


def test_a_page_that_grows_too_large_shows_the_best_of_each_learner(records, tmp_path, monkeypatch):
    monkeypatch.setattr("shrubs.report.pages.race.MAX_BYTES", 150_000)
    runs = [replace(records[1], configuration={"size": i}) for i in range(300)]
    write_html([*runs, records[3]], tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert len(text.encode()) <= 150_000
    assert text.count("<tr data-run=") == 2
    assert "this page shows the best of each learner per stream" in text


def test_a_page_without_command_shows_none(records, tmp_path):
    write_html(records, tmp_path / "report.html")
    assert 'class="command"' not in (tmp_path / "report.html").read_text(encoding="utf-8")
