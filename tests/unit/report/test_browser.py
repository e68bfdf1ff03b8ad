"""The page in a real browser: what people see, click and print."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shrubs.analysis.runs import arrange
from shrubs.report import write_html
from shrubs.report.pages.race import MAX_BYTES

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
COMMAND = "shrubs race planes ramp --learners a,b && echo '<done>'"


@pytest.fixture(scope="module")
def file(records, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_html(records, path, command=COMMAND)
    return path


def test_page_opens_without_errors_and_without_requests(open_page, file):
    page = open_page(file)
    assert page.troubles == []
    assert [url for url in page.requests if not url.startswith("data:")] == [file.as_uri()]


def test_page_forbids_requests(open_page, file):
    page = open_page(file)
    blocked = "fetch('https://example.org').then(() => false, () => true)"
    assert page.evaluate(blocked)
    assert not [url for url in page.requests if "example.org" in url]


def test_page_shows_every_kind_of_figure(open_page, file):
    page = open_page(file)
    assert page.locator("#stream-0 h3").all_inner_texts() == [
        "Over the stream",
        "Accuracy against memory",
        "Confusion matrix",
        "Life of the ensemble",
        "Drifts",
        "The data",
        "All numbers",
    ]
    assert page.locator("#stream-1 h3").all_inner_texts() == [
        "Over the stream",
        "Error against memory",
        "Life of the ensemble",
        "All numbers",
    ]


def test_page_shows_the_command(open_page, file):
    assert open_page(file).locator(".command code").inner_text() == COMMAND


def test_page_says_which_accuracy_is_which(open_page, file):
    text = open_page(file).locator("header.title").inner_text()
    assert "Accuracy is the share of all predictions that were right" in text
    assert "mean running accuracy is the mean over time" in text


def test_legend_switches_a_learner_off_and_on(open_page, file):
    page = open_page(file)
    button = page.locator("#stream-0 .legend button").nth(1)
    lines = page.locator("#stream-0 .chart.accuracy g.series[data-run='1']")
    point = page.locator("#stream-0 path.run[data-run='1']")
    assert (button.get_attribute("aria-pressed"), lines.count()) == ("true", 1)
    button.click()
    assert (button.get_attribute("aria-pressed"), lines.count()) == ("false", 0)
    expect(point).to_be_hidden()
    button.click()
    assert (button.get_attribute("aria-pressed"), lines.count()) == ("true", 1)
    expect(point).to_be_visible()


def test_double_click_in_the_legend_shows_a_learner_alone(open_page, file):
    page = open_page(file)
    page.locator("#stream-0 .legend button").nth(2).dblclick()
    lines = page.locator("#stream-0 .chart.accuracy g.series")
    assert [line.get_attribute("data-run") for line in lines.all()] == ["2"]


def test_dragging_zooms_all_figures_of_the_stream(open_page, file):
    page = open_page(file)
    chart = page.locator("#stream-0 .chart.accuracy svg.plot")
    memory = page.locator("#stream-0 .chart.memory .axis text")
    before = memory.all_text_contents()
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 80)
    page.mouse.down()
    page.mouse.move(box["x"] + 600, box["y"] + 80, steps=3)
    page.mouse.up()
    assert memory.all_text_contents() != before
    page.mouse.dblclick(box["x"] + 300, box["y"] + 80)
    assert memory.all_text_contents() == before


def test_a_button_zooms_to_the_drift(open_page, file):
    page = open_page(file)
    axis = page.locator("#stream-0 .chart.memory .axis text")
    page.get_by_role("button", name="Zoom to the next drift").first.click()
    shown = [int(text) for text in axis.all_text_contents() if text.isdigit()]
    assert 225 <= min(shown) < 300 < max(shown) <= 450
    page.get_by_role("button", name="Show the whole stream").first.click()
    assert "600" in axis.all_text_contents()


def test_pointing_shows_the_values_of_the_trace(open_page, file, records):
    page = open_page(file)
    chart = page.locator("#stream-0 .chart.accuracy svg.plot")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 80)
    tip = page.locator("#stream-0 .chart.accuracy .tip")
    best = arrange(records)[0].runs[0].record
    expect(tip).to_be_visible()
    assert "after 600 examples" in tip.inner_text()
    assert f"{100 * best.trace['windowed_accuracy'][-1]:.1f} %" in tip.inner_text()


def test_arrow_keys_move_the_crosshair(open_page, file):
    page = open_page(file)
    page.locator("#stream-0 .chart.accuracy svg.plot").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#stream-0 .chart.accuracy .tip")).to_be_visible()


def test_table_matches_the_results_file(open_page, file, records):
    page = open_page(file)
    for i, runs in enumerate(arrange(records)):
        for number, run in enumerate(runs.runs):
            row = page.locator(f"#stream-{i} tr[data-run='{number}']")
            for cell in row.locator("td").all():
                metric = cell.get_attribute("data-metric")
                expected = run.record.metrics[metric]
                if metric.endswith("_seconds"):
                    expected /= run.record.n_examples
                assert float(cell.get_attribute("data-value")) == expected
    accuracy = page.locator("#stream-0 tr[data-run='0'] td[data-metric='accuracy']")
    best = max(record.metrics.get("accuracy", 0) for record in records)
    assert accuracy.inner_text() == f"{100 * best:.2f}"


def values(page, metric):
    cells = page.locator(f"#stream-0 tbody td[data-metric='{metric}']").all()
    return [float(cell.get_attribute("data-value")) for cell in cells]


def test_table_sorts_by_a_click_and_turns_round_by_another(open_page, file):
    page = open_page(file)
    head = page.locator("#stream-0 th[data-metric='max_memory_bytes'] button")
    head.click()
    assert values(page, "max_memory_bytes") == sorted(values(page, "max_memory_bytes"))
    head.click()
    assert values(page, "max_memory_bytes") == sorted(
        values(page, "max_memory_bytes"), reverse=True
    )


def test_the_first_click_on_an_accuracy_puts_the_best_first(open_page, file):
    page = open_page(file)
    page.locator("#stream-0 th[data-metric='kappa_temporal'] button").click()
    assert values(page, "kappa_temporal") == sorted(values(page, "kappa_temporal"), reverse=True)


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_the_system_decides_between_light_and_dark(open_page, file):
    assert background(open_page(file, scheme="light")) == "rgb(245, 247, 245)"
    assert background(open_page(file, scheme="dark")) == "rgb(13, 16, 19)"


def test_the_reader_overrides_the_system_and_is_remembered(open_page, file):
    page = open_page(file, scheme="light")
    page.locator("#theme").click()
    assert background(page) == "rgb(13, 16, 19)"
    page.reload()
    assert background(page) == "rgb(13, 16, 19)"


def test_paper_is_white_even_if_the_page_is_dark(open_page, file):
    page = open_page(file, scheme="dark")
    page.emulate_media(media="print")
    assert background(page) == "rgb(255, 255, 255)"
    expect(page.locator("nav")).to_be_hidden()


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_narrow_screen_does_not_scroll_sideways(open_page, file, width):
    page = open_page(file, width=width, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_hostile_names_are_shown_and_not_run(open_page, hostile, tmp_path):
    path = tmp_path / "hostile.html"
    write_html(hostile, path, command="</code><script>alert(1)</script>")
    page = open_page(path, width=390)
    assert page.troubles == []
    assert page.locator("img").count() == 0
    assert "onerror=alert(1)" in page.locator("#stream-0 h2").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_records_without_trace_still_make_a_page(open_page, records, tmp_path):
    path = tmp_path / "bare.html"
    write_html([replace(record, trace={}, shrubs=()) for record in records], path)
    page = open_page(path)
    assert page.troubles == []
    assert page.locator("#stream-0 h3").all_inner_texts() == [
        "Accuracy against memory",
        "Confusion matrix",
        "The data",
        "All numbers",
    ]


def test_many_long_runs_stay_small_and_quick(open_page, records, tmp_path):
    path = tmp_path / "many.html"
    write_html(many(records), path)
    assert path.stat().st_size <= MAX_BYTES
    page = open_page(path)
    assert page.troubles == []
    drawing = """() => {
        const start = performance.now();
        document.querySelector('#stream-0 .legend button').click();
        return performance.now() - start;
    }"""
    # A smoke test: far above what it takes, far below what people would call stuck.
    assert page.evaluate(drawing) < 1000


def test_of_many_configurations_the_best_are_drawn_and_all_are_listed(open_page, records, tmp_path):
    path = tmp_path / "crowd.html"
    crowd = [replace(records[1], configuration={"size": i}) for i in range(100)]
    write_html([*crowd, records[3]], path)
    page = open_page(path)
    assert page.troubles == []
    assert page.locator("#stream-0 .chart.accuracy g.series").count() == 2
    assert page.locator("#stream-0 .legend button").count() == 2
    assert page.locator("#stream-0 path.run").count() == 101
    assert page.locator("#stream-0 .results tbody tr").count() == 101


def many(records):
    """Ten learners with three configurations on four streams, a thousand points each."""
    n_points = 1000
    trace = {name: (column * 100)[:n_points] for name, column in records[1].trace.items()}
    trace["n_examples"] = list(range(1000, 1000 * n_points + 1, 1000))
    shrubs = tuple(
        [[at - 7 * i, round(1 / 32, 6)] for i in range(32, 0, -1)] for at in trace["n_examples"]
    )
    return [
        replace(
            records[1],
            label=f"learner {i}",
            stream=f"stream {k}",
            configuration={"size": j},
            n_examples=1000 * n_points,
            trace=trace,
            shrubs=shrubs,
        )
        for i in range(10)
        for j in range(3)
        for k in range(4)
    ]
