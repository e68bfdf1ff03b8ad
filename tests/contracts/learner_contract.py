"""What every learner must do. A new learner joins with one line in test_learners.py.

A learner is given by a function that makes a new one. `LearnerContract` asks for the protocol
alone: learn_one, predict_one, memory_bytes. `ShrubContract` adds what learners on the core promise.
"""

import copy
import math
import pickle
import sys

import numpy as np
import pytest

NAN = math.nan


class LearnerContract:
    """Checks of the protocol `shrubs.protocols.Learner`."""

    @pytest.fixture
    def make(self):
        """Return a function that makes a new learner."""
        raise NotImplementedError

    labels = ("low", "high")

    def label(self, i):
        """A label or target for example `i`, all of them within the first two examples."""
        return self.labels[i % 2]

    def examples(self, n):
        """Examples with a number, a text and a boolean each, that can be told apart."""
        colours = ("red", "blue", "green")
        rows = [
            {"size": float(i % 5) + i % 2, "colour": colours[i % 3], "flag": i % 2 == 0}
            for i in range(n)
        ]
        return [(row, self.label(i)) for i, row in enumerate(rows)]

    def learn(self, learner, examples):
        for x, y in examples:
            learner.learn_one(x, y)
        return learner

    def predictions(self, learner):
        return [learner.predict_one(x) for x, _ in self.examples(12)]

    def test_learn_one_returns_the_learner(self, make):
        learner = make()
        (x, y), *_ = self.examples(1)
        assert learner.learn_one(x, y) is learner

    def test_the_same_examples_give_the_same_predictions(self, make):
        one, other = (self.learn(make(), self.examples(60)) for _ in range(2))
        assert self.predictions(one) == self.predictions(other)

    def test_predicting_changes_nothing(self, make):
        one, other = (self.learn(make(), self.examples(20)) for _ in range(2))
        for _ in range(10):
            self.predictions(one)
        again = [self.learn(learner, self.examples(20)) for learner in (one, other)]
        assert self.predictions(again[0]) == self.predictions(again[1])

    def test_a_learner_predicts_before_its_first_example(self, make):
        assert make().predict_one({"size": 1.0}) in (None, 0.0)

    def test_a_single_example_is_predicted_again(self, make):
        (x, y), *_ = self.examples(1)
        assert make().learn_one(x, y).predict_one(x) == y

    def test_a_stream_with_one_label_is_predicted(self, make):
        learner = make()
        for x, _ in self.examples(40):
            learner.learn_one(x, self.label(0))
        assert set(self.predictions(learner)) == {self.label(0)}

    def test_a_copy_goes_on_alone(self, make):
        learner = self.learn(make(), self.examples(30))
        before = self.predictions(learner)
        self.learn(copy.copy(learner), [(x, self.label(1)) for x, _ in self.examples(30)])
        assert self.predictions(learner) == before

    @pytest.mark.parametrize(
        "duplicate",
        [copy.copy, copy.deepcopy, lambda learner: pickle.loads(pickle.dumps(learner))],
        ids=["copy", "deepcopy", "pickle"],
    )
    def test_a_duplicate_goes_on_exactly(self, make, duplicate):
        learner = self.learn(make(), self.examples(30))
        other = duplicate(learner)
        for each in (learner, other):
            self.learn(each, self.examples(40)[30:])
        assert self.predictions(other) == self.predictions(learner)

    @pytest.mark.parametrize(
        "duplicate",
        [copy.copy, copy.deepcopy, lambda learner: pickle.loads(pickle.dumps(learner))],
        ids=["copy", "deepcopy", "pickle"],
    )
    def test_a_new_learner_can_be_duplicated(self, make, duplicate):
        other = self.learn(duplicate(make()), self.examples(20))
        assert self.predictions(other) == self.predictions(self.learn(make(), self.examples(20)))

    def test_memory_is_reported_in_bytes(self, make):
        assert isinstance(self.learn(make(), self.examples(10)).memory_bytes, int)

    def test_memory_does_not_grow_with_the_stream(self, make):
        learner = self.learn(make(), self.examples(100))
        early = learner.memory_bytes
        self.learn(learner, self.examples(600))
        # Python's own integers, such as a count, may need a few bytes more as they grow.
        assert learner.memory_bytes <= early + 64


class ClassifierContract(LearnerContract):
    """Checks of learners that give probabilities."""

    def test_probabilities_sum_to_one(self, make):
        learner = make()
        for x, y in self.examples(50):
            learner.learn_one(x, y)
            assert sum(learner.predict_proba_one(x).values()) == pytest.approx(1.0, abs=1e-12)

    def test_probabilities_lie_between_zero_and_one(self, make):
        learner = make()
        for x, y in self.examples(50):
            learner.learn_one(x, y)
            assert all(0.0 <= p <= 1.0 for p in learner.predict_proba_one(x).values())

    def test_the_predicted_label_is_a_most_likely_one(self, make):
        learner = self.learn(make(), self.examples(50))
        for x, _ in self.examples(12):
            probabilities = learner.predict_proba_one(x)
            assert probabilities[learner.predict_one(x)] == max(probabilities.values())

    def test_there_are_no_probabilities_before_the_first_example(self, make):
        assert make().predict_proba_one({"size": 1.0}) == {}

    def test_a_class_may_come_at_any_time(self, make):
        learner = self.learn(make(), self.examples(50))
        learner.learn_one({"size": 99.0}, "new")
        assert "new" in learner.predict_proba_one({"size": 99.0})

    @pytest.mark.parametrize("label", [None, NAN])
    def test_a_missing_label_is_refused(self, make, label):
        with pytest.raises(ValueError, match=r"^y must not be missing, got (None|nan)$"):
            make().learn_one({"size": 1.0}, label)


