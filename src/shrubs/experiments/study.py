"""A study: which learners, with which configurations, on which streams, within which limits.

It is read from a TOML file, described in ``docs/study.md``.
"""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shrubs.experiments._fields import Fields
from shrubs.experiments.job import Job
from shrubs.experiments.registry import STREAMS, find_learner, find_stream, make_learner
from shrubs.experiments.space import Space
from shrubs.protocols import Feature, Schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Limits", "Method", "Study", "read_study"]


@dataclass(frozen=True)
class Limits:
    """What a run may take; above any of them it is dropped.

    ``max_seconds`` are seconds of computing, so that a busy machine drops the same runs as an idle
    one; ``max_wall_seconds`` are seconds by the clock, for a run that hangs. ``max_model_bytes`` is
    for the learner by its own count, ``max_process_bytes`` for what its process has grown by in
    resident memory, whatever it is used for.
    """

    max_seconds: float = 7200.0
    max_wall_seconds: float = 4 * 7200.0
    max_model_bytes: int = 100 * 1024**2
    max_process_bytes: int = 2 * 1024**3


@dataclass(frozen=True)
class Method:
    """A learner of the registry and the space of its configurations, of which some are drawn.

    ``label`` is what tables call it, by default what the registry does.
    """

    learner: str
    space: Space
    configurations: int
    label: str = ""


@dataclass(frozen=True)
class Study:
    """A study; ``streams`` are names of the registry with the options that they are made with."""

    name: str
    methods: tuple[Method, ...]
    streams: Mapping[str, Mapping[str, Any]]
    limits: Limits = field(default_factory=Limits)
    seeds: tuple[int, ...] = (1,)
    sampling_seed: int = 1
    about: str = ""

    def jobs(self) -> list[Job]:
        """All runs that can be done here, each once.

        The first configuration of every method on every stream comes first, then the second: a
        study that is stopped early has something on everything.
        """
        ranked = [
            (rank, job)
            for stream in self._streams_here()
            for method in self._methods_here()
            for seed in self.seeds
            for rank, job in enumerate(self._draw(method, stream, seed))
        ]
        ranked.sort(key=lambda pair: pair[0])
        return list({job.run_id: job for _, job in ranked}.values())

    def skipped(self) -> list[str]:
        """One line for every reason why a part of the study cannot be done here."""
        streams = [name for name in self.streams if name not in self._streams_here()]
        lines = []
        if streams:
            what_to_do = "set SHRUBS_DATA to the directory that holds them"
            lines.append(f"{', '.join(streams)}: no data on this machine; {what_to_do}")
        remedies: dict[str, list[str]] = {}
        for method in self.methods:
            remedy = find_learner(method.learner).remedy
            if remedy is not None:
                remedies.setdefault(remedy, []).append(method.learner)
        return lines + [f"{', '.join(names)}: {remedy}" for remedy, names in remedies.items()]

    def _draw(self, method: Method, stream: str, seed: int) -> list[Job]:
        key = f"{self.sampling_seed}/{method.learner}/{stream}"
        drawn = method.space.draw(method.configurations, key=key)
        options = self.streams[stream]
        return [
            Job(method.learner, stream, configuration, options, seed, label=method.label)
            for configuration in drawn
        ]

    def _streams_here(self) -> list[str]:
        return [name for name in self.streams if STREAMS[name].is_available()]

    def _methods_here(self) -> list[Method]:
        return [method for method in self.methods if find_learner(method.learner).is_installed]


def read_study(path: str | os.PathLike[str]) -> Study:
    """Read a study file; a ValueError says what is wrong with it, and where."""
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not TOML: {error}") from None
    fields = Fields(
        table,
        str(path),
        ("name", "about", "seeds", "sampling_seed", "configurations", "limits", "streams",
         "methods"),
    )  # fmt: skip
    configurations = fields.at_least(1, "configurations", "whole number", 50)
    return Study(
        name=_read_name(fields, Path(path).stem),
        about=fields.take("about", "text", ""),
        seeds=tuple(fields.items("seeds", "whole number", [1])),
        sampling_seed=fields.take("sampling_seed", "whole number", 1),
        limits=_read_limits(fields),
        streams=_read_streams(fields),
        methods=tuple(
            _read_method(method, f"{path}, methods[{index}]", configurations)
            for index, method in enumerate(fields.items("methods", "table"))
        ),
    )


def _read_name(fields: Fields, default: str) -> str:
    name: str = fields.take("name", "text", default)
    if not re.fullmatch(r"[\w.-]+", name):  # it becomes the name of a directory
        raise ValueError(
            f"{fields.where}: name must be letters, digits, '_', '-' and '.', got {name!r}"
        )
    return name


def _read_limits(fields: Fields) -> Limits:
    known = [each.name for each in dataclasses.fields(Limits)]
    limits = Fields(fields.take("limits", "table", {}), f"{fields.where}, limits", known)
    given = {key: limits.at_least(1, key, "number") for key in known if key in limits.table}
    if "max_seconds" in given:
        given.setdefault("max_wall_seconds", 4 * given["max_seconds"])
    return Limits(**given)


def _read_streams(fields: Fields) -> dict[str, dict[str, Any]]:
    streams: dict[str, dict[str, Any]] = {}
    for index, table in enumerate(fields.items("streams", "table")):
        where = f"{fields.where}, streams[{index}]"
        group = Fields(table, where, ("names", "n_examples", "one_hot"))
        options: dict[str, Any] = {
            "n_examples": group.at_least(1, "n_examples", "whole number", None)
        }
        if group.take("one_hot", "truth value", False):
            options["one_hot"] = True
        for name in group.items("names", "text"):
            _explain(where, find_stream, name)
            if name in streams:
                raise ValueError(f"{where}: stream {name!r} is listed twice")
            streams[name] = options
    return streams


def _read_method(table: Mapping[str, Any], where: str, configurations: int) -> Method:
    fields = Fields(table, where, ("learner", "label", "configurations", "options", "ranges"))
    learner = fields.take("learner", "text")
    _explain(where, find_learner, learner)
    ranges = fields.take("ranges", "table", {})
    listed = Fields(ranges, f"{where}, ranges", ranges)
    for name in ranges:
        if not listed.take(name, "list"):
            raise ValueError(f"{where}, ranges: {name} must hold at least one value, got []")
    space = Space(ranges, fields.take("options", "table", {}))
    unknown = space.named_in_options() - set(ranges)
    if unknown:
        raise ValueError(
            f"{where}, options: no range is called {sorted(unknown)[0]!r}; known are "
            f"{', '.join(ranges) or 'none'}"
        )
    method = Method(
        learner,
        space,
        fields.at_least(1, "configurations", "whole number", configurations),
        fields.take("label", "text", ""),
    )
    _explain(where, _check_values, method)
    return method


# Any classification: learners check their options when they are made.
_SOME_SCHEMA = Schema((Feature("x"),), ("no", "yes"), ())


def _check_values(method: Method) -> None:
    """Make a learner with every value of every range at least once."""
    if not find_learner(method.learner).is_installed:
        return
    ranges = method.space.ranges
    for index in range(max((len(values) for values in ranges.values()), default=1)):
        values = {name: [values[index % len(values)]] for name, values in ranges.items()}
        (configuration,) = Space(values, method.space.options).draw(1, key="")
        make_learner(method.learner, _SOME_SCHEMA, configuration, 0)


def _explain(where: str, check: Any, value: Any) -> None:
    try:
        check(value)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from None
