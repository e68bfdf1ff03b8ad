"""The shrubs in C: nodes in preorder in flat tables, each different question and leaf once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from shrubs.export.c_tables import Tables, shared
from shrubs.export.nodes import Node

__all__ = ["add_distributions", "add_nodes", "add_values"]

_WALK = """\
/* A number of 32 bits as an integer with the same order: comparing takes no floating point. */
static int32_t ordered(float number)
{
    union {
        float number;
        int32_t bits;
    } as;
    as.number = number;
    return as.bits >= 0 ? as.bits : INT32_MIN - as.bits;
}

/* Which leaf of a shrub x falls into. A node is followed by those on its left, `lefts` of them,
   then by those on its right; leaves are counted from left to right. */
static uint32_t find_leaf(const float x[], uint32_t node, uint32_t n_nodes)
{
    uint32_t leaf = 0;
    while (n_nodes > 0) {
        const uint32_t question = QUESTION;
        const uint32_t asked = features[question];
        const int32_t value = ordered(x[asked >> 2]);
        const int32_t threshold = ordered(thresholds[question]);
        const uint32_t n_left = lefts[node];
        int left = COMPARISON;
        if (value > 0x7F800000 || value < -0x7F800000) { /* missing */
            left = (int)(asked & 1u);
        }
        ++node;
        if (left) {
            n_nodes = n_left;
        } else {
            node += n_left;
            leaf += n_left + 1;
            n_nodes -= n_left + 1;
        }
    }
    return leaf;
}
"""
_NO_WALK = """\
/* No shrub asks a question. */
#define find_leaf(x, node, n_nodes) ((void)(x), (void)(node), 0u)
"""
_AT_MOST = "value <= threshold"
_EITHER = "asked & 2u ? value == threshold : value <= threshold"


def add_nodes(tables: Tables, shrubs: Sequence[dict[str, Any]], names: Sequence[Any]) -> str:
    """Add the splits of all shrubs to the tables; returns the function that walks them."""
    places = {(isinstance(name, str), name): i for i, name in enumerate(names)}
    questions, lefts, sizes = [], [], []
    for shrub in shrubs:
        nodes: list[Node] = shrub["nodes"]
        for at, node in enumerate(nodes):
            if "leaf" not in node:
                name = node["feature"]
                questions.append(_question(node, places[isinstance(name, str), name]))
                lefts.append((node["right"] - at - 2) // 2)
        sizes.append(len(nodes) // 2)
    tables.add_whole("sizes", sizes, "Of each shrub, how many nodes ask a question.")
    if not questions:
        return _NO_WALK
    different, which = shared(questions, 5 if len(names) <= 64 else 6)
    tables.add_reals(
        "thresholds", [threshold for threshold, _ in different], "The questions: at most this?"
    )
    tables.add_whole(
        "features",
        [asked for _, asked in different],
        "Of what: 4 * feature, + 2: equal to it, not at most; + 1: missing values go left.",
    )
    if which is not None:
        tables.add_whole("questions", which, "Which question each node asks.")
    tables.add_whole("lefts", lefts, "How many nodes are on its left.")
    comparison = _EITHER if any(asked & 2 for _, asked in different) else _AT_MOST
    question = "node" if which is None else "questions[node]"
    return _WALK.replace("QUESTION", question).replace("COMPARISON", comparison)


def _question(node: Node, feature: int) -> tuple[float, int]:
    asked = node["is"] if "is" in node else node["at_most"]
    threshold = float("-inf") if asked is None else float(asked)  # no value is as low
    return threshold, 4 * feature + 2 * ("is" in node) + (node["missing"] == "left")


def add_distributions(
    tables: Tables, leaves: Iterable[Sequence[Sequence[int]]], n_classes: int, size: int
) -> tuple[str, bool]:
    """Add what the leaves say of the classes, whole numbers of so many bytes.

    Returns the row of a leaf in C, and whether a row has a number for each class.
    """
    rows = [tuple((c, n) for c, n in leaf) for leaf in leaves]
    n_entries = sum(map(len, rows))
    is_dense = size * n_classes * len(rows) <= 2 * len(rows) + (size + 1) * n_entries
    row_bytes = size * n_classes if is_dense else 2 + (size + 1) * n_entries // max(len(rows), 1)
    different, which = shared(rows, row_bytes)
    if which is not None:
        tables.add_whole("leaves", which, "Of each leaf, the row that says what it predicts.")
    if is_dense:
        entries = [dict(row).get(c, 0) for row in different for c in range(n_classes)]
        tables.add_whole("entries", entries, "The rows: a number for each class.")
    else:
        starts = [0]
        for row in different:
            starts.append(starts[-1] + len(row))
        tables.add_whole("starts", starts, "Where each row begins: classes and their numbers.")
        tables.add_whole("classes", [c for row in different for c, _ in row], "Classes.")
        tables.add_whole("entries", [n for row in different for _, n in row], "Numbers.")
    return _row(which), is_dense


def add_values(tables: Tables, values: Sequence[float], name: str, comment: str) -> str:
    """Add what the leaves say of the target; returns the number of leaf LEAF in C."""
    different, which = shared(list(values), 8)
    if which is not None:
        tables.add_whole(f"{name}_of", which, "Of each leaf, which of these.")
    tables.add_reals(name, different, comment)
    return f"{name}[LEAF]" if which is None else f"{name}[{name}_of[LEAF]]"


def _row(which: list[int] | None) -> str:
    return "first_leaf + leaf" if which is None else "leaves[first_leaf + leaf]"
