"""Compares the learner that needs no tuning with the plain reference, number for number."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from shrubs import _core
from tests.reference.auto import AutoEnsembleReference, Group, Layout
from tests.reference.auto.leaves import CountingLeaf
from tests.reference.leaf_values import ONE


@dataclass(frozen=True)
class AutoCase:
    """A stream for a learner of so many bytes; without classes it is a regression."""

    spare_bytes: int
    """More than the fewest that will do."""
    nominal: tuple[bool, ...]
    n_classes: int | None
    examples: list[tuple[list[float], float]]
    seed: int = 0
    recalls: bool = True
    label_delay: int = 0

    def make(self) -> tuple[_core.AutoLearner, AutoEnsembleReference]:
        """The learner and its reference; what fits is taken from the learner's plan."""
        shape = (self.n_classes or 0, bytes(self.nominal))
        task = _core.Task.regression if self.n_classes is None else _core.Task.classification
        arena_bytes = _core.smallest_auto_arena(task, *shape, self.recalls) + self.spare_bytes
        learner = _core.AutoLearner(
            task, arena_bytes, self.seed, *shape, self.recalls, self.label_delay
        )
        layout = layout_of(learner, *shape)
        reference = AutoEnsembleReference(
            layout,
            nominal=self.nominal,
            n_classes=self.n_classes,
            seed=self.seed,
            label_delay=self.label_delay,
        )
        return learner, reference


def layout_of(learner: _core.AutoLearner, n_classes: int, nominal: bytes) -> Layout:
    """What the plan of the core makes of its bytes."""
    plan = _core.auto_layout(learner.task, learner.arena_bytes, n_classes, nominal, learner.recalls)
    companions = plan["companions"]
    return Layout(
        plan["window_size"],
        tuple(Group(*group) for group in plan["groups"]),
        n_bayes=sum(name.startswith("naive Bayes") for name in companions),
        has_linear="linear model" in companions,
        n_neighbours=plan["n_neighbours"] if "nearest neighbours" in companions else 0,
        n_buckets=plan["n_buckets"],
        recalls="no change" in companions,
        n_transitions=sum(name.startswith("what follows") for name in companions),
        n_contexts=plan["n_contexts"],
        n_drifts=plan["n_drifts"],
        is_small=plan["is_small"],
    )


def predict(learner: _core.AutoLearner, x: list[float]) -> list[float]:
    """The prediction for one example."""
    return [float(value) for value in learner.predict_many(np.array([x]))[0]]


def assert_bounds_agree(learner: _core.AutoLearner, reference: AutoEnsembleReference) -> None:
    """The bounds of scores at all kinds of coverages."""
    for coverage in (1e-9, 0.03, 0.05, 0.31, 0.5, 0.9, 0.91, 0.98, 0.999, 1 - 2**-53):
        assert learner.bound(coverage) == reference.bound(coverage), coverage


def learn(learner: _core.AutoLearner, x: list[float], y: float, *, is_first: bool = False) -> None:
    """Learn one example."""
    dtype = np.float64 if learner.task is _core.Task.regression else np.int64
    learn = learner.learn_first if is_first else learner.learn_many
    learn(np.array([x]), np.array([y], dtype=dtype))


def state_of(learner: _core.AutoLearner) -> str:
    """Weight, birth and nodes of every shrub, oldest first, and the weights of the companions.

    As text: NaN equals itself.
    """
    shrubs = [
        (weight, born, [tuple(node) for node in nodes]) for weight, born, nodes in learner.shrubs()
    ]
    drifts = learner.drift_evidence, learner.drifts()
    return repr((shrubs, list(learner.companions().values()), *drifts))


def state_of_reference(reference: AutoEnsembleReference) -> str:
    """The same of a reference."""
    weights = reference.weights()
    grown = [place for place, shrub in enumerate(reference.shrubs) if shrub is not None]
    shrubs = [
        (weights[place], reference.born[place], plain_nodes(reference, place))
        for place in sorted(grown, key=lambda place: reference.born[place])
    ]
    drifts = [
        (
            drift.noticed,
            drift.began,
            drift.evidence,
            plain_look(drift.before),
            plain_look(drift.after),
        )
        for drift in reference.drifts.remembered
    ]
    watched = drifts if reference.drifts.remembers else None
    return repr((shrubs, weights[len(reference.shrubs) :], reference.drifts.evidence, watched))


def plain_look(look):
    """Importances and rules, as the core gives them."""
    return None if look is None else (look.importances, look.rules)


def plain_nodes(reference, place):
    """Nodes as tuples; a leaf has the shares of the classes in fixed point, or its mean."""
    nodes = []
    for node in reference.shrubs[place].to_nodes():
        if node[0] == "leaf":
            leaf = node[1]
            if isinstance(leaf, CountingLeaf):
                n = sum(leaf.counts)
                node = (
                    "leaf",
                    tuple(float(ONE) * count / n if n else 0.0 for count in leaf.counts),
                )
            else:
                node = ("leaf", reference.target_of(place, leaf))
                node += (True,) if reference.leans(place) else ()
        nodes.append(node)
    return nodes


def numbers_without(label: int, n_classes: int, *, moves: bool) -> list[int | None]:
    """The numbers of all classes but one, which the last may take."""
    now: list[int | None] = [None if c == label else c for c in range(n_classes)]
    if moves and label < n_classes - 1:
        now[-1] = label
    return now


def assert_agree_after_forgetting(case: AutoCase, moments: Collection[int]) -> None:
    """The same where at some moments the feature and the class that are stalest are forgotten.

    The last class may take its number.

    An example of a class that has none in the window is learned as its first.
    """
    learner, reference = case.make()
    for t, (x, y) in enumerate(case.examples):
        if t in moments:
            since = reference.since_present()
            assert learner.since_present().tolist() == since
            if since:
                learner.forget_feature(since.index(max(since)))
                reference.forget_feature(since.index(max(since)))
            if case.n_classes and len(set(reference.window_labels())) > 1:
                ages, counts = reference.since_class()
                assert [found.tolist() for found in learner.since_class()] == [ages, counts]
                now = numbers_without(ages.index(max(ages)), case.n_classes, moves=t % 2 == 0)
                learner.renumber_classes([-1 if c is None else c for c in now])
                reference.renumber_classes(now)
        assert predict(learner, x) == reference.predict(x), t
        is_first = case.n_classes is not None and y not in reference.window_labels()
        learn(learner, x, y, is_first=is_first)
        reference.learn(x, y, is_first=is_first)
        assert state_of(learner) == state_of_reference(reference), t


def assert_agree(case: AutoCase, *, every: int = 1) -> None:
    """Prediction before, shrubs and weights after every so many examples."""
    learner, reference = case.make()
    for t, (x, y) in enumerate(case.examples):
        if t % every == 0:
            assert predict(learner, x) == reference.predict(x), t
        learn(learner, x, y)
        reference.learn(x, y)
        assert learner.surprises & 1 == reference.surprised, t
        if t % every == 0:
            assert state_of(learner) == state_of_reference(reference), t
            assert_bounds_agree(learner, reference)
    assert state_of(learner) == state_of_reference(reference)
