"""Shrubs and companions, mixed in several ways, in C: the learner without tuning."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from shrubs.export.c_companions import write_companions
from shrubs.export.c_shrubs import Entries, add_entries, add_leaves, add_nodes, add_values
from shrubs.export.c_tables import Tables, number, width

__all__ = ["write_mixed"]

_LARGEST_PREDICTION = 10.0

_MIX = """\
/* Adds what an expert says to the mixtures that it has a part in, one bit each. Returns the weights
   of the next expert. */
static const float *mix(const float said[], uint32_t parts, const float *weight,
                        float mixed[][WIDTH])
{
    for (uint32_t k = 0; k < N_MIXTURES; ++k) {
        if (parts >> k & 1u) {
            for (uint32_t c = 0; c < WIDTH; ++c) {
                mixed[k][c] += *weight * said[c];
            }
            ++weight;
        }
    }
    return weight;
}
"""
_DENSE = """\
/* What a leaf says: the shares of its classes, with half an example spread over all classes. */
static void say(uint32_t row, float said[])
{
    const uint32_t first = row * N_CLASSES;
    uint32_t n = 0;
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        n += amounts[bits(entries, (first + c) * AMOUNT, AMOUNT)];
    }
    const double scale = 1.0 / (n + 0.5);
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        const uint32_t amount = amounts[bits(entries, (first + c) * AMOUNT, AMOUNT)];
        said[c] = (float)((amount + 0.5 / N_CLASSES) * scale);
    }
}
"""
_SPARSE = """\
/* What a leaf says: the shares of its classes, with half an example spread over all classes. */
static void say(uint32_t entry, float said[])
{
    uint32_t end = entry;
    uint32_t n = 0;
    do {
        n += amounts[bits(entries, end * ENTRY + 1 + CLASS, AMOUNT)];
    } while (bits(entries, end++ * ENTRY, 1));
    const double scale = 1.0 / (n + 0.5);
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        said[c] = (float)(0.5 / N_CLASSES * scale);
    }
    for (; entry < end; ++entry) {
        const uint32_t amount = amounts[bits(entries, entry * ENTRY + 1 + CLASS, AMOUNT)];
        said[bits(entries, entry * ENTRY + 1, CLASS)] =
            (float)((amount + 0.5 / N_CLASSES) * scale);
    }
}
"""
_TARGETS = """\
/* A target that was counted in deviations from the mean. */
static double restored(double z)
{
    const double y = (z * DEVIATION + MEAN) * UP;
    return is_below(y, -DBL_MAX) ? -DBL_MAX : is_below(DBL_MAX, y) ? DBL_MAX : y;
}
"""
_LEANING = """\
/* The reverse, for a sum of two targets. */
static float deviations(double y)
{
    y = is_below(y, -DBL_MAX) ? -DBL_MAX : is_below(DBL_MAX, y) ? DBL_MAX : y;
    const double z = (y * DOWN - MEAN) / DEVIATION;
    return (float)(is_below(z, -10.0) ? -10.0 : is_below(10.0, z) ? 10.0 : z);
}
"""
_BODY = """\
    float mixed[N_MIXTURES][WIDTH] = {{0.0f}};
    float said[WIDTH];
    const float *weight = weights;
"""
_SHRUBS = """\
    uint32_t node = 0;
    uint32_t first_leaf = 0;
    for (uint32_t i = 0; i < N_SHRUBS; ++i) {
        const uint32_t leaf = sizes[i] ? find_leaf(x, node) : 0u;
SAID
        weight = mix(said, mixtures[i], weight, mixed);
        node += sizes[i];
        first_leaf += sizes[i] + 1u;
    }
"""
_CLASSES_END = """\
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        p[c] = 0.0;
    }
    for (uint32_t k = 0; k < N_MIXTURES; ++k) {
        for (uint32_t c = 0; c < N_CLASSES; ++c) {
            p[c] += shares[k] * (double)mixed[k][c];
        }
    }
    double sum = 0.0;
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        sum += p[c];
    }
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        p[c] /= sum;
    }
"""
_TARGETS_END = """\
    double z = 0.0;
    for (uint32_t k = 0; k < N_MIXTURES; ++k) {
        z += shares[k] * (double)mixed[k][0];
    }
    double y = restored(z);
