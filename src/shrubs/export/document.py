"""A snapshot as plain data: what `to_json` writes and `to_c` reads. docs/export.md describes it."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrubs.export.negligible import least_said, mixtures_that_matter
from shrubs.export.nodes import plain_nodes
from shrubs.learners import Snapshot
from shrubs.messages import shown

__all__ = ["Document", "document_of", "to_json"]

Document = dict[str, Any]

_VERSION = 1
_ONE = 32768  # in the leaves of the paper's shrubs
_WIDTH = 100
# A category that was never there, and one of those whose texts are not kept.
_UNKNOWN, _FIRST_UNNAMED = -1, 8388608


def to_json(snapshot: Snapshot) -> str:
    """All that a snapshot predicts from, as JSON.

    >>> from shrubs import PaperShrubRegressor
    >>> learner = PaperShrubRegressor().learn_one({"a": 0.5}, 2.0)
    >>> print(to_json(learner.snapshot()), end="")
    {
     "format": "shrubs",
     "version": 1,
     "task": "targets",
     "features": [{"name": "a", "kind": "number"}],
     "shrubs": [{"weight": 1.0, "born": 0, "nodes": [{"leaf": 2.0}]}]
    }
    """
    return "".join(_written(document_of(snapshot), "")) + "\n"


def _written(value: Any, indent: str) -> list[str]:
    """JSON in which whatever fits a line has one to itself, as has every list of numbers."""
    line = json.dumps(value, allow_nan=False)
    is_short = len(indent) + len(line) <= _WIDTH and indent != ""
    if is_short or "{" not in line:
        return [line]
    inner = indent + " "
    if isinstance(value, dict):
        rows = [[json.dumps(key), ": ", *_written(value[key], inner)] for key in value]
    else:
        rows = [_written(item, inner) for item in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    parts = [begin]
    for i, row in enumerate(rows):
        parts += [",\n" if i else "\n", inner, *row]
    return [*parts, "\n", indent, end]


def document_of(snapshot: Snapshot) -> Document:
    """The document of a snapshot; everything that cannot change a prediction is left out."""
    parts = snapshot.parts()
    features = _features(parts)
    document: Document = {"format": "shrubs", "version": _VERSION}
    document["task"] = "targets" if parts["labels"] is None else "classes"
    document["features"] = features
    if parts["labels"] is not None:
        if not parts["labels"]:
            raise ValueError("the model knows no class yet, so there is nothing to export")
        document["classes"] = _distinct("classes", parts["labels"])
    if parts.get("shares") and (parts["shrubs"] or parts["companions"]):
        document |= _mixed(parts, features)
    else:
        document["shrubs"] = [] if "shares" in parts else _weighted(parts, features)
    if parts["class_weights"]:
        n_classes = len(parts["labels"])
        more = 1.0 / (max(float(parts["n_examples"]), 1.0) * n_classes)
        document["class_weights"] = {"more": more, "weights": parts["class_weights"]}
    return document


# -- names ---------------------------------------------------------------------------------------


def _features(parts: dict[str, Any]) -> list[dict[str, Any]]:
    names = _distinct("features", parts["names"])
    features: list[dict[str, Any]] = []
    for i, (name, nominal) in enumerate(zip(names, parts["nominal"], strict=True)):
        features.append({"name": name, "kind": "nominal" if nominal else "number"})
        categories = parts["categories"][i]
        if nominal and categories is not None:
            features[-1]["categories"] = _distinct(f"categories of {shown(name)}", categories)
            features[-1]["unlisted"] = _unlisted(parts, i)
    return features


def _unlisted(parts: dict[str, Any], feature: int) -> int | None:
    """The number of all other texts; None: they count as missing."""
    if feature in parts["ever_new"]:
        return None
    return _FIRST_UNNAMED if feature in parts["closed"] else _UNKNOWN


def _distinct(what: str, values: Sequence[Hashable]) -> list[Any]:
    """Values as JSON can hold them: bytes, tuples and the like as Python writes them."""
    plain = [_plain(value) for value in values]
    if len({(isinstance(value, str), value) for value in plain}) < len(plain):
        raise ValueError(f"{what} cannot be told apart in JSON: {shown(values)}")
    return plain


def _plain(value: Hashable) -> Any:
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()  # no lone surrogates
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return repr(value)


# -- shrubs --------------------------------------------------------------------------------------


def _weighted(parts: dict[str, Any], features: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The shrubs of the paper's learners."""
    shrubs = []
    for shrub in parts["shrubs"]:
        nodes = plain_nodes(shrub["nodes"], features, {})
        for node in nodes:
            if isinstance(node.get("leaf"), list):
                node["leaf"] = [[c, share / _ONE] for c, share in node["leaf"]]
        shrubs.append({"weight": shrub["weight"], "born": shrub["born"], "nodes": nodes})
    return shrubs