class RegressorContract(LearnerContract):
    """Checks of learners that predict targets."""

    labels = (1.5, -20.0)

    def test_a_prediction_is_a_float(self, make):
        learner = self.learn(make(), self.examples(20))
        assert all(isinstance(target, float) for target in self.predictions(learner))

    def test_a_prediction_lies_among_the_targets(self, make):
        learner = self.learn(make(), self.examples(50))
        rounding = 1e-12
        assert all(-20.0 - rounding <= p <= 1.5 + rounding for p in self.predictions(learner))


class CoreContract(LearnerContract):
    """Checks of learners on the core: byte states, matrices, plans and memory limits."""

    def state(self, make, examples):
        return self.learn(make(), examples).to_bytes()

    def test_the_same_seed_gives_the_same_model(self, make):
        states = {self.state(lambda: make(seed=3), self.examples(60)) for _ in range(2)}
        assert len(states) == 1

    def test_another_seed_gives_another_state(self, make):
        states = {self.state(lambda s=s: make(seed=s), self.examples(60)) for s in (3, 4)}
        assert len(states) == 2

    def test_no_seed_gives_another_state_each_time(self, make):
        states = {self.state(lambda: make(seed=None), self.examples(5)) for _ in range(3)}
        assert len(states) == 3

    @pytest.mark.parametrize(
        "duplicate",
        [copy.copy, copy.deepcopy, lambda learner: pickle.loads(pickle.dumps(learner))],
        ids=["copy", "deepcopy", "pickle"],
    )
    def test_a_duplicate_has_the_same_state(self, make, duplicate):
        learner = self.learn(make(), self.examples(30))
        assert duplicate(learner).to_bytes() == learner.to_bytes()

    def test_a_loaded_learner_goes_on_exactly(self, make):
        learner = self.learn(make(), self.examples(30))
        loaded = type(learner).from_bytes(learner.to_bytes())
        rest = self.examples(60)[30:]
        assert self.learn(loaded, rest).to_bytes() == self.learn(learner, rest).to_bytes()

    def test_batches_give_the_model_of_single_rows(self, make):
        examples = self.examples(40)
        X = np.array([[row["size"], float(row["flag"])] for row, _ in examples])
        y = [label for _, label in examples]
        one_by_one = make()
        for x, label in zip(X, y, strict=True):
            one_by_one.learn_one(x, label)
        assert make().partial_fit(X, y).to_bytes() == one_by_one.to_bytes()

    def test_constant_features_are_learned(self, make):
        learner = make()
        for _, y in self.examples(30):
            learner.learn_one({"size": 1.0, "colour": "red"}, y)
        asked = "".join(str(shrub) for shrub in learner.shrubs)
        assert "size" not in asked
        assert "colour" not in asked

    def test_examples_with_everything_missing_are_learned(self, make):
        learner = self.learn(make(), self.examples(10))
        for i in range(30):
            learner.learn_one({"size": NAN, "colour": None}, self.label(i))
        assert learner.examples_seen == 40

    def test_a_learner_that_never_saw_a_value_predicts(self, make):
        learner = make()
        for i in range(10):
            learner.learn_one({}, self.label(i))
        assert learner.predict_one({"size": 1.0}) is not None

    def test_everything_missing_is_predicted(self, make):
        learner = self.learn(make(), self.examples(40))
        assert learner.predict_one({}) == learner.predict_one({"size": None, "colour": NAN})

    def test_a_category_never_seen_is_predicted(self, make):
        learner = self.learn(make(), self.examples(40))
        assert learner.predict_one({"size": 1.0, "colour": "pink"}) is not None

    def test_features_never_seen_are_passed_over_in_prediction(self, make):
        learner = self.learn(make(), self.examples(40))
        x = self.examples(1)[0][0]
        assert learner.predict_one({**x, "smell": 3.0}) == learner.predict_one(x)

    def test_memory_stays_within_the_plan(self, make):
        learner = make()
        self.learn(learner, self.examples(200))
        n_classes = 1 if learner._regression else 2
        plan = learner.plan(n_features=3, n_classes=n_classes)
        tables = learner.memory_report().tables
        assert learner.memory_bytes <= plan.total + tables

    def test_memory_stays_within_its_limit(self, make):
        needed = self.learn(make(), self.examples(200)).memory_bytes
        limited = make(memory_limit=needed + 200)
        for x, y in self.examples(200):
            assert limited.learn_one(x, y).memory_bytes <= needed + 200

    def test_sizeof_is_the_memory(self, make):
        learner = self.learn(make(), self.examples(10))
        # The interpreter adds the header of its garbage collector.
        assert learner.memory_bytes <= sys.getsizeof(learner) <= learner.memory_bytes + 32

    BAD = (
        ({"size": math.inf}, ValueError),
        ({"size": "large"}, TypeError),
        ({"colour": ["red"]}, TypeError),
        ([[1.0, 2.0, 3.0]], ValueError),
        (None, TypeError),
        (3.0, TypeError),
    )

    @pytest.mark.parametrize(("x", "error"), BAD, ids=lambda value: repr(value)[:30])
    def test_bad_input_leaves_the_model_as_it_was(self, make, x, error):
        learner = self.learn(make(), self.examples(20))
        before = learner.to_bytes()
        with pytest.raises(error):
            learner.learn_one(x, self.label(0))
        assert learner.to_bytes() == before

    def test_bad_input_leaves_a_new_learner_new(self, make):
        learner = make()
        with pytest.raises(ValueError, match="must be finite"):
            learner.learn_one({"size": math.inf}, self.label(0))
        assert self.state(lambda: learner, self.examples(20)) == self.state(make, self.examples(20))

    def test_fit_forgets_what_was_learned(self, make):
        X = np.array([[row["size"]] for row, _ in self.examples(30)])
        y = [label for _, label in self.examples(30)]
        learner = make().partial_fit(X[::-1], y[::-1])
        assert learner.fit(X, y).to_bytes() == make().fit(X, y).to_bytes()

    def test_fit_may_change_the_features(self, make):
        learner = self.learn(make(), self.examples(20))
        X = np.zeros((4, 7))
        assert learner.fit(X, [self.label(i) for i in range(4)]).n_features_in_ == 7

    def test_a_failed_fit_leaves_the_model_as_it_was(self, make):
        learner = self.learn(make(), self.examples(20))
        before = learner.to_bytes()
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            learner.fit([[1.0]], [self.label(0), self.label(1)])
        assert learner.to_bytes() == before

    def test_a_matrix_cannot_be_predicted_before_the_first_example(self, make):
        with pytest.raises(ValueError, match="has not seen an example yet"):
            make().predict([[1.0]])

    def test_a_changed_parameter_does_not_disturb_a_learner_that_has_begun(self, make):
        learner = self.learn(make(), self.examples(20))
        before = learner.to_bytes()
        assert learner.set_params(seed=9).to_bytes() == before

    def test_a_changed_parameter_is_taken_up_at_fit(self, make):
        X, y = np.zeros((9, 1)), [self.label(i) for i in range(9)]
        learner = self.learn(make(), self.examples(20)).set_params(seed=9)
        assert learner.fit(X, y).to_bytes() == make(seed=9).fit(X, y).to_bytes()

    def test_a_wrong_parameter_is_stored_and_refused_at_first_use(self, make):
        learner = make(seed=-1)
        for use in (learner.predict_one, lambda x: learner.learn_one(x, self.label(0))):
            with pytest.raises(ValueError, match=r"^seed must be at least 0, got -1$"):
                use({"size": 1.0})
        assert (learner.get_params()["seed"], learner.examples_seen) == (-1, 0)


