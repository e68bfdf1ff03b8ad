"""Where benchmarks leave their numbers for `write_performance.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["RESULTS", "read_results", "write_results"]

RESULTS = Path(__file__).resolve().parent.parent / "build" / "performance"


def write_results(name: str, results: Any) -> None:
    """Keep the numbers of one benchmark; anything that JSON can hold."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n")


def read_results(name: str) -> Any:
    """Return the numbers of one benchmark, or None if it has not been run."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None
