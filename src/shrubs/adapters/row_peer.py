"""Any object with ``learn_one`` and ``predict_one`` as a peer."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

__all__ = ["RowPeer"]


class RowPeer:
    """A model with the methods that River's have."""

    def __init__(self, model: Any) -> None:
        self.model = model
        # Its own methods, so that our interface costs nothing per example.
        self.learn_one: Callable[[Any, Any], Any] = model.learn_one
        self.predict_one: Callable[[Any], Any] = model.predict_one
        if hasattr(model, "predict_proba_one"):
            self.predict_proba_one = model.predict_proba_one

    @property
    def memory_bytes(self) -> int:
        """River's own measure where the model has it, else the length of its pickle."""
        measured = getattr(self.model, "_raw_memory_usage", None)
        return len(pickle.dumps(self.model, protocol=5)) if measured is None else int(measured)
