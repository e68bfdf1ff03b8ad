"""Compiles programs in C for small machines and runs them in an emulator.

    output = run(TARGETS["cortex-m3"], build(TARGETS["cortex-m3"], [source], directory))

A program has a `main` and may use `board.h` of the examples. `missing` says what to install.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = [
    "EXAMPLES",
    "ONE_QUICK",
    "ROOT",
    "TARGETS",
    "Target",
    "build",
    "flash_bytes",
    "library",
    "missing",
    "run",
]

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "devices"
_BUILT = ROOT / "build" / "devices"
_FLAGS = ("-Os", "-ffunction-sections", "-fdata-sections", "-ffp-contract=off", "-Wno-psabi")
# Tools of this environment come first.
_PATH = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
# Prints come out of the emulator's own output, and an instruction takes a nanosecond.
_EMULATION = (
    *("-display", "none", "-monitor", "none", "-serial", "none", "-chardev", "stdio,id=out"),
    *("-semihosting-config", "enable=on,target=native,chardev=out", "-icount", "shift=0"),
)


@dataclass(frozen=True)
class Target:
    """A processor, its compiler and its emulator.

    ``compiler`` is the beginning of the names of its tools; ``headers`` where the headers of the
    C++ library are, if not where the compiler looks.
    """

    name: str
    compiler: str
    flags: tuple[str, ...]
    board: str
    emulator: tuple[str, ...]
    packages: str
    headers: tuple[str, ...] = ()

    @property
    def all_flags(self) -> tuple[str, ...]:
        """For C, C++ and linking."""
        return (*self.flags, *_FLAGS)

    @property
    def header_flags(self) -> tuple[str, ...]:
        """For C++ alone."""
        return tuple(
            f"-isystem{path}"
            for pattern in self.headers
            for path in sorted(Path("/usr/include").glob(pattern))[-1:]
        )


def _arm(name: str, machine: str, *flags: str) -> Target:
    return Target(
        name,
        "arm-none-eabi-",
        (f"-mcpu={name.removesuffix('f')}", "-mthumb", *flags, "--specs=nosys.specs"),
        "cortex_m",
        ("qemu-system-arm", "-M", machine),
        "gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm",
    )


TARGETS = {
    target.name: target
    for target in (
        _arm("cortex-m3", "mps2-an385"),
        _arm("cortex-m4f", "mps2-an386", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
        # Debian has no C++ library for it. Headers of the other one do: nothing of it is linked.
        Target(
            "rv32imac",
            "riscv64-unknown-elf-",
            ("-march=rv32imac", "-mabi=ilp32", "--specs=picolibc.specs"),
            "riscv",
            ("qemu-system-riscv32", "-M", "virt", "-bios", "none"),
            "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf libstdc++-arm-none-eabi-newlib "
            "qemu-system-misc",
            headers=("newlib/c++/*", "newlib/c++/*/arm-none-eabi"),
        ),
    )
}


# Tests on the first target run with all others; the rest are slow, since each compiles a library.
ONE_QUICK = [
    pytest.param(target, id=name, marks=() if name == "cortex-m3" else pytest.mark.slow)
    for name, target in TARGETS.items()
]


def missing(target: Target) -> str | None:
    """What to install before programs can be built for it and run; None if all is there."""
    lacking = absent(f"{target.compiler}g++", target.emulator[0], "cmake", "ninja")
    if target.headers and not target.header_flags:
        lacking.append("headers of a C++ library")
    needed = (
        f"{target.name} needs {', '.join(lacking)}: install {target.packages} cmake ninja-build"
    )
    return needed if lacking else None


def absent(*tools: str) -> list[str]:
    """Those that are not there."""
    return [tool for tool in tools if shutil.which(tool, path=_PATH) is None]


def library(target: Target) -> Path:
    """The learners as a library, built again where their sources have changed."""
    directory = _BUILT / target.name
    directory.mkdir(parents=True, exist_ok=True)
    flags = " ".join((*target.all_flags, *target.header_flags))
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        call(
            *("cmake", "-S", str(ROOT), "-B", str(directory), "-G", "Ninja"),
            "-DCMAKE_SYSTEM_NAME=Generic",
            "-DCMAKE_BUILD_TYPE=None",
            "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",
            f"-DCMAKE_CXX_COMPILER={target.compiler}g++",
            f"-DCMAKE_CXX_FLAGS={flags}",
        )
        call("cmake", "--build", str(directory), "--target", "shrubs_core")
    return directory / "cpp" / "libshrubs.a"


def build(
    target: Target, sources: Sequence[Path], directory: Path, *flags: str, learners: bool = False
) -> Path:
    """A program made of sources in C; with the library if it uses the ``learners``."""
    program = directory / f"{target.name}.elf"
    boards = EXAMPLES / "boards"
    call(
        f"{target.compiler}gcc",
        *target.all_flags,
        *("-Wall", "-Wextra", f"-I{EXAMPLES}", f"-I{ROOT / 'cpp' / 'include'}"),
        *("-nostartfiles", "-T", str(boards / f"{target.board}.ld"), "-Wl,--gc-sections"),
        *flags,
        *map(str, sources),
        str(boards / f"{target.board}.c"),
        *([str(library(target))] if learners else []),
        *("-lm", "-o", str(program)),
    )
    return program


def run(target: Target, program: Path) -> str:
    """What a program prints; raises if it does not end well."""
    return call(*target.emulator, *_EMULATION, "-kernel", str(program))


def flash_bytes(target: Target, program: Path) -> int:
    """Bytes of code and constants, and of the first values of variables."""
    text, data = call(f"{target.compiler}size", str(program)).splitlines()[1].split()[:2]
    return int(text) + int(data)


def call(*command: str | Path, where: Path | None = None) -> str:
    """What a command prints; raises with that, and with its complaints, if it fails."""
    done = subprocess.run(
        command,
        cwd=where,
        env={**os.environ, "PATH": _PATH},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode:
        printed = f"{done.stdout[-2000:]}{done.stderr[-4000:]}"
        raise RuntimeError(f"{' '.join(map(str, command))}\n{printed}")
    return done.stdout
