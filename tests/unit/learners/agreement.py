"""Compares a learner with the plain reference, shrub for shrub and weight for weight."""

import math

from shrubs import PaperShrubClassifier, PaperShrubRegressor
from tests.reference import ReferenceClassifier, ReferenceRegressor
from tests.unit.learners.streams import Case


def plain_nodes(nodes):
    """Nodes as text: NaN equals itself, and zeros at the end of a distribution do not count."""
    plain = []
    for node in nodes:
        value = node[1]
        if node[0] == "leaf" and isinstance(value, tuple):
            while value and value[-1] == 0:
                value = value[:-1]
            node = ("leaf", value)
        plain.append(tuple(node))
    return repr(plain)


def state_of(learner):
    """(weight, nodes) of every shrub of a learner of ours."""
    return [(weight, plain_nodes(nodes)) for weight, _, nodes in learner._engine.shrubs()]


def state_of_reference(reference):
    """(weight, nodes) of every shrub of a reference."""
    nodes = [plain_nodes(shrub.to_nodes()) for shrub in reference.shrubs]
    return list(zip(reference.weights, nodes, strict=True))


def without_cache(parameters):
    """The parameters that a reference knows: it keeps nothing to be faster."""
    return {name: value for name, value in parameters.items() if name != "cache"}


def make_classifiers(case: Case):
    """A learner and its reference."""
    positions = [i for i, nominal in enumerate(case.nominal) if nominal]
    learner = PaperShrubClassifier(nominal_features=positions, **case.parameters)
    reference = ReferenceClassifier(
        n_features=len(case.nominal), nominal=case.nominal, **without_cache(case.parameters)
    )
    return learner, reference


def make_regressors(case: Case):
    """A learner and its reference."""
    positions = [i for i, nominal in enumerate(case.nominal) if nominal]
    learner = PaperShrubRegressor(nominal_features=positions, **case.parameters)
    reference = ReferenceRegressor(
        n_features=len(case.nominal), nominal=case.nominal, **case.parameters
    )
    return learner, reference


def assert_classifiers_agree(case: Case) -> None:
    """Prediction before, shrubs and weights after every example. Labels are any integers."""
    learner, reference = make_classifiers(case)
    indices: dict[int, int] = {}
    for t, (x, y) in enumerate(case.examples):
        assert list(learner.predict_proba_one(x).values()) == reference.predict(x), t
        learner.learn_one(x, y)
        reference.learn(x, indices.setdefault(y, len(indices)))
        assert state_of(learner) == state_of_reference(reference), t


def assert_regressors_agree(case: Case) -> None:
    """Prediction before, shrubs and weights after every example."""
    learner, reference = make_regressors(case)
    for t, (x, y) in enumerate(case.examples):
        assert learner.predict_one(x) == reference.predict(x), t
        learner.learn_one(x, y)
        reference.learn(x, y)
        assert state_of(learner) == state_of_reference(reference), t


class NamedReference:
    """A reference for rows by name: keeps the tables of names, categories and labels itself.

    New names of a row enter in the order of (type, text). A feature is nominal if its first
    present value is a text; its categories are coded as they come.
    """

    def __init__(self, **parameters) -> None:
        self.plain = ReferenceClassifier(n_features=0, nominal=[], **without_cache(parameters))
        self._columns: dict = {}
        self._codes: dict = {}
        self._labels: dict = {}

    def learn(self, row, y) -> None:
        present = {name: value for name, value in row.items() if not _is_missing(value)}
        new = [name for name in present if name not in self._columns]
        for name in sorted(new, key=lambda name: (type(name).__name__, str(name))):
            is_text = isinstance(present[name], str)
            self._columns[name] = len(self._columns)
            if is_text:
                self._codes[name] = {}
            self.plain.add_feature(is_text)
        for name, value in present.items():
            if name in self._codes:
                self._codes[name].setdefault(value, len(self._codes[name]))
        self.plain.learn(self._encode(present), self._labels.setdefault(y, len(self._labels)))

    def predict(self, row) -> list[float]:
        present = {name: value for name, value in row.items() if not _is_missing(value)}
        return self.plain.predict(self._encode(present))

    def _encode(self, present) -> list[float]:
        x = [math.nan] * len(self._columns)
        for name, column in self._columns.items():
            if name in present:
                codes = self._codes.get(name)
                # No category equals -1.
                code = present[name] if codes is None else codes.get(present[name], -1)
                x[column] = float(code)
        return x


def _is_missing(value) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
