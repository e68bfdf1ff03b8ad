"""The River estimators where River is not installed."""

import importlib
import sys

import pytest


def test_the_line_to_install_river_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "river", None)
    monkeypatch.delitem(sys.modules, "shrubs.adapters.river", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"needs River: pip install 'shrubs\[river\]'$"):
        importlib.import_module("shrubs.adapters.river")
