"""Features are kept in single precision."""

import ctypes


def to_single(value: float) -> float:
    """Round `value` to the nearest single precision number.

    >>> to_single(0.1)
    0.10000000149011612
    """
    return ctypes.c_float(value).value


def to_features(x: list[float]) -> list[float]:
    """Return `x`, of shape (n_features,), as it is kept: single precision and no negative zero.

    >>> to_features([-0.0, 0.1])
    [0.0, 0.10000000149011612]
    """
    features = []
    for value in x:
        single = to_single(value)
        features.append(0.0 if single == 0.0 else single)
    return features
