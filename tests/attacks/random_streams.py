"""Random learners and streams of extreme values for them."""

import math
from dataclasses import dataclass
from typing import Any

from shrubs import (
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
)

PAPER = (PaperShrubClassifier, PaperShrubRegressor)
LARGEST = 3.4028234663852886e38
NUMBERS = {
    "any": lambda draw: draw.gauss(0.0, 1.0),
    "huge": lambda draw: draw.choice((-1, 1)) * draw.uniform(0.5, 1.0) * LARGEST,
    "tiny": lambda draw: draw.choice((-1, 1)) * draw.uniform(1.0, 4.0) * 1.2e-38,
    "denormal": lambda draw: draw.randint(-3, 3) * 2.0**-149,
    "zeros": lambda draw: draw.choice((0.0, -0.0)),
    "one value": lambda _: 0.1,
    "neighbours": lambda draw: 1.0 + draw.randint(-1, 1) * 2.0**-23,
    "missing": lambda draw: draw.choice((math.nan, 1.0)),
    "never there": lambda _: math.nan,
    "mixed": lambda draw: draw.choice((-LARGEST, -1.0, -(2.0**-149), 0.0, 1e-30, 2.0, LARGEST)),
}
CODES = {
    "few codes": lambda draw: float(draw.randint(0, 3)),
    "large codes": lambda draw: float(2**24 - 1 - draw.randint(0, 3)),
    "missing codes": lambda draw: draw.choice((math.nan, 0.0, 1.0)),
}
LABELS = {
    "few": lambda draw, _: draw.randint(0, 2),
    "one": lambda *_: 0,
    "alternating": lambda _, i: i % 2,
    "ever new": lambda _, i: i // 4,
    "extreme": lambda draw, _: draw.choice((-(2**63), 0, 2**63 - 1)),
}
TARGETS = {
    "any": lambda draw, _: draw.gauss(0.0, 1.0),
    "one": lambda *_: 0.1,
    "alternating": lambda _, i: (-1.0) ** i * 1e300,
    "growing": lambda _, i: 2.0**i,
    "denormal": lambda draw, _: draw.randint(-3, 3) * 5e-324,
    "largest": lambda draw, _: draw.choice((-1, 1)) * 1.7976931348623157e308,
}


@dataclass(frozen=True)
class Attack:
    """A kind of learner, its parameters and a stream."""

    kind: type
    parameters: dict[str, Any]
    X: list[list[float]]
    y: list[Any]

    def new_learner(self):
        return self.kind(**self.parameters)


def draw_attack(draw):
    """Any learner on a stream that goes from one extreme to another halfway."""
    kind = draw.choice((ShrubClassifier, ShrubRegressor, WindowedTree) + 2 * PAPER)
    n_features, n = draw.randint(1, 5), draw.choice((1, 2, 5, 20, 60))
    nominal = [i for i in range(n_features) if draw.random() < 0.3]
    outcomes = TARGETS if kind in (ShrubRegressor, PaperShrubRegressor) else LABELS
    X, y = [], []
    for length in (n // 2, n - n // 2):
        columns = [
            draw.choice(list((CODES if i in nominal else NUMBERS).values()))
            for i in range(n_features)
        ]
        outcome = draw.choice(list(outcomes.values()))
        X += [[value(draw) for value in columns] for _ in range(length)]
        y += [outcome(draw, len(y) + i) for i in range(length)]
    return Attack(kind, {"nominal_features": nominal, **draw_parameters(draw, kind)}, X, y)


def draw_parameters(draw, kind):
    """Parameters of a small learner."""
    seed = draw.choice((0, 1, 2**64 - 1))
    if kind in (ShrubClassifier, ShrubRegressor):
        return {"seed": seed, "memory_limit": draw.choice((40_000, "64KB", "1MB"))}
    parameters = {
        "seed": seed,
        "window_size": draw.choice((1, 2, 3, 8, 30)),
        "max_depth": draw.choice((None, 1, 2, 5)),
        "max_features": draw.choice((None, 1, "sqrt", 0.5)),
        "splitter": draw.choice(("best", "random")),
        "min_samples_leaf": draw.choice((1, 1, 2, 5)),
    }
    if kind in PAPER:
        parameters |= {
            "max_shrubs": draw.choice((1, 2, 5, 16)),
            "step_size": draw.choice((1e-12, 0.05, 0.5, 10.0, 1e100)),
            "steps_per_example": draw.choice((1, 1, 3)),
            "grow_every": draw.choice((1, 1, 4)),
        }
    if kind is PaperShrubRegressor:
        parameters["target_scaling"] = draw.random() < 0.5
    if kind is PaperShrubClassifier:
        parameters["loss"] = draw.choice(("mse", "cross_entropy"))
        parameters["cache"] = draw.choice(("auto", "none", "all"))
    return parameters
