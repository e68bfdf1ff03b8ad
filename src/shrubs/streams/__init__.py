"""Where examples come from."""

from shrubs.streams.files import open_stream
from shrubs.streams.one_hot import OneHotStream

__all__ = ["OneHotStream", "open_stream"]
