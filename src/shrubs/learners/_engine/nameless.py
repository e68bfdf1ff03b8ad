"""The tables of a state that has none: it comes from a program in C, which knows no names.

Features go by their positions and labels by their numbers; all else stands in the header, which
docs/file-format.md describes.
"""

from __future__ import annotations

import struct
from typing import Any

from shrubs.learners._engine.untuned_parameters import limit_for

__all__ = ["tables_without_names"]

_BEGIN = 16
_AUTO = struct.Struct("<BQQBIII")
_PAPER = struct.Struct("<5B5IdQ4I")
_NO_DEPTH = 2**32 - 1


def tables_without_names(state: bytes) -> dict[str, Any]:
    """What the header of a state that was checked says; ValueError if it says too little."""
    if state[:6] == b"SHRUBA":
        return _untuned(state)
    if state[:8] == b"SHRUBS\2\0":
        return _paper(state)
    raise ValueError("a state of this kind is written with tables")


def _untuned(state: bytes) -> dict[str, Any]:
    task, arena_bytes, seed, recalls, label_delay, n_features, n_classes = _AUTO.unpack_from(
        state, _BEGIN
    )
    regression = bool(task)
    parameters = {
        "memory_limit": limit_for(arena_bytes, n_features, n_classes, regression=regression),
        "nominal_features": _nominal(state, _BEGIN + _AUTO.size, n_features),
        "last_outcomes": bool(recalls),
        "label_delay": label_delay,
        "seed": seed,
    }
    return _tables("Shrub", regression, parameters, n_features, n_classes)


def _paper(state: bytes) -> dict[str, Any]:
    fields = _PAPER.unpack_from(state, _BEGIN)
    _, task, loss, splitter, flags, max_shrubs, window_size, max_depth = fields[:8]
    min_samples_leaf, steps_per_example, step_size, seed = fields[8:12]
    n_features, n_classes, max_features, grow_every = fields[12:]
    parameters = {
        "max_shrubs": max_shrubs,
        "window_size": window_size,
        "step_size": step_size,
        "max_depth": None if max_depth == _NO_DEPTH else max_depth,
        "max_features": None if max_features == n_features else max_features,
        "splitter": ("best", "random")[splitter],
        "min_samples_leaf": min_samples_leaf,
        "steps_per_example": steps_per_example,
        "grow_every": grow_every,
        "nominal_features": _nominal(state, _BEGIN + _PAPER.size, n_features),
        "seed": seed,
    }
    if task:
        parameters["target_scaling"] = bool(flags & 1)
    else:
        parameters["loss"] = ("mse", "cross_entropy")[loss]
        parameters["cache"] = ("auto", "none", "all")[flags >> 1]
    return _tables("PaperShrub", bool(task), parameters, n_features, n_classes)


def _nominal(state: bytes, at: int, n_features: int) -> list[int] | None:
    kinds = state[at : at + n_features]
    return [position for position, kind in enumerate(kinds) if kind] or None


def _tables(
    learner: str, regression: bool, parameters: dict[str, Any], n_features: int, n_classes: int
) -> dict[str, Any]:
    return {
        "learner": learner + ("Regressor" if regression else "Classifier"),
        "parameters": parameters,
        "names": None,
        "categories": [None] * n_features,
        "classes": list(range(n_classes)),
    }
