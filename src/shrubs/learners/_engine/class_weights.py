"""Weights of classes, which multiply their probabilities and change no learning."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from shrubs import _core
from shrubs.learners._tables import is_missing, plain_label
from shrubs.messages import shown

__all__ = [
    "ClassWeight",
    "check_class_weight",
    "check_weights_of",
    "weigh_classes",
]

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Hashable, float] | None

_SMALLEST, _LARGEST = 1e-9, 1e9


def check_class_weight(value: Any) -> None:
    """Raise unless ``value`` says how classes are weighed."""
    if value is None or (isinstance(value, str) and value == "balanced"):
        return
    if not isinstance(value, dict) or not value:
        error = TypeError if not isinstance(value, dict | str) else ValueError
        raise error(
            "class_weight must be None, 'balanced' or a dict with the weight of each label, got "
            f"{shown(value)}"
        )
    for label, weight in value.items():
        if is_missing(label) or not _core.is_plain(plain_label(label)):
            raise TypeError(f"class_weight must have labels as keys, got {shown(label)}")
        is_number = isinstance(weight, numbers.Real) and not isinstance(weight, bool)
        if not is_number or not _SMALLEST <= weight <= _LARGEST:
            error = ValueError if is_number else TypeError
            raise error(
                f"class_weight[{shown(label)}] must be a number from {_SMALLEST:g} to "
                f"{_LARGEST:g}, got {shown(weight)}"
            )


def check_weights_of(
    class_weight: ClassWeight, labels: Sequence[Hashable], *, are_all: bool = False
) -> None:
    """Raise for a label without a weight, and if they ``are_all``, for a weight without a label."""
    if not isinstance(class_weight, dict):
        return
    known = dict.fromkeys(labels)
    for label in known:
        if label not in class_weight:
            raise ValueError(
                "class_weight must have a weight for every label, but it has none for "
                f"{shown(label)}: {shown(class_weight)}"
            )
    for label in class_weight if are_all else ():
        if label not in known:
            raise ValueError(
                f"class_weight must name labels that there are, but {shown(label)} is not among "
                f"{shown(list(known))}"
            )


def weigh_classes(owner: _core.Owner) -> None:
    """Tell the engine of the weights of its classes, which may have changed."""
    engine, class_weight = owner.engine, owner.parameters.class_weight
    if engine is None or class_weight is None:
        return
    if isinstance(class_weight, dict):
        engine.weigh_classes([float(class_weight[label]) for label in owner.tables.labels()])
    else:
        engine.balance_classes()
