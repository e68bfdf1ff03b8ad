"""Real services in processes of their own, forked from one that has imported everything."""

from __future__ import annotations

import contextlib
import http.client
import json
import multiprocessing
import random
from pathlib import Path

from shrubs.live import Model

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["shrubs.serve.server", "tests.unit.serve.serving"])

HOST = "127.0.0.1"
JSON, LINES = "application/json", "application/x-ndjson"


def _run(model, pipe, limits, settings):
    from shrubs.serve.guard import Limits
    from shrubs.serve.ledger import Bounds
    from shrubs.serve.server import bind, serve
    from shrubs.serve.service import Service

    try:
        bounds = Bounds(**settings.pop("bounds", {}))
        before = settings.pop("before", None)
        service = Service(model, bounds=bounds, **settings)
        if before is not None:
            before()
    except (OSError, ValueError, RuntimeError) as error:
        pipe.send(str(error))
        return
    listening = bind(HOST, 0)
    pipe.send(listening.getsockname()[1])
    serve(service, listening, Limits(**limits))


class Served:
    """A service in a process of its own; `kill` is kill -9."""

    def __init__(self, model, *, limits=None, **settings):
        ours, theirs = _context.Pipe()
        arguments = (Path(model), theirs, limits or {}, settings)
        self.process = _context.Process(target=_run, args=arguments)
        self.process.start()
        theirs.close()
        self.port = ours.recv()
        if isinstance(self.port, str):
            self.process.join()
            raise RuntimeError(self.port)
        self.connection = None
        self.get("/health")  # from now on it answers

    @classmethod
    def beside(cls, service):
        """Another client of the same service."""
        client = cls.__new__(cls)
        client.process, client.port, client.connection = service.process, service.port, None
        return client

    @property
    def address(self):
        return f"http://{HOST}:{self.port}"

    def ask(self, method, path, body=None, kind=JSON, headers=None):
        """Status and body of an answer; what is neither bytes nor text is sent as JSON."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(HOST, self.port, timeout=30)
        if body is not None and not isinstance(body, bytes | str):
            body = json.dumps(body)
        try:
            self.connection.request(method, path, body, {"content-type": kind, **(headers or {})})
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.hang_up()
            raise

    def hang_up(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def post(self, path, body, kind=JSON):
        status, answer = self.ask("POST", path, body, kind)
        return status, json.loads(answer)

    def get(self, path):
        status, answer = self.ask("GET", path)
        return status, json.loads(answer)

    def kill(self):
        self.hang_up()
        self.process.kill()
        self.process.join()

    def stop(self):
        """End it as SIGTERM does."""
        self.hang_up()
        self.process.terminate()
        self.process.join(20)
        assert self.process.exitcode == 0, self.process.exitcode


@contextlib.contextmanager
def served(model, **settings):
    service = Served(model, **settings)
    try:
        yield service
    finally:
        if service.process.is_alive():
            service.stop()


def new_model(path, task="classes", **options):
    Model.new("target", task, **{"memory_limit": "64KB", "seed": 1, **options}).save(path)
    return path


def rows(n, seed=0):
    """Rows and labels of two concepts, one after the other."""
    draw = random.Random(seed)
    for i in range(n):
        x = {"a": draw.random(), "b": draw.random(), "c": draw.choice(["red", "blue"])}
        yield x, "yes" if x["a" if i < n // 2 else "b"] > 0.5 else "no"
