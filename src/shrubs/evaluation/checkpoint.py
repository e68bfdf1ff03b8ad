"""What an evaluation resumes from, as a file of data: reading it runs nothing.

The file is a line with its digest, then one line of JSON. Bytes in it are base64 texts.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shrubs.atomic_file import write_atomically
from shrubs.evaluation.evaluation import Evaluation
from shrubs.evaluation.metrics import ClassificationMetrics
from shrubs.evaluation.shifts import Shift
from shrubs.evaluation.trace import Point
from shrubs.messages import shown
from shrubs.protocols import Block

__all__ = ["Checkpoint", "KeptLearner"]

_MAGIC = b"shrubs checkpoint 2"
_MAX_WHOLE = 2**53

_Kept = TypeVar("_Kept")


@runtime_checkable
class KeptLearner(Protocol):
    """A learner that a checkpoint can hold, because its state is bytes and no code."""

    def to_bytes(self) -> bytes:
        """The byte state."""

    @classmethod
    def from_bytes(cls, state: bytes) -> Any:
        """The learner of a byte state; raises ValueError if it is none."""


@dataclass(frozen=True)
class Checkpoint:
    """Where an evaluation stands; ``settings`` are what it must resume with."""

    settings: Mapping[str, Any]
    evaluation: Evaluation
    pending: Block
    learner: bytes

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        evaluation, shifts = self.evaluation, self.evaluation.shifts
        content = {
            "settings": dict(self.settings),
            "evaluation": {
                **vars(evaluation),
                "metrics": vars(evaluation.metrics),
                "detector": vars(evaluation.detector),
                "trace": [asdict(point) for point in evaluation.trace],
                "shifts": None if shifts is None else [asdict(shift) for shift in shifts],
            },
            "X": _text(self.pending.X),
            "y": _text(self.pending.y),
            "learner": base64.b64encode(self.learner).decode(),
        }
        data = json.dumps(content, default=_as_list, separators=(",", ":")).encode()
        write_atomically(path, _MAGIC + b" " + _digest(data) + b"\n" + data)

    @classmethod
    def read(cls, path: Path, *, like: Checkpoint) -> Checkpoint:
        """The checkpoint of a file, for an evaluation that begins as ``like``.

        Raises ValueError, which names the file, if it is none, is damaged, or is of another run.
        """
        content = _content(path)
        _check_settings(path, content.get("settings"), like.settings)
        try:
            evaluation = _evaluation(content["evaluation"], like.evaluation)
            pending = _pending(content, like.pending, evaluation)
            learner = base64.b64decode(content["learner"], validate=True)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            raise ValueError(
                f"{path} is no checkpoint of this run: its values do not fit"
            ) from None
        return cls(like.settings, evaluation, pending, learner)


def _content(path: Path) -> dict[str, Any]:
    head, _, data = path.read_bytes().partition(b"\n")
    if not head.startswith(_MAGIC[:-1]):
        raise ValueError(f"{path} is no checkpoint of shrubs; choose another file")
    if not head.startswith(_MAGIC + b" "):
        raise ValueError(f"{path} is a checkpoint of another version of shrubs")
    if head != _MAGIC + b" " + _digest(data):
        raise ValueError(f"{path} is a damaged checkpoint; remove it to begin again")
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ValueError(f"{path} is a damaged checkpoint; remove it to begin again")
    return content


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _check_settings(path: Path, there: Any, here: Mapping[str, Any]) -> None:
    there = there if isinstance(there, dict) else {}
    for name in {**here, **there}:
        if there.get(name) != here.get(name):
            before, now = shown(there.get(name)), shown(here.get(name))
            raise ValueError(f"{path} was written with {name}={before}, not {now}")


def _evaluation(data: Any, like: Evaluation) -> Evaluation:
    metrics = _filled(like.metrics, data["metrics"])
    if not metrics.is_consistent():
        raise ValueError
    names = metrics.values().keys()
    return Evaluation(
        metrics,
        detector=_filled(like.detector, data["detector"]),
        trace=[_point(point, names) for point in data["trace"]],
        drifts=[_value(0, position) for position in data["drifts"]],
        shifts=data["shifts"] and [_shift(shift) for shift in data["shifts"]],
        predict_seconds=_value(0.0, data["predict_seconds"]),
        learn_seconds=_value(0.0, data["learn_seconds"]),
        measuring_seconds=_value(0.0, data["measuring_seconds"]),
        n_fractions=_value(0, data["n_fractions"]),
        finished=_value(False, data["finished"]),
    )


def _point(data: Any, names: Any) -> Point:
    if data["metrics"].keys() != names:
        raise ValueError
    metrics = {k: None if v is None else _value(0.0, v) for k, v in data["metrics"].items()}
    shrubs = tuple((_value(0, born), _value(0.0, weight)) for born, weight in data["shrubs"])
    return Point(
        _value(0, data["n_examples"]),
        metrics,
        _value(0, data["memory_bytes"]),
        _value(0.0, data["predict_seconds"]),
        _value(0.0, data["learn_seconds"]),
        shrubs,
    )


def _shift(data: Any) -> Shift:
    return Shift(
        noticed=_value(1, data["noticed"]),
        began=_value(1, data["began"]),
        probability=_value(0.0, data["probability"]),
        before=_shares(data["before"]),
        after=_shares(data["after"]),
        rules_before=tuple(_value("", rule) for rule in data["rules_before"]),
        rules_after=tuple(_value("", rule) for rule in data["rules_after"]),
    )


def _shares(data: Any) -> dict[str, float]:
    return {_value("", name): _value(0.0, share) for name, share in data.items()}


def _pending(content: Any, like: Block, evaluation: Evaluation) -> Block:
    y = _array(content["y"], like.y.dtype)
    X = _array(content["X"], like.X.dtype).reshape(len(y), like.X.shape[1])
    metrics = evaluation.metrics
    if isinstance(metrics, ClassificationMetrics):
        if len(y) and not 0 <= y.min() <= y.max() < len(metrics.confusion):
            raise ValueError
    elif not np.isfinite(y).all():
        raise ValueError
    return Block(X, y)


def _filled(form: _Kept, data: Any) -> _Kept:
    """An object like ``form``, with the values of ``data``."""
    if data.keys() != vars(form).keys():
        raise ValueError
    filled = copy.copy(form)
    for name, value in vars(form).items():
        setattr(filled, name, _value(value, data[name]))
    return filled


def _value(form: Any, value: Any) -> Any:
    """The value, if it is of the same kind as ``form``, and no smaller if it counts."""
    if isinstance(form, np.ndarray):
        array = np.array(value, dtype=form.dtype)
        if array.ndim != form.ndim:
            raise ValueError
        return array
    if type(value) is not type(form):
        raise TypeError
    if type(value) is int and not form <= value < _MAX_WHOLE:
        raise ValueError
    return value


def _as_list(array: NDArray[Any]) -> Any:
    return array.tolist()


def _text(array: NDArray[Any]) -> str:
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return base64.b64encode(little.tobytes()).decode()


def _array(text: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    data = base64.b64decode(text, validate=True)
    return np.frombuffer(data, dtype.newbyteorder("<")).astype(dtype)
