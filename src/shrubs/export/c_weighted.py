"""Shrubs with a weight each in C: the learners of the paper."""

from __future__ import annotations

from typing import Any

from shrubs.export.c_shrubs import Entries, add_entries, add_leaves, add_nodes, add_values
from shrubs.export.c_tables import Tables, number

__all__ = ["write_weighted"]

_ONE = 32768

_SHRUBS = """\
    uint32_t node = 0;
    uint32_t first_leaf = 0;
    for (uint32_t i = 0; i < N_SHRUBS; ++i) {
        const uint32_t leaf = sizes[i] ? find_leaf(x, node) : 0u;
SAID
        node += sizes[i];
        first_leaf += sizes[i] + 1u;
    }
"""
_PURE = """\
        p[LEAF] += weights[i];"""
_EITHER = """\
        uint32_t entry = LEAF;
        if (entry < N_CLASSES) {
            p[entry] += weights[i];
        } else {
            uint32_t at;
            do {
                at = (entry++ - N_CLASSES) * ENTRY;
                p[bits(entries, at + 1, CLASS)] += GIVEN;
            } while (bits(entries, at, 1));
        }"""
_AMOUNT = "amounts[bits(entries, at + 1 + CLASS, AMOUNT)]"
# What a multiplication of doubles takes where there is no hardware for it.
_MULTIPLICATION_BYTES = 600
_AT_MOST_ONE = """\
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        p[c] = is_below(p[c], 1.0) ? p[c] : 1.0;
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
    enumerated, said = _add_leaves(tables, shrubs, len(document["classes"]))
    body = _all_classes("0.0") + _SHRUBS.replace("SAID", said)
    functions += f"\n{enumerated}"
    return functions, body if _never_above_one(shrubs) else body + _AT_MOST_ONE


def _add_leaves(tables: Tables, shrubs: list[dict[str, Any]], n_classes: int) -> tuple[str, str]:
    """A leaf of one class is the number of it, any other the first of its entries.

    Few entries hold products with the weight of their shrub, so that no multiplication is needed.
    """
    impure = [
        (shrub["weight"], share)
        for shrub in shrubs
        for leaf in _leaves(shrub)
        if len(leaf) > 1
        for _, share in leaf
    ]
    products = {weight * share for weight, share in impure}
    multiplies = 8 * len(products) > _MULTIPLICATION_BYTES + 2 * len({share for _, share in impure})
    entries = Entries()
    rows = []
    for shrub in shrubs:
        factor = _ONE if multiplies else shrub["weight"]
        for leaf in _leaves(shrub):
            given = [(c, factor * share) for c, share in leaf]
            pure = len(leaf) == 1
            rows.append(leaf[0][0] if pure else n_classes + entries.place(given))
    said = add_leaves(tables, rows, "Of each leaf its only class, or its entry + N_CLASSES.")
    if not entries.rows:
        return "", _PURE.replace("LEAF", said)
    enumerated = add_entries(tables, entries)
    said = _EITHER.replace("LEAF", said)
    if not multiplies:
        tables.add_reals("amounts", list(entries.amounts), "What classes get.")
        return enumerated, said.replace("GIVEN", _AMOUNT)
    tables.add_whole("amounts", list(map(round, entries.amounts)), "Shares of 32768.")
    return enumerated, said.replace("GIVEN", f"weights[i] * ({_AMOUNT} * (1.0 / 32768.0))")


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
