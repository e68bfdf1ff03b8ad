"""Shrubs with a weight each in C: the learners of the paper."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from shrubs.export.c_shrubs import add_nodes, add_values
from shrubs.export.c_tables import Tables, number

__all__ = ["write_weighted"]

_ONE = 32768

_SHRUBS = """\
    uint32_t node = 0;
    uint32_t first_leaf = 0;
    for (uint32_t i = 0; i < N_SHRUBS; ++i) {
        const uint32_t leaf = find_leaf(x, node, sizes[i]);
SAID
        node += sizes[i];
        first_leaf += sizes[i] + 1u;
    }
"""
_PURE = """\
        p[leaves[first_leaf + leaf]] += weights[i];"""
_EITHER = """\
        const uint32_t said = leaves[first_leaf + leaf];
        if (said < N_CLASSES) {
            p[said] += weights[i];
        } else {
            const uint32_t row = said - N_CLASSES;
            for (uint32_t at = starts[row]; at < starts[row + 1]; ++at) {
                p[classes[at]] += ENTRY;
            }
        }"""
_MULTIPLIED = "weights[i] * (entries[at] * (1.0 / 32768.0))"
# What a multiplication of doubles takes where there is no hardware for it.
_MULTIPLICATION_BYTES = 600
_AT_MOST_ONE = """\
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        p[c] = p[c] < 1.0 ? p[c] : 1.0;
    }
"""


def write_weighted(document: dict[str, Any], tables: Tables) -> tuple[str, str]:
    """Add the tables; returns functions, and the body of the prediction."""
    shrubs = document["shrubs"]
    if not shrubs:
        return "", _before_the_first_example(document)
    functions = add_nodes(tables, shrubs, [feature["name"] for feature in document["features"]])
    if document["task"] == "targets":
        products = [shrub["weight"] * leaf for shrub in shrubs for leaf in _leaves(shrub)]
        value = add_values(tables, products, "values", "What leaves predict, times the weight.")
        said = f"        y += {value.replace('LEAF', 'first_leaf + leaf')};"
        return functions, "    double y = 0.0;\n" + _SHRUBS.replace("SAID", said)
    tables.add_reals("weights", [shrub["weight"] for shrub in shrubs], "The weight of each shrub.")
    said = _add_leaves(tables, shrubs, len(document["classes"]))
    body = _all_classes("0.0") + _SHRUBS.replace("SAID", said)
    return functions, body if _never_above_one(shrubs) else body + _AT_MOST_ONE


def _add_leaves(tables: Tables, shrubs: list[dict[str, Any]], n_classes: int) -> str:
    """A leaf of one class is the number of it, any other the row that says what it adds.

    Few rows hold products with the weight of their shrub, so that no multiplication is needed.
    """
    impure = sum(len(leaf) for shrub in shrubs for leaf in _leaves(shrub) if len(leaf) > 1)
    multiplies = impure * (8 - 2) > _MULTIPLICATION_BYTES
    rows: dict[tuple[tuple[int, float], ...], int] = {}
    leaves = []
    for shrub in shrubs:
        factor = _ONE if multiplies else shrub["weight"]
        for leaf in _leaves(shrub):
            row = tuple((c, factor * share) for c, share in leaf)
            pure = len(leaf) == 1
            leaves.append(leaf[0][0] if pure else n_classes + rows.setdefault(row, len(rows)))
    tables.add_whole("leaves", leaves, "Of each leaf its only class, or the row of its classes.")
    if not rows:
        return _PURE
    starts = list(accumulate(map(len, rows), initial=0))
    tables.add_whole("starts", starts, "Where each row begins: classes, and what they get.")
    tables.add_whole("classes", [c for row in rows for c, _ in row], "Classes.")
    entries = [entry for row in rows for _, entry in row]
    if not multiplies:
        tables.add_reals("entries", entries, "What they get.")
        return _EITHER.replace("ENTRY", "entries[at]")
    tables.add_whole("entries", list(map(round, entries)), "Shares of 32768.")
    return _EITHER.replace("ENTRY", _MULTIPLIED)


def _leaves(shrub: dict[str, Any]) -> list[Any]:
    return [node["leaf"] for node in shrub["nodes"] if "leaf" in node]


def _never_above_one(shrubs: list[dict[str, Any]]) -> bool:
    """Sums that round are ordered as what is added, so no class gets more than all weights."""
    total = 0.0
    for shrub in shrubs:
        total += shrub["weight"]
    return total <= 1.0


def _before_the_first_example(document: dict[str, Any]) -> str:
    if document["task"] == "targets":
        return "    const double y = 0.0;\n"
    return _all_classes(number(1.0 / len(document["classes"])))


def _all_classes(value: str) -> str:
    return f"    for (uint32_t c = 0; c < N_CLASSES; ++c) {{\n        p[c] = {value};\n    }}\n"
