"""When, where and by which versions runs were done, in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from shrubs.report.units import listed
from shrubs.results import Record

__all__ = ["origin_of"]


def origin_of(records: Iterable[Record]) -> str:
    """What the records say of it; those of a study may come from several days and machines."""
    kept = list(records)
    environments = [record.environment for record in kept]
    text = f"Results of shrubs {listed(_different(r.code_version for r in kept))}"
    days = _different(_values(environments, "date"))
    if days:
        text += f", run on {days[0]}" if len(days) == 1 else f", run from {days[0]} to {days[-1]}"
    machines = _different(_values(environments, "machine"))
    if machines:
        text += f"; {listed(machines, 3)}"
    names = dict.fromkeys(name for each in environments for name in each)
    libraries = [name for name in names if name not in ("date", "machine")]
    versions = [f"{name} {listed(_different(_values(environments, name)))}" for name in libraries]
    return f"{text}; {', '.join(versions)}." if versions else f"{text}."


def _values(environments: Iterable[Mapping[str, str]], name: str) -> Iterator[str]:
    return (each[name] for each in environments if name in each)


def _different(texts: Iterable[str]) -> list[str]:
    return sorted(set(texts))
