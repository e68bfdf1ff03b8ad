"""The prox operator: projection onto the sparse probability simplex."""


def project_sparse_simplex(weights: list[float], max_shrubs: int) -> list[float]:
    """Return the nearest weights on the simplex with at most `max_shrubs` nonzero entries.

    The order of the entries is kept. Of equal weights, the earlier one survives
    (Algorithm 1, lines 10 and 11). Requires at least one weight, finite weights and
    `max_shrubs >= 1`.

    >>> project_sparse_simplex([0.25, 1.5, 1.0], 2)
    [0.0, 0.75, 0.25]
    """
    decreasing = sorted(range(len(weights)), key=lambda i: (-weights[i], i))
    kept = decreasing[:max_shrubs]
    # Moving all weights by the same amount changes nothing but the rounding: next to weights
    # beyond 2**53, the one that they shall sum to would be lost.
    largest = weights[kept[0]]
    tau = _threshold([weights[i] - largest for i in kept])
    projected = [0.0] * len(weights)
    for i in kept:
        projected[i] = max(weights[i] - largest - tau, 0.0)
    return projected


def _threshold(decreasing: list[float]) -> float:
    """Return what to take off every weight, so that the positive rest sums to one.

    decreasing: the weights to keep, the largest first, which is 0.
    """
    tau = -1.0
    cumulated = 0.0
    for j, weight in enumerate(decreasing, start=1):
        cumulated += weight
        if weight > (cumulated - 1.0) / float(j):
            tau = (cumulated - 1.0) / float(j)
    return tau
