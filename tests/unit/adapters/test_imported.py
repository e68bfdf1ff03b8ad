"""Learners by import path."""

import re
import sys

import pytest

from shrubs import PaperShrubClassifier
from shrubs.experiments.job import Job, do_job
from shrubs.experiments.registry import find_learner, make_learner
from shrubs.protocols import Feature, Schema

SCHEMA = Schema((Feature("a"),), ("no", "yes"))
MODULE = '''
class Last:
    """Predicts the last label, or a fixed one."""

    def __init__(self, first=None, seed=0):
        self.last, self.seed = first, seed

    def learn_one(self, x, y):
        self.last = y

    def predict_one(self, x):
        return self.last

class Mean:
    """Predicts class 1 if most labels were 1."""

    def __init__(self, random_state=None):
        self.n, self.ones, self.random_state = 0, 0, random_state

    def partial_fit(self, X, y, classes=None):
        self.n, self.ones = self.n + len(y), self.ones + sum(y)

    def predict(self, X):
        import numpy as np

        return np.full(len(X), int(2 * self.ones > self.n))

def make_last(first):
    return Last(first)

made = Last("made")
nothing = object()
'''


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch):
    (tmp_path / "toys_of_a_user.py").write_text(MODULE)
    (tmp_path / "broken_of_a_user.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "toys_of_a_user", raising=False)


@pytest.mark.parametrize("name", ["Last", "Mean", "made"])
def test_a_class_of_a_user_runs(name):
    record = do_job(Job(f"toys_of_a_user:{name}", "sea", {}, {"n_examples": 300}))
    assert record.metrics["accuracy"] > 0.4
    assert record.metrics["memory_bytes"] > 0


def test_options_and_seed_arrive():
    learner = make_learner("toys_of_a_user:Last", SCHEMA, {"first": "yes"}, 7)
    assert (learner.model.last, learner.model.seed) == ("yes", 7)
    assert make_learner("toys_of_a_user:Mean", SCHEMA, {}, 7).model.random_state == 7
    assert make_learner("toys_of_a_user:make_last", SCHEMA, {"first": "no"}, 7).model.last == "no"


def test_a_learner_that_is_made_already_is_copied():
    first, second = (make_learner("toys_of_a_user:made", SCHEMA, {}, 1) for _ in range(2))
    first.learn_one({}, "other")
    assert second.predict_one({}) == "made"


def test_our_own_learners_need_no_wrapping():
    learner = make_learner("shrubs:PaperShrubClassifier", SCHEMA, {"max_shrubs": 3}, 5)
    assert isinstance(learner, PaperShrubClassifier)
    assert (learner.max_shrubs, learner.seed) == (3, 5)


def test_the_label_is_the_name_of_the_class():
    assert find_learner("toys_of_a_user:Last").label == "Last"


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("toys_of_nobody:Last", {}, "cannot import 'toys_of_nobody': No module named 'toys_of_no"),
        ("broken_of_a_user:Last", {}, "cannot import 'broken_of_a_user': division by zero"),
        ("toys_of_a_user:Lost", {}, "'toys_of_a_user' has no 'Lost'; did you mean 'Last'?"),
        ("toys_of_a_user:nothing", {}, "must have learn_one and predict_one, or partial_fit and "),
        ("toys_of_a_user:made", {"first": 1}, "is made already; it takes no options"),
        ("toys_of_a_user:Last", {"frist": 1}, "unknown option 'frist'; did you mean 'first'?"),
        (":Last", {}, "cannot import ''"),
        ("river:hoeffding-tre", {}, "unknown learner 'river:hoeffding-tre'; did you mean 'river:"),
    ],
)
def test_a_wrong_path_gets_one_clear_line(path, options, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        make_learner(path, SCHEMA, options, 1)
    assert path in str(caught.value)
    assert "\n" not in str(caught.value)
