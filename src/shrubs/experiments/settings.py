"""Reads settings such as ``window_size=64``, as they are given on a command line."""

from __future__ import annotations

import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from shrubs.messages import shown

__all__ = ["read_setting"]


def read_setting(text: str, form: str = "NAME=VALUE") -> tuple[str, Any]:
    """The name and the value of a setting; the value is a TOML literal, else a text.

    >>> read_setting("step_size=1e-3"), read_setting("memory_limit=64KB"), read_setting("fit=true")
    (('step_size', 0.001), ('memory_limit', '64KB'), ('fit', True))
    """
    name, separator, value = text.partition("=")
    if not (name and separator):
        raise ValueError(f"--set takes {form}, got {shown(text)}")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value
