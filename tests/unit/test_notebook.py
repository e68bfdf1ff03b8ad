"""What a notebook shows."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from shrubs import PaperShrubClassifier, ShrubClassifier, ShrubRegressor, WindowedTree, results
from shrubs.evaluation import evaluate
from shrubs.notebook import card, curve, table
from shrubs.streams import SEA, join

HOSTILE = "</code><script>alert(1)</script>&\ud800"


class Tags(HTMLParser):
    """The names of all tags, and the text between them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not any(name.startswith("on") for name, _ in attrs)
        self.names.add(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def learned(learner: ShrubClassifier | PaperShrubClassifier) -> Tags:
    for i in range(60):
        x = {HOSTILE: float(i % 10), "text": HOSTILE if i % 3 else "b"}
        learner.learn_one(x, HOSTILE if i % 10 > 4 else "low")
    return Tags(learner._repr_html_())


@pytest.mark.parametrize("learner", [ShrubClassifier(memory_limit="20KB"), PaperShrubClassifier()])
def test_learner_shows_itself_without_running_its_names(
    learner: ShrubClassifier | PaperShrubClassifier,
) -> None:
    page = learned(learner)
    assert "script" not in page.names
    assert {"svg", "circle", "table"} <= page.names
    assert f"{learner.memory_bytes:,}" in page.text
    assert f"weights of {learner.n_shrubs} shrubs" in page.text
    assert "<script>alert(1)</script>" in page.text


def test_heaviest_rule_is_the_one_that_decides_the_window() -> None:
    # One tree of one split: either rule holds for half of the window, and nothing else is shown.
    learner = WindowedTree(window_size=10)
    for i in range(40):
        learner.learn_one({"a": float(i % 2)}, "odd" if i % 2 else "even")
    shown = re.findall(r"<td[^>]*>(.*?)</td>", learner._repr_html_())
    assert shown[:2] == shown[3:5] == ["1.000", "0.500"]
    assert len(shown) == 6


def test_learner_that_has_not_begun_shows_what_it_is() -> None:
    assert (
        "ShrubRegressor(memory_limit=&#x27;9KB&#x27;)"
        in ShrubRegressor(memory_limit="9KB")._repr_html_()
    )
    assert "none yet" in ShrubClassifier()._repr_html_()


def test_evaluation_shows_its_curve_and_the_drifts_it_found() -> None:
    stream = join(SEA(function=1), SEA(function=4), position=3000, n_examples=6000)
    evaluation = evaluate(ShrubClassifier(memory_limit="20KB"), stream)
    evaluation.drifts = [3100]
    page = Tags(evaluation._repr_html_())
    assert "polyline" in page.names
    assert "3,100" in page.text
    assert "windowed accuracy" in page.text


def test_curve_leaves_out_what_is_not_a_number() -> None:
    assert curve([(1, float("nan"))], [], "error") == ""
    page = curve([(1, 2.0), (2, float("inf")), (3, 2.0)], [9], "error")
    assert page.count(",", page.index("points="), page.index('" fill="none"')) == 2
    assert "dash" not in page


def test_records_show_their_table() -> None:
    records = results.read(Path(__file__).parents[1] / "golden" / "results.jsonl")
    page = Tags(records._repr_html_())
    assert page.names == {"table", "thead", "tbody", "tr", "th", "td"}
    assert "WindowedTree" in page.text


def test_long_texts_are_cut() -> None:
    assert len(card("x" * 10_000, {"y" * 10_000: "z" * 10_000})) < 1200
    assert len(table(["a"], [["b" * 10_000]])) < 1000
