"""Logarithm and inverse square root in few operations, the same to the last bit everywhere."""

import struct

_SQRT_2 = 1.4142135623730951
_LN_2 = 0.6931471805599453


def bits_of(x: float) -> int:
    """Return the 64 bits of `x`."""
    return int(struct.unpack("<Q", struct.pack("<d", x))[0])


def from_bits(bits: int) -> float:
    """Return the number with these 64 bits."""
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


def quick_logarithm(x: float) -> float:
    """Return the natural logarithm of `x`, a normal positive number, to about seven digits.

    >>> round(quick_logarithm(10.0), 6)
    2.302585
    """
    # x = 2^k m with 1 <= m < 2; ln m = ln sqrt 2 + 2 artanh z.
    bits = bits_of(x)
    k = float((bits >> 52) - 1023)
    m = from_bits((bits & (2**52 - 1)) | (1023 << 52))
    z = (m - _SQRT_2) / (m + _SQRT_2)
    square = z * z
    series = 1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square * (1.0 / 7.0)))
    return (k + 0.5) * _LN_2 + 2.0 * z * series


def inverse_root(x: float) -> float:
    """Return 1 / sqrt x of a normal positive number: a guess from its bits, four Newton steps.

    >>> inverse_root(4.0)
    0.5
    """
    y = from_bits(0x5FE6EB50C7B537A9 - (bits_of(x) >> 1))
    for _ in range(4):
        y = y * (1.5 - 0.5 * x * y * y)
    return y


def clamp(x: float, low: float, high: float) -> float:
    """Return the number between `low` and `high` that is nearest to `x`."""
    return min(max(x, low), high)
