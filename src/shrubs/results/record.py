"""One finished run as a frozen, versioned record: plain data that any program can read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from typing import Any, Literal

from shrubs.results.checking import check_fields, is_count

__all__ = ["SCHEMA_VERSION", "Failure", "Record"]

SCHEMA_VERSION = 5

Failure = Literal["time", "memory", "crash", "error"]


@dataclass(frozen=True)
class Record:
    """Everything about one run: configuration x stream x seed, and what was measured.

    ``learner`` and ``stream`` are names of the registry; ``label`` is what tables and figures call
    the method, by default the name of its learner. ``trace`` holds columns of equal length:
    ``n_examples``, the metrics, ``memory_bytes``, ``predict_seconds``, ``learn_seconds``.
    ``shrubs`` holds, for every point of the trace, [born, weight] of each living shrub. Accuracy is
    in [0, 1], memory in bytes, time in seconds. ``shifts`` holds what the learner
    told of the drifts it noticed, as `shrubs.evaluation.Shift` has it; None if it tells none.
    ``columns`` says how each feature was read, and ``environment`` when and where: the day, the
    machine and versions, on which no number depends.

    A run that was dropped or broke down has a record too: ``failure`` says why, ``message`` says it
    in words, and the metrics are those known by then, possibly none. "time" and "memory" are limits
    that it exceeded, "crash" is the end of its process, "error" an exception.
    """

    learner: str
    configuration: Mapping[str, Any]
    stream: str
    stream_options: Mapping[str, Any]
    seed: int
    code_version: str
    n_examples: int
    finished: bool
    metrics: Mapping[str, float | None]
    classes: tuple[str, ...] | None = None
    confusion: tuple[tuple[int, ...], ...] | None = None
    known_drifts: tuple[int, ...] = ()
    found_drifts: tuple[int, ...] = ()
    delay: int = 0
    trace: Mapping[str, list[Any]] = field(default_factory=dict, repr=False)
    shrubs: tuple[Any, ...] = field(default=(), repr=False)
    failure: Failure | None = None
    message: str = ""
    label: str = ""
    shifts: tuple[Any, ...] | None = field(default=None, repr=False)
    columns: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION

    def __post_init__(self) -> None:
        if not self.label:  # also in records older than the labels
            object.__setattr__(self, "label", self.learner)

    @property
    def run_id(self) -> str:
        """The same for the same run of the same code, whatever came out of it."""
        parts = ("learner", "configuration", "stream", "stream_options", "seed", "delay")
        key = {name: getattr(self, name) for name in (*parts, "code_version")}
        text = json.dumps(key, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, line: str) -> Record:
        """The record of a line; raises ValueError for anything else."""
        data = _parsed(line)
        if not isinstance(data, dict) or not is_count(data.get("schema_version")):
            raise ValueError("not a record of a run")
        if data["schema_version"] > SCHEMA_VERSION:
            raise ValueError(
                f"written by a newer version of shrubs (schema {data['schema_version']}); upgrade "
                "to read it"
            )
        missing = [item.name for item in fields(cls) if _is_needed(item) and item.name not in data]
        if missing:
            raise ValueError(f"not a record of a run: it has no {missing[0]}")
        try:
            check_fields(data)
        except ValueError as error:
            raise ValueError(f"not a record of a run: {error}") from None
        data["metrics"] = _with_names_of_today(data["metrics"])
        for name in ("classes", "known_drifts", "found_drifts", "shrubs", "shifts"):
            if data.get(name) is not None:
                data[name] = tuple(data[name])
        if data.get("confusion") is not None:
            data["confusion"] = tuple(tuple(row) for row in data["confusion"])
        return cls(**data)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise ValueError("not a line of JSON") from None
    except RecursionError:
        raise ValueError("not a record of a run: it is nested too deeply") from None


def _is_needed(item: Field[Any]) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def _with_names_of_today(metrics: dict[str, Any]) -> dict[str, Any]:
    """The metrics of a record of any schema: one had another name before schema 3."""
    return {name.replace("most_memory", "max_memory"): value for name, value in metrics.items()}
