"""Packs the core as a library for Arduino and PlatformIO: all sources under src, in one zip file.

python release/device_library.py dist
"""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

__all__ = ["contents", "pack"]

ROOT = Path(__file__).parents[1]
# Not a part of the core: they may allocate.
_LEFT_OUT = {"batch", "generators"}


def contents() -> dict[str, Path]:
    """The files of the library by their names in it."""
    files = {path.name: path for path in sorted((ROOT / "release" / "device").iterdir())}
    files["LICENSE"] = ROOT / "LICENSE"
    for folder in ("include", "src"):
        base = ROOT / "cpp" / folder
        for path in sorted(base.rglob("*.*pp")) + sorted(base.glob("*.h")):
            name = path.relative_to(base)
            if not _LEFT_OUT & set(name.parts):
                files[f"src/{name.as_posix()}"] = path
    example = ROOT / "examples" / "devices"
    files["examples/learn/learn.ino"] = example / "learn.ino"
    files["examples/learn/drifting_stream.h"] = example / "drifting_stream.h"
    return files


def pack(directory: Path) -> Path:
    """Write the library; its version is in its name."""
    properties = (ROOT / "release" / "device" / "library.properties").read_text(encoding="utf-8")
    (version,) = re.findall(r"^version=(.*)$", properties, re.MULTILINE)
    directory.mkdir(parents=True, exist_ok=True)
    packed = directory / f"shrubs-device-{version}.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in contents().items():
            archive.write(path, f"shrubs/{name}")
    return packed


if __name__ == "__main__":
    print(pack(Path(sys.argv[1] if len(sys.argv) > 1 else "dist")))
