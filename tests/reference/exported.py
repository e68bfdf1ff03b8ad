"""Prediction from the JSON of `shrubs export`, and from nothing else: see docs/export.md."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.reference.auto.buckets import bucket_of, says_nothing
from tests.reference.auto.quick_math import clamp
from tests.reference.exponential import softmax

_LARGEST = float(np.finfo(np.float64).max)
_MISSING = float("nan")


def predict(document: Mapping[str, Any], row: Mapping[Any, Any]) -> list[float]:
    """Return the probability of each class, or the target, for an example by names.

    >>> leaves = [{"leaf": [[0, 1.0]]}, {"leaf": [[1, 1.0]]}]
    >>> split = {"feature": "a", "at_most": 0.5, "missing": "left", "left": 1, "right": 2}
    >>> document = {"task": "classes", "classes": ["no", "yes"]}
    >>> document["features"] = [{"name": "a", "kind": "number"}]
    >>> document["shrubs"] = [{"weight": 1.0, "nodes": [split, *leaves]}]
    >>> predict(document, {"a": 2}), predict(document, {})
    ([0.0, 1.0], [1.0, 0.0])
    """
    x = [_number(feature, row.get(feature["name"])) for feature in document["features"]]
    f = _mixed(document, x) if "mixtures" in document else _weighted(document, x)
    if "class_weights" in document:
        more, weights = document["class_weights"]["more"], document["class_weights"]["weights"]
        f = _summing_to_one([(p + more) * w for p, w in zip(f, weights, strict=True)])
    return f


def _number(feature: Mapping[str, Any], value: Any) -> float:
    """Return a value in single precision; a category is its place in the list."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return _MISSING
    if "categories" in feature:
        known = feature["categories"]
        if value in known:
            return float(known.index(value))
        return _MISSING if feature["unlisted"] is None else float(feature["unlisted"])
    return float(np.float32(value))


def _leaf(
    document: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]], x: Sequence[float]
) -> Any:
    names = [feature["name"] for feature in document["features"]]
    node = nodes[0]
    while "leaf" not in node:
        value = x[names.index(node["feature"])]
        asked = node["is"] if "is" in node else node["at_most"]
        if math.isnan(value):
            side = node["missing"]
        elif asked is None:
            side = "right"
        else:
            side = "left" if (value == asked if "is" in node else value <= asked) else "right"
        node = nodes[node[side]]
    return node["leaf"]


def _summing_to_one(f: list[float]) -> list[float]:
    total = 0.0
    for p in f:
        total += p
    return [p / total for p in f]


# -- shrubs with a weight each -------------------------------------------------------------------


def _weighted(document: Mapping[str, Any], x: Sequence[float]) -> list[float]:
    shrubs = document["shrubs"]
    if document["task"] == "targets":
        y = 0.0
        for shrub in shrubs:
            y += shrub["weight"] * _leaf(document, shrub["nodes"], x)
        return [clamp(y, -_LARGEST, _LARGEST)]
    n_classes = len(document["classes"])
    f = [0.0 if shrubs else 1.0 / n_classes] * n_classes
    for shrub in shrubs:
        for c, share in _leaf(document, shrub["nodes"], x):
            f[c] += shrub["weight"] * share
    return [min(p, 1.0) for p in f]


# -- shrubs and companions, mixed ----------------------------------------------------------------


def _mixed(document: Mapping[str, Any], x: Sequence[float]) -> list[float]:
    companions = [_said_by_companion(document, each, x) for each in document["companions"]]
    leaned_on = None
    for companion, said in zip(document["companions"], companions, strict=True):
        if companion["kind"] == "linear model" and document["task"] == "targets":
            leaned_on = _restored(document["target"], float(said[0]))
    shrubs = [_said_by_shrub(document, shrub, x, leaned_on) for shrub in document["shrubs"]]
    experts = [*document["shrubs"], *document["companions"]]
    width = len(document["classes"]) if document["task"] == "classes" else 1
    f = [0.0] * width
    for k, share in enumerate(document["mixtures"]):
        mixture = np.zeros(width, dtype=np.float32)
        for expert, said in zip(experts, [*shrubs, *companions], strict=True):
            mixture += np.float32(expert["weights"][k]) * said
        for c in range(width):
            f[c] += share * float(mixture[c])
    if document["task"] == "classes":
        return _summing_to_one(f)
    y = _restored(document["target"], f[0])
    low, high = document["target"]["low"], document["target"]["high"]
    return [y if low is None else clamp(y, low, high)]


