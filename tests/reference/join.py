"""One stream that turns into another, abruptly or gradually."""

from collections.abc import Callable
from typing import TypeVar

from .exponential import exponential
from .random_numbers import Random

Example = TypeVar("Example")


def is_second(t: int, position: int, width: int, seed: int) -> bool:
    """Whether the `t`-th example (the first is 1) comes from the second stream.

    More than ten widths away the probability is below 1e-17 and counts as 0 or 1.

    >>> [is_second(t, position=3, width=0, seed=1) for t in (1, 2, 3, 4, 5)]
    [False, False, False, True, True]
    """
    if width == 0 or abs(t - position) > 10 * width:
        return t > position
    probability = 1.0 / (1.0 + exponential(-4.0 * float(t - position) / float(width)))
    return Random(seed, t).uniform() < probability


def joined(
    first: Callable[[], Example],
    second: Callable[[], Example],
    position: int,
    width: int,
    seed: int = 1,
) -> Callable[[], Example]:
    """Return the function that gives the next example of the joined stream."""
    t = 0

    def next_example() -> Example:
        nonlocal t
        t += 1
        return second() if is_second(t, position, width, seed) else first()

    return next_example
