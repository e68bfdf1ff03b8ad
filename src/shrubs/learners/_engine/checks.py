"""Checks of parameters: each names the parameter, what is allowed, and what came."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Sequence
from typing import Any

from shrubs import _core
from shrubs.messages import shown

__all__ = [
    "check_choice",
    "check_integer",
    "check_max_features",
    "check_nominal_features",
    "check_number",
    "check_seed",
]


def check_integer(name: str, value: Any, low: int, high: int) -> None:
    """Raise unless ``value`` is an integer from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {shown(value)}")
    if int(value) < low:
        raise ValueError(f"{name} must be at least {low}, got {shown(value)}")
    if int(value) > high:
        raise ValueError(f"{name} must be at most {high}, got {shown(value)}")


def check_number(name: str, value: Any, high: float) -> None:
    """Raise unless ``value`` is a number greater than 0 and at most ``high``."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 < number <= high:
        raise ValueError(f"{name} must be greater than 0 and at most {high:g}, got {shown(value)}")


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise unless ``value`` is one of the texts that are allowed."""
    if isinstance(value, str) and value in allowed:
        return
    nearest = difflib.get_close_matches(shown(value), allowed, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    choices = " or ".join(repr(choice) for choice in allowed)
    error = ValueError if isinstance(value, str) else TypeError
    raise error(f"{name} must be {choices}, got {shown(value)}{hint}")


def check_max_features(value: Any) -> None:
    """Raise unless ``value`` says how many features are tried per node."""
    if value is None or (isinstance(value, str) and value == "sqrt"):
        return
    if isinstance(value, float):
        if not 0 < value <= 1:
            raise ValueError(
                f"max_features must be greater than 0 and at most 1 as a share, got {shown(value)}"
            )
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        error = ValueError if isinstance(value, str) else TypeError
        raise error(f"max_features must be None, 'sqrt', an integer or a share, got {shown(value)}")
    if value < 1:
        raise ValueError(f"max_features must be at least 1, got {shown(value)}")


def check_nominal_features(value: Any) -> None:
    """Raise unless ``value`` is None or holds names or positions."""
    if value is None:
        return
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | frozenset | set):
        raise TypeError(
            f"nominal_features must be None or a sequence of names or positions, got {shown(value)}"
        )
    for name in value:
        if not _core.is_plain(name):
            raise TypeError(f"nominal_features must hold names or positions, got {shown(name)}")


def check_seed(value: Any) -> None:
    """Raise unless ``value`` is a seed or None."""
    if value is not None:
        check_integer("seed", value, 0, 2**64 - 1)
