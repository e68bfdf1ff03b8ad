"""States from the time when one class held both algorithms, told apart by the value "auto"."""

from __future__ import annotations

from typing import Any

__all__ = ["with_class_of_today"]

# What "auto" stood for as soon as another hyperparameter had a value.
_FORMER_AUTO: dict[str, Any] = {
    "max_shrubs": 32,
    "window_size": 256,
    "step_size": {"float": (0.5).hex()},
    "loss": "mse",
    "max_depth": None,
    "max_features": None,
    "splitter": "random",
    "min_samples_leaf": 1,
    "steps_per_example": 1,
    "grow_every": 1,
}


def with_class_of_today(tables: dict[str, Any]) -> dict[str, Any]:
    """The tables of a state, with the class and the parameters that a learner has today."""
    parameters = tables.get("parameters")
    learner = tables.get("learner")
    if learner not in ("ShrubClassifier", "ShrubRegressor") or not isinstance(parameters, dict):
        return tables
    if not _FORMER_AUTO.keys() <= parameters.keys():
        return tables
    chosen = [name for name in _FORMER_AUTO if parameters[name] != "auto"]
    values = {name: parameters[name] for name in chosen}
    return {
        **tables,
        "learner": f"Paper{learner}",
        "parameters": {**parameters, **_FORMER_AUTO, **values},
    }
