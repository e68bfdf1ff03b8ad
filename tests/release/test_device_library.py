"""The core as a library for Arduino, PlatformIO and Zephyr."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from release.device_library import ROOT, contents, pack

import shrubs

DEVICE = ROOT / "release" / "device"


def test_versions_are_that_of_the_package() -> None:
    properties = (DEVICE / "library.properties").read_text(encoding="utf-8")
    described = dict(line.split("=", 1) for line in properties.splitlines())
    assert described["version"] == shrubs.__version__
    library = json.loads((DEVICE / "library.json").read_text(encoding="utf-8"))
    assert library["version"] == shrubs.__version__
    project = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f"project(shrubs VERSION {shrubs.__version__} " in project


def test_arduino_finds_all_that_it_asks_for() -> None:
    properties = (DEVICE / "library.properties").read_text(encoding="utf-8")
    described = dict(line.split("=", 1) for line in properties.splitlines())
    wanted = {"name", "version", "author", "maintainer", "sentence", "paragraph", "category"}
    assert wanted | {"url", "architectures"} <= described.keys()
    assert all(described.values())
    assert re.fullmatch(r"[A-Za-z0-9][\w.-]{0,62}", described["name"])
    assert described["category"] == "Data Processing"  # one of nine
    assert f"src/{described['includes']}" in contents()


def test_the_package_of_cmake_is_wanted_in_its_version() -> None:
    wanted = (ROOT / "examples" / "devices" / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f"find_package(shrubs {'.'.join(shrubs.__version__.split('.')[:2])} " in wanted


def test_every_file_that_a_source_includes_is_packed() -> None:
    files = contents()
    for name, path in files.items():
        for included in re.findall(
            r'#include [<"](shrubs[^>"]*)', path.read_text(encoding="utf-8")
        ):
            assert f"src/{included}" in files, name


def test_the_packed_library_compiles_with_src_alone(tmp_path: Path) -> None:
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    with zipfile.ZipFile(pack(tmp_path)) as archive:
        archive.extractall(tmp_path)
    library = tmp_path / "shrubs"
    board = tmp_path / "board.hpp"
    board.write_text(
        "struct { void begin(long) {} template <class T> void println(T) {} } Serial;\n"
    )
    flags = json.loads((library / "library.json").read_text(encoding="utf-8"))["build"]["flags"]
    sketch = ("-include", board, "-x", "c++", library / "examples/learn/learn.ino")
    for sources in ([library / "src/shrubs.cpp"], [*sketch]):
        command = ["c++", *flags, f"-I{library / 'src'}", "-fsyntax-only", *sources]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_the_module_of_zephyr_names_files_that_exist() -> None:
    text = (ROOT / "zephyr" / "module.yml").read_text(encoding="utf-8")
    build = dict(re.findall(r"^  (\w+): (\S+)$", text, re.MULTILINE))
    assert (ROOT / build["cmake"] / "CMakeLists.txt").is_file()
    assert "config SHRUBS\n" in (ROOT / build["kconfig"]).read_text(encoding="utf-8")
