"""Loads a saved learner of any kind, and its contract."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

from shrubs.learners._engine import saving
from shrubs.learners.contract import Contract
from shrubs.learners.paper_shrub_classifier import PaperShrubClassifier
from shrubs.learners.paper_shrub_regressor import PaperShrubRegressor
from shrubs.learners.shrub_classifier import ShrubClassifier
from shrubs.learners.shrub_regressor import ShrubRegressor
from shrubs.learners.windowed_tree import WindowedTree
from shrubs.messages import shown

__all__ = ["SavedLearner", "from_bytes", "load", "read_contract"]

SavedLearner: TypeAlias = (
    ShrubClassifier | ShrubRegressor | PaperShrubClassifier | PaperShrubRegressor | WindowedTree
)
_KINDS: dict[str, type[SavedLearner]] = {
    kind.__name__: kind
    for kind in (
        ShrubClassifier,
        ShrubRegressor,
        PaperShrubClassifier,
        PaperShrubRegressor,
        WindowedTree,
    )
}


def load(
    path: str | os.PathLike[str], *, max_bytes: int = saving.DEFAULT_MAX_BYTES
) -> SavedLearner:
    """The learner of a saved file; it goes on as if it had never stopped.

    Raises ValueError for a file that is no saved learner, is damaged, comes from a newer version,
    or would need more than ``max_bytes`` once loaded.
    """
    return from_bytes(Path(path).read_bytes(), max_bytes=max_bytes)


def from_bytes(state: bytes, *, max_bytes: int = saving.DEFAULT_MAX_BYTES) -> SavedLearner:
    """The learner of a byte state, whatever its kind; see `load`."""
    name = saving.read_tables(state, max_bytes).get("learner")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise saving.invalid(f"there is no learner {shown(name)}")
    return kind.from_bytes(state, max_bytes=max_bytes)


def read_contract(state: bytes, *, max_bytes: int = saving.DEFAULT_MAX_BYTES) -> Contract | None:
    """What a byte state says about the rows it was learned from; None if nothing."""
    return saving.decode_contract(saving.read_tables(state, max_bytes))
