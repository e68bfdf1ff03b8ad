"""What a leaf holds: a class distribution in fixed point, or one number."""

from .target_scale import TargetScale

# A probability of one in fixed point.
ONE = 32768


def class_distribution(counts: list[int]) -> tuple[int, ...]:
    """Return the share of each class in fixed point, summing to ONE; zeros at the end are left out.

    counts: the number of examples per class, of shape (n_classes,), at least one in all. The
    running total is rounded (halves go up), so that the rounding errors cancel in the sum.

    >>> class_distribution([1, 2, 0])
    (10923, 21845)
    """
    n = sum(counts)
    cumulated = 0
    rounded_before = 0
    distribution = []
    for count in counts:
        cumulated += count
        rounded = (2 * ONE * cumulated + n) // (2 * n)
        distribution.append(rounded - rounded_before)
        rounded_before = rounded
    while distribution[-1] == 0:
        distribution.pop()
    return tuple(distribution)


def pad_distribution(distribution: tuple[int, ...], n_classes: int) -> list[int]:
    """Return `distribution` with a share of zero for every class left out.

    >>> pad_distribution((10923, 21845), 3)
    [10923, 21845, 0]
    """
    return list(distribution) + [0] * (n_classes - len(distribution))


def mean_target(targets: list[float], target_scale: TargetScale) -> float:
    """Return the mean of `targets`, which are in the order of arrival.

    >>> mean_target([4.0, 6.0], TargetScale(exponent=2, centre=1.25))
    5.0
    """
    if all(y == targets[0] for y in targets):
        return targets[0]
    total = 0.0
    for y in targets:
        total += target_scale.scale(y)
    return target_scale.unscale(total / float(len(targets)))
