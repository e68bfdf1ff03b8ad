"""The texts of the core that the ablations replace are still there."""

import importlib

import pytest
from release.addresses import ROOT


def test_every_change_finds_its_text_in_the_core_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    ablations = importlib.import_module("ablations")
    for changes in ablations.VARIANTS.values():
        texts = ablations.changed(changes)  # raises if one is not
        assert all(after in texts[name] for name, _, after in changes)
