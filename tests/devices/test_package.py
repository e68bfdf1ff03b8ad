"""The library for programs in C: installed, found, used, and its state read by Python."""

from __future__ import annotations

import fcntl
import re
from pathlib import Path

import pytest

from shrubs import ShrubClassifier, load
from tests.devices.drifting_stream import drifting_stream
from tests.devices.targets import EXAMPLES, ROOT, absent, call


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Where the library is installed; it is compiled once and kept, as the extension module is."""
    lacking = absent("cmake", "ninja", "cc", "c++")
    if lacking:
        pytest.skip(f"the library for C needs {', '.join(lacking)}")
    built = ROOT / "build" / "package"
    built.mkdir(parents=True, exist_ok=True)
    with (built / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        options = ("-DSHRUBS_TESTS=OFF", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1")
        call("cmake", "-S", ROOT, "-B", built, "-G", "Ninja", *options)
        call("cmake", "--build", built, "--target", "shrubs_core")
        call("cmake", "--install", built, "--prefix", tmp_path / "prefix")
    return tmp_path / "prefix"


@pytest.mark.slow
def test_a_program_in_c_finds_the_library_and_python_its_state(
    installed: Path, tmp_path: Path
) -> None:
    files = sorted(path.name for path in installed.rglob("*") if path.is_file())
    assert files == [
        "libshrubs.a",
        "shrubs-config-none.cmake",
        "shrubs-config-version.cmake",
        "shrubs-config.cmake",
        "shrubs.h",
    ]
    built = tmp_path / "example"
    call("cmake", "-S", EXAMPLES, "-B", built, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}")
    call("cmake", "--build", built)
    printed = call(built / "example", where=tmp_path)
    page = (ROOT / "docs" / "devices.md").read_text(encoding="utf-8")
    assert f"```text\n{printed}```" in page
    assert f"```c\n{(EXAMPLES / 'example.c').read_text(encoding='utf-8')}```" in page
    learner = load(tmp_path / "device.shrubs")
    assert isinstance(learner, ShrubClassifier)
    assert learner.examples_seen == 2000
    examples = list(drifting_stream(2100, drifts_after=1000))
    learner.partial_fit([x for x, _ in examples[2000:]], [y for _, y in examples[2000:]])
    assert learner.score([x for x, _ in examples[2000:]], [y for _, y in examples[2000:]]) > 0.7


def test_the_header_is_plain_c(tmp_path: Path) -> None:
    if absent("cc"):
        pytest.skip("there is no C compiler")
    header = ROOT / "cpp" / "include" / "shrubs.h"
    for standard in ("c99", "c17"):
        strict = (f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
        call("cc", *strict, "-x", "c", "-fsyntax-only", header)


def test_the_example_has_thirty_lines() -> None:
    text = (EXAMPLES / "example.c").read_text(encoding="utf-8")
    body = text[re.search(r"^static", text, re.MULTILINE).start() :]  # type: ignore[union-attr]
    assert len(body.splitlines()) <= 30
