"""Results from elsewhere: what is no record is named with its line, and what is can be shown."""

import io
import json
import lzma
import re

import pytest

from shrubs.cli.console import Terminal
from shrubs.cli.summary import result_tables, summary, verdict
from shrubs.report import to_latex, to_markdown, write_html, write_study_report
from shrubs.results import read, to_frame
from tests.attacks.budget import rounds
from tests.attacks.json_trees import deep, spoiled
from tests.unit.conftest import GOLDEN

LINES = [json.loads(line) for line in (GOLDEN / "results.jsonl").read_text().splitlines()]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "results.jsonl"


def write(file, *records):
    file.write_text("".join(json.dumps(record) + "\n" for record in records))


def refusal(use, *arguments):
    """The message of a ValueError; None if it went well."""
    try:
        use(*arguments)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("schema_version", "3", "not a record of a run"),
        ("metrics", None, "metrics' must be numbers by name, got None"),
        ("metrics", {"accuracy": "high"}, "'metrics' must be numbers by name, got {'accuracy'"),
        ("metrics", {"accuracy": 10**400}, "'metrics' must be numbers by name"),
        ("metrics", {"accuracy": float("nan")}, "'metrics' must be numbers by name"),
        (
            "trace",
            {"n_examples": [1], "accuracy": []},
            "'trace' must be columns of numbers by name",
        ),
        ("confusion", [[1, 2]], "'confusion' must be as many rows as columns of counts, or null"),
        ("classes", [1, 2], "'classes' must be texts, or null"),
        ("stream", 7, "'stream' must be a text, got 7"),
        ("label", "\ud800", "'label' must be a text"),
        ("columns", {"x": 1}, "'columns' must be texts by name"),
        ("environment", ["today"], "'environment' must be texts by name"),
        ("failure", "bad luck", "'failure' must be null, or one of time, memory, crash, error"),
        ("n_examples", -1, "'n_examples' must be a count, got -1"),
        ("configuration", {"deep": deep(30)}, "'configuration' must be a table of plain values"),
        ("configuration", {"deep": deep(900)}, "'configuration' must be a table of plain values"),
        ("what" * 10**5, 1, "what' must be left out, got 1"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_wrong_field_is_named_with_its_line(file, field, value, message):
    write(file, LINES[0], {**LINES[0], field: value})
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        read(file)
    assert str(caught.value).startswith(f"{file}, line 2: not a record of a run")
    assert len(str(caught.value)) < len(str(file)) + 300


def test_deep_nesting_is_refused(file):
    for levels in (10_000, 1_000_000):
        file.write_text("[" * levels + "]" * levels)
        with pytest.raises(ValueError, match=r"results\.jsonl, line 1: not a record of a run"):
            read(file)


@pytest.mark.parametrize(
    "content", [b"\x00\xff\xfe\n", b"\xff" * 100, b'{"learner": "\xff"}', b"{}"]
)
def test_bytes_that_are_no_text_are_named(file, content):
    file.write_bytes(json.dumps(LINES[0]).encode() + b"\n" + content)
    with pytest.raises(ValueError, match=r"results\.jsonl, line 2: not a"):
        read(file)


def test_a_compressed_file_that_is_none_or_cut_is_named(tmp_path):
    file = tmp_path / "results.jsonl.xz"
    whole = lzma.compress("".join(json.dumps(line) + "\n" for line in LINES).encode())
    for content in (b"no xz", whole[: len(whole) // 2], whole[:-9] + b"123456789"):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"results\.jsonl\.xz, line \d: "):
            read(file)


def use(records, folder):
    """Everything that is done with records."""
    for record in records:
        assert record.from_json(record.to_json()) == record
    console = Terminal(file=io.StringIO())
    for shown in (result_tables(records), summary(records, 9), verdict(records)):
        console.print(shown)
    to_frame(records)
    for write_one in (to_markdown, to_latex):
        write_one(records)
    write_html(records, folder / "page.html")


def test_a_spoiled_record_is_refused_or_can_be_shown(file, tmp_path):
    for draw in rounds(250):
        first, second = draw.sample(LINES, 2)
        write(file, first, spoiled(second, draw))
        said = refusal(read, file)
        if said is not None:
            assert said.startswith(f"{file}, line 2: ")
            assert "\n" not in said
        else:
            for attempt in (refusal(use, read(file), tmp_path), refusal(write_study, tmp_path)):
                assert attempt is None or ("\n" not in attempt and len(attempt) < 300)


def write_study(folder):
    write_study_report(folder, figures=False)
