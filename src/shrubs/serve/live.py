"""What the page shows, once a second, to all who watch: the figures of the report and more."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from shrubs.report.page.shell import COMMON, figure_data
from shrubs.serve.metrics import Metrics
from shrubs.serve.service import Made, Service

__all__ = ["Live"]

MAX_WATCHERS = 16
_SECONDS = 1.0
_RULES = 3  # per prediction
_FEATURES = 12  # per prediction
_DRIFTS = 8
_SHOWN = 6
_EXPLAINED_AT_ONCE = 2  # a large model takes its time


class Live:
    """The state of a service as server-sent events.

    Args:
        service: see `Service`.
        metrics: of its requests.
        ends: whether the service is about to end.
    """

    def __init__(self, service: Service, metrics: Metrics, ends: Callable[[], bool]) -> None:
        self.n_watchers = 0
        self._service, self._metrics, self._ends = service, metrics, ends
        self._lock = asyncio.Lock()
        self._made_at = 0.0
        self._now: dict[str, Any] = {}
        self._figures: tuple[int, dict[str, Any]] = (-1, {})
        self._shown: list[Made] = []
        self._rules: dict[Made, list[tuple[float, str]]] = {}
        self._before = (time.monotonic(), 0, 0)

    async def events(self) -> AsyncIterator[bytes]:
        """Event after event; the figures only where they changed."""
        self.n_watchers += 1
        shown = -1
        try:
            while not self._ends():
                now = await self._state()
                version, figures = self._figures
                changed = {"figures": figures} if version != shown else {}
                shown = version
                yield b"data: %b\n\n" % json.dumps({**now, **changed}, default=str).encode()
                await asyncio.sleep(_SECONDS)
        finally:
            self.n_watchers -= 1

    async def _state(self) -> dict[str, Any]:
        async with self._lock:
            if time.monotonic() - self._made_at >= 0.9 * _SECONDS:
                self._now = await asyncio.to_thread(self._made)
                self._made_at = time.monotonic()
        return self._now

    def _made(self) -> dict[str, Any]:
        service = self._service
        course = service.course
        version = len(course.points) + (course.points[-1].n_examples if course.points else 0)
        if self._figures[0] != version:
            figures, entries = course.figures(service.path.name)
            self._figures = version, {**COMMON, **figure_data(figures, entries)}
        known = course.metrics.values() if course.metrics.n_examples else {}
        return {
            "model": service.path.name,
            "kind": service.kind,
            "target": service.model.target,
            "regression": service.is_regression,
            "trouble": service.trouble,
            "start": course.start,
            "examples": service.n_examples,
            "scores": known,
            "facts": {
                "waiting": service.ledger.n_waiting,
                "bytes": service.memory_bytes,
                "shrubs": service.n_shrubs,
                "keys": service.kept.n_keys,
                **self._rates(),
                **self._latencies(),
            },
            "drifts": [
                {
                    "noticed": shift.noticed,
                    "began": shift.began,
                    "before": shift.before,
                    "after": shift.after,
                    "rule": next(iter(shift.rules_after), ""),
                }
                for shift in list(course.shifts or [])[-_DRIFTS:]
            ],
            "found": course.drifts[-_DRIFTS:],
            "predictions": self._predictions(),
        }

    def _rates(self) -> dict[str, float]:
        counts = self._service.counts
        now = time.monotonic(), counts.predicted, counts.learned
        seconds = max(now[0] - self._before[0], 1e-3)
        rates = [(b - a) / seconds for a, b in zip(self._before[1:], now[1:], strict=True)]
        self._before = now
        return {"predicted": rates[0], "learned": rates[1]}

    def _latencies(self) -> dict[str, float | None]:
        seconds = sorted(self._metrics.latencies)
        if not seconds:
            return {"p50": None, "p99": None}
        return {"p50": seconds[len(seconds) // 2], "p99": seconds[len(seconds) * 99 // 100]}

    def _predictions(self) -> list[dict[str, Any]]:
        """Some of the last ones with their rules, the newest first."""
        last = self._shown[0] if self._shown else None
        made = list(self._service.made)
        new = made[made.index(last) + 1 :] if last in made else made
        for each in new[-_EXPLAINED_AT_ONCE:]:
            votes = self._service.explain(each.x).votes
            self._rules[each] = [(vote.weight, vote.in_words) for vote in votes[:_RULES]]
            self._shown = [each, *self._shown][:_SHOWN]
        self._rules = {each: self._rules[each] for each in self._shown}
        return [
            {
                "x": list(each.x.items())[:_FEATURES],
                "more": max(len(each.x) - _FEATURES, 0),
                "predicted": each.predicted,
                "id": each.id,
                "at": each.n_examples,
                "rules": rules,
            }
            for each, rules in self._rules.items()
        ]
