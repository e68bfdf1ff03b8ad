"""Draws a shrub with matplotlib: leaves side by side, parents above their children."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shrubs.learners.shrub import Leaf, Node, Shrub, Split, _in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_shrub"]

_INNER = {"boxstyle": "round,pad=0.35", "facecolor": "#e8f1ea", "edgecolor": "#117733"}
_LEAF = {"boxstyle": "round,pad=0.35", "facecolor": "#f4f4f4", "edgecolor": "#888888"}


def draw_shrub(shrub: Shrub, ax: Axes | None) -> Axes:
    """Draw ``shrub`` into ``ax``, or into a figure of fitting size."""
    places = _places(shrub.root)
    n_leaves = sum(isinstance(node, Leaf) for node, _, _ in places.values())
    if ax is None:
        import matplotlib.pyplot as plt

        size = (max(5.0, 1.9 * n_leaves), max(2.5, 1.3 * (shrub.depth + 1)))
        _, ax = plt.subplots(figsize=size, layout="constrained")
    for node, x, y in places.values():
        if isinstance(node, Split):
            for child, side in ((node.left, "yes"), (node.right, "no")):
                _, child_x, child_y = places[id(child)]
                ax.plot([x, child_x], [y, child_y], color="#888888", linewidth=1, zorder=1)
                ax.text(
                    (x + child_x) / 2,
                    (y + child_y) / 2,
                    side,
                    ha="center",
                    va="center",
                    fontsize=7,
                    color="#666666",
                    backgroundcolor="white",
                    zorder=2,
                )
        label = node.condition(True) if isinstance(node, Split) else _in_words(node.prediction)
        box = _INNER if isinstance(node, Split) else _LEAF
        ax.text(x, y, label, ha="center", va="center", fontsize=8, bbox=box, zorder=3)
    ax.set_xlim(-0.7, n_leaves - 0.3)
    ax.set_ylim(-shrub.depth - 0.5, 0.5)
    ax.set_axis_off()
    ax.set_title(f"weight {shrub.weight:.3f}, born at example {shrub.born}", fontsize=9)
    return ax


def _places(root: Node) -> dict[int, tuple[Node, float, float]]:
    """Node, x and y of every node, children before their parent."""
    places: dict[int, tuple[Node, float, float]] = {}
    n_leaves = 0
    waiting: list[tuple[Node, int, bool]] = [(root, 0, False)]
    while waiting:
        node, depth, children_done = waiting.pop()
        if isinstance(node, Leaf):
            places[id(node)] = (node, float(n_leaves), float(-depth))
            n_leaves += 1
        elif children_done:
            middle = (places[id(node.left)][1] + places[id(node.right)][1]) / 2
            places[id(node)] = (node, middle, float(-depth))
        else:
            waiting.append((node, depth, True))
            waiting.append((node.right, depth + 1, False))
            waiting.append((node.left, depth + 1, False))
    return places
