"""The splits that one feature offers at a node.

A feature is a column: its value per example of the window, NaN where missing. Rows are positions
in the window and arrive at this file in the order of arrival.
"""

import math
from dataclasses import dataclass

from .random_numbers import Random
from .single_precision import to_single


@dataclass(frozen=True)
class Candidate:
    """A possible split and its left examples in the order in which their targets are summed.

    A threshold of NaN sends every example that has the feature to the right.
    """

    threshold: float
    missing_left: bool
    left: list[int]


def present_rows(column: list[float], rows: list[int]) -> list[int]:
    """Return the rows that have the feature."""
    return [row for row in rows if not math.isnan(column[row])]


def missing_rows(column: list[float], rows: list[int]) -> list[int]:
    """Return the rows that lack the feature."""
    return [row for row in rows if math.isnan(column[row])]


def is_constant(column: list[float], rows: list[int]) -> bool:
    """Tell whether the feature cannot split: all missing, or all present and equal."""
    present = present_rows(column, rows)
    if len(present) == 0:
        return True
    if len(present) < len(rows):
        return False
    return all(column[row] == column[present[0]] for row in present)


def best_numeric(column: list[float], rows: list[int]) -> list[Candidate]:
    """Return every cut between two different values, first with missing right, then left."""
    missing = missing_rows(column, rows)
    present = sorted(present_rows(column, rows), key=lambda row: (column[row], row))
    candidates = []
    for missing_left in _sides_of_missing(missing):
        for n_below in range(1, len(present)):
            below = column[present[n_below - 1]]
            above = column[present[n_below]]
            if below < above:
                left = (missing if missing_left else []) + present[:n_below]
                candidates.append(Candidate(middle(below, above), missing_left, left))
    return candidates + _missing_against_present(missing)


def best_nominal(column: list[float], rows: list[int]) -> list[Candidate]:
    """Return every category against the rest, first with missing right, then left."""
    missing = missing_rows(column, rows)
    present = present_rows(column, rows)
    categories = sorted({column[row] for row in present})
    candidates = []
    for missing_left in _sides_of_missing(missing):
        for category in categories:
            members = [row for row in present if column[row] == category]
            left = (missing if missing_left else []) + members
            candidates.append(Candidate(category, missing_left, left))
    return candidates + _missing_against_present(missing)


def random_numeric(column: list[float], rows: list[int], random: Random) -> list[Candidate]:
    """Return one cut drawn uniformly between the smallest and the largest value."""
    present = present_rows(column, rows)
    lowest = min(column[row] for row in present)
    highest = max(column[row] for row in present)
    if lowest == highest:
        return _missing_against_present(missing_rows(column, rows))
    threshold = to_single(lowest + random.uniform() * (highest - lowest))
    if threshold >= highest:
        threshold = lowest
    return numeric_at(threshold, column, rows)


def random_nominal(column: list[float], rows: list[int], random: Random) -> list[Candidate]:
    """Return the category of one example, drawn uniformly, against the rest."""
    present = present_rows(column, rows)
    if all(column[row] == column[present[0]] for row in present):
        return _missing_against_present(missing_rows(column, rows))
    return nominal_at(column[present[random.below(len(present))]], column, rows)


def numeric_at(threshold: float, column: list[float], rows: list[int]) -> list[Candidate]:
    """Return this cut; if there is none between two values, missing against present."""
    present = present_rows(column, rows)
    if all(column[row] == column[present[0]] for row in present):
        return _missing_against_present(missing_rows(column, rows))
    below = [row for row in present if column[row] <= threshold]
    return _for_each_side_of_missing(threshold, missing_rows(column, rows), below)


def nominal_at(category: float, column: list[float], rows: list[int]) -> list[Candidate]:
    """Return this category against the rest; if there is no other, missing against present."""
    present = present_rows(column, rows)
    if all(column[row] == category for row in present):
        return _missing_against_present(missing_rows(column, rows))
    members = [row for row in present if column[row] == category]
    return _for_each_side_of_missing(category, missing_rows(column, rows), members)


def middle(below: float, above: float) -> float:
    """Return the single precision number halfway, or `below` where there is none between.

    >>> middle(1.0, 2.0)
    1.5
    """
    halfway = to_single((below + above) / 2.0)
    if below <= halfway < above:
        return halfway
    return below


def _sides_of_missing(missing: list[int]) -> list[bool]:
    """Return the values of `missing_left` to try, in order."""
    return [False, True] if missing else [False]


def _for_each_side_of_missing(
    threshold: float, missing: list[int], present_left: list[int]
) -> list[Candidate]:
    candidates = []
    for missing_left in _sides_of_missing(missing):
        left = (missing if missing_left else []) + present_left
        candidates.append(Candidate(threshold, missing_left, left))
    return candidates


def _missing_against_present(missing: list[int]) -> list[Candidate]:
    """Return the split of missing (left) against present (right), if any is missing."""
    return [Candidate(math.nan, True, missing)] if missing else []
