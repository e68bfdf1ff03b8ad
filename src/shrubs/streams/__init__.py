"""Where examples come from."""

from shrubs.streams.files import open_stream

__all__ = ["open_stream"]
