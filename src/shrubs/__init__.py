"""Learns from endless data streams inside a memory budget of kilobytes."""

from shrubs.learners import (
    Concept,
    Drift,
    FrozenEnsembleWarning,
    GivenUp,
    Leaf,
    MajorityClass,
    MemoryFullWarning,
    MemoryReport,
    NoChange,
    PaperShrubClassifier,
    PaperShrubRegressor,
    Shrub,
    ShrubClassifier,
    ShrubRegressor,
    Snapshot,
    Split,
    Vote,
    WindowedTree,
    load,
)

__all__ = [
    "Concept",
    "Drift",
    "FrozenEnsembleWarning",
    "GivenUp",
    "Leaf",
    "MajorityClass",
    "MemoryFullWarning",
    "MemoryReport",
    "NoChange",
    "PaperShrubClassifier",
    "PaperShrubRegressor",
    "Shrub",
    "ShrubClassifier",
    "ShrubRegressor",
    "Snapshot",
    "Split",
    "Vote",
    "WindowedTree",
    "load",
]

__version__ = "0.2.0"