"""


def write_mixed(document: dict[str, Any], tables: Tables) -> tuple[str, str]:
    """Add the tables; returns functions, and the body of the prediction."""
    shrubs, companions = document["shrubs"], document["companions"]
    is_regression = document["task"] == "targets"
    experts = [expert["weights"] for expert in [*shrubs, *companions]]
    tables.add_reals("shares", document["mixtures"], "The share of each mixture.")
    tables.add_whole("mixtures", list(map(_bits, experts)), "Of each expert, a bit per mixture.")
    tables.add_reals(
        "weights", [w for weights in experts for w in weights if w], "Its weight in each of them."
    )
    functions = [_MIX]
    body = [_BODY]
    if is_regression:
        functions += _target_functions(document)
    told, calls = write_companions(document, tables)
    functions += told
    if any(shrub.get("leans") for shrub in shrubs):
        body.append(
            "    linear(x, said);\n    const double leaned_on = restored((double)said[0]);\n"
        )
    if shrubs:
        names = [feature["name"] for feature in document["features"]]
        functions.append(add_nodes(tables, shrubs, names))
        say, said = (_say_targets if is_regression else _say_classes)(document, tables)
        functions += say
        body.append(_SHRUBS.replace("SAID", said))
        if "first_leaf" not in said:
            body[-1] = body[-1].replace("    uint32_t first_leaf = 0;\n", "")
            body[-1] = body[-1].replace("        first_leaf += sizes[i] + 1u;\n", "")
    body += calls
    body.append(_targets_end(document) if is_regression else _CLASSES_END)
    return "\n".join(functions), "".join(body)


def _bits(weights: list[float]) -> int:
    return sum(1 << k for k, weight in enumerate(weights) if weight)


def _leaves(shrub: dict[str, Any]) -> list[Any]:
    return [node["leaf"] for node in shrub["nodes"] if "leaf" in node]


def _say_classes(document: dict[str, Any], tables: Tables) -> tuple[list[str], str]:
    """Leaves hold counts: of each class, or entries of those that are there."""
    n_classes = len(document["classes"])
    leaves = [leaf for shrub in document["shrubs"] for leaf in _leaves(shrub)]
    sparse, dense = Entries(), Entries()
    rows = [sparse.place(leaf) for leaf in leaves]
    filled = [[(c, dict(leaf).get(c, 0)) for c in range(n_classes)] for leaf in leaves]
    dense_rows = [dense.place(leaf) // n_classes for leaf in filled]
    amount = width(dense.amounts.values())
    if sparse.size * (1 + width([n_classes - 1]) + amount) < dense.size * amount:
        entries, functions = sparse, [add_entries(tables, sparse), _SPARSE]
    else:
        entries, functions = dense, [f"enum {{ AMOUNT = {amount} }};\n", _DENSE]
        numbers = [(which,) for row in dense.rows for _, which in row]
        said = "Rows of leaves: of each class, which amount."
        tables.add_bits("entries", numbers, [amount], said)
        rows = dense_rows
    tables.add_whole("amounts", list(map(round, entries.amounts)), "How many examples.")
    row = add_leaves(tables, rows, "Of each leaf, its row or the first of its entries.")
    return functions, f"        say({row}, said);"


# -- targets -------------------------------------------------------------------------------------


def _say_targets(document: dict[str, Any], tables: Tables) -> tuple[list[str], str]:
    """Shrubs that lean say a target with the linear model, the others in deviations."""
    shrubs = document["shrubs"]
    leaning = [bool(shrub.get("leans")) for shrub in shrubs]
    values = [
        [leaf if leans else _deviations(leaf, document["target"]) for leaf in _leaves(shrub)]
        for shrub, leans in zip(shrubs, leaning, strict=True)
    ]
    alone = list(
        chain.from_iterable(v for v, leans in zip(values, leaning, strict=True) if not leans)
    )
    added = list(chain.from_iterable(v for v, leans in zip(values, leaning, strict=True) if leans))
    starts, ends = [], [0, 0]
    for said, leans in zip(values, leaning, strict=True):
        starts.append(ends[leans])
        ends[leans] += len(said)
    statements = {}
    if alone:
        value = add_values(tables, alone, "values", "What leaves predict, in deviations.")
        statements[False] = f"said[0] = {value};"
    if added:
        value = add_values(tables, added, "additions", "What leaves add to the linear model.")
        statements[True] = f"said[0] = deviations(leaned_on + {value});"
    if len(statements) == 1:
        (statement,) = statements.values()
        return [], "        " + statement.replace("LEAF", "first_leaf + leaf")
    tables.add_whole(
        "leaning", list(map(int, leaning)), "1: the leaves of this shrub add to the linear model."
    )
    tables.add_whole("starts", starts, "The first leaf of each shrub among those of its kind.")
    return [], (
        "        if (leaning[i]) {\n            "
        + statements[True].replace("LEAF", "starts[i] + leaf")
        + "\n        } else {\n            "
        + statements[False].replace("LEAF", "starts[i] + leaf")
        + "\n        }"
    )


def _deviations(y: float, target: dict[str, float]) -> float:
    z = (y * target["down"] - target["mean"]) / target["deviation"]
    return float(np.float32(min(max(z, -_LARGEST_PREDICTION), _LARGEST_PREDICTION)))


def _target_functions(document: dict[str, Any]) -> list[str]:
    target = document["target"]
    constants = {
        "UP": 1.0 / target["down"],
        "MEAN": target["mean"],
        "DEVIATION": target["deviation"],
        "DOWN": target["down"],
    }
    functions = [_TARGETS]
    if any(shrub.get("leans") for shrub in document["shrubs"]):
        functions.append(_LEANING)
    else:
        del constants["DOWN"]
    defines = "".join(f"#define {name} {number(value)}\n" for name, value in constants.items())
    return [defines, *functions]


def _targets_end(document: dict[str, Any]) -> str:
    low, high = document["target"]["low"], document["target"]["high"]
    if low is None:
        return _TARGETS_END
    return _TARGETS_END + (
        f"    y = is_below(y, {number(low)}) ? {number(low)} : y;\n"
        f"    y = is_below({number(high)}, y) ? {number(high)} : y;\n"
    )
