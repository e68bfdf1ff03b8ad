"""The comment at the head of a C file: how to use it, what it takes, what its numbers mean."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from shrubs.export.c_size import code_bytes, stack_bytes
from shrubs.export.c_tables import Tables

__all__ = ["head"]

_LONGEST = 60


def head(document: dict[str, Any], tables: Tables, functions: str, declared: Sequence[str]) -> str:
    """The comment; nothing in a name or a category can end it."""
    code = code_bytes(document, functions)
    paragraphs = [
        _predicts(document),
        "The same bits as in Python, everywhere, if compiled with -ffp-contract=off and without "
        "-ffast-math. It needs no libm, no heap and no variable outside of the function.",
        f"Flash: {tables.n_bytes} bytes of tables, and about {code} of code on a "
        f"Cortex-M3 (gcc -Os), with the arithmetic that it has no hardware for. RAM: at most "
        f"{stack_bytes(document)} bytes of stack.",
    ]
    lines = ["", *(f"{each};" for each in declared)]
    lines += [line for each in paragraphs for line in ["", *textwrap.wrap(each, 92)]]
    lines += ["", "x, NAN where a value is missing:", *_features(document)]
    if "classes" in document:
        lines += ["", "Classes:", *_listed(document["classes"])]
    return (
        "/* Written by `shrubs export`.\n"
        + "\n".join(f" * {line}".rstrip() for line in lines)
        + "\n */"
    )


def _predicts(document: dict[str, Any]) -> str:
    if document["task"] == "targets":
        return "Returns the target."
    return "Writes the probability of each class into p; returns the most likely class."


def _features(document: dict[str, Any]) -> Iterable[str]:
    for i, feature in enumerate(document["features"]):
        if feature["kind"] == "number":
            yield f"  {i}: {_quoted(feature['name'])}"
        elif "categories" in feature:
            unlisted = "NAN" if feature["unlisted"] is None else feature["unlisted"]
            name = _quoted(feature["name"])
            yield f"  {i}: {name}, the number of a category, {unlisted} for others:"
            yield from (f"    {line.lstrip()}" for line in _listed(feature["categories"]))
        else:
            yield f"  {i}: {_quoted(feature['name'])}, a category that is a number"


def _listed(values: list[Any]) -> Iterable[str]:
    items = ", ".join(f"{i}\0{_quoted(value)}".replace(" ", "\1") for i, value in enumerate(values))
    for line in textwrap.wrap(items, 90, break_long_words=False, break_on_hyphens=False):
        yield "  " + line.replace("\0", " ").replace("\1", " ")


def _quoted(value: Any) -> str:
    """A value on one line of ASCII that neither ends a comment nor begins one."""
    text = ascii(value)
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}...{text[-_LONGEST // 2 :]}"
    for pair in ("*/", "/*", "??"):
        while pair in text:
            text = text.replace(pair, f"{pair[0]} {pair[1]}")
    return text
