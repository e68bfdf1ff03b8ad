import re
from dataclasses import replace

import pytest

from shrubs.analysis.runs import arrange
from shrubs.report import to_latex, to_markdown
from shrubs.report.tables.results import html_table, rows


def test_markdown_is_as_reviewed(records, golden):
    assert to_markdown(records) == (golden / "tables.md").read_text(encoding="utf-8")


def test_latex_is_as_reviewed(records, golden):
    assert to_latex(records) == (golden / "tables.tex").read_text(encoding="utf-8")


def test_every_line_of_markdown_has_as_many_cells(hostile):
    lines = [line for line in to_markdown(hostile).splitlines() if line.startswith("|")]
    classification = [len(re.findall(r"(?<!\\)\|", line)) for line in lines[:7]]
    assert set(classification) == {12}


def test_latex_escapes_names(hostile):
    text = to_latex(hostile)
    assert r"|\&\_\$\textbackslash{}'" in text
    assert not re.search(r"(?<!\\)[$](?!-|\^|2)", text.replace("$-$", "").replace("$^2$", ""))


def test_html_escapes_names(hostile):
    table = html_table(arrange(hostile)[0])
    assert "<img" not in table
    assert "&lt;/script&gt;" in table


def test_the_best_value_is_marked_once(records):
    lines = rows(arrange(records)[0])
    assert [line.cells[0].best for line in lines] == [True, False, False, False, False]


def test_no_change_is_shown_even_if_it_was_not_run(records):
    line = rows(arrange(records[:3])[0])[-1]
    measured = records[3].metrics["accuracy"]
    assert line.label == "no-change (not run; follows from kappa-temporal)"
    assert line.cells[0].value == pytest.approx(measured)


def test_no_change_is_shown_once(records):
    names = [line.learner.lower().replace("-", "") for line in rows(arrange(records)[0])]
    assert names.count("nochange") == 1


def test_an_unknown_value_is_a_dash(records):
    record = replace(records[0], metrics={**records[0].metrics, "log_loss": None})
    assert rows(arrange([record])[0])[0].cells[6].text == "\N{EN DASH}"


def test_a_stopped_run_is_marked(records):
    record = replace(records[2], finished=False)
    assert rows(arrange([record])[0])[0].label == "WindowedTree (stopped after 600 examples)"


def test_time_is_per_example(records):
    # 600 examples in 0.0006 seconds are one microsecond each.
    record = replace(records[0], metrics={**records[0].metrics, "learn_seconds": 0.0006})
    assert rows(arrange([record])[0])[0].cells[-1].text == "1.0"


def test_a_run_without_examples_has_no_time_per_example(records):
    record = replace(records[0], n_examples=0)
    assert rows(arrange([record])[0])[0].cells[-1].value is None


def test_tables_need_records():
    with pytest.raises(ValueError, match="at least one run"):
        to_markdown([])
