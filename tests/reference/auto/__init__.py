"""The shrub ensemble that needs no tuning, slow and plain: one concept per file."""

from .auto_ensemble import AutoEnsembleReference
from .layout import Group, Layout

__all__ = ["AutoEnsembleReference", "Group", "Layout"]