def _said_by_shrub(
    document: Mapping[str, Any],
    shrub: Mapping[str, Any],
    x: Sequence[float],
    leaned_on: float | None,
) -> Any:
    leaf = _leaf(document, shrub["nodes"], x)
    if document["task"] == "targets":
        y = leaf
        if shrub.get("leans"):
            assert leaned_on is not None
            y = clamp(leaned_on + leaf, -_LARGEST, _LARGEST)
        target = document["target"]
        z = (y * target["down"] - target["mean"]) / target["deviation"]
        return np.array([clamp(z, -10.0, 10.0)], dtype=np.float32)
    counts = [0] * len(document["classes"])
    for c, n in leaf:
        counts[c] = n
    scale = 1.0 / (sum(counts) + 0.5)
    return np.array([(n + 0.5 / len(counts)) * scale for n in counts], dtype=np.float32)


def _restored(target: Mapping[str, float], z: float) -> float:
    y = (z * target["deviation"] + target["mean"]) / target["down"]
    return clamp(y, -_LARGEST, _LARGEST)


def _said_by_companion(
    document: Mapping[str, Any], companion: Mapping[str, Any], x: Sequence[float]
) -> Any:
    if companion["kind"] == "constant":
        return np.array(companion["prediction"], dtype=np.float32)
    if companion["kind"] == "nearest neighbours":
        return _said_by_neighbours(document, companion, x)
    return _said_by_scores(document, companion, x)


def _said_by_scores(
    document: Mapping[str, Any], companion: Mapping[str, Any], x: Sequence[float]
) -> Any:
    is_bayes = companion["kind"] == "naive Bayes"
    width = len(companion["prior" if is_bayes else "constant"])
    scores = list(companion["prior"]) if is_bayes else [0.0] * width
    for i, (feature, value) in enumerate(zip(document["features"], x, strict=True)):
        if says_nothing(value, nominal=feature["kind"] == "nominal"):
            continue
        learned = companion["features"][i]
        for c in range(width):
            if learned is None:
                buckets = companion["buckets"]
                bucket = str(bucket_of(i, value, buckets["n"]))
                scores[c] += buckets["rows"].get(bucket, buckets["others"])[c]
            else:
                scores[c] += (_log_density if is_bayes else _share)(learned, value, c)
    if not is_bayes:
        scores = [score + w for score, w in zip(scores, companion["constant"], strict=True)]
    if document["task"] == "targets":
        return np.array([clamp(scores[0], -10.0, 10.0)], dtype=np.float32)
    return np.array(softmax(scores), dtype=np.float32)


def _said_by_neighbours(
    document: Mapping[str, Any], companion: Mapping[str, Any], x: Sequence[float]
) -> Any:
    features = companion["features"]
    bytes_of_x = [_as_byte(feature, x[feature["feature"]]) for feature in features]

    def distance(example: Mapping[str, Any]) -> int:
        total = 0
        for feature, a, b in zip(features, bytes_of_x, example["values"], strict=True):
            is_number = "mean" in feature and 255 not in (a, b)
            total += (a - b) ** 2 if is_number else 42**2 * (a != b)
        return total

    votes = [0.25 / len(document["classes"])] * len(document["classes"])
    for i, example in enumerate(sorted(companion["examples"], key=distance)[:5]):
        votes[example["class"]] += 1.0 / (i + 1)
    total = 0.25
    for i in range(min(5, len(companion["examples"]))):
        total += 1.0 / (i + 1)
    return np.array([vote / total for vote in votes], dtype=np.float32)


def _as_byte(feature: Mapping[str, Any], value: float) -> int:
    if says_nothing(value, nominal="mean" not in feature):
        return 255
    if "mean" not in feature:
        return bucket_of(feature["feature"], value, 128)
    return int(clamp((value - feature["mean"]) * feature["factor"] * 42.0 + 127.5, 0.0, 254.0))


def _log_density(learned: Mapping[str, Any], value: float, c: int) -> float:
    if "zero" in learned:
        return float(learned["one" if value != 0.0 else "zero"][c])
    variance = learned["variance"][c]
    if variance is None:
        return 0.0
    d = value - learned["mean"][c]
    return float(max(learned["constant"][c] - 0.5 * d * d / variance, -10.0))


def _share(learned: Mapping[str, Any], value: float, c: int) -> float:
    deviations = clamp((value - learned["mean"]) * learned["factor"], -3.0, 3.0)
    return float(np.float32(deviations)) * float(learned["weights"][c])
