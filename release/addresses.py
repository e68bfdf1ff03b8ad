"""Give README.md and pyproject.toml the address of the repository that releases them.

Links between files work wherever the repository lives, but not on a package index: there the README
stands alone. So a release makes them absolute, and names the project's pages, right before it
builds the sdist. Nothing of it is committed.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_LINK = re.compile(r"(!?)(\[[^\]]*\])\((?!https?://|#)([^)]+)\)")


def absolute_links(text: str, repository: str, version: str) -> str:
    """The text with every link to a file of the repository, and every picture, made absolute."""

    def absolute(link: re.Match[str]) -> str:
        picture, words, path = link.groups()
        return f"{picture}{words}({repository}/{'raw' if picture else 'blob'}/{version}/{path})"

    return _LINK.sub(absolute, text)


def with_urls(pyproject: str, repository: str, version: str) -> str:
    """The text of pyproject.toml with the project's pages."""
    urls = {
        "Repository": repository,
        "Documentation": f"{repository}/blob/{version}/docs/quickstart.md",
        "Changelog": f"{repository}/blob/{version}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    table = "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    return pyproject.replace("[project.scripts]", f"[project.urls]\n{table}\n[project.scripts]", 1)


def main() -> None:
    """Change both files in place."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", help="its address, as in https://host/owner/name")
    parser.add_argument("version", help="the tag that is released")
    options = parser.parse_args()
    for name, change in (("README.md", absolute_links), ("pyproject.toml", with_urls)):
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        path.write_text(change(text, options.repository, options.version), encoding="utf-8")


if __name__ == "__main__":
    main()
