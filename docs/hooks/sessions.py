"""Shows sessions as such, in documents (a hook of mkdocs) and docstrings (a griffe extension)."""

import re
from typing import Any

import griffe

_DOCTEST = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Colour prompts and output apart from code."""
    return markdown.replace("```python\n>>>", "```pycon\n>>>")


class FencedDoctests(griffe.Extension):
    """Puts fences around every doctest."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of one object."""
        if obj.docstring:
            text = obj.docstring.value
            obj.docstring.value = _DOCTEST.sub(r"```pycon\n\g<0>\n```", text)
