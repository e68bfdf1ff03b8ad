"""A released README and pyproject.toml lead to pages that exist outside the repository."""

import re
from pathlib import Path

from release.addresses import ROOT, absolute_links, with_urls

HOME = "https://host.example/owner/name"


def test_every_link_of_the_readme_becomes_absolute() -> None:
    text = absolute_links((ROOT / "README.md").read_text(encoding="utf-8"), HOME, "v1.2.0")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert all(link.startswith("https://") for link in links)
    for path in re.findall(rf"{HOME}/(?:blob|raw)/v1.2.0/([^)#]+)", text):
        assert Path(ROOT, path).exists(), path


def test_pictures_are_linked_as_files_and_pages_as_pages() -> None:
    text = absolute_links("![a](b.png) [c](d.md) [e](https://f) [g](#h)", HOME, "v1")
    pages = f"![a]({HOME}/raw/v1/b.png) [c]({HOME}/blob/v1/d.md)"
    assert text == f"{pages} [e](https://f) [g](#h)"


def test_pyproject_names_the_pages_of_the_project() -> None:
    text = with_urls((ROOT / "pyproject.toml").read_text(encoding="utf-8"), HOME, "v1.2.0")
    table = text.split("[project.urls]\n")[1].split("\n\n")[0]
    assert f'Repository = "{HOME}"' in table.splitlines()
    assert text.index("[project.urls]") < text.index("[project.scripts]")
