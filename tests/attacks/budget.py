"""How many rounds an attack runs, and how a failed one is repeated.

``SHRUBS_ATTACK=100`` runs a hundred times as many rounds: minutes become hours. Rounds have
numbers, by default from 0, so every run does the same; ``SHRUBS_ATTACK_SEED=5000`` begins at
another. A failed test names its round, and ``SHRUBS_ATTACK=0 SHRUBS_ATTACK_SEED=<round>`` repeats
that one alone.
"""

import os
import random

_FACTOR = float(os.environ.get("SHRUBS_ATTACK", "1"))
_FIRST = int(os.environ.get("SHRUBS_ATTACK_SEED", "0"))

# Under a sanitizer memory cannot be measured, and everything takes several times as long.
sanitized = "SHRUBS_CORE" in os.environ

# The number of the round under way, if any: a failure names it.
under_way = []


def rounds(n):
    """The random numbers of each round, one ``random.Random`` after the other; ``n`` in CI."""
    for number in range(_FIRST, _FIRST + max(1, int(n * _FACTOR))):
        under_way[:] = [number]
        yield random.Random(number)
    under_way.clear()
