"""When and where a run was done: for the reader, nothing depends on it."""

from __future__ import annotations

import os
import platform
import sys
from datetime import datetime, timezone
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["environment"]

_LIBRARIES = {"numpy": "numpy", "river": "river", "capymoa": "capymoa", "torch": "torch",
              "sklearn": "scikit-learn"}  # fmt: skip


def environment() -> dict[str, str]:
    """The day (UTC), the machine without its name, and the versions of what is in use."""
    return {
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "machine": _machine(),
        "Python": platform.python_version(),
        **{name: _version(name) for module, name in _LIBRARIES.items() if module in sys.modules},
    }


@lru_cache(maxsize=1)
def _machine() -> str:
    parts = (_processor(), f"{os.cpu_count() or 1} cores", platform.system(), platform.machine())
    return ", ".join(filter(None, parts))


def _processor() -> str:
    """Linux tells its name in a file only."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "?"
