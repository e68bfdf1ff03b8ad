import re
from dataclasses import replace

import pytest

from shrubs.analysis.runs import arrange
from shrubs.report import to_latex, to_markdown
from shrubs.report.tables.results import html_table


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


def cells(records, row, stream=0):
    """The cells of a row of the table of a stream in Markdown, the label first."""
    table = to_markdown(records).split("### ")[1 + stream]
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    return [cell.strip() for cell in lines[row].strip("|").split(" | ")]


def test_the_best_value_is_marked_once(records):
    assert [cells(records, i)[1].startswith("**") for i in range(5)] == [True, *[False] * 4]


def test_no_change_is_shown_even_if_it_was_not_run(records):
    label, accuracy, *_ = cells(records[:3], -1)
    assert label == "no-change (not run; follows from kappa-temporal)"
    assert accuracy == f"{100 * records[3].metrics['accuracy']:.2f}"


def test_no_change_is_shown_once(records):
    names = [cells(records, i)[0].lower().replace("-", "") for i in range(5)]
    assert names.count("nochange") == 1


def test_an_unknown_value_is_a_dash(records):
    best, *others = sorted(records[:5], key=lambda record: -record.metrics["accuracy"])
    record = replace(best, metrics={**best.metrics, "log_loss": None})
    assert cells([record, *others], 0)[7] == "\N{EN DASH}"


def test_a_column_that_no_run_knows_is_left_out(records):
    known = {**records[0].metrics, "balanced_accuracy": 0.5, "auc": 0.75, "log_loss": None}
    heading = to_markdown([replace(records[0], metrics=known)]).splitlines()[2]
    assert "| balanced acc. % |" in heading
    assert "| AUC |" in heading
    assert "log loss" not in heading


def test_a_stopped_run_is_marked(records):
    record = replace(records[2], finished=False)
    assert cells([record], 0)[0] == "WindowedTree (stopped after 600 examples)"


def test_time_is_per_example(records):
    # 600 examples in 0.0006 seconds are one microsecond each.
    record = replace(records[0], metrics={**records[0].metrics, "learn_seconds": 0.0006})
    assert cells([record], 0)[-1] == "1.0"


def test_tables_need_records():
    with pytest.raises(ValueError, match="at least one run"):
        to_markdown([])


def test_html_shows_the_name_of_the_learner_below_its_label(records):
    runs = arrange([replace(records[3], label="NC")])[0]
    assert "<span>NC<small>NoChange</small></span>" in html_table(runs)