# -- the learner without tuning ------------------------------------------------------------------


def _mixed(parts: dict[str, Any], features: list[dict[str, Any]]) -> Document:
    """Shrubs and companions of the learner without tuning, and how they are mixed."""
    experts = [*parts["shrubs"], *parts["companions"]]
    weights = _shares_of_experts(experts)
    shares = np.array(parts["shares"])
    matters = [k for k in range(len(shares)) if shares[k] > 0 and np.any(weights[:, k] != 0)]
    if parts["labels"] is not None:
        least = [least_said(expert, len(parts["labels"])) for expert in experts]
        found = mixtures_that_matter(shares[matters].tolist(), weights[:, matters], least)
        matters = [matters[k] for k in found]
    weights = weights[:, matters]
    heard = np.any(weights != 0, axis=1)
    n_shrubs = len(parts["shrubs"])
    known = {len(features) + i: value for i, value in enumerate(parts["recalled"])}
    shrubs = [
        {**_said(expert, weights[i]), "nodes": plain_nodes(expert["nodes"], features, known)}
        for i, expert in enumerate(parts["shrubs"])
        if heard[i]
    ]
    leaned_on = any(shrub.get("leans") for shrub in shrubs)
    companions = [
        _companion(expert, weights[n_shrubs + i])
        for i, expert in enumerate(parts["companions"])
        if heard[n_shrubs + i] or (leaned_on and expert["kind"] == "linear model")
    ]
    document = {"mixtures": shares[matters].tolist(), "shrubs": shrubs, "companions": companions}
    if "target" in parts:
        document["target"] = _target(parts["target"])
    return document


def _shares_of_experts(experts: Sequence[dict[str, Any]]) -> NDArray[np.float32]:
    """The weight of each expert in each mixture, as a share of all that are there."""
    weights = np.array([expert["weights"] for expert in experts], dtype=np.float32)
    totals = np.zeros(weights.shape[1], dtype=np.float32)
    for row in weights:  # one after the other, as the core adds them
        totals += row
    return np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)


def _said(expert: dict[str, Any], weights: Any) -> dict[str, Any]:
    shrub = {"weight": expert["weight"], "born": expert["born"], "weights": weights.tolist()}
    return {**shrub, "leans": True} if expert["leans"] else shrub


def _companion(expert: dict[str, Any], weights: Any) -> dict[str, Any]:
    companion = {key: expert[key] for key in ("name", "kind", "weight")}
    companion["weights"] = weights.tolist()
    if expert["kind"] == "constant":
        return {**companion, "prediction": expert["prediction"]}
    if expert["kind"] == "nearest neighbours":
        return {**companion, **_neighbours(expert)}
    describe = _bayes_feature if expert["kind"] == "naive Bayes" else _linear_feature
    head = "prior" if expert["kind"] == "naive Bayes" else "constant"
    companion[head] = expert[head]
    companion["features"] = [describe(feature) for feature in expert["features"]]
    if None in expert["features"]:
        companion["buckets"] = _buckets(expert["buckets"])
    return companion


def _bayes_feature(feature: list[tuple[float, ...]] | None) -> Any:
    if feature is None:
        return None
    if len(feature[0]) == 2:
        return {"zero": [zero for zero, _ in feature], "one": [one for _, one in feature]}
    informed = [None if math.isinf(variance) else variance for _, _, variance in feature]
    constants, means, _ = zip(*feature, strict=True)
    return {"constant": list(constants), "mean": list(means), "variance": informed}


def _linear_feature(feature: tuple[float, float, list[float]] | None) -> Any:
    if feature is None:
        return None
    mean, factor, weights = feature
    return {"mean": mean, "factor": factor, "weights": weights}


def _neighbours(expert: dict[str, Any]) -> dict[str, Any]:
    keys = ("feature", "mean", "factor")  # a category has the first one alone
    features = [dict(zip(keys, each, strict=False)) for each in expert["features"]]
    examples = [{"class": label, "values": values} for label, values in expert["examples"]]
    return {"features": features, "examples": examples}


def _buckets(rows: list[list[float]]) -> dict[str, Any]:
    """Most buckets are empty, and so alike."""
    counts: dict[tuple[float, ...], int] = {}
    for row in rows:
        counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    usual = max(counts, key=lambda row: counts[row])
    others = {str(i): row for i, row in enumerate(rows) if tuple(row) != usual}
    return {"n": len(rows), "others": list(usual), "rows": others}


def _target(target: dict[str, float]) -> dict[str, float | None]:
    return {key: value if math.isfinite(value) else None for key, value in target.items()}
