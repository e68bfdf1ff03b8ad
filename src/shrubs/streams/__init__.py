"""Where examples come from."""

from shrubs.streams.catalogue import CATALOGUE, available, fetch, real_stream
from shrubs.streams.drift import JoinedStream, join
from shrubs.streams.file_stream import FileStream
from shrubs.streams.files import open_stream
from shrubs.streams.one_hot import OneHotStream
from shrubs.streams.paper import PaperStream, paper_stream
from shrubs.streams.rows import read_rows
from shrubs.streams.synthetic import LED, SEA, Agrawal, Hyperplane, RandomRBF, Sine

__all__ = [
    "CATALOGUE",
    "LED",
    "SEA",
    "Agrawal",
    "FileStream",
    "Hyperplane",
    "JoinedStream",
    "OneHotStream",
    "PaperStream",
    "RandomRBF",
    "Sine",
    "available",
    "fetch",
    "join",
    "open_stream",
    "paper_stream",
    "read_rows",
    "real_stream",
]
