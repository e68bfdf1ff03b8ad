"""Learns from endless data streams inside a memory budget of kilobytes."""

from shrubs.learners import (
    FrozenEnsembleWarning,
    Leaf,
    MemoryReport,
    Shrub,
    ShrubClassifier,
    ShrubRegressor,
    Snapshot,
    Split,
    Vote,
    load,
)

__all__ = [
    "FrozenEnsembleWarning",
    "Leaf",
    "MemoryReport",
    "Shrub",
    "ShrubClassifier",
    "ShrubRegressor",
    "Snapshot",
    "Split",
    "Vote",
    "load",
]

__version__ = "0.1.0"
