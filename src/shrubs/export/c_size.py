"""What the code of a C file takes on a Cortex-M3, as measured; a test compiles files and compares.

Both functions of a file are counted, and the arithmetic of the compiler's library that they use:
888 bytes for sums of doubles, 600 for products, 460 for quotients.
"""

from __future__ import annotations

from typing import Any

__all__ = ["code_bytes", "stack_bytes"]

_WEIGHTED = {"classes": 1380, "targets": 1270}
_MIXED = {"classes": 4000, "targets": 3650}
_MULTIPLICATION = 600
_CLASS_WEIGHTS = 640
_LINEAR = {"classes": 450, "targets": 1000}
_BAYES = 650
_SOFTMAX = 700
_CATEGORIES = 300


def code_bytes(document: dict[str, Any], functions: str) -> int:
    """Bytes of code, given the functions of the file."""
    task = document["task"]
    weighs = "class_weights" in document
    if "mixtures" not in document:
        multiplies = weighs or "weights[i] * " in functions
        return _WEIGHTED[task] + _MULTIPLICATION * multiplies + _CLASS_WEIGHTS * weighs
    kinds = {companion["kind"] for companion in document["companions"]}
    pieces = {
        _LINEAR[task]: "linear model" in kinds,
        _BAYES: "naive Bayes" in kinds,
        _SOFTMAX: "softmax(" in functions,
        _CATEGORIES: "bucket_of(" in functions,
        _CLASS_WEIGHTS - 460: weighs,
    }
    return _MIXED[task] + sum(size for size, is_there in pieces.items() if is_there)


def stack_bytes(document: dict[str, Any]) -> int:
    """Bytes of stack at most: on Cortex-M3, Cortex-M4F and RISC-V of 32 bits, as measured."""
    width = len(document.get("classes", "1"))
    if "mixtures" not in document:
        return 192 + 8 * width
    mixed = 4 * width * (len(document["mixtures"]) + 1)
    learned = any(companion["kind"] != "constant" for companion in document["companions"])
    return 240 + 8 * width + mixed + (336 + 8 * width) * learned
