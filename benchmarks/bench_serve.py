"""What a service adds to the server it runs on, and whether it stays as fast.

Single requests against the same server with an empty handler; rows in batches against rows in
single requests; then a mixture of requests for a while: 99th percentiles and memory by the minute.
Rates are per second of the server's CPU time, so that others on the machine count for little, and
by the clock, where the one client has its share.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import multiprocessing
import random
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
from results_file import write_results

from shrubs.keyed.keyed_model import KeyedModelFile
from shrubs.live import Model

HOST = "127.0.0.1"
FEATURES = 8
CONNECTIONS = 32
LATE = 2000  # rows after which a label comes
LOST = 20_000  # rows after which none comes any more: fewer than the service remembers
BATCH = 1000
KEY = "device"
JSON, LINES = "application/json", "application/x-ndjson"


def run_service(path: Path, pipe: Any, key: str | None = None) -> None:
    """A service in a process of its own."""
    from shrubs.serve.guard import Limits
    from shrubs.serve.ledger import Bounds
    from shrubs.serve.server import bind, serve
    from shrubs.serve.service import Service

    listening = bind(HOST, 0)
    pipe.send(listening.getsockname()[1])
    service = Service(path, key=key, bounds=Bounds(max_waiting=20_000), save_every=10.0)
    serve(service, listening, Limits())


def run_keyed(path: Path, pipe: Any) -> None:
    """A service with a model per key."""
    run_service(path, pipe, KEY)


def run_empty(path: Path, pipe: Any) -> None:
    """The same server, with a handler that answers and does nothing."""
    import uvicorn
    from fastapi import FastAPI, Response

    from shrubs.serve.server import Protocol, bind

    app = FastAPI()

    @app.post("/predict")
    async def predict() -> Response:
        return Response(b'{"prediction":"yes"}', media_type=JSON)

    listening = bind(HOST, 0)
    pipe.send(listening.getsockname()[1])
    config = uvicorn.Config(app, http=Protocol, log_level="error", access_log=False)
    uvicorn.Server(config).run(sockets=[listening])


class Process:
    """A server under load."""

    def __init__(self, target: Callable[[Path, Any], None], path: Path) -> None:
        ours, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=target, args=(path, theirs))
        self._process.start()
        self.port: int = ours.recv()
        self.watched = psutil.Process(self._process.pid)

    def cpu(self) -> float:
        """Seconds that it worked."""
        times = self.watched.cpu_times()
        return float(times.user + times.system)

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.join()


def rows(seed: int, n_keys: int = 0) -> Iterator[tuple[dict[str, Any], str]]:
    """Rows and labels."""
    draw = random.Random(seed)
    while True:
        x: dict[str, Any] = {f"f{i}": round(draw.random(), 4) for i in range(FEATURES)}
        if n_keys:
            x[KEY] = f"device {draw.randrange(n_keys)}"
        yield x, "yes" if x["f0"] + x["f1"] > 1 else "no"


def request(path: str, body: bytes, kind: str = JSON) -> bytes:
    """The bytes of a request."""
    head = f"POST {path} HTTP/1.1\r\nhost: {HOST}\r\ncontent-type: {kind}\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


def one(path: str, data: Any) -> bytes:
    """A request with one row."""
    return request(path, json.dumps(data).encode())


def many(path: str, data: list[Any]) -> bytes:
    """A request with many."""
    return request(path, "".join(json.dumps(each) + "\n" for each in data).encode(), LINES)


async def answer(reader: asyncio.StreamReader) -> None:
    """Read an answer; it must be a good one."""
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    await reader.readexactly(length)


async def load(
    port: int, requests: Iterator[bytes], until: Callable[[], bool], n_connections: int
) -> list[float]:
    """Send requests over several connections; returns the seconds that each took."""
    taken: list[float] = []

    async def client() -> None:
        reader, writer = await asyncio.open_connection(HOST, port)
        while not until():
            start = time.perf_counter()
            writer.write(next(requests))
            await answer(reader)
            taken.append(time.perf_counter() - start)
        writer.close()

    await asyncio.gather(*(client() for _ in range(n_connections)))
    return taken


def rate(process: Process, requests: Iterator[bytes], seconds: float, n: int = CONNECTIONS) -> Any:
    """Requests per second of the server's CPU time and by the clock, and the seconds of each."""
    start, before = time.perf_counter(), process.cpu()
    end = start + seconds
    taken = asyncio.run(load(process.port, requests, lambda: time.perf_counter() > end, n))
    worked, passed = process.cpu() - before, time.perf_counter() - start
    return len(taken) / worked, len(taken) / passed, sorted(taken)


class Requests:
    """What clients send, without end."""

    def __init__(self, n_keys: int) -> None:
        start = time.time()
        self._rows = rows(1, n_keys)
        self._ids = (f"row {i} since {start}" for i in itertools.count())
        self._waiting: deque[tuple[str, str]] = deque(maxlen=LOST)
        self.kinds = {
            "predict": self._predicted(),
            "predict and remember": self._remembered(),
            "label": self._labelled(),
            "learn": self._learned(),
            "predict in batches": self._predicted_many(),
            "learn in batches": self._learned_many(),
        }

    def _predicted(self) -> Iterator[bytes]:
        for x, _ in self._rows:
            yield one("/predict", {"x": x})

    def _remembered(self) -> Iterator[bytes]:
        for (x, y), row_id in zip(self._rows, self._ids, strict=True):
            self._waiting.append((row_id, y))
            yield one("/predict", {"x": x, "id": row_id})

    def _labelled(self) -> Iterator[bytes]:
        """Labels of rows that were predicted a while ago."""
        while True:
            while len(self._waiting) < LATE:
                yield next(self.kinds["predict and remember"])
            row_id, y = self._waiting.popleft()
            yield one("/learn", {"id": row_id, "y": y})

    def _learned(self) -> Iterator[bytes]:
        for x, y in self._rows:
            yield one("/learn", {"x": x, "y": y})

    def _predicted_many(self) -> Iterator[bytes]:
        batch = many("/predict", [{"x": x} for x, _ in itertools.islice(self._rows, BATCH)])
        yield from itertools.repeat(batch)

    def _learned_many(self) -> Iterator[bytes]:
        while True:
            batch = itertools.islice(self._rows, BATCH)
            yield many("/learn", [{"x": x, "y": y} for x, y in batch])

    def mixture(self) -> Iterator[bytes]:
        """Twelve single predictions to four labels, and a batch now and then."""
        shares = {"predict": 10, "learn": 2, "predict and remember": 2, "label": 2}
        cycle = [name for name, n in shares.items() for _ in range(n)]
        while True:
            for name in cycle * 50:
                yield next(self.kinds[name])
            yield next(self.kinds["predict in batches"])


