"""The nodes of a shrub as plain data: in preorder, each split with the places of its children."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["Node", "plain_nodes"]

Node = dict[str, Any]


def plain_nodes(
    nodes: Sequence[tuple[Any, ...]],
    features: Sequence[Mapping[str, Any]],
    known: Mapping[int, float],
) -> list[Node]:
    """The core's preorder list of nodes in words.

    Args:
        nodes: splits and leaves.
        features: what is said of each feature.
        known: values of features that are the same for every x; splits by them are answered.
    """
    ends = _ends(nodes)
    plain: list[Node] = []
    waiting: list[tuple[int, Node | None]] = [(0, None)]  # a node, and the split it is right of
    while waiting:
        at, parent = waiting.pop()
        while nodes[at][0] == "split" and nodes[at][1] in known:
            at = at + 1 if _goes_left(nodes[at], known[nodes[at][1]]) else ends[at + 1]
        if parent is not None:
            parent["right"] = len(plain)
        if nodes[at][0] == "leaf":
            leaf = nodes[at][1]
            plain.append({"leaf": list(map(list, leaf)) if isinstance(leaf, list) else leaf})
            continue
        plain.append(_split(nodes[at], features[nodes[at][1]], len(plain)))
        waiting += [(ends[at + 1], plain[-1]), (at + 1, None)]
    return plain


def _ends(nodes: Sequence[tuple[Any, ...]]) -> list[int]:
    """The place behind the subtree of each node."""
    ends = [0] * len(nodes)
    for at in reversed(range(len(nodes))):
        ends[at] = at + 1 if nodes[at][0] == "leaf" else ends[ends[at + 1]]
    return ends


def _goes_left(split: tuple[Any, ...], value: float) -> bool:
    _, _, threshold, nominal, missing_left = split
    if math.isnan(value):
        return bool(missing_left)
    return bool(value == threshold if nominal else value <= threshold)


def _split(split: tuple[Any, ...], feature: Mapping[str, Any], at: int) -> Node:
    _, _, threshold, nominal, missing_left = split
    question: Node = {"is" if nominal else "at_most": None if math.isnan(threshold) else threshold}
    if nominal and not math.isnan(threshold):
        question["is"] = int(threshold)
        if threshold < len(feature.get("categories", ())):
            question["category"] = feature["categories"][int(threshold)]
    missing = "left" if missing_left else "right"
    return {"feature": feature["name"], **question, "missing": missing, "left": at + 1, "right": 0}
