"""One process at a time for a model's file."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["only_one"]

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def only_one(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep a model for this process; raises OSError if another one has it.

    What is locked is a hidden file beside the model, which goes again. The lock of a process that
    was killed ends with it.
    """
    model = Path(os.path.realpath(path))
    lock = model.with_name(f".{model.name}.lock")
    file = None
    while file is None or not _is(file, lock):  # not one that was removed meanwhile
        if file is not None:
            os.close(file)
        file = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(file)
        except OSError:
            os.close(file)
            raise OSError(errno.EBUSY, "another process keeps this model", str(path)) from None
    try:
        yield
    finally:
        with contextlib.suppress(PermissionError):  # an open file stays where it is on Windows
            lock.unlink(missing_ok=True)
        os.close(file)


def _is(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
