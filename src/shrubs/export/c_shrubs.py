"""The shrubs in C: nodes in preorder in a table of bits, each different row of leaves once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shrubs.export.c_tables import Tables, shared, width
from shrubs.export.nodes import Node

__all__ = ["Entries", "add_entries", "add_leaves", "add_nodes", "add_values"]

_WALK = """\
/* Which leaf of a shrub x falls into, counted from left to right. A node is followed by those on
   its left, then by those on its right: if its first bit is 1 and if its second one is. */
static uint32_t find_leaf(const float x[], uint32_t node)
{
    uint32_t leaf = 0;
    uint32_t goes_on = 1;
    while (goes_on) {
        const uint32_t sides = bits(nodes, node * NODE, 2);
        const uint32_t at = QUESTION;
        const uint32_t asked = kinds_asked[bits(TABLE, at, KIND)];
        const uint32_t tail = bits(TABLE, at + KIND, TAIL) << SHIFT;
        const int32_t threshold = (int32_t)(asked << 23 | tail); /* ordered as well */
        const int32_t value = ordered(x[asked >> FIRST]);
        int left = COMPARISON;
        if (is_missing(value)) {
            left = (int)bits(TABLE, at + KIND + TAIL, 1);
        }
        ++node;
        goes_on = sides & (left ? 1u : 2u);
        if (!left) { /* past the nodes and leaves on the left */
            ++leaf;
            for (uint32_t open = sides & 1u; open > 0; ++node, ++leaf) {
                const uint32_t inner = bits(nodes, node * NODE, 2);
                open += (inner & 1u) + (inner >> 1) - 1u;
            }
        }
    }
    return leaf;
}
"""
_AT_MOST = "value <= threshold"
_EITHER = "asked & 512u ? value == threshold : value <= threshold"
_KINDS = (
    "Kinds of questions: 1024 * feature, + 512: equal, not at most, + how its threshold begins."
)
_FIELDS = "a kind, how its threshold goes on, 1: missing values go left."
_SIDES = ((1, "left"), (2, "right"))
_TAIL = 23
_FIRST = 10  # the first bit of the feature in a kind

Question = tuple[int, int, int]  # kind, tail, missing left


def add_nodes(tables: Tables, shrubs: Sequence[dict[str, Any]], names: Sequence[Any]) -> str:
    """Add the splits of all shrubs to the tables; returns the function that walks them."""
    places = {(isinstance(name, str), name): i for i, name in enumerate(names)}
    questions, sides = [], []
    for shrub in shrubs:
        nodes: list[Node] = shrub["nodes"]
        for node in nodes:
            if "leaf" not in node:
                name = node["feature"]
                questions.append(_question(node, places[isinstance(name, str), name]))
                sides.append(sum(n * ("leaf" not in nodes[node[side]]) for n, side in _SIDES))
    sizes = [len(shrub["nodes"]) // 2 for shrub in shrubs]
    tables.add_whole("sizes", sizes, "Of each shrub, how many nodes ask a question.")
    if not questions:
        return "#define find_leaf(x, node) ((void)(x), 0u)\n"
    kinds: dict[int, int] = {}
    shift = min(_zeros(tail) for _, tail, _ in questions)
    rows = [
        (kinds.setdefault(kind, len(kinds)), tail >> shift, left) for kind, tail, left in questions
    ]
    tables.add_whole("kinds_asked", list(kinds), _KINDS)
    comparison = _EITHER if any(kind & 512 for kind in kinds) else _AT_MOST
    walk = _add_questions(tables, rows, sides).replace("COMPARISON", comparison)
    return walk.replace("SHIFT", f"{shift}").replace("FIRST", f"{_FIRST}")


def _add_questions(tables: Tables, rows: list[Question], sides: list[int]) -> str:
    widths = [width(kind for kind, _, _ in rows), width(tail for _, tail, _ in rows), 1]
    different, which = shared(rows, sum(widths))
    if which is None:
        table, question, node = "nodes", "node * NODE + 2", 2 + sum(widths)
        joined = [(n, *row) for n, row in zip(sides, rows, strict=True)]
        tables.add_bits(table, joined, [2, *widths], f"Nodes: two bits, {_FIELDS}")
    else:
        table, node = "questions", 2 + width(which)
        question = f"bits(nodes, node * NODE + 2, {width(which)}) * {sum(widths)}"
        tables.add_bits(table, different, widths, f"Questions: {_FIELDS}")
        pairs = zip(sides, which, strict=True)
        tables.add_bits("nodes", pairs, [2, width(which)], "Nodes: two bits, a question.")
    sizes = f"enum {{ NODE = {node}, KIND = {widths[0]}, TAIL = {widths[1]} }};\n"
    walk = _WALK.replace("QUESTION", question).replace("TABLE", table)
    return f"/* Bits of a node, and of the parts of a question. */\n{sizes}\n{walk}"


def _zeros(tail: int) -> int:
    """How many bits at the end of a tail are zero."""
    return (tail & -tail).bit_length() - 1 if tail else _TAIL


def _question(node: Node, feature: int) -> Question:
    asked = node["is"] if "is" in node else node["at_most"]
    threshold = float("-inf") if asked is None else float(asked)  # no value is as low
    bits = int(np.float32(threshold).view(np.int32))
    ordered = bits if bits >= 0 else -(2**31) - bits
    kind = (feature << _FIRST) + 512 * ("is" in node) + (ordered >> _TAIL & 511)
    return kind, ordered & 0x7FFFFF, int(node["missing"] == "left")


class Entries:
    """Rows of classes and their amounts, one behind the other; different rows and amounts once."""

    def __init__(self) -> None:
        self.rows: dict[tuple[tuple[int, int], ...], int] = {}
        self.amounts: dict[float, int] = {}
        self.size = 0

    def place(self, row: Sequence[tuple[int, float]]) -> int:
        """Where a row begins; none is empty."""
        amounts = self.amounts
        known = tuple((c, amounts.setdefault(n, len(amounts))) for c, n in sorted(row) or [(0, 0)])
        if known not in self.rows:
            self.rows[known] = self.size
            self.size += len(known)
        return self.rows[known]


def add_entries(tables: Tables, entries: Entries) -> str:
    """Add the entries to the tables; returns how many bits the parts of one have, in C."""
    rows = [(int(i + 1 < len(row)), c, n) for row in entries.rows for i, (c, n) in enumerate(row)]
    widths = [1, width(c for _, c, _ in rows), width(n for _, _, n in rows)]
    said = "Entries of leaves: 1: another one follows; a class, which amount."
    tables.add_bits("entries", rows, widths, said)
    sizes = f"CLASS = {widths[1]}, AMOUNT = {widths[2]}, ENTRY = {sum(widths)}"
    return f"/* Bits of the parts of an entry. */\nenum {{ {sizes} }};\n"


def add_leaves(tables: Tables, rows: Sequence[int], comment: str) -> str:
    """Add the row of each leaf; returns that of a leaf in C."""
    n = width(rows)
    tables.add_bits("leaves", ((row,) for row in rows), [n], comment)
    return f"bits(leaves, (first_leaf + leaf) * {n}u, {n}u)"


def add_values(tables: Tables, values: Sequence[float], name: str, comment: str) -> str:
    """Add what the leaves say of the target; returns the number of leaf LEAF in C."""
    different, which = shared(list(values), 64)
    tables.add_reals(name, different, comment)
    if which is None:
        return f"{name}[LEAF]"
    n = width(which)
    tables.add_bits(f"{name}_of", ((i,) for i in which), [n], "Of each leaf, which of these.")
    return f"{name}[bits({name}_of, (LEAF) * {n}u, {n}u)]"
