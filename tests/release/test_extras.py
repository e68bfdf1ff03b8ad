"""The README names every extra there is, and no other."""

import re

from release.addresses import ROOT


def test_readme_names_every_extra() -> None:
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = pyproject.split("[project.optional-dependencies]\n")[1].split("\n\n")[0]
    extras = set(re.findall(r"^(\w+) = ", table, re.MULTILINE))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = {
        extra
        for group in re.findall(r"(?:shrubs|`)\[([a-z,]+)\]", readme)
        for extra in group.split(",")
    }
    assert named == extras
