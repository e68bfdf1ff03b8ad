"""Random streams and parameters, small and full of edges, for the tests of agreement."""

import math
from dataclasses import dataclass
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

NAN = math.nan

# Few values, so that ties, constant features and -0 are common; neighbours in single precision,
# of which no number lies between; the largest and the smallest that features can hold.
NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1.0, 2.0, 1.0 + 2.0**-23, 0.1, 1e-45, -3e38, 3e38]),
    st.floats(-4.0, 4.0, width=32),
    st.just(NAN),
)
CATEGORIES = st.one_of(
    st.integers(0, 3).map(float), st.sampled_from([16_777_215.0, 16_777_214.0]), st.just(NAN)
)
TARGETS = st.one_of(
    st.sampled_from([0.0, 1.0, 1.0, 2.0, -0.0]),
    st.floats(-10.0, 10.0),
)
WILD_TARGETS = st.one_of(
    TARGETS,
    st.sampled_from([1e300, -1e300, 1e-300, 5e-324, 1.7976931348623157e308, 1e3, 1e100]),
)


def tries(n: int) -> settings:
    """So many streams; thirty times as many while exploring."""
    return settings(max_examples=n * max(settings().max_examples // 60, 1))


@dataclass(frozen=True)
class Case:
    """Parameters as both learners take them, which features are nominal, and examples (x, y)."""

    parameters: dict[str, Any]
    nominal: tuple[bool, ...]
    examples: list[tuple[list[float], Any]]


@st.composite
def parameters(draw, *, regression: bool, n_features: int = 4) -> dict[str, Any]:
    """Every combination of parameters that changes what is computed."""
    common = {
        "max_shrubs": draw(st.sampled_from([1, 2, 3, 5])),
        "window_size": draw(st.sampled_from([1, 2, 3, 5, 8, 12])),
        "step_size": draw(st.sampled_from([0.001, 0.05, 0.3, 1.0, 10.0])),
        "max_depth": draw(st.sampled_from([None, 1, 2, 4])),
        "max_features": draw(st.sampled_from([None, *range(1, n_features + 1)])),
        "splitter": draw(st.sampled_from(["best", "random"])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 2, 3])),
        "steps_per_example": draw(st.sampled_from([1, 1, 2, 4])),
        "grow_every": draw(st.sampled_from([1, 1, 2, 5])),
        "seed": draw(st.sampled_from([0, 1, 2**64 - 1])),
    }
    if regression:
        return common | {"target_scaling": draw(st.booleans())}
    return common | {
        "loss": draw(st.sampled_from(["mse", "cross_entropy"])),
        "cache": draw(st.sampled_from(["auto", "none", "all"])),
    }


def rows(nominal: tuple[bool, ...]) -> st.SearchStrategy[list[float]]:
    """Features by position."""
    return st.tuples(*(CATEGORIES if kind else NUMBERS for kind in nominal)).map(list)


def streams(examples: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Lists of examples; a list that may have any length is short as a rule, these are not."""
    return st.sampled_from([1, 2, 3, 5, 8, 13, 20, 30]).flatmap(
        lambda length: st.lists(examples, min_size=length, max_size=length)
    )


@st.composite
def cases(draw, labels: st.SearchStrategy[Any], *, regression: bool = False) -> Case:
    """Streams of up to 30 examples, so that windows are not full, full and one past full."""
    nominal = tuple(draw(st.lists(st.booleans(), min_size=1, max_size=4)))
    chosen = draw(parameters(regression=regression, n_features=len(nominal)))
    examples = draw(streams(st.tuples(rows(nominal), labels)))
    return Case(chosen, nominal, examples)


NAMES = ("a", "b", "c", "d", 5)
NAMED_VALUES = {
    "a": st.sampled_from([0.0, 0.5, 1.0, 2.0, None, NAN]),
    "b": st.sampled_from(["red", "green", "blue", None]),
    "c": st.sampled_from([True, False, 3, None]),
    "d": st.sampled_from([0, 1, 2, None]),
    5: st.sampled_from(["x", "y", 7, ("z",), None]),
}


@st.composite
def named_rows(draw) -> dict[Any, Any]:
    """Features by name, in any order; any of them may be absent. Feature 5 mixes categories."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True))
    row = {name: draw(NAMED_VALUES[name]) for name in names}
    if 5 in row and not isinstance(row[5], str):
        # Its first value has to be a text, or else it is taken for a numeric feature.
        row[5] = draw(st.sampled_from(["x", None]))
    return row
