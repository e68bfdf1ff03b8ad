"""The HTTP interface of a service: what can be asked, and how answers and errors look."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeAlias
from urllib.parse import quote

from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from starlette.exceptions import HTTPException

from shrubs.keyed import StoreError
from shrubs.messages import shown
from shrubs.serve.guard import App, Guard, Limits, RefusedError, problem
from shrubs.serve.interface import Interface
from shrubs.serve.ledger import ConflictError, UnknownIdError
from shrubs.serve.live import MAX_WATCHERS, Live
from shrubs.serve.manual import manual
from shrubs.serve.metrics import CONTENT_TYPE, Metrics
from shrubs.serve.page import live_page
from shrubs.serve.requests import read_body, read_lesson, read_lines, read_question
from shrubs.serve.service import Service, UnavailableError

__all__ = ["make_app"]

_to_json = json.JSONEncoder(separators=(",", ":"), default=str).encode


def make_app(service: Service, limits: Limits, *, ends: Callable[[], bool]) -> App:
    """The application around a service; ``ends`` says whether it is about to end."""
    metrics = Metrics(service)
    live = Live(service, metrics, ends)

    app = Interface()
    _add_errors(app)
    _add_model(app, service)
    _add_readings(app, service)
    _add_views(app, service, metrics, live)
    return Guard(app, limits, metrics.measured)


def _add_model(app: Interface, service: Service) -> None:
    """What asks the model, and what teaches it."""

    async def predict(request: Request) -> Response:
        body, probabilities = request.scope["body"], bool(_asked(request, "probabilities", False))
        if request.scope["many"]:
            lines = await asyncio.to_thread(_predict_many, service, body, probabilities)
            return Response(lines, media_type="application/x-ndjson")
        question = read_body(body, read_question)
        if service.can_predict(question):
            (answer,) = service.predict([question], probabilities=probabilities)
        else:
            (answer,) = await asyncio.to_thread(
                service.predict, [question], probabilities=probabilities
            )
        return _answer(answer)

    async def learn(request: Request) -> Response:
        body = request.scope["body"]
        if request.scope["many"]:
            new = await service.learn_lines(body)
        else:
            new = await service.learn([read_body(body, read_lesson)])
        return _answer({"learned": sum(new), "repeated": len(new) - sum(new)})

    app.add_asked_most("/predict", _answering(predict))
    app.add_asked_most("/learn", _answering(learn))


def _add_readings(app: Interface, service: Service) -> None:
    """What tells how the model thinks, and what it is."""

    async def explain(request: Request) -> Response:
        rules = _asked(request, "rules", 10)
        if request.scope["many"]:
            raise RefusedError(415, "one row at a time is explained: application/json")
        question = read_body(request.scope["body"], read_question)
        found = await asyncio.to_thread(service.explain, question.x)
        heaviest = [{"weight": vote.weight, "rule": vote.in_words} for vote in found.votes[:rules]]
        return _answer(
            {"prediction": found.predicted, "examples": found.n_examples, "rules": heaviest}
        )

    app.add_asked_most("/explain", _answering(explain))

    @app.get("/snapshot", summary="Download the model, or that of a key, as shrubs.load takes it")
    async def snapshot(
        key: Annotated[str | None, Query(description="The key, of a model per key.")] = None,
    ) -> Response:
        name = quote(service.path.name)
        return Response(
            await service.state(key),
            media_type="application/octet-stream",
            headers={"content-disposition": f"attachment; filename*=UTF-8''{name}"},
        )


def _add_views(app: FastAPI, service: Service, metrics: Metrics, live: Live) -> None:
    """What shows how it is doing."""

    @app.get("/", response_class=HTMLResponse, summary="The page that shows it live")
    async def page() -> Response:
        return HTMLResponse(live_page())

    @app.get("/events", summary="What the page shows, once a second, as server-sent events")
    async def events() -> Response:
        if live.n_watchers >= MAX_WATCHERS:
            raise RefusedError(503, f"{MAX_WATCHERS} watch already")
        return StreamingResponse(live.events(), media_type="text/event-stream")

    @app.get("/health", summary="Whether labels can be learned")
    async def health() -> Response:
        status = "ok" if not service.trouble else service.trouble
        answer = {"status": status, "examples": service.n_examples}
        return _answer(answer, 503 if service.trouble else 200)

    @app.get("/metrics", summary="Numbers for Prometheus")
    async def numbers() -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    @app.get("/docs", response_class=HTMLResponse, summary="This page")
    async def docs(request: Request) -> Response:
        return HTMLResponse(manual(app.openapi(), str(request.base_url)))


_STATUSES: dict[type[Exception], int] = {
    UnavailableError: 503,
    StoreError: 503,
    UnknownIdError: 404,
    ConflictError: 409,
    ValueError: 422,
    TypeError: 422,
}
_KNOWN: tuple[type[Exception], ...] = (RefusedError, *_STATUSES)


def _problem(error: Exception) -> Response:
    found = (status for kind, status in _STATUSES.items() if isinstance(error, kind))
    status = error.status if isinstance(error, RefusedError) else next(found)
    return Response(problem(str(error)), status, media_type="application/json")


_Handle: TypeAlias = Callable[[Request], Awaitable[Response]]


def _answering(handle: _Handle) -> _Handle:
    """The same, with errors as answers."""

    async def answer(request: Request) -> Response:
        try:
            return await handle(request)
        except _KNOWN as error:
            return _problem(error)

    return answer


def _add_errors(app: FastAPI) -> None:
    async def answer(request: Request, error: Exception) -> Response:
        return _problem(error)

    async def answer_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return Response(
            problem(str(error.detail)), error.status_code, error.headers, "application/json"
        )

    for kind in _KNOWN:
        app.add_exception_handler(kind, answer)
    app.add_exception_handler(HTTPException, answer_http)


def _asked(request: Request, name: str, default: int) -> int:
    """A number or truth behind the question mark; FastAPI would take longer than the model."""
    if not request.scope["query_string"]:
        return default
    text = request.query_params.get(name, str(default)).lower()
    found = {"true": "1", "false": "0"}.get(text, text)
    if not (found.isascii() and found.isdigit() and len(found) < 5):
        raise ValueError(f"{name} must be like {str(default).lower()}, got {shown(text)}")
    return int(found)


def _predict_many(service: Service, body: bytes, probabilities: bool) -> str:
    if probabilities:
        questions = read_lines(body, read_question)
        answers = service.predict(questions, probabilities=True)
        return "".join(f"{_to_json(answer)}\n" for answer in answers)
    predicted = service.predict_lines(body)
    lines = {p: f'{{"prediction":{_to_json(p)}}}\n' for p in set(predicted)}
    return "".join(map(lines.__getitem__, predicted))


def _answer(answer: dict[str, Any], status: int = 200) -> Response:
    return Response(_to_json(answer), status, media_type="application/json")
