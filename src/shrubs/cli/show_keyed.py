"""What `shrubs show` says of a file that keeps a model per key."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rich.table import Table

from shrubs.cli.console import out, show_bytes
from shrubs.keyed import StoreError
from shrubs.keyed.keyed_model import KeyedModelFile
from shrubs.live.values import KINDS_IN_WORDS
from shrubs.messages import shown

__all__ = ["show_keyed"]


def show_keyed(path: Path, *, as_json: bool) -> None:
    """Show what the models predict, of which columns, and how many there are."""
    found = _described(path)
    if as_json:
        sys.stdout.write(json.dumps(found) + "\n")
        return
    facts = Table(box=None, pad_edge=False, show_header=False)
    facts.add_row("models", f"{path.name}, a {found['learner']} for each {shown(found['key'])}")
    facts.add_row("predict", f"{shown(found['target'])}, {found['task']}")
    facts.add_row("keys", f"{found['n_keys']:,}")
    facts.add_row("examples", f"{found['examples_seen']:,}")
    facts.add_row("bytes", f"{show_bytes(found['file_bytes'])} in the file")
    facts.add_row("ignore", ", ".join(map(shown, found["ignored"])))
    if found["line"] is not None:
        facts.add_row("followed", f"up to line {found['line']:,} of a file")
    columns = Table("column", "holds", box=None, pad_edge=False, header_style="bold")
    for column in found["columns"]:
        columns.add_row(column["name"], column["holds"])
    out.print(facts, "", columns)


def _described(path: Path) -> dict[str, Any]:
    with KeyedModelFile(path) as file:
        model = file.load()
        if model is None:
            raise StoreError(f"{path} keeps no models yet")
        described = {
            "learner": type(model.learner).__name__,
            "key": model.key,
            "target": model.target,
            "task": model.task,
            "n_keys": len(model.learners),
            "examples_seen": model.examples_seen,
            "ignored": sorted(model.ignored),
            "line": None if model.position is None else model.position[3],
            "columns": [
                {"name": name, "holds": KINDS_IN_WORDS[kind]}
                for name, kind in sorted(model.kinds.items())
                if name != model.target
            ],
        }
    return {**described, "file_bytes": path.stat().st_size}  # with what its log had
