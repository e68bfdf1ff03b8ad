"""The version is the same wherever it stands."""

import re

import pytest
from release.addresses import ROOT

import shrubs


@pytest.mark.parametrize("name", ["pyproject.toml", "CITATION.cff", "release/conda/recipe.yaml"])
def test_version_is_that_of_the_package(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    found = re.findall(r'^ *version[:=\s]+"?(\d[^"\s]*)"?$', text, re.MULTILINE)
    assert found == [shrubs.__version__]