class UntunedContract(CoreContract):
    """Checks of learners that divide their memory themselves."""

    @pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")
    def test_nothing_is_refused_for_lack_of_memory(self, make):
        learner = self.learn(make(), self.examples(10))
        wide = {f"feature {i}": float(i) for i in range(300)}
        for _ in range(20):
            learner.learn_one(wide, self.label(0))
        assert learner.memory_bytes <= 64 * 1024
        assert learner.examples_seen == 30


class WindowContract(CoreContract):
    """Checks of learners that are told the size of their window."""

    def test_a_limit_too_small_is_refused_before_anything_changes(self, make):
        limit = self.learn(make(), self.examples(3)).memory_bytes + 200
        learner = self.learn(make(memory_limit=limit), self.examples(10))
        before = learner.to_bytes()
        wide = {f"feature {i}": float(i) for i in range(300)}
        with pytest.raises(ValueError, match="is too small for 303 features"):
            learner.learn_one(wide, self.label(0))
        assert learner.to_bytes() == before

    def test_a_window_of_one_holds_the_last_example(self, make):
        learner = self.learn(make(window_size=1), self.examples(25))
        assert learner._engine.n_examples == 1

    def test_a_window_of_one_gives_single_leaves(self, make):
        learner = self.learn(make(window_size=1), self.examples(25))
        assert {shrub.n_nodes for shrub in learner.shrubs} == {1}

    def test_changed_parameters_are_taken_up_at_fit(self, make):
        learner = self.learn(make(), self.examples(20)).set_params(window_size=3)
        learner.fit(np.zeros((9, 1)), [self.label(i) for i in range(9)])
        assert learner._engine.n_examples == 3
