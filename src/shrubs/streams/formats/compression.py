"""Unpacks compressed files piece by piece, in memory that the file cannot choose."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from shrubs.streams._extra import import_extra
from shrubs.streams.formats.limits import MAX_UNPACKING_BYTES
from shrubs.streams.formats.table import reason

__all__ = ["COMPRESSIONS", "unpacked"]

# The others unpack in as much memory as the file asks for, or not in every Python.
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
ZIP_ENCRYPTED = 1
FROM_A_MAC = "__MACOSX/"  # icons and the like, beside the file itself


class _RefusedError(Exception):
    """A file that is not damaged, but not one of those that are read either."""


def unpacked(path: str, label: str, size: int) -> Iterator[bytes]:
    """Yields the bytes of a file, at most ``size`` at a time, unpacked if its name says so."""
    suffix = Path(path).suffix.lower()
    try:
        yield from COMPRESSIONS.get(suffix, _read_plain)(path, size)
    except ImportError:
        raise
    except _RefusedError as error:
        raise ValueError(f"{label}: {error}") from None
    except Exception as error:  # damaged data makes the libraries raise almost anything
        what = f"damaged or not {suffix} data" if suffix in COMPRESSIONS else "cannot be read"
        raise ValueError(f"{label}: {what} ({reason(error)})") from error


def _pieces(opened: AbstractContextManager[Any], size: int) -> Iterator[bytes]:
    with opened as file:
        while piece := file.read(size):
            yield piece


def _read_plain(path: str, size: int) -> Iterator[bytes]:
    return _pieces(open(path, "rb"), size)


def _unpack_gz(path: str, size: int) -> Iterator[bytes]:
    return _pieces(gzip.open(path), size)


def _unpack_bz2(path: str, size: int) -> Iterator[bytes]:
    return _pieces(bz2.open(path), size)


def _unpack_xz(path: str, size: int) -> Iterator[bytes]:
    """Does what ``lzma.open`` does, which has no limit for the memory."""
    unpacker: lzma.LZMADecompressor | None = None
    for piece in _read_plain(path, size):
        packed = piece
        while True:
            if unpacker is None:
                packed = packed.lstrip(b"\0")  # padding between streams
                if not packed:
                    break
                unpacker = lzma.LZMADecompressor(memlimit=MAX_UNPACKING_BYTES)
            yield unpacker.decompress(packed, size)
            if unpacker.eof:
                packed, unpacker = unpacker.unused_data, None
            elif unpacker.needs_input:
                break
            else:
                packed = b""
    if unpacker is not None:
        raise EOFError("the file ends too early")


def _unpack_zip(path: str, size: int) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as archive:
        members = [
            member
            for member in archive.infolist()
            if not member.is_dir() and not member.filename.startswith(FROM_A_MAC)
        ]
        if len(members) != 1:
            raise _RefusedError(f"a zip file must hold one file, this one holds {len(members)}")
        if members[0].flag_bits & ZIP_ENCRYPTED:
            raise _RefusedError("the file in it is encrypted")
        if members[0].compress_type not in ZIP_METHODS:
            raise _RefusedError("the file in it must be stored, deflated or packed with bzip2")
        yield from _pieces(archive.open(members[0]), size)


def _unpack_zst(path: str, size: int) -> Iterator[bytes]:
    pyarrow = import_extra("pyarrow", "reading .zst files")
    yield from _pieces(pyarrow.input_stream(path, compression="zstd"), size)


COMPRESSIONS: dict[str, Callable[[str, int], Iterator[bytes]]] = {
    ".gz": _unpack_gz,
    ".bz2": _unpack_bz2,
    ".xz": _unpack_xz,
    ".zip": _unpack_zip,
    ".zst": _unpack_zst,
}
