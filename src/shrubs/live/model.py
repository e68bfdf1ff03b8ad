"""A learner that knows its target, its task and what its columns hold."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from math import isnan
from pathlib import Path
from typing import Any, Literal

from shrubs import learners
from shrubs.atomic_file import write_atomically
from shrubs.dates import DATE_PARTS
from shrubs.learners import Contract, SavedLearner
from shrubs.live.values import kind_of, label_of, no_value, of_kind, target_of, typed
from shrubs.messages import shown
from shrubs.protocols import Kind

__all__ = ["Model"]


class Model:
    """Predicts and learns rows by name, with the target among them or not.

    What a column holds is settled by the first value that is learned, and kept in the model's file.
    A row is refused with a ValueError if it has none of the known columns, or a value of another
    kind than its column holds; nothing is learned from it then.

    Args:
        learner: any learner of ours that can be saved.
        contract: what is known of its rows. A learner without one says by itself what its features
            are, and of its target what its classes are.

    >>> model = Model.new("rain", "classes", seed=1)
    >>> for wind in range(8):
    ...     learned = model.learn({"wind": wind, "sky": "grey", "rain": wind > 3})
    >>> model.predict({"wind": 6, "sky": "grey"})
    True
    >>> model.learn({"wind": 5.5})  # there is no label
    False
    >>> model.predict({"wind": "strong"})
    Traceback (most recent call last):
        ...
    ValueError: column 'wind': the column holds numbers, got 'strong'
    """

    def __init__(self, learner: SavedLearner, contract: Contract | None = None) -> None:
        self.learner = learner
        self.target = None if contract is None else contract.target
        self._kinds = _kinds_of(learner) if contract is None else dict(contract.kinds)
        self._ignored = frozenset(() if contract is None else contract.ignored)
        self.position = None if contract is None else contract.position
        self._is_full = False
        self._settle()

    @classmethod
    def new(
        cls,
        target: str,
        task: Literal["classes", "targets"],
        *,
        nominal: Collection[str] = (),
        ignored: Collection[str] = (),
        **options: Any,
    ) -> Model:
        """A model that has learned nothing.

        Args:
            target: the name of the target.
            task: whether the target is a class or a number.
            nominal: columns of texts, whatever they look like.
            ignored: columns that are not learned from.
            options: those of the learner.
        """
        if nominal:
            options = {"nominal_features": sorted(nominal), **options}
        kind: Any = learners.ShrubRegressor if task == "targets" else learners.ShrubClassifier
        kinds: dict[str, Kind] = dict.fromkeys(nominal, "nominal")
        return cls(kind(**options), Contract(target, kinds, tuple(sorted(ignored))))

    @property
    def task(self) -> Literal["classes", "targets"]:
        """What it predicts."""
        return "classes" if hasattr(self.learner, "predict_proba") else "targets"

    @property
    def contract(self) -> Contract | None:
        """What is known of its rows; None without a target."""
        if self.target is None:
            return None
        return Contract(self.target, self._kinds, tuple(sorted(self._ignored)), self.position)

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """By name what a column holds, the target too."""
        return self._kinds

    @property
    def ignored(self) -> frozenset[str]:
        """Columns that it does not learn from."""
        return self._ignored

    def expect(
        self, target: str | None = None, task: str | None = None, ignored: Collection[str] = ()
    ) -> None:
        """Say what the rows will be; raises ValueError if the model knows another target or task.

        Columns to ignore are those that it ignored before, and these.
        """
        if target is not None and self.target not in (None, target):
            raise ValueError(
                f"this model predicts {shown(self.target)}, it cannot learn {shown(target)}"
            )
        if task is not None and task != self.task:
            raise ValueError(f"this model learned {self.task}, it cannot learn {task}")
        if self.target is None and target is not None:
            self.target = target
            self._kinds.update(_kind_of_classes(self.learner, target))
        self._ignored |= frozenset(ignored)
        self._settle()

    def know(self, kinds: Mapping[str, Kind]) -> None:
        """Remember what columns hold of which nothing was known, as long as there is room."""
        known = self._kinds.keys() | self._ignored
        found = {name: kind for name, kind in kinds.items() if name not in known}
        if found and not self._is_full and self.target is not None:
            kinds = {**self._kinds, **found}
            self._is_full = Contract(self.target, kinds, tuple(self._ignored)).is_full
            self._kinds = self._kinds if self._is_full else kinds
            self._settle()

    def _settle(self) -> None:
        """Note which columns are known, which are not learned from, and which are numbers."""
        self._names = self._kinds.keys() - {self.target}
        self._beside = self._ignored | {self.target}
        numbers = {name for name, kind in self._kinds.items() if kind == "number"}
        self._numbers = numbers - self._beside

    # -- rows ------------------------------------------------------------------------------------

    def typed(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """A row of a file of texts, its values as the columns hold them; missing ones are None."""
        return {name: typed(text, self._kinds.get(name)) for name, text in texts.items()}

    def check(self, row: Mapping[str, Any]) -> None:
        """Raise ValueError for a row that can be neither predicted nor learned."""
        self.features(row)
        self.outcome(row)

    def check_names(self, names: Iterable[str], what: str = "the row") -> None:
        """Raise ValueError where none of the names is that of a known column."""
        known = self._names
        if not known or self._is_full or not known.isdisjoint(names):
            return
        some = ", ".join(map(shown, sorted(known)[:5])) + (", ..." if len(known) > 5 else "")
        raise ValueError(f"{what} has none of the columns that the model knows: {some}")

    def features(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """What the learner gets of a row: without the target, ignored columns and missing values.

        Raises ValueError as `check` does.
        """
        self.check_names(row)
        numbers = self._numbers
        plain = {
            name: value
            for name, value in row.items()
            if name in numbers and type(value) is float and not isnan(value)
        }
        if len(plain) + len(self._beside & row.keys()) == len(row):  # most are
            return plain
        return dict(self._features(row))

    def outcome(self, row: Mapping[str, Any]) -> Any:
        """The label or target of a row; None if it has none."""
        value = None if self.target is None else row.get(self.target)
        if no_value(value):
            return None
        try:
            if self.task == "targets":
                return target_of(value)
            return label_of(value, self._kinds.get(str(self.target)) or kind_of(value))
        except ValueError as error:
            raise ValueError(f"column {shown(self.target)}: {error}") from None

    def predict(self, row: Mapping[str, Any]) -> Any:
        """The most likely label, or the target; before the first example None or 0."""
        return self._asked(self.learner_of(row).predict_one, self.features(row))

    def probabilities(self, row: Mapping[str, Any]) -> dict[Any, float]:
        """The probability of every class."""
        if self.task == "targets":
            raise ValueError("this model learned targets: they have no probabilities")
        found: dict[Any, float] = self.learner_of(row).predict_proba_one(self.features(row))
        return found

    def learn(self, row: Mapping[str, Any]) -> bool:
        """Learn a row; whether it had a label to learn."""
        if self.target is None:
            raise ValueError("this model does not know its target: say which it is")
        x, y = self.features(row), self.outcome(row)
        if y is None:
            return False
        self._asked(self.learner_of(row).learn_one, x, y)
        self._remember(row)
        return True

    def prepare(self, row: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
        """Features and label of a row that `learner_of` it learns next.

        What its columns hold is remembered; assigning `known` goes back behind that.
        """
        x, y = self.features(row), self.outcome(row)
        self._remember(row)
        return x, y

    @property
    def known(self) -> Any:
        """What is known of columns by now, to come back to."""
        return self._kinds, self._is_full

    @known.setter
    def known(self, before: Any) -> None:
        self._kinds, self._is_full = before
        self._settle()

    def learner_of(self, row: Mapping[str, Any]) -> Any:
        """The learner that is asked about a row."""
        return self.learner

    @property
    def examples_seen(self) -> int:
        """How many examples it has learned."""
        return self.learner.examples_seen

    def _features(self, row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, value in row.items():
            if no_value(value) or name == self.target or name in self._ignored:
                continue
            try:
                yield name, of_kind(value, self._kinds.get(name) or kind_of(value))
            except ValueError as error:
                raise ValueError(f"column {shown(name)}: {error}") from None

    def _remember(self, row: Mapping[str, Any]) -> None:
        new = row.keys() - self._kinds.keys()
        if new:  # in the order of the row: that of a set is another one in every process
            self.know({n: kind_of(v) for n, v in row.items() if n in new and not no_value(v)})

    @staticmethod
    def _asked(method: Any, *arguments: Any) -> Any:
        try:
            return method(*arguments)
        except TypeError as error:  # a value that only the learner knows to be wrong
            raise ValueError(str(error)) from None

    # -- files -----------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The byte state of the learner, with the contract in it."""
        return self.learner.to_bytes(contract=self.contract)

    @classmethod
    def from_bytes(cls, state: bytes, **limits: Any) -> Model:
        """The model of a byte state, also of one that a learner has saved; see `shrubs.load`."""
        learner = learners.from_bytes(state, **limits)
        return cls(learner, learners.read_contract(state, **limits))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, atomically."""
        write_atomically(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str], **limits: Any) -> Model:
        """The model of a file, also of one that a learner has saved; see `shrubs.load`."""
        try:
            return cls.from_bytes(Path(path).read_bytes(), **limits)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def _kinds_of(learner: SavedLearner) -> dict[str, Kind]:
    """What a learner knows of its columns by itself; a date is known by its parts."""
    texts = set(learner.text_features())
    kinds: dict[str, Kind] = {}
    for name in learner.feature_names_in_ if learner.examples_seen else ():
        column, _, part = str(name).rpartition(": ")
        if part in DATE_PARTS:
            kinds[column] = "date"
        else:
            kinds[str(name)] = "nominal" if name in texts else "number"
    return kinds


def _kind_of_classes(learner: SavedLearner, target: str) -> dict[str, Kind]:
    """What the target holds, if all classes say the same."""
    classes: Any = getattr(learner, "classes_", None) if learner.examples_seen else None
    kinds = set() if classes is None else {kind_of(label) for label in classes.tolist()}
    return dict.fromkeys((target,), kinds.pop()) if len(kinds) == 1 else {}
