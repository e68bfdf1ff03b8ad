"""What the requests look like, in the words of OpenAPI."""

from __future__ import annotations

from typing import Any

from shrubs.serve.requests import MAX_FEATURES, MAX_NAME, MAX_ROWS, MAX_TEXT

__all__ = ["ABOUT", "EXPLAIN", "LEARN", "PREDICT"]

ABOUT = (
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
    "503": "nothing can be learned now, or too much comes at once",
}


def _operation(members: dict[str, Any], required: list[str], example: Any, answer: Any) -> Any:
    schema = {
        "type": "object",
        "properties": members,
        "required": required,
        "additionalProperties": False,
    }
    kinds = ("application/json", "application/x-ndjson")
    content = {kind: {"schema": schema, "example": example} for kind in kinds}
    errors = {status: {"description": text} for status, text in _ERRORS.items()}
    answered = {"application/json": {"example": answer}}
    return {
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "Done.", "content": answered}, **errors},
    }


PREDICT = _operation(
    {"x": _X, "id": _ID},
    ["x"],
    {"x": {"amount": 12.5, "country": "de"}, "id": "order-17"},
    {"prediction": "fine"},
)
LEARN = _operation(
    {"y": _Y, "id": _ID, "x": _X},
    ["y"],
    {"id": "order-17", "y": "fine"},
    {"learned": 1, "repeated": 0},
)
EXPLAIN = _operation(
    {"x": _X},
    ["x"],
    {"x": {"amount": 12.5, "country": "de"}},
    {
        "prediction": "fine",
        "examples": 1200,
        "rules": [{"weight": 0.31, "rule": "if amount <= 80.5 or missing: 'fine' 98%, 'fraud' 2%"}],
    },
)
