"""A race: a small study made from arguments, with one configuration of every learner."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from shrubs.experiments._fields import suggest
from shrubs.experiments.registry import LEARNERS, find_learner, find_stream, is_file
from shrubs.experiments.settings import read_setting
from shrubs.experiments.space import Space
from shrubs.experiments.study import Limits, Method, Study, StudyStream
from shrubs.messages import shown
from shrubs.streams.files import stream_name

__all__ = ["choose_stream", "make_race"]


@dataclass(frozen=True)
class _Racer:
    """``name`` is what settings call it: its label if it has one, else its learner."""

    name: str
    learner: str
    label: str
    options: dict[str, Any] = field(default_factory=dict)


def choose_stream(
    text: str,
    *,
    n_examples: int | None,
    one_hot: bool,
    weight: str | None = None,
    **file_options: Any,
) -> StudyStream:
    """The stream that a person means: a name of the registry, a file, or ``-``.

    ``weight`` is the column that holds weights, if any. ``file_options`` are ``target``,
    ``nominal``, ``task`` and ``file_format``; those not given are left out.
    """
    options: dict[str, Any] = {"n_examples": n_examples}
    if one_hot:
        options["one_hot"] = True
    if weight is not None:
        options["weight"] = weight
    if not is_file(text):
        return StudyStream(find_stream(text).name, options)
    given = {name: value for name, value in file_options.items() if value}
    return StudyStream(stream_name(text), {**options, **given}, text)


def make_race(
    streams: Iterable[StudyStream],
    learners: Sequence[str] = (),
    settings: Iterable[str] = (),
    *,
    seed: int = 1,
    delay: int = 0,
    max_seconds: float = math.inf,
    max_memory: float = math.inf,
) -> Study:
    """A race of ``learners`` over ``streams``; raises ValueError for what cannot run.

    Args:
        streams: read once to see whether the learners take them.
        learners: names of the registry, or ``label=name``; by default those of a default race that
            are installed and take all streams.
        settings: ``learner.name=value`` each, the learner by its label if it has one.
        seed: of the streams and the learners.
        delay: labels come this many examples late.
        max_seconds: of computing, for each run.
        max_memory: bytes of each learner, by its own count.
    """
    streams = tuple(_distinct(streams))
    regression = any(stream.schema(seed).classes is None for stream in streams)
    racers = _read_racers(learners or _default_racers(regression))
    _apply(settings, racers)
    race = Study(
        "race",
        tuple(Method(r.learner, Space(options=r.options), label=r.label) for r in racers.values()),
        streams,
        Limits(max_seconds, 4 * max_seconds, max_memory, math.inf),
        seeds=(seed,),
        delay=delay,
    )
    _refuse_missing(racers.values())
    race.check(streams)
    _refuse_twins(racers.values())
    return race


def _distinct(streams: Iterable[StudyStream]) -> Iterable[StudyStream]:
    seen: set[str] = set()
    for stream in streams:
        if stream.name in seen:
            remedy = "" if stream.file is None else "; rename one of the files"
            raise ValueError(f"stream {shown(stream.name)} is given twice{remedy}")
        seen.add(stream.name)
        yield stream


def _default_racers(regression: bool) -> list[str]:
    return [
        entry.name
        for entry in LEARNERS.values()
        if entry.in_default_race and entry.is_installed and (entry.regression or not regression)
    ]


def _read_racers(learners: Sequence[str]) -> dict[str, _Racer]:
    racers: dict[str, _Racer] = {}
    for text in learners:
        label, _, learner = text.rpartition("=")
        name = label or learner
        if name in racers:
            raise ValueError(
                f"learner {shown(name)} is given twice; give one a label, as in other={learner}"
            )
        racers[name] = _Racer(name, learner, label or find_learner(learner).label)
    return racers


def _apply(settings: Iterable[str], racers: dict[str, _Racer]) -> None:
    form = "LEARNER.NAME=VALUE in a race"
    for text in settings:
        place, value = read_setting(text, form)
        racer, _, name = place.rpartition(".")
        if not (racer and name):
            raise ValueError(f"--set takes {form}, got {shown(text)}")
        if racer not in racers:
            known = f"{suggest(racer, racers)} known are {', '.join(racers)}"
            raise ValueError(f"--set {text}: no learner {shown(racer)} is in this race{known}")
        racers[racer].options[name] = value


def _refuse_missing(racers: Iterable[_Racer]) -> None:
    for racer in racers:
        remedy = find_learner(racer.learner).remedy
        if remedy is not None:
            raise ValueError(f"learner {shown(racer.learner)} is not installed: {remedy}")


def _refuse_twins(racers: Iterable[_Racer]) -> None:
    """Two learners under one label, or one learner twice, could not be told apart."""
    labels: dict[str, str] = {}
    runs: dict[str, str] = {}
    for racer in racers:
        for seen, key in ((labels, racer.label), (runs, f"{racer.learner} {racer.options}")):
            other = seen.setdefault(key, racer.name)
            if other != racer.name:
                raise ValueError(
                    f"{shown(other)} and {shown(racer.name)} are the same; give one another label, "
                    "or other options with --set"
                )
