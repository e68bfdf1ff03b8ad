"""The page of a study in a real browser."""

import itertools
from dataclasses import replace

import pytest

from shrubs import results
from shrubs.analysis import paper_numbers as paper
from shrubs.report import write_study_report
from shrubs.report.pages.race import MAX_BYTES
from tests.unit.analysis.study_records import LABELS, record, small_study

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def write(records, folder):
    lines = "".join(each.to_json() + "\n" for each in records)
    (folder / "results.jsonl").write_text(lines, encoding="utf-8")
    assert results.read(folder / "results.jsonl")
    return write_study_report(folder, figures=False, command="shrubs report study")[0]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write(small_study(), tmp_path_factory.mktemp("study"))


def test_page_opens_without_errors_and_without_requests(open_page, file):
    page = open_page(file)
    assert page.troubles == []
    assert [url for url in page.requests if not url.startswith("data:")] == [file.as_uri()]


def test_diagrams_name_every_method_with_its_rank(open_page, file):
    page = open_page(file)
    ours = page.locator("#diagrams figure:nth-child(1) .method").all_text_contents()
    # First on both streams; NC second on both; HT third, then last; NB fourth, then third.
    assert sorted(ours) == ["HT3.50", "NB3.50", "NC2.00", "SE1.00"]
    printed = page.locator("#diagrams figure:nth-child(2)")
    assert printed.locator(".method").count() == 9
    assert printed.locator(".alike").count() == 4


def test_a_bar_reaches_from_its_first_to_its_last_method(open_page, file):
    page = open_page(file)
    bar = page.locator("#diagrams figure:nth-child(2) .alike").first.bounding_box()
    stems = page.locator("#diagrams figure:nth-child(2) .stem")
    boxes = [stem.bounding_box() for stem in stems.all()]
    # SE, SRP and ARF stand on the left: the right ends of their stems are their places.
    places = [box["x"] + box["width"] for box in boxes[:4]]
    assert bar["x"] < places[0] < places[2] < bar["x"] + bar["width"] < places[3]


def test_table_shows_ours_the_paper_s_and_the_difference(open_page, file):
    page = open_page(file)
    page.locator("summary", has_text="Best accuracy without a limit").click()
    rows = page.locator("#table-best tbody").first.locator("tr")
    assert rows.nth(0).locator("td").all_inner_texts() == ["96.00", "80.00", "76.16", "85.00"]
    assert rows.nth(1).locator("td").all_inner_texts()[:3] == ["94.01", "86.45", "76.17"]
    assert rows.nth(2).locator("td").all_inner_texts()[:3] == ["+1.99", "\N{MINUS SIGN}6.45", "="]


def test_a_method_switched_off_takes_its_front_along(open_page, file):
    page = open_page(file)
    own = page.locator("#stream-0 .own.front[data-run='0']")
    points = page.locator("#stream-0 path.run[data-run='0']")
    expect(own).to_be_visible()
    assert points.count() == 3
    page.locator("#stream-0 .legend button").first.click()
    expect(own).to_be_hidden()
    expect(points.first).to_be_hidden()


def test_the_first_stream_is_open_and_a_link_opens_another(open_page, file):
    page = open_page(file)
    expect(page.locator("#stream-0 .figures")).to_be_visible()
    expect(page.locator("#stream-1 .answer")).to_be_visible()
    expect(page.locator("#stream-1 .figures")).to_be_hidden()
    page.locator("nav a[href='#stream-1']").click()
    expect(page.locator("#stream-1 .figures")).to_be_visible()


def test_no_table_ends_in_a_box_that_scrolls_down(open_page, file):
    page = open_page(file)
    box = page.locator("#tables .scroll").first
    assert box.evaluate("box => box.scrollHeight <= box.clientHeight + 1")


def test_methods_are_spelled_out(open_page, file):
    assert "naive Bayes" in open_page(file).locator("#diagrams dl").inner_text()


def test_names_in_a_diagram_do_not_overlap_on_a_phone(open_page, file):
    page = open_page(file, width=390)
    names = page.locator("#diagrams figure:nth-child(2) .method").all()
    boxes = sorted((name.bounding_box() for name in names), key=lambda box: box["y"])
    assert len(boxes) == 9
    for above, below in itertools.pairwise(boxes):
        assert above["y"] + above["height"] <= below["y"] + 2


def test_prefixes_are_announced_at_the_top(open_page, file):
    text = open_page(file).locator("header.title").inner_text()
    assert "The runs on led_a saw fewer examples than those of the paper" in text
    assert "4 more runs dropped (time 1, memory 1, crash 1, error 1)" in text


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_narrow_screen_does_not_scroll_sideways(open_page, file, width):
    page = open_page(file, width=width, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_paper_is_white_even_if_the_page_is_dark(open_page, file):
    page = open_page(file, scheme="dark")
    page.emulate_media(media="print")
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert colour == "rgb(255, 255, 255)"


def test_a_study_as_large_as_the_paper_s_stays_small(open_page, tmp_path):
    """Twelve streams, twelve methods, fifty configurations, a thousand points each."""
    n_points = 1000
    trace = {
        "n_examples": list(range(1000, 1_000_001, 1000)),
        "accuracy": [0.7 + 0.2 * (i * 7919 % n_points) / n_points for i in range(n_points)],
        "windowed_accuracy": [0.6 + 0.3 * (i * 104729 % 997) / 997 for i in range(n_points)],
        "kappa_temporal": [0.1 + 0.7 * (i * 1299709 % 991) / 991 for i in range(n_points)],
        "memory_bytes": [123_456 + 789 * i for i in range(n_points)],
    }
    # The first configuration of a method is its best, and only the best are drawn over time.
    records = [
        replace(
            record(
                method,
                stream,
                accuracy=0.9 - 0.0057 * i + 0.0013 * m,
                size=1000 * 1.2 ** (50 - i) * (m + 1),
                n_examples=1_000_000,
            ),
            trace=trace if i == 0 else {},
        )
        for stream in paper.STREAMS
        for m, method in enumerate(LABELS)
        for i in range(50)
    ]
    path = write(records, tmp_path)
    assert path.stat().st_size <= MAX_BYTES
    page = open_page(path)
    assert page.troubles == []
    page.locator("nav a[href='#stream-11']").click()
    page.wait_for_selector("#stream-11 .chart svg g")
    assert page.locator("#stream-11 path.run").count() == 600
    assert page.locator("#stream-11 .chart.accuracy g.series").count() == len(LABELS)
