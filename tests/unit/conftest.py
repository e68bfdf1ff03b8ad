"""The reviewed files, for all tests that read records."""

from dataclasses import replace
from pathlib import Path

import pytest

from shrubs.results import Record, read

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture(scope="session")
def golden() -> Path:
    """The reviewed files."""
    return GOLDEN


@pytest.fixture(scope="session")
def records() -> list[Record]:
    """Five classifiers on ``planes`` (one drift) and two regressors on ``ramp``."""
    return read(GOLDEN / "results.jsonl")


@pytest.fixture
def ensemble(records: list[Record]) -> Record:
    """Three points of an ensemble with one known drift, detected two examples later."""
    return replace(
        records[0],
        trace={"n_examples": [10, 20, 30]},
        shrubs=([[3, 0.4], [8, 0.6]], [[8, 0.5], [15, 0.3], [19, 0.2]], [[19, 1.0]]),
        known_drifts=(12,),
        found_drifts=(14,),
    )
