"""The packed library as Arduino builds it: every source with `src` alone, then the sketch."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from release.device_library import pack

from tests.devices.targets import EXAMPLES, ROOT, TARGETS, call, missing, run

# What a board brings: Arduino.h, a serial line, and a main that calls the sketch.
_BOARD = """\
extern "C" {
#include "board.h"
}
struct {
    void begin(long) {}
    void println(const char* text) { board_print(text); }
    void println(double value) { board_print_number("right", (uint64_t)(1000 * value + 0.5)); }
} Serial;
"""
_MAIN = """
int main() {
    setup();
    for (int i = 0; i < 8; ++i) {
        loop();
    }
}
"""
_FLAGS = ("-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics")


@pytest.mark.slow
def test_the_sketch_learns_as_the_example_does(tmp_path: Path) -> None:
    target = TARGETS["cortex-m3"]
    if missing(target):
        pytest.skip(str(missing(target)))
    with zipfile.ZipFile(pack(tmp_path)) as archive:
        archive.extractall(tmp_path)
    library = tmp_path / "shrubs"
    sketch = library / "examples" / "learn" / "learn.ino"
    main = sketch.with_name("learn.ino.cpp")
    main.write_text(_BOARD + sketch.read_text(encoding="utf-8") + _MAIN, encoding="utf-8")
    wanted = json.loads((library / "library.json").read_text(encoding="utf-8"))["build"]["flags"]
    compiler = (f"{target.compiler}g++", *target.all_flags, *_FLAGS, *wanted)
    folders = (f"-I{library / 'src'}", f"-I{EXAMPLES}")
    objects = []
    for i, source in enumerate([main, *sorted((library / "src").rglob("*.cpp"))]):
        objects.append(tmp_path / f"{i}.o")
        call(*compiler, *folders, "-c", source, "-o", objects[-1])
    board = EXAMPLES / "boards" / f"{target.board}.c"
    call(f"{target.compiler}gcc", *target.all_flags, *folders, "-c", board, "-o", tmp_path / "b.o")
    script = ("-nostartfiles", "-T", board.with_suffix(".ld"), "-Wl,--gc-sections")
    program = tmp_path / "sketch.elf"
    call(*compiler, *script, *objects, tmp_path / "b.o", "-o", program)
    printed = re.findall(r"right (\d+)", run(target, program))
    page = (ROOT / "docs" / "devices.md").read_text(encoding="utf-8")
    assert printed == [
        f"{1000 * float(x):.0f}" for x in re.findall(r"^ *\d+  (0\.\d+)$", page, re.M)
    ]
