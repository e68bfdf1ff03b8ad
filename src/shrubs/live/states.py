"""A model as the byte states that messages carry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from shrubs.live.model import Model

__all__ = ["OneState", "States"]


class States(Protocol):
    """What is learned into, and the byte states that messages carry: of parts, and of the whole."""

    has_parts: bool
    model: Model | None
    """None before its first row."""

    def reset(self) -> None:
        """Begin with what there was before anything came."""

    def begin(self, row: Mapping[str, Any]) -> Model:
        """A model for the first row."""

    def learned(self, row: Mapping[str, Any]) -> None:
        """The model has learned a row."""

    def changed(self) -> Iterable[tuple[str, bytes]]:
        """Name and state of every part that has learned since this was asked last."""

    def whole(self) -> bytes:
        """The state of the model, or what its parts have in common."""

    def take(self, whole: bytes | None, parts: Iterable[tuple[str, bytes]]) -> None:
        """Go on with what was committed, if there is anything.

        A later state of a part replaces an earlier one. Raises ValueError for what does not fit.
        """


class OneState:
    """One model without parts.

    Args:
        model: to begin with; None for a new one.
        begin: makes a model of the first row.
        check: raises ValueError for a model that is not the one that is meant.
    """

    has_parts = False

    def __init__(
        self,
        model: Model | None,
        begin: Callable[[Mapping[str, Any]], Model],
        check: Callable[[Model], None],
    ) -> None:
        self._first = None if model is None else model.to_bytes()
        self.begin, self._check = begin, check
        self.reset()

    def reset(self) -> None:
        """See `States`."""
        self.model = None if self._first is None else Model.from_bytes(self._first)

    def learned(self, row: Mapping[str, Any]) -> None:
        """See `States`."""

    def changed(self) -> Iterable[tuple[str, bytes]]:
        """See `States`."""
        return ()

    def whole(self) -> bytes:
        """See `States`."""
        assert self.model is not None
        return self.model.to_bytes()

    def take(self, whole: bytes | None, parts: Iterable[tuple[str, bytes]]) -> None:
        """See `States`."""
        if whole is None:
            return
        if whole.startswith(b"{"):
            raise ValueError("the topic keeps a model per key under this name: give --key")
        target = None if self.model is None else self.model.target
        self.model = Model.from_bytes(whole)
        self.model.expect(target)
        self._check(self.model)
