"""Leads from names to entries, in documents (a hook of mkdocs) and docstrings (for griffe)."""

import re
from typing import Any

import griffe

_NAME = re.compile(r"`(shrubs(?:\.\w+)+)`")
_DOCUMENT = re.compile(r"docs/([\w-]+)\.md")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Link every name of the package that the reference has."""
    return _NAME.sub(r'<autoref identifier="\1" optional><code>\1</code></autoref>', markdown)


class LinkedDocstrings(griffe.Extension):
    """Links names in docstrings, and documents that they point to."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of one object."""
        if obj.docstring:
            text = on_page_markdown(obj.docstring.value)
            obj.docstring.value = _DOCUMENT.sub(r"[\1](\1.md)", text)
