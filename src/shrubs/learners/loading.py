"""Loads a saved learner of any kind."""

from __future__ import annotations

import os
from pathlib import Path

from shrubs.learners import _persistence
from shrubs.learners.shrub_classifier import ShrubClassifier
from shrubs.learners.shrub_regressor import ShrubRegressor
from shrubs.learners.windowed_tree import WindowedTree

__all__ = ["load"]


def load(
    path: str | os.PathLike[str], *, max_bytes: int = _persistence.DEFAULT_MAX_BYTES
) -> ShrubClassifier | ShrubRegressor:
    """The learner of a saved file; it goes on as if it had never stopped.

    Raises ValueError for a file that is no saved learner, is damaged, comes from a newer version,
    or would need more than ``max_bytes`` once loaded.
    """
    state = Path(path).read_bytes()
    kind = _persistence.inspect_state(state, max_bytes).get("learner")
    if kind == WindowedTree.__name__:
        return WindowedTree.from_bytes(state, max_bytes=max_bytes)
    if kind == ShrubClassifier.__name__:
        return ShrubClassifier.from_bytes(state, max_bytes=max_bytes)
    return ShrubRegressor.from_bytes(state, max_bytes=max_bytes)
