"""What a service tells Prometheus, and the latencies of its last requests."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.registry import Collector

from shrubs.serve.service import Service

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_PATHS = ("/predict", "/learn", "/explain", "/snapshot", "/health", "/metrics", "/events", "/")
_TIMED = ("/predict", "/learn", "/explain")
_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Metrics(Collector):
    """Counts requests, and reads the rest from the service when it is asked; for one thread."""

    def __init__(self, service: Service) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(self)
        self._registry.register(_Figures(service))
        self._requests: dict[tuple[str, int], int] = {}
        self._buckets = {path: [0] * (len(_SECONDS) + 1) for path in _TIMED}
        self._sums = dict.fromkeys(_TIMED, 0.0)
        self.latencies: deque[float] = deque(maxlen=1000)
        """Seconds that the last requests took which ask or teach the model."""

    def measured(self, path: str, status: int, seconds: float) -> None:
        """Take in a request."""
        path = path if path in _PATHS else "other"
        self._requests[path, status] = self._requests.get((path, status), 0) + 1
        if path in self._sums:
            self._buckets[path][bisect_left(_SECONDS, seconds)] += 1
            self._sums[path] += seconds
            self.latencies.append(seconds)

    def collect(self) -> Iterable[CounterMetricFamily | HistogramMetricFamily]:
        """See prometheus_client."""
        requests = CounterMetricFamily("shrubs_requests", "Requests.", labels=["path", "status"])
        for (path, status), n in self._requests.items():
            requests.add_metric([path, str(status)], n)
        yield requests
        seconds = HistogramMetricFamily(
            "shrubs_request_seconds", "Seconds that requests took.", labels=["path"]
        )
        bounds = [*map(str, _SECONDS), "+Inf"]
        for path, counts in self._buckets.items():
            found = list(zip(bounds, accumulate(counts), strict=True))
            seconds.add_metric([path], found, self._sums[path])
        yield seconds

    def text(self) -> bytes:
        """All of them, as Prometheus reads it."""
        return generate_latest(self._registry)


class _Figures(Collector):
    """What the service knows itself."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterable[CounterMetricFamily | GaugeMetricFamily]:
        """See prometheus_client."""
        for name, (text, read) in _COUNTERS.items():
            yield CounterMetricFamily(name, text, read(self._service))
        for name, (text, read) in _GAUGES.items():
            value = read(self._service)
            if value is not None:
                yield GaugeMetricFamily(name, text, value)


_Read = Callable[[Service], float | None]

_COUNTERS: dict[str, tuple[str, _Read]] = {
    "shrubs_predicted": ("Rows predicted.", lambda s: s.counts.predicted),
    "shrubs_learned": ("Labels learned since the start.", lambda s: s.counts.learned),
    "shrubs_repeated": ("Labels that came again and were not.", lambda s: s.counts.repeated),
    "shrubs_expired": ("Rows whose labels did not come in time.", lambda s: s.ledger.n_expired),
    "shrubs_syncs": ("Times that labels were made safe.", lambda s: s.counts.synced),
    "shrubs_sync_seconds": ("Seconds that this took.", lambda s: s.counts.sync_seconds),
    "shrubs_saves": ("Times that the model was saved.", lambda s: s.counts.saved),
    "shrubs_failed_saves": ("Times that it could not be.", lambda s: s.counts.not_saved),
    "shrubs_drifts": ("Drifts noticed since the start.", lambda s: len(s.course.drifts)),
}


def _score(name: str) -> _Read:
    return lambda s: s.course.metrics.values().get(name) if s.course.metrics.n_examples else None


_GAUGES: dict[str, tuple[str, _Read]] = {
    "shrubs_examples_seen": ("Examples that the model has seen.", lambda s: s.n_examples),
    "shrubs_memory_bytes": ("Bytes of the model.", lambda s: s.memory_bytes),
    "shrubs_members": ("Shrubs of the model.", lambda s: s.n_shrubs),
    "shrubs_keys": ("Keys that have a model.", lambda s: s.kept.n_keys),
    "shrubs_waiting_rows": ("Rows that wait for labels.", lambda s: s.ledger.n_waiting),
    "shrubs_log_bytes": ("Bytes of the log.", lambda s: s.ledger.log.n_bytes),
    "shrubs_recent_accuracy": ("Right among the last 1,000.", _score("windowed_accuracy")),
    "shrubs_accuracy": ("Right since the start.", _score("accuracy")),
    "shrubs_recent_error": ("Mean error of the last 1,000.", _score("windowed_mae")),
    "shrubs_error": ("Mean error since the start.", _score("mae")),
}
