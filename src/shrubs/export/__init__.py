"""A snapshot outside of Python: C99 that predicts with the same bits, and documented JSON."""

from shrubs.export.c_file import to_c
from shrubs.export.document import to_json

__all__ = ["to_c", "to_json"]
