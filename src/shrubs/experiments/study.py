"""A study: which learners, with which configurations, on which streams, within which limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from shrubs.experiments.finalists import Finalists, choose_finalists
from shrubs.experiments.job import Job
from shrubs.experiments.registry import STREAMS, check_learner, find_learner, make_stream
from shrubs.experiments.space import Space
from shrubs.messages import shown
from shrubs.protocols import Schema, Stream
from shrubs.results import Record

__all__ = ["Limits", "Method", "Study", "StudyStream"]


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
    max_model_bytes: float = 100 * 1024**2
    max_process_bytes: float = 2 * 1024**3


@dataclass(frozen=True)
class Method:
    """A learner of the registry and the space of its configurations, of which some are drawn.

    ``label`` is what tables call it, by default what the registry does.
    """

    learner: str
    space: Space
    configurations: int = 1
    label: str = ""

    def check(self, schema: Schema) -> None:
        """Check it for such examples, with every value of every range at least once.

        A learner of the registry is made; one at an import path is imported, but not called.
        """
        unknown = self.space.named_in_options() - set(self.space.ranges)
        if unknown:
            known = ", ".join(self.space.ranges) or "none"
            raise ValueError(
                f"options: no range is called {shown(sorted(unknown)[0])}; known are {known}"
            )
        if not find_learner(self.learner).is_installed:
            return
        ranges = self.space.ranges
        for index in range(max((len(values) for values in ranges.values()), default=1)):
            values = {name: [values[index % len(values)]] for name, values in ranges.items()}
            (configuration,) = Space(values, self.space.options).draw(1, key="")
            check_learner(self.learner, schema, configuration)


@dataclass(frozen=True)
class StudyStream:
    """A stream of the registry, or a file under a name, and the options that it is opened with."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None

    @property
    def is_here(self) -> bool:
        """Whether its data are on this machine."""
        return self.file is not None or STREAMS[self.name].remedy() is None

    def schema(self, seed: int) -> Schema:
        """What its examples look like; it is opened to see."""
        if self.file is None:
            return make_stream(self.name, seed=seed, **self.options).schema
        return self._opened.schema

    @property
    def n_unlabelled(self) -> int:
        """How many rows of the file are skipped, as they have no label; it is opened to see."""
        return 0 if self.file is None else int(getattr(self._opened, "n_unlabelled", 0))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What columns of the file look like though they are read as categories."""
        return () if self.file is None else tuple(getattr(self._opened, "doubts", ()))

    @cached_property
    def _opened(self) -> Stream:
        """The file; looking through it takes time, and its seed does not matter."""
        if self.file == "-":
            raise ValueError("a race needs streams that can be read twice, not standard input")
        return make_stream(self.name, file=self.file, **self.options)


@dataclass(frozen=True)
class Study:
    """A study; the labels of all streams come ``delay`` examples late.

    The ``finalists`` are taken from the records of ``earlier`` runs.
    """

    name: str
    methods: tuple[Method, ...]
    streams: tuple[StudyStream, ...]
    limits: Limits = field(default_factory=Limits)
    seeds: tuple[int, ...] = (1,)
    sampling_seed: int = 1
    delay: int = 0
    about: str = ""
    finalists: tuple[Finalists, ...] = ()
    earlier: tuple[Record, ...] = ()

    @property
    def n_runs(self) -> int:
        """How many runs there are at most, here or elsewhere."""
        drawn = sum(min(each.configurations, each.space.size) for each in self.methods)
        chosen = sum(map(len, self._chosen.values()))
        return (drawn * len(self.streams) + chosen) * len(self.seeds)

    def jobs(self) -> list[Job]:
        """All runs that can be done here, each once.

        The first configuration of every method on every stream comes first, then the second: a
        study that is stopped early has something on everything. The fastest finalist is the first.
        """
        here = [(stream, seed) for stream in self.streams if stream.is_here for seed in self.seeds]
        drawn = [self._draw(method, *place) for place in here for method in self._methods_here()]
        chosen = [self._finalists(*place) for place in here]
        ranked = [pair for jobs in (*drawn, *chosen) for pair in enumerate(jobs)]
        ranked.sort(key=lambda pair: pair[0])
        return list({job.run_id: job for _, job in ranked}.values())

    def check(self, streams: Iterable[StudyStream]) -> None:
        """Open the streams and make the learners for them; raises what would go wrong later."""
        for stream in streams:
            schema = stream.schema(self.seeds[0])
            for method in self._methods_here():
                method.check(schema)

    def files(self) -> list[StudyStream]:
        """The streams that are files."""
        return [stream for stream in self.streams if stream.file is not None]

    def skipped(self) -> list[str]:
        """One line for every reason why a part of the study cannot be done here."""
        streams = [stream.name for stream in self.streams if not stream.is_here]
        lines = []
        if streams:
            what_to_do = "set SHRUBS_DATA to their directory; `shrubs streams` says more"
            lines.append(f"{', '.join(streams)}: no data on this machine; {what_to_do}")
        if self.finalists and not self.earlier:
            lines.append("finalists: no earlier runs; --best-of names the directory of a study")
        remedies: dict[str, list[str]] = {}
        for method in self.methods:
            remedy = find_learner(method.learner).remedy
            if remedy is not None:
                remedies.setdefault(remedy, []).append(method.learner)
        return lines + [f"{', '.join(names)}: {remedy}" for remedy, names in remedies.items()]

    def _draw(self, method: Method, stream: StudyStream, seed: int) -> list[Job]:
        key = f"{self.sampling_seed}/{method.learner}/{stream.name}"
        return [
            Job(
                method.learner,
                stream.name,
                configuration,
                stream.options,
                seed,
                self.delay,
                method.label,
                stream.file,
            )
            for configuration in method.space.draw(method.configurations, key=key)
        ]

    def _finalists(self, stream: StudyStream, seed: int) -> list[Job]:
        return [
            Job(
                record.learner,
                stream.name,
                record.configuration,
                stream.options,
                seed,
                self.delay,
                record.label,
                stream.file,
            )
            for record in self._chosen.get(stream.name, ())
        ]

    @cached_property
    def _chosen(self) -> Mapping[str, Sequence[Record]]:
        return choose_finalists(self.finalists, self.earlier)

    def _methods_here(self) -> list[Method]:
        return [method for method in self.methods if find_learner(method.learner).is_installed]
