"""Imports the optional libraries of ``shrubs[files]`` at the moment they are used."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["import_extra"]


def import_extra(module: str, purpose: str) -> Any:
    """Imports ``module``, or says how to install it.

    >>> import_extra("no_such_library", "reading moon dust")
    Traceback (most recent call last):
    ModuleNotFoundError: reading moon dust needs no_such_library: pip install 'shrubs[files]'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        message = f"{purpose} needs {library}: pip install 'shrubs[files]'"
        raise ModuleNotFoundError(message, name=library) from error
