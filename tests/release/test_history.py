"""A slower commit shows in the history of the benchmarks."""

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest
from release.addresses import ROOT


@pytest.fixture
def history(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    module = importlib.import_module("history")
    monkeypatch.setattr(module, "HISTORY", tmp_path / "history.jsonl")
    monkeypatch.setattr(module, "commit", lambda: "abc")
    monkeypatch.setattr("sys.argv", ["history.py"])
    return module


def run(history: ModuleType, monkeypatch: pytest.MonkeyPatch, ratio: float) -> str | int | None:
    rows = {"step": [{"setting": "M=8", "ratio": ratio}]}
    monkeypatch.setattr(history, "read_results", rows.get)
    with pytest.raises(SystemExit) as ended:
        history.main()
    return ended.value.code


def test_only_a_ratio_far_below_the_usual_one_fails(
    history: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = [run(history, monkeypatch, ratio) for ratio in (60.0, 62.0, 55.0, 40.0, 61.0)]
    assert ended == [0, 0, 0, "slower than usual: M=8 against plain", 0]
    lines = [json.loads(line) for line in history.HISTORY.read_text().splitlines()]
    assert [line["ratios"]["M=8 against plain"] for line in lines] == [60.0, 62.0, 55.0, 40.0, 61.0]


def test_history_without_measurements_says_what_to_run(
    history: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "read_results", lambda name: None)
    with pytest.raises(SystemExit, match="make bench"):
        history.main()
    assert not history.HISTORY.exists()