def percentile(taken: list[float], share: float) -> float:
    """In milliseconds."""
    return 1000 * taken[min(int(share * len(taken)), len(taken) - 1)]


def compare(
    service: Process, empty: Process, seconds: float, n_keys: int
) -> dict[str, list[float]]:
    """Every kind of request against the empty handler, in turns; the best of three."""
    kinds = Requests(n_keys).kinds
    nothing = itertools.repeat(one("/predict", {"x": next(rows(1))[0]}))
    rates: dict[str, list[float]] = {}
    for _ in range(3):
        for name, requests in {"empty": nothing, **kinds}.items():
            in_batches = "batches" in name
            server = empty if name == "empty" else service
            n_connections = 2 if in_batches else CONNECTIONS
            found = rate(server, requests, seconds, n_connections)[:2]
            known = rates.setdefault(name, [0.0, 0.0])
            factor = BATCH if in_batches else 1
            rates[name] = [max(a, factor * b) for a, b in zip(known, found, strict=True)]
    for name, found in rates.items():
        than = name.split()[0] if "batches" in name else "empty"
        cpu, clock = (a / b for a, b in zip(found, rates[than], strict=True))
        print(
            f"{name:22} {found[0]:9,.0f} rows per CPU second, {found[1]:9,.0f} by the clock: "
            f"{cpu:.2f} and {clock:.2f} times {than}"
        )
    return rates


def endure(service: Process, minutes: float, n_keys: int) -> list[dict[str, float]]:
    """A mixture of requests; percentiles and memory by the minute (or the tenth of it all)."""
    requests, found = Requests(n_keys).mixture(), []
    step = min(60.0, 6 * minutes)
    for i in range(round(60 * minutes / step)):
        *_, taken = rate(service, requests, step)
        megabytes = service.watched.memory_info().rss / 2**20
        found.append(
            {
                "seconds": (i + 1) * step,
                "requests": len(taken) / step,
                "p50": percentile(taken, 0.5),
                "p99": percentile(taken, 0.99),
                "megabytes": megabytes,
            }
        )
        print(
            f"{(i + 1) * step:6.0f} s  {len(taken) / step:8,.0f} requests/s  half below "
            f"{found[-1]['p50']:6.2f} ms, 99 % below {found[-1]['p99']:6.2f} ms  {megabytes:.1f} MB"
        )
    return found


def missed(rates: dict[str, list[float]], course: list[dict[str, float]]) -> list[str]:
    """The targets that were missed, in words."""
    half = len(course) // 2
    first, second = course[:half], course[half:]
    worst = [max(minute["p99"] for minute in part) for part in (first, second)]
    most = [max(minute["megabytes"] for minute in part) for part in (first, second)]
    targets = {
        **{
            f"half as many as the empty handler: {name}": rates[name][0] >= rates["empty"][0] / 2
            for name in ("predict", "predict and remember", "label", "learn")
        },
        **{
            f"20 times as many rows in batches, {of}": (
                rates["predict in batches"][i] >= 20 * rates["predict"][i]
            )
            for i, of in enumerate(("per CPU second", "by the clock"))
        },
        "the 99th percentile of the second half within twice that of the first": (
            worst[1] <= 2 * worst[0]
        ),
        "at most a tenth more memory in the second half": most[1] <= 1.1 * most[0],
    }
    return [target for target, is_met in targets.items() if not is_met]


def keep(model: Model, path: Path, n_examples: int, n_keys: int = 0) -> None:
    """Teach a model, and save it."""
    for x, y in itertools.islice(rows(0, n_keys), n_examples):
        model.learn({**x, "target": y})
    model.save(path)


def main() -> None:
    """Both parts; the second takes ten minutes unless told otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="of the mixture")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each rate")
    parser.add_argument("--memory-limit", default="1MB", help="of the model")
    parser.add_argument("--keys", type=int, default=0, help="how many have a model of their own")
    given = parser.parse_args()
    multiprocessing.set_start_method("spawn")
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "model.shrubs")
        model = Model.new("target", "classes", memory_limit=given.memory_limit, seed=1)
        if given.keys:
            with KeyedModelFile(path) as file:
                keep(file.keyed(model, KEY), path, 100 * given.keys, given.keys)
        else:
            keep(model, path, 5000)
        service = Process(run_keyed if given.keys else run_service, path)
        empty = Process(run_empty, path)
        try:
            rates = compare(service, empty, given.seconds, given.keys)
            course = endure(service, given.minutes, given.keys)
        finally:
            service.stop()
            empty.stop()
    write_results("serve", {"rates": rates, "course": course})
    if found := missed(rates, course):
        raise SystemExit(f"missed: {'; '.join(found)}")


if __name__ == "__main__":
    main()
