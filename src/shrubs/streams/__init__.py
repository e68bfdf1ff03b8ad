"""Where examples come from."""

from shrubs.streams.catalogue import CATALOGUE, available, fetch, real_stream
from shrubs.streams.files import open_stream
from shrubs.streams.one_hot import OneHotStream

__all__ = [
    "CATALOGUE",
    "OneHotStream",
    "available",
    "fetch",
    "open_stream",
    "real_stream",
]
