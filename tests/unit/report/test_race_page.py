"""What the page of a race says and shows of awkward streams."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shrubs.analysis.fronts import memory_front
from shrubs.analysis.runs import arrange
from shrubs.report import write_html
from shrubs.report.figures import lines, memory_points
from shrubs.report.legend import Legend
from shrubs.report.stream import keeping_command


def page_of(records, tmp_path, command=""):
    path = tmp_path / "report.html"
    write_html(records, path, command=command)
    return path


def diverging(records):
    """A regression in which the second of two learners goes through the roof."""
    best, other = records[5:7]
    huge = [value * 1e30 for value in other.trace["mae"]]
    return [
        best,
        replace(
            other,
            metrics={**other.metrics, "mae": 3.2e30, "rmse": 4.1e30, "r2": -1.5e60},
            trace={**other.trace, "mae": huge, "rmse": huge, "r2": [-v for v in huge]},
        ),
    ]


def ten_classes(record):
    names = tuple(f"digit {i}" for i in range(10))
    counts = tuple(tuple(900 if i == j else 11 for j in range(10)) for i in range(10))
    return replace(record, classes=names, confusion=counts)


def test_a_regression_is_worded_as_error(records, tmp_path):
    text = page_of(records[5:], tmp_path).read_text(encoding="utf-8")
    assert "off by 0.8595 on average" in text
    assert "share right" not in text
    assert "share of all predictions that were right" not in text


def test_no_number_of_a_diverging_learner_is_long(open_page, records, tmp_path):
    page = open_page(page_of(diverging(records), tmp_path))
    assert page.troubles == []
    text = page.locator("main").inner_text()
    assert "3.200e+30" in text
    assert not [word for word in text.split() if len(word.strip("0123456789")) == 0 < len(word) > 9]


def test_a_diverging_learner_leaves_the_axis_to_the_others(open_page, records, tmp_path):
    page = open_page(page_of(diverging(records), tmp_path))
    ticks = page.locator(".chart.accuracy .axis text[text-anchor=end]").all_text_contents()
    assert max(float(tick) for tick in ticks) < 20
    assert "beyond the axis: NoChange rises to" in page.locator("main").inner_text()
    label = page.locator(".labels text", has_text="NoChange")
    assert label.text_content() == "NoChange \N{UPWARDS ARROW} 3.20e+30"


def test_a_diverging_learner_leaves_the_axis_to_the_others_in_print(records):
    pytest.importorskip("matplotlib")
    runs = arrange(diverging(records))[0]
    legend = Legend.of(run.learner for run in runs.runs)
    for figure in (*lines(runs, legend)[:3], memory_points(memory_front(runs), legend)):
        low, high = figure.draw().axes[0].get_ylim()
        assert -10 < low < high < 50


@pytest.mark.parametrize("width", [1400, 390])
def test_ten_classes_fit_the_confusion_matrix(open_page, records, tmp_path, width):
    page = open_page(page_of([ten_classes(records[0])], tmp_path), width=width)
    card = page.locator("figure", has=page.locator("table.matrix"))
    inside, outside = page.locator("table.matrix").bounding_box(), card.bounding_box()
    assert inside["x"] + inside["width"] <= outside["x"] + outside["width"]
    fit = "cells => cells.map(cell => cell.scrollWidth <= cell.clientWidth)"
    assert page.locator("table.matrix td").evaluate_all(fit) == [True] * 100


@pytest.mark.parametrize("width", [1400, 390])
def test_every_point_has_its_name(open_page, records, tmp_path, width):
    crowd = [
        replace(
            records[2],
            learner=f"Learner{i}",
            label=f"AdaptiveLearner{i}",
            metrics={**records[2].metrics, "accuracy": 0.7 + 0.001 * i},
        )
        for i in range(9)
    ]
    page = open_page(page_of(crowd, tmp_path), width=width)
    names = page.locator(".labels text")
    assert sorted(names.all_text_contents()) == [f"AdaptiveLearner{i}" for i in range(9)]
    edge = page.locator("figure", has=page.locator(".labels")).bounding_box()
    for name in names.all():
        box = name.bounding_box()
        assert edge["x"] <= box["x"] < box["x"] + box["width"] <= edge["x"] + edge["width"]


@pytest.mark.parametrize("width", [1400, 390])
def test_the_last_tick_is_whole(open_page, records, tmp_path, width):
    trace = {**records[2].trace, "n_examples": [250 * (i + 1) for i in range(12)]}
    page = open_page(page_of([replace(records[2], trace=trace)], tmp_path), width=width)
    chart = page.locator(".chart.accuracy svg.plot")
    tick = chart.locator(".axis text", has_text="3,000")
    box, frame = tick.bounding_box(), chart.bounding_box()
    assert box["x"] + box["width"] <= frame["x"] + frame["width"]


def test_drifts_are_told_in_words_and_marked_in_every_plot(open_page, records, tmp_path):
    page = open_page(page_of(records[:5], tmp_path))
    assert "It drifted at 300; recovery of ShrubClassifier" in page.locator(".answer").inner_text()
    for chart in ("accuracy", "memory"):
        assert page.locator(f".chart.{chart} .drift").count() == 1
    assert page.locator(".chart.life .known.strong").count() == 1


def test_several_streams_have_a_table_of_learners_and_streams(open_page, records, tmp_path):
    page = open_page(page_of(records, tmp_path))
    heads = page.locator("#overview thead th").all_inner_texts()
    assert [head.split("\n")[0] for head in heads] == ["learner", "mean place", "planes", "ramp"]
    rows = page.locator("#overview tbody tr")
    assert rows.filter(has_text="ShrubRegressor").locator("td").all_inner_texts() == [
        "\N{EN DASH}",
        "\N{EN DASH}",
        "0.8595",
    ]


def test_the_page_says_when_and_where_the_runs_were_done(records, tmp_path):
    noted = {"date": "2026-03-04", "machine": "a small one", "Python": "3.12.1", "numpy": "2.1"}
    path = page_of([replace(record, environment=noted) for record in records], tmp_path)
    text = path.read_text(encoding="utf-8")
    assert "run on 2026-03-04; a small one; Python 3.12.1, numpy 2.1." in text


def test_the_page_shows_class_balance_and_how_columns_were_read(open_page, records, tmp_path):
    columns = {"x": "number", "colour": "3 categories", "y": "number"}
    page = open_page(page_of([replace(records[0], columns=columns)], tmp_path))
    assert "as numbers: x and y; as 3 categories: colour" in page.locator("main").inner_text()
    shares = page.locator(".balance b").all_inner_texts()
    assert len(shares) == 3
    assert sum(float(share.removesuffix(" %")) for share in shares) == pytest.approx(100, abs=0.11)


def test_the_command_that_keeps_a_model_names_the_file_and_its_options(records):
    options = {"n_examples": None, "target": "price", "task": "targets", "nominal": ["a b"]}
    record = replace(
        records[0], learner="shrubs", stream="houses", stream_options=options, configuration={}
    )
    runs = arrange([record])[0]
    assert keeping_command(runs, "shrubs race data/houses.csv.gz -l shrubs") == (
        "shrubs learn data/houses.csv.gz --model houses.shrubs --target=price "
        f"--task=targets '--nominal=a b' --set=seed={record.seed}"
    )
    assert keeping_command(runs, "shrubs race elec") == ""


def test_figures_say_what_there_is_to_see(open_page, records, tmp_path):
    page = open_page(page_of(records, tmp_path))
    for figure in page.locator("svg.plot").all():
        assert len(figure.get_attribute("aria-label")) > 40
    first = page.locator("#stream-0 .chart.accuracy svg.plot").get_attribute("aria-label")
    assert "NoChange ends at 33.00 %" in first
    assert "Drifts at 300." in first


def test_the_page_says_which_features_mattered_before_and_after_a_drift(
    open_page, records, tmp_path
):
    shift = {
        "noticed": 321,
        "began": 300,
        "probability": 0.95,
        "before": {"<age>": 0.9, "loan": 0.1},
        "after": {"loan": 0.6, "<age>": 0.4},
        "rules_before": ["if <age> > 3: 'x' 90%", "if loan > 1: 'y' 60%"],
        "rules_after": ["if loan > 7: 'y' 80%"],
    }
    page = open_page(page_of([replace(records[0], shifts=(shift,)), *records[1:5]], tmp_path))
    card = page.locator("figure", has_text="Which features mattered")
    words = card.inner_text().replace("\N{NO-BREAK SPACE}", " ")
    assert "A drift from about 300 on, noticed at 321, 95.0 % sure" in words
    assert "<age> mattered most before (90 %) and loan after (60 %)." in words
    assert "Before: if <age> > 3: 'x' 90%; after: if loan > 7: 'y' 80%." in words
    cells = [row.inner_text().split("\t") for row in card.locator("tr").all()]
    assert cells == [
        ["feature", "before 321", "after"],
        ["<age>", "90 %", "40 %"],
        ["loan", "10 %", "60 %"],
    ]
