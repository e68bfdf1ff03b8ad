"""One C99 file that predicts as a snapshot does, to the bit."""

from __future__ import annotations

import re
from typing import Any

from shrubs.export.c_mixed import write_mixed
from shrubs.export.c_numbers import functions_of_numbers
from shrubs.export.c_tables import Tables, number
from shrubs.export.c_text import head
from shrubs.export.c_weighted import write_weighted
from shrubs.export.document import document_of
from shrubs.learners import Snapshot
from shrubs.messages import shown

__all__ = ["to_c"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,47}", re.ASCII)

_START = """
#include <float.h>
#include <stdint.h>

#if DBL_MANT_DIG != 53 || (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16) || \\
    defined(__FAST_MATH__)
#error "this prediction needs doubles of 64 bits, sums that round to them, and no fast math"
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off", "no-tree-loop-distribute-patterns") /* no memset */
#else
#pragma STDC FP_CONTRACT OFF
#endif
"""
_INFINITY = """\
#if defined(__GNUC__)
#define INFINITY __builtin_inff()
#else
#include <math.h>
#endif
"""
_CLASS_WEIGHTS = """\
    double weighed = 0.0;
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        p[c] = (p[c] + MORE) * class_weights[c];
        weighed += p[c];
    }
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        p[c] /= weighed;
    }
"""
_MOST_LIKELY = """\
    double p[N_CLASSES];
    PREDICT_PROBA(x, p);
    int best = 0;
    for (int c = 1; c < N_CLASSES; ++c) {
        best = is_below(p[best], p[c]) ? c : best;
    }
    return best;
"""


def to_c(snapshot: Snapshot, *, name: str = "model") -> str:
    """A C99 file with ``model_predict`` and, of classes, ``model_predict_proba``.

    Args:
        snapshot: of any learner.
        name: what the names of the functions begin with, an identifier of C.

    >>> from shrubs import PaperShrubRegressor
    >>> learner = PaperShrubRegressor().learn_one({"a": 0.5}, 2.0)
    >>> print(to_c(learner.snapshot(), name="tiny").splitlines()[-1])
    }
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            "name must be an identifier of C that begins with a letter, at most 48 letters, digits "
            f"and underscores, got {shown(name)}"
        )
    document = document_of(snapshot)
    tables = Tables()
    write = write_mixed if "mixtures" in document else write_weighted
    functions, body = write(document, tables)
    if "class_weights" in document:
        weights = document["class_weights"]
        tables.add_reals("class_weights", weights["weights"], "The weight of each class.")
        body += _CLASS_WEIGHTS.replace("MORE", number(weights["more"]))
    if "(x," not in body:
        body = "    (void)x;\n" + body
    declared, defined = _public(document, name, body)
    parts = [
        head(document, tables, functions + defined, declared),
        _START,
        _INFINITY if "INFINITY" in str(tables) else "",
        _sizes(document),
        f"{tables}\n" if tables.n_bytes else "",
        functions_of_numbers(functions + defined),
        functions,
        defined,
    ]
    return "\n".join(part for part in parts if part)


def _public(document: dict[str, Any], name: str, body: str) -> tuple[list[str], str]:
    """The functions that others call: how they are declared, and all of their code."""
    x = f"const float x[{max(len(document['features']), 1)}]"
    if document["task"] == "targets":
        declared = [f"double {name}_predict({x})"]
        bodies = [body + _kept_finite(document) + "    return y;\n"]
    else:
        n_classes = len(document["classes"])
        declared = [f"void {name}_predict_proba({x}, double p[{n_classes}])"]
        declared.append(f"int {name}_predict({x})")
        bodies = [body, _MOST_LIKELY.replace("PREDICT_PROBA", f"{name}_predict_proba")]
    declarations = "".join(f"{each};\n" for each in declared)
    functions = [f"\n{each}\n{{\n{code}}}\n" for each, code in zip(declared, bodies, strict=True)]
    return declared, declarations + "".join(functions)


def _kept_finite(document: dict[str, Any]) -> str:
    if "mixtures" in document or not document["shrubs"]:
        return ""
    return "    y = is_below(y, -DBL_MAX) ? -DBL_MAX : is_below(DBL_MAX, y) ? DBL_MAX : y;\n"


def _sizes(document: dict[str, Any]) -> str:
    """The sizes that the code below uses."""
    sizes = {"N_SHRUBS": len(document["shrubs"])}
    if "classes" in document:
        sizes["N_CLASSES"] = len(document["classes"])
    if "mixtures" in document:
        sizes["N_FEATURES"] = len(document["features"])
        sizes["N_MIXTURES"] = len(document["mixtures"])
        sizes["WIDTH"] = len(document.get("classes", "1"))
    return "enum { " + ", ".join(f"{name} = {size}" for name, size in sizes.items()) + " };\n"
