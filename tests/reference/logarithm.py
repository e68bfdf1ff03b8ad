"""The natural logarithm, the same to the last bit on every platform."""

import math

# ln 2 in two parts. The first ends in zero bits, so its product with a small integer is exact.
_LN_2_HIGH = 0.693147180369123816490
_LN_2_LOW = 1.90821492927058770002e-10
_SQRT_2 = 1.4142135623730951
_N_TERMS = 11


def logarithm(x: float) -> float:
    """Return the natural logarithm of `x`, a normal positive number.

    >>> logarithm(1.0), logarithm(0.5)
    (0.0, -0.6931471805599453)
    """
    mantissa, exponent = math.frexp(x)
    mantissa, exponent = mantissa * 2.0, exponent - 1
    if mantissa > _SQRT_2:
        mantissa, exponent = mantissa * 0.5, exponent + 1
    # ln m = 2 artanh z = 2 z (1 + z^2/3 + z^4/5 + ...) with |z| < 0.172.
    z = (mantissa - 1.0) / (mantissa + 1.0)
    series = 1.0 / float(2 * _N_TERMS - 1)
    for i in range(_N_TERMS - 2, -1, -1):
        series = series * (z * z) + 1.0 / float(2 * i + 1)
    k = float(exponent)
    return k * _LN_2_HIGH + (k * _LN_2_LOW + 2.0 * z * series)
