"""Numbers as people read them: percent, KB and microseconds exist only here and in the cli."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "count",
    "decimals",
    "listed",
    "memory",
    "microseconds",
    "number",
    "percent",
    "significant",
]

_KB = 1024
_MINUS = "\N{MINUS SIGN}"


def count(value: float) -> str:
    """Thousands apart.

    >>> count(20000)
    '20,000'
    """
    return f"{value:,.0f}"


def listed(words: Sequence[str], most: int = 8) -> str:
    """As it is spoken; what is more than ``most`` is counted.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], 2)
    ('a, b and c', 'a, b and 1 more')
    """
    shown = list(words[:most])
    if len(words) > most:
        shown.append(f"{len(words) - most:,} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def number(n: int, noun: str) -> str:
    """How many of what.

    >>> number(1, "stream"), number(1200, "run")
    ('1 stream', '1,200 runs')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def percent(share: float) -> str:
    """A share in [0, 1] in percent, without the sign.

    >>> percent(0.76725)
    '76.72'
    """
    return f"{100 * share:.2f}"


def decimals(value: float) -> str:
    """Three digits behind the point, with a true minus; a power of ten where that gets long.

    >>> decimals(0.52081), decimals(3.2e30)
    ('0.521', '3.20e+30')
    """
    return _signed(f"{value:.3f}" if abs(value) < 1e5 else f"{value:.2e}")


def significant(value: float) -> str:
    """Four digits that count, for numbers of any scale.

    >>> significant(3.17), significant(12345678.0)
    ('3.170', '1.235e+07')
    """
    return _signed(f"{value:#.4g}".removesuffix("."))


def memory(n_bytes: float) -> str:
    """In bytes, KB or MB of 1024.

    >>> memory(352), memory(13254), memory(5e6)
    ('352 B', '12.9 KB', '4.77 MB')
    """
    if n_bytes < _KB:
        return f"{n_bytes:.0f} B"
    if n_bytes < _KB**2:
        return f"{n_bytes / _KB:.1f} KB"
    return f"{n_bytes / _KB**2:.2f} MB"


def microseconds(seconds: float) -> str:
    """In millionths of a second, without the unit.

    >>> microseconds(7.9e-5), microseconds(1.2e-7)
    ('79.0', '0.12')
    """
    value = 1e6 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def _signed(text: str) -> str:
    """With a true minus in front, and none in front of a zero."""
    if not text.startswith("-"):
        return text
    return text[1:] if float(text) == 0 else _MINUS + text[1:]
