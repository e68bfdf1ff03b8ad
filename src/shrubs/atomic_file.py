"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

__all__ = ["write_atomically"]


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that its name never stands for half of it.

    A file that is there keeps its mode, and a link goes on leading to it.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such directory", str(target.parent))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "this is not a regular file", str(target))
    mode = target.stat().st_mode & 0o7777 if target.exists() else None
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    made = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        # Never readable to more people than the file is, also while it is written.
        with os.fdopen(os.open(temporary, made, 0o666 if mode is None else mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
