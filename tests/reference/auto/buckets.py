"""Where the numbers of a category are kept, in a table of fixed size."""

import math
import struct

_MASK = 2**64 - 1
# Codes from here on stand for categories whose text is not kept.
_FIRST_UNNAMED = 2.0**23


def says_nothing(value: float, *, nominal: bool) -> bool:
    """Tell whether a companion passes over a value: missing, or a category without a text."""
    return math.isnan(value) or (nominal and value >= _FIRST_UNNAMED)


def bucket_of(feature: int, category: float, n_buckets: int) -> int:
    """Return the place of a category among `n_buckets`, a power of two. Categories may share one.

    >>> bucket_of(0, 1.0, 1)
    0
    """
    bits = int(struct.unpack("<I", struct.pack("<f", category))[0])
    key = bits + (feature << 32)
    key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) & _MASK
    return (key >> 40) % n_buckets
