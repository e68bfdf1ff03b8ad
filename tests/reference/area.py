"""The area under a front by adding up thin strips, and the best model by looking at all."""

import math


def front_height(models, size):
    """The height at ``size`` of the unbeaten models joined by straight lines; 0 left of all."""
    unbeaten = sorted(
        (s, a)
        for s, a in set(models)
        if not any(t <= s and b >= a and (t, b) != (s, a) for t, b in models)
    )
    before = [model for model in unbeaten if model[0] <= size]
    after = [model for model in unbeaten if model[0] > size]
    if not before:
        return 0.0
    if not after:
        return before[-1][1]
    (s0, a0), (s1, a1) = before[-1], after[0]
    return a0 + (a1 - a0) * (size - s0) / (s1 - s0)


def area(models, largest, n_strips):
    """Over (0, largest), by the height in the middle of each strip, divided by ``largest``."""
    models = [(s, a) for s, a in models if s <= largest]
    width = largest / n_strips
    return sum(front_height(models, (i + 0.5) * width) for i in range(n_strips)) / n_strips


def log_area(models, smallest, largest, n_strips):
    """The same where every size counts by its binary logarithm above that of ``smallest``."""
    moved = [(math.log2(max(s, smallest) / smallest), a) for s, a in models if s <= largest]
    return area(moved, math.log2(largest / smallest), n_strips)


def best_under(models, budget):
    """The most accurate of the allowed models; of equal ones the smallest, then the first."""
    best = None
    for i, (size, accuracy) in enumerate(models):
        if size > budget:
            continue
        if (
            best is None
            or accuracy > models[best][1]
            or (accuracy == models[best][1] and size < models[best][0])
        ):
            best = i
    return best
