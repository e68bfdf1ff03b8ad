"""An exported C file, compiled for this machine and called from Python."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.export import to_c

CC = shutil.which("cc") or "gcc"
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


def compile_c(source: str, folder: Path, *flags: str) -> ctypes.CDLL:
    """The file as a library; whatever a compiler says of it fails."""
    path = folder / f"model{len(list(folder.iterdir()))}.c"
    path.write_text(source)
    library = path.with_suffix(".so")
    # -nostdlib: neither libm nor anything else is needed but what a compiler may call by itself.
    command: list[str | Path] = [
        CC,
        *FLAGS,
        "-ffp-contract=off",
        "-O1",
        *flags,
        "-shared",
        "-fPIC",
        "-Wl,-z,defs",
    ]
    subprocess.run([*command, "-nostdlib", "-o", library, path, "-lgcc", "-lc"], check=True)
    return ctypes.CDLL(str(library))


def predict(library: ctypes.CDLL, X: NDArray[np.float32], n_classes: int | None) -> Any:
    """Probabilities, ``(n, n_classes)``, or targets, ``(n,)``; the class returned is checked."""
    function = library.model_predict if n_classes is None else library.model_predict_proba
    rows = np.ascontiguousarray(X, dtype=np.float32)
    pointer = ctypes.POINTER(ctypes.c_float)
    if n_classes is None:
        function.restype = ctypes.c_double
        return np.array([function(row.ctypes.data_as(pointer)) for row in rows])
    p = np.zeros((len(rows), n_classes))
    for row, out in zip(rows, p, strict=True):
        function(row.ctypes.data_as(pointer), out.ctypes.data_as(ctypes.c_void_p))
        assert library.model_predict(row.ctypes.data_as(pointer)) == np.argmax(out)
    return p


def assert_same_bits(snapshot: Any, X: NDArray[np.float64], folder: Path) -> None:
    """The snapshot and its C file predict the same of every row, to the bit."""
    is_regression = snapshot.parts()["labels"] is None
    expected = snapshot.predict(X) if is_regression else snapshot.predict_proba(X)
    n_classes = None if is_regression else expected.shape[1]
    library = compile_c(to_c(snapshot), folder)
    kept = snapshot.parts()["names"]  # positions; where memory is short, not all of them
    found = predict(library, X[:, kept].astype(np.float32), n_classes)
    np.testing.assert_array_equal(found.view(np.uint64), expected.view(np.uint64))
