"""What the requests look like, in the words of OpenAPI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from fastapi import FastAPI, Request, Response

from shrubs import __version__
from shrubs.serve.requests import MAX_FEATURES, MAX_NAME, MAX_ROWS, MAX_TEXT

__all__ = ["Interface"]

_ABOUT = (
    "Send a row to predict it, and its label when it is known. A row that is predicted with an id "
    "is remembered, so that the label can come later by that id alone. A label is learned once, "
    "however often it is sent with its id; once it is acknowledged, it is not lost. Many requests "
    f"go at once as JSON Lines (application/x-ndjson), at most {MAX_ROWS:,}: all of them, or none."
)

_X = {
    "type": "object",
    "description": "The features by name; what is missing is left out, or null.",
    "minProperties": 1,
    "maxProperties": MAX_FEATURES,
    "additionalProperties": {
        "anyOf": [
            {"type": "number"},
            {"type": "string", "maxLength": MAX_TEXT},
            {"type": "boolean"},
            {"type": "null"},
        ]
    },
}
_Y = {
    "description": "The label, or the target of a regression.",
    "anyOf": [{"type": "string", "maxLength": MAX_NAME}, {"type": "number"}, {"type": "boolean"}],
}
_ID = {
    "type": "string",
    "description": "Of this row, chosen by the client.",
    "minLength": 1,
    "maxLength": MAX_NAME,
}
_ERRORS = {
    "401": "the token is missing",
    "404": "nothing waits under this id",
    "409": "the id stands for something else",
    "413": "the body is too long",
    "415": "neither JSON nor JSON Lines",
    "422": "something in it is wrong; nothing was learned",
    "503": "not acknowledged, or too much comes at once; send it again later",
}


def _parameter(name: str, kind: str, default: int, description: str) -> Any:
    schema = {"type": kind, "default": default}
    return {"name": name, "in": "query", "description": description, "schema": schema}


def _operation(
    summary: str, members: dict[str, Any], example: Any, answer: Any, *parameters: Any
) -> Any:
    """A request with these members, the first of which must be there."""
    schema = {
        "type": "object",
        "properties": members,
        "required": list(members)[:1],
        "additionalProperties": False,
    }
    kinds = ("application/json", "application/x-ndjson")
    content = {kind: {"schema": schema, "example": example} for kind in kinds}
    errors = {status: {"description": text} for status, text in _ERRORS.items()}
    answered = {"application/json": {"example": answer}}
    operation = {
        "summary": summary,
        "parameters": list(parameters),
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "Done.", "content": answered}, **errors},
    }
    return {"post": operation}


_PATHS = {
    "/predict": _operation(
        "Predict a row, or many",
        {"x": _X, "id": _ID},
        {"x": {"amount": 12.5, "country": "de"}, "id": "order-17"},
        {"prediction": "fine"},
        _parameter("probabilities", "boolean", False, "Add the probability of each label."),
    ),
    "/learn": _operation(
        "Learn a label, or many",
        {"y": _Y, "id": _ID, "x": _X},
        {"id": "order-17", "y": "fine"},
        {"learned": 1, "repeated": 0},
    ),
    "/explain": _operation(
        "Say why a row is predicted as it is",
        {"x": _X},
        {"x": {"amount": 12.5, "country": "de"}},
        {
            "prediction": "fine",
            "examples": 1200,
            "rules": [{"weight": 0.31, "rule": "if amount <= 80.5: 'fine' 98%, 'fraud' 2%"}],
        },
        _parameter("rules", "integer", 10, "How many, the heaviest first."),
    ),
}


class Interface(FastAPI):
    """FastAPI, with a description of what is asked most, and a shorter way to it.

    What FastAPI does around a handler would take longer than the model does.
    """

    def __init__(self) -> None:
        super().__init__(
            title="shrubs",
            summary="A model that learns while it is asked",
            description=_ABOUT,
            version=__version__,
            docs_url=None,
            redoc_url=None,
        )
        self._asked_most: dict[str, Callable[[Request], Awaitable[Response]]] = {}

    def add_asked_most(self, path: str, handle: Callable[[Request], Awaitable[Response]]) -> None:
        """Let ``handle`` answer what is sent to a path; it raises nothing."""
        self._asked_most[path] = handle
        self.add_route(path, handle, ["POST"])  # says to others that they may not

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """As ASGI asks for it."""
        handle = self._asked_most.get(scope["path"]) if scope.get("method") == "POST" else None
        if handle is None:
            await super().__call__(scope, receive, send)
        else:
            response = await handle(Request(scope))
            await response(scope, receive, send)

    def openapi(self) -> dict[str, Any]:
        """See FastAPI."""
        described = super().openapi()
        return {**described, "paths": {**_PATHS, **described["paths"]}}
