from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shrubs.results import Record, read

GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.fixture(scope="session")
def golden() -> Path:
    """The reviewed files."""
    return GOLDEN


@pytest.fixture(scope="session")
def records() -> list[Record]:
    """Five classifiers on ``planes`` (one drift) and two regressors on ``ramp``."""
    return read(GOLDEN / "results.jsonl")


@pytest.fixture(scope="session")
def hostile(records: list[Record]) -> list[Record]:
    """The same with names that try to break out of every format."""
    name = "</script><img src=x onerror=alert(1)>|&_$\\'\""
    return [
        replace(
            record,
            learner=f"{record.learner}{name}",
            stream=f"{record.stream}{name}",
            classes=record.classes and tuple(f"{label}{name}" for label in record.classes),
        )
        for record in records
    ]
