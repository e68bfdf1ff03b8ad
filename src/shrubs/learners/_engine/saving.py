"""Saved learners: the core's byte state with the tables inside.

docs/file-format.md describes the bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from shrubs import _core
from shrubs.learners._engine.earlier_classes import with_class_of_today
from shrubs.learners._engine.parameters import Engine
from shrubs.learners._tables import Classes, Features, canonical

__all__ = [
    "DEFAULT_MAX_BYTES",
    "decode_tables",
    "encode_tables",
    "invalid",
    "read_tables",
]

DEFAULT_MAX_BYTES = 2**30


def read_tables(state: bytes, max_bytes: int) -> dict[str, Any]:
    """The tables of a byte state, if it is one and would not need more than ``max_bytes``."""
    if not isinstance(state, bytes):
        raise TypeError(f"state must be bytes, got {type(state).__name__}")
    needed, tables = _core.inspect_state(state)
    if needed > max_bytes:
        raise ValueError(
            f"this model needs {needed} bytes once loaded, more than max_bytes={max_bytes}; "
            "pass a larger max_bytes if you trust it"
        )
    try:
        decoded = json.loads(tables)
    except (ValueError, RecursionError):
        raise invalid("its tables are not readable") from None
    if not isinstance(decoded, dict):
        raise invalid("its tables are not readable")
    return with_class_of_today(decoded)


def encode_tables(
    learner: str, parameters: Mapping[str, Any], features: Features, classes: Classes
) -> bytes:
    """Names, categories, labels and parameters as JSON."""
    tables = {
        "learner": learner,
        "parameters": {name: _encode(value) for name, value in parameters.items()},
        "names": None if features.names is None else [_encode(name) for name in features.names],
        "categories": [
            None if table is None else [_encode(category) for category in table]
            for table in features.categories
        ],
        "classes": [_encode(label) for label in classes.labels],
    }
    return json.dumps(tables, separators=(",", ":"), allow_nan=False).encode()


def decode_tables(
    tables: Mapping[str, Any], engine: Engine
) -> tuple[dict[str, Any], Features, Classes]:
    """The reverse, checked against the engine."""
    try:
        parameters = {name: _decode(value) for name, value in tables["parameters"].items()}
        names = tables["names"]
        if names is not None:
            names = {_decode(name): None for name in names}
        categories = tuple(
            None if table is None else {_decode(value): code for code, value in enumerate(table)}
            for table in tables["categories"]
        )
        classes = Classes(tuple(_decode(label) for label in tables["classes"]))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        raise invalid("its tables are not complete") from None
    lengths = (len(categories), len(classes), len(classes.indices))
    tabled = [table is not None for table in categories]
    if (
        lengths != (engine.n_features, engine.n_classes, engine.n_classes)
        or (names is not None and len(names) != engine.n_features)
        or any(has > kind for has, kind in zip(tabled, engine.nominal, strict=False))
    ):
        raise invalid("its tables do not fit its shrubs")
    columns = None if names is None else {name: column for column, name in enumerate(names)}
    return parameters, Features(columns, engine.nominal, categories), classes


def invalid(reason: str) -> ValueError:
    """The error for a state that contradicts itself."""
    return ValueError(f"this saved model is invalid: {reason}")


def _encode(value: Any) -> Any:
    """JSON for names, labels and parameters: plain values as they are, others by their kind."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, set | frozenset):
        return {"set": [_encode(item) for item in canonical(value)]}
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_encode(item) for item in value]}
    if hasattr(value, "item"):
        return _encode(value.item())
    raise ValueError(
        f"{value!r} cannot be saved: names and labels must be texts, numbers, booleans, bytes or "
        "tuples and sets of those; pickle keeps any label"
    )


_KINDS = {"tuple": tuple, "list": list, "set": frozenset}


def _decode(value: Any) -> Any:
    if not isinstance(value, dict):
        if isinstance(value, list):
            raise ValueError("a list without its kind")
        return value
    ((kind, content),) = value.items()
    if kind == "float":
        return float.fromhex(content)
    if kind == "bytes":
        return bytes.fromhex(content)
    return _KINDS[kind](_decode(item) for item in content)
