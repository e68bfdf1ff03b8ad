"""Ensembles in any state, made of reference objects: most cannot be reached by learning."""

from tests.reference import ReferenceClassifier
from tests.reference.leaf_values import ONE
from tests.reference.shrub import Leaf, Node, Shrub
from tests.reference.split import Split
from tests.reference.window import Example


def shrub_that_votes(votes: list[int]) -> Shrub[tuple[int, ...]]:
    """A shrub with pure leaves that gives x = i the class votes[i]."""
    *others, last = votes
    shrub: Shrub[tuple[int, ...]] = pure_leaf(last)
    for i in reversed(range(len(others))):
        split = Split(feature=0, threshold=i + 0.5, nominal=False, missing_left=True)
        shrub = Node(split, pure_leaf(others[i]), shrub)
    return shrub


def pure_leaf(label: int) -> Leaf[tuple[int, ...]]:
    """All of it for one class."""
    return Leaf((0,) * label + (ONE,))


def ensemble_before_the_last_example(
    *,
    labels: list[int],
    votes: list[list[int]],
    weights: list[float],
    n_classes: int,
    max_shrubs: int,
    step_size: float,
) -> ReferenceClassifier:
    """An ensemble that has all of a window but its last example.

    labels: the labels of the window, so of x = 0, ..., B - 1, with the last one to be learned.
    votes: per shrub the class it gives to each of them.
    """
    ensemble = ReferenceClassifier(
        n_features=1,
        nominal=[False],
        n_classes=n_classes,
        window_size=len(labels),
        max_shrubs=max_shrubs,
        step_size=step_size,
    )
    for i, label in enumerate(labels[:-1]):
        ensemble._window.append(Example([float(i)], label))
    ensemble.shrubs = [shrub_that_votes(v) for v in votes]
    ensemble.weights = list(weights)
    return ensemble
