"""Saved learners: the core's byte state with the tables inside.

docs/file-format.md describes the bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from shrubs import _core
from shrubs.learners._engine.checks import check_integer
from shrubs.learners._engine.earlier_classes import with_class_of_today
from shrubs.learners._engine.nameless import tables_without_names
from shrubs.learners._engine.parameters import Engine
from shrubs.learners._tables import canonical
from shrubs.learners.contract import Contract
from shrubs.messages import shown

__all__ = [
    "DEFAULT_MAX_BYTES",
    "NO_LIMIT",
    "decode_contract",
    "decode_tables",
    "encode_tables",
    "invalid",
    "load_engine",
    "read_tables",
]

DEFAULT_MAX_BYTES = 2**30
NO_LIMIT = 2**60 - 1
# About ten seconds for 2**30 bytes.
_STEPS_PER_BYTE = 16
# A list of one object, which is the largest for its text.
_BYTES_PER_VALUE = 96
# Objects that go again after loading, and those of a few names.
_PARAMETER_BYTES = 2**16


def read_tables(state: bytes, max_bytes: int) -> dict[str, Any]:
    """The tables of a byte state, if it is one and would not need more than ``max_bytes``."""
    if not isinstance(state, bytes):
        raise TypeError(f"state must be bytes, got {type(state).__name__}")
    check_integer("max_bytes", max_bytes, 1, NO_LIMIT)
    arena, tables = _core.inspect_state(state)
    needed = arena + max(0, _decoded_bytes(tables) - _PARAMETER_BYTES)
    if needed > max_bytes:
        raise ValueError(
            f"this model needs {needed} bytes once loaded, more than max_bytes={max_bytes}; "
            "pass a larger max_bytes if you trust it"
        )
    try:
        decoded = json.loads(tables) if tables else _encoded_parameters(tables_without_names(state))
    except (ValueError, RecursionError):
        raise invalid("its tables are not readable") from None
    if not isinstance(decoded, dict):
        raise invalid("its tables are not readable")
    return with_class_of_today(decoded)


def _encoded_parameters(tables: dict[str, Any]) -> dict[str, Any]:
    return {**tables, "parameters": {k: _encode(v) for k, v in tables["parameters"].items()}}


def load_engine(state: bytes, max_bytes: int) -> Engine:
    """The core's part of a byte state, if its caches can be restored in reasonable time."""
    return _core.load_state(state, _STEPS_PER_BYTE * max_bytes)


def _decoded_bytes(tables: bytes) -> int:
    """Bytes that JSON takes at most as objects: one per mark, and its texts in wide characters."""
    return _BYTES_PER_VALUE * sum(map(tables.count, b"[{,:")) + 4 * len(tables)


def encode_tables(
    learner: str, parameters: Mapping[str, Any], owner: _core.Owner, contract: Contract | None
) -> bytes:
    """Names, categories, labels, parameters and contract as JSON."""
    tables = owner.tables
    names = tables.names()
    described: dict[str, Any] = {
        "learner": learner,
        "parameters": {name: _encode(value) for name, value in parameters.items()},
        "names": None if names is None else [_encode(name) for name in names],
        "categories": [
            None if known is None else [_encode(category) for category in known]
            for known in tables.categories()
        ],
        "classes": [_encode(label) for label in tables.labels()],
    }
    crowd = tables.crowd()
    if crowd != _core.Tables().crowd():
        described["crowd"] = _encode(crowd)
    if tables.once:
        described["once"] = tables.once
    if owner.n_fractions:
        described["fractions"] = owner.n_fractions
    if contract is not None:
        described["contract"] = contract.encoded()
    return json.dumps(described, separators=(",", ":"), allow_nan=False).encode()


def decode_tables(
    described: Mapping[str, Any], engine: Engine
) -> tuple[dict[str, Any], _core.Tables, int]:
    """The reverse: parameters, tables and fractions of weights, checked against the engine."""
    try:
        parameters = {name: _decode(value) for name, value in described["parameters"].items()}
        names = described["names"]
        tables = _core.Tables(
            None if names is None else [_decode(name) for name in names],
            engine.nominal,
            [
                None if known is None else [_decode(category) for category in known]
                for known in described["categories"]
            ],
            [_decode(label) for label in described["classes"]],
        )
        if "crowd" in described:
            tables.restore(_decode(described["crowd"]))
        tables.once = described.get("once", [])
        n_fractions = described.get("fractions", 0)
        check_integer("fractions", n_fractions, 0, 2**63)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        raise invalid("its tables are not complete") from None
    if tables.n_classes != engine.n_classes:
        raise invalid("its tables do not fit its shrubs")
    return parameters, tables, n_fractions


def decode_contract(described: Mapping[str, Any]) -> Contract | None:
    """The contract of a model; None if it has none."""
    try:
        return Contract.decoded(described["contract"]) if "contract" in described else None
    except ValueError as error:
        raise invalid(str(error)) from None


def invalid(reason: str) -> ValueError:
    """The error for a state that contradicts itself."""
    return ValueError(f"this saved model is invalid: {reason}")


def _encode(value: Any) -> Any:
    """JSON for names, labels and parameters: plain values as they are, others by their kind."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | bytes):
        return {"float" if isinstance(value, float) else "bytes": value.hex()}
    if isinstance(value, set | frozenset):
        return {"set": [_encode(item) for item in canonical(value)]}
    if isinstance(value, dict):
        return {"dict": [_encode(item) for item in value.items()]}
    if isinstance(value, Sequence):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_encode(item) for item in value]}
    if hasattr(value, "item"):
        return _encode(value.item())
    raise ValueError(
        f"{shown(value)} cannot be saved: names and labels must be texts, numbers, booleans, bytes "
        "or tuples and sets of those"
    )


_KINDS = {"tuple": tuple, "list": list, "set": frozenset, "dict": dict}


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
