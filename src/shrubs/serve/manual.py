"""The page of the interface: its OpenAPI description for people, with nothing from elsewhere."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping
from importlib import resources
from string import Template
from typing import Any

from shrubs.report.page.shell import card, command_box, frame_parts

__all__ = ["manual"]


def manual(description: Mapping[str, Any], address: str) -> str:
    """The page of an OpenAPI description, for a service at an address that ends with a slash."""
    about = description["info"]
    operations = [
        _operation(method.upper(), path, operation, address[:-1] + path)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    template = resources.files("shrubs.serve").joinpath("page/manual.html").read_text("utf-8")
    return Template(template).substitute(
        frame_parts(""),
        title=html.escape(about["summary"]),
        about=html.escape(about["description"]),
        operations="".join(operations),
    )


def _operation(method: str, path: str, operation: Mapping[str, Any], address: str) -> str:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    answer = operation.get("responses", {}).get("200", {}).get("content", {})
    example = answer.get("application/json", {}).get("example")
    parts = [
        f"<p>{html.escape(operation['summary'])}.</p>",
        command_box(_curl(address, body.get("example"))),
        f"<pre>{html.escape(json.dumps(example))}</pre>" if example else "",
        _members(body.get("schema", {}), operation.get("parameters", ())),
        _statuses(operation.get("responses", {})) if body else "",
    ]
    return card(f"{method} {path}", "".join(parts), "wide" if body else "")


def _curl(address: str, example: Any) -> str:
    return f"curl {address}" + (f" --json '{json.dumps(example)}'" if example else "")


def _members(schema: Mapping[str, Any], parameters: Iterable[Mapping[str, Any]]) -> str:
    described = {
        name: member["description"] + ("" if name in schema["required"] else " May be left out.")
        for name, member in schema.get("properties", {}).items()
    }
    for parameter in parameters:
        default = parameter["schema"].get("default")
        value = "..." if default is None else json.dumps(default)
        described[f"?{parameter['name']}={value}"] = parameter["description"]
    rows = (f"<dt>{html.escape(k)}</dt><dd>{html.escape(v)}</dd>" for k, v in described.items())
    return f"<dl>{''.join(rows)}</dl>" if described else ""


def _statuses(responses: Mapping[str, Any]) -> str:
    errors = (
        f"{status}: {found['description']}"
        for status, found in sorted(responses.items())
        if status != "200"
    )
    return f'<p class="caption">{html.escape("; ".join(errors))}</p>'
