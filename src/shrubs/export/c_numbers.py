"""What a C file does with single numbers: only functions that are called are written."""

from __future__ import annotations

__all__ = ["functions_of_numbers"]

_FUNCTIONS = {
    "bits(": """\
/* The whole number in `n` bits of a table from bit `at` on, at most 25; four bytes are read. */
static uint32_t bits(const uint8_t table[], uint32_t at, uint32_t n)
{
    const uint8_t *byte = table + (at >> 3);
    const uint32_t all = byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 |
                         (uint32_t)byte[3] << 24;
    return all >> (at & 7u) & ((1u << n) - 1u);
}
""",
    "ordered(": """\
/* A number of 32 bits as an integer with the same order: comparing takes no floating point. */
static int32_t ordered(float number)
{
    union {
        float number;
        int32_t bits;
    } as;
    as.number = number;
    return as.bits >= 0 ? as.bits : INT32_MIN - as.bits;
}
""",
    "is_missing(": """\
/* Whether that was NAN. */
static int is_missing(int32_t order)
{
    return order > 0x7F800000 || order < -0x7F800000;
}
""",
    "is_below(": """\
/* Whether a < b, by integers with the same order. */
static int is_below(double a, double b)
{
    union {
        double number;
        int64_t bits;
    } left, right;
    left.number = a;
    right.number = b;
    left.bits = left.bits >= 0 ? left.bits : INT64_MIN - left.bits;
    right.bits = right.bits >= 0 ? right.bits : INT64_MIN - right.bits;
    return left.bits < right.bits;
}
""",
}


def functions_of_numbers(code: str) -> str:
    """Those that the code calls."""
    return "\n".join(text for called, text in _FUNCTIONS.items() if called in code)
