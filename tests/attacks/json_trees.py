"""Trees of JSON with something wrong at one place."""

import copy

JUNK = (
    None, True, 0, -1, -(10**30), 10**30, 2**53, 0.5, 1e308, -1e308, 5e-324, float("inf"),
    float("nan"), "", "text", "AAAA", "\ud800", [], {}, [None], [3], ["a"], [[1]], [1, [2]],
    {"a": 1}, [10**30], [-5, "x"], [["a"], ["b"]], [[1, 2], [3, 4]],
)  # fmt: skip


def places(tree, path=()):
    """The ways to everything in a tree, of long lists to the first and the last alone."""
    keys = ()
    if isinstance(tree, dict):
        keys = tree
    elif isinstance(tree, list) and tree:
        keys = {0, len(tree) - 1}
    for key in keys:
        yield (*path, key)
        yield from places(tree[key], (*path, key))


def spoiled(tree, draw):
    """A copy with one value replaced by junk, gone, or moved to another place."""
    ways = list(places(tree))
    *way, last = draw.choice(ways)
    tree = copy.deepcopy(tree)
    inner = tree
    for key in way:
        inner = inner[key]
    if draw.random() < 0.1:
        del inner[last]
    elif draw.random() < 0.1:
        inner[last] = deep(draw.choice((50, 400, 900)))
    else:
        inner[last] = draw.choice(JUNK)
    return tree


def deep(levels):
    """A list in a list in a list."""
    tree = []
    for _ in range(levels):
        tree = [tree]
    return tree
