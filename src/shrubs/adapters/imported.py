"""A learner by its import path, such as ``package.module:Class``.

Anything with ``learn_one`` and ``predict_one`` works, and anything with ``partial_fit`` and
``predict``. See `docs/peers.md` for what it is given.
"""

from __future__ import annotations

import copy
import difflib
import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from shrubs.adapters.row_peer import RowPeer
from shrubs.learners.partial_fit_learner import PartialFitLearner
from shrubs.messages import shown

__all__ = ["check_imported", "imported_learner"]


def imported_learner(path: str, *, regression: bool, seed: int, **options: Any) -> Any:
    """The learner at ``path``: a class, a function that makes one, or a learner to copy.

    The options go to the class or function, and the seed as ``seed`` or ``random_state`` if it
    takes one.
    """
    make = _maker(path, _find(path), options, seed)
    learner = make()
    if hasattr(learner, "learn_one") and hasattr(learner, "predict_one"):
        return learner if hasattr(learner, "memory_bytes") else RowPeer(learner)
    if hasattr(learner, "partial_fit") and hasattr(learner, "predict"):
        return PartialFitLearner(make, regression=regression)
    raise ValueError(
        f"learner {shown(path)} must have learn_one and predict_one, or partial_fit and predict; "
        f"{type(learner).__name__} has neither pair"
    )


def check_imported(path: str, options: Mapping[str, Any]) -> None:
    """Import what is at ``path`` and see whether it takes the options; it is not called."""
    make = _maker(path, _find(path), options, 0)
    signature = _signature(make.func)
    try:
        if signature is not None and make.func is not copy.deepcopy:
            signature.bind(**make.keywords)
    except TypeError as error:
        raise ValueError(f"learner {shown(path)}: {error}") from None


def _find(path: str) -> Any:
    module_name, _, name = path.partition(":")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # whatever the module does when it is run
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ValueError(
            f"learner {shown(path)}: cannot import {shown(module_name)}: {reason}"
        ) from None
    try:
        return functools.reduce(getattr, name.split("."), module)
    except AttributeError:
        nearest = difflib.get_close_matches(name, dir(module), n=1)
        hint = f"; did you mean {shown(nearest[0])}?" if nearest else ""
        raise ValueError(
            f"learner {shown(path)}: {shown(module_name)} has no {shown(name)}{hint}"
        ) from None


def _maker(path: str, found: Any, options: Mapping[str, Any], seed: int) -> functools.partial[Any]:
    if not callable(found):
        if options:
            raise ValueError(f"learner {shown(path)} is made already; it takes no options")
        return functools.partial(copy.deepcopy, found)
    signature = _signature(found)
    known = () if signature is None else signature.parameters
    seeds = {name: seed for name in ("seed", "random_state") if name in known}
    return functools.partial(found, **{**seeds, **options})


def _signature(found: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(found)
    except ValueError:  # not to be had of some built-in classes
        return None
