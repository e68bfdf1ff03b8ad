import pickle

import numpy as np
import pytest

import shrubs
from shrubs.learners import Contract
from shrubs.live import Model


def weather(i):
    return {
        "wind": float(i % 7),
        "sky": "grey" if i % 2 else "blue",
        "warm": i % 3 == 0,
        "when": f"2024-01-{i % 28 + 1:02}T08:30",
        "rain": "yes" if i % 7 > 3 else "no",
    }


def learned(n=40, **options):
    model = Model.new("rain", "classes", seed=1, **options)
    for i in range(n):
        assert model.learn(weather(i))
    return model


def test_it_learns_like_its_learner_alone():
    alone = shrubs.ShrubClassifier(seed=1)
    for i in range(40):
        row = weather(i)
        alone.learn_one({k: v for k, v in row.items() if k != "rain"}, row["rain"])
    model = learned()
    assert model.learner.to_bytes() == alone.to_bytes()
    assert model.predict(weather(5)) == alone.predict_one(weather(5))


def test_it_knows_what_columns_hold():
    kinds = {"wind": "number", "sky": "nominal", "warm": "boolean", "when": "date"}
    assert learned().contract == Contract("rain", {**kinds, "rain": "nominal"})


def test_a_file_keeps_the_contract_and_is_a_learner_s_file(tmp_path):
    model = learned(ignored=["id"])
    model.save(tmp_path / "rain.shrubs")
    again = Model.load(tmp_path / "rain.shrubs")
    assert again.contract == model.contract
    assert again.to_bytes() == model.to_bytes()
    assert shrubs.load(tmp_path / "rain.shrubs").to_bytes() == model.learner.to_bytes()
    assert pickle.loads(pickle.dumps(again.learner)).to_bytes() == model.learner.to_bytes()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"wind": "strong"}, "column 'wind': the column holds numbers, got 'strong'"),
        ({"when": "late"}, "column 'when': the column holds dates, got 'late'"),
        ({"when": 5}, "column 'when': the column holds dates, got 5"),
        ({"wind": [1]}, "column 'wind': [1] is neither a number nor a text, a boolean or a date"),
        ({"wind": 1e39}, "feature 'wind' must be finite and fit single precision, got 1e+39"),
        ({"rain": "no", "wave": 1}, "the row has none of the columns that the model knows: "
                                    "'sky', 'warm', 'when', 'wind'"),
        ({}, "the row has none of the columns that the model knows: 'sky', 'warm', 'when', 'wind'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_and_changes_nothing(row, message):
    model = learned()
    before = model.to_bytes()
    for attempt in (model.predict, lambda row: model.learn({"rain": "no", **row})):
        with pytest.raises(ValueError, match="^" + message.replace("[", r"\[").replace("+", r"\+")):
            attempt(row)
    assert model.to_bytes() == before


def test_a_number_is_a_text_where_texts_are():
    model = Model.new("y", "classes", nominal=["zip"])
    model.learn(model.typed({"zip": "01234", "y": "a"}))
    model.learn({"zip": 2, "y": "b"})
    assert model.features({"zip": 2.0}) == {"zip": "2"}
    assert model.features(model.typed({"zip": "01234"})) == {"zip": "01234"}


def test_texts_are_read_as_columns_hold_them():
    model = learned()
    texts = {"wind": " 2.5", "sky": "1", "warm": "true", "when": "2024-01-05", "rain": "?"}
    assert model.typed(texts) == {
        "wind": 2.5, "sky": "1", "warm": True, "when": "2024-01-05", "rain": None,
    }  # fmt: skip
    assert model.typed({"wind": "NA", "sky": "NA"}) == {"wind": None, "sky": "NA"}
    assert model.typed({"wind": "true"}) == {"wind": True}


def test_a_row_without_a_label_is_not_learned():
    model = learned()
    before = model.to_bytes()
    for row in ({"wind": 1.0}, {"wind": 1.0, "rain": None}, {"wind": 1.0, "rain": float("nan")}):
        assert not model.learn(row)
    assert model.to_bytes() == before


def test_labels_are_as_learn_knows_them():
    model = Model.new("y", "classes")
    for label in (1.0, 0, 2):
        model.learn({"a": 1, "y": label})
    assert model.learner.classes_.tolist() == [1, 0, 2]
    with pytest.raises(ValueError, match="column 'y': the column holds numbers, got 'x'"):
        model.learn({"a": 1, "y": "x"})
    truth = Model.new("y", "classes")
    for label in (True, 0):
        truth.learn({"a": 1, "y": label})
    assert truth.learner.classes_.tolist() == [True, False]


def test_targets_are_finite_numbers():
    model = Model.new("y", "targets")
    assert model.learn({"a": 1, "y": 2})
    for wrong in ("x", float("inf"), 10**400):
        with pytest.raises(ValueError, match="column 'y': the target must be"):
            model.learn({"a": 1, "y": wrong})


def test_another_target_or_task_is_refused():
    model = learned()
    model.expect("rain", "classes")
    with pytest.raises(ValueError, match="predicts 'rain', it cannot learn 'wind'"):
        model.expect("wind")
    with pytest.raises(ValueError, match="learned classes, it cannot learn targets"):
        model.expect(task="targets")


def test_ignored_columns_are_not_learned_from():
    model = Model.new("y", "classes", ignored=["id"])
    model.learn({"id": 7, "a": 1, "y": "x"})
    model.expect(ignored=["note"])
    model.learn({"id": 8, "note": "n", "a": 1, "y": "x"})
    assert model.learner.feature_names_in_.tolist() == ["a"]
    assert Model.from_bytes(model.to_bytes()).contract.ignored == ("id", "note")


def test_a_learner_without_a_contract_says_what_it_knows(tmp_path):
    learner = shrubs.ShrubClassifier()
    for i in range(9):
        row = weather(i)
        learner.learn_one({k: row[k] for k in ("wind", "sky", "when")}, row["rain"])
    learner.save(tmp_path / "plain.shrubs")
    model = Model.load(tmp_path / "plain.shrubs")
    assert model.target is None
    assert model.contract is None
    assert model.predict(weather(1)) in ("yes", "no")
    with pytest.raises(ValueError, match="does not know its target"):
        model.learn(weather(1))
    model.expect("rain")
    assert model.learn(weather(1))
    assert model.contract.kinds == {
        "wind": "number", "sky": "nominal", "when": "date", "rain": "nominal", "warm": "boolean",
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")
def test_names_without_end_do_not_make_the_contract_grow():
    model = Model.new("y", "classes", memory_limit="64KB")
    for i in range(30):
        model.learn({"a": 1, f"{i}" * 40_000: 1.0, "y": "x"})
    assert not model.contract.is_full
    assert len(model.to_bytes()) < 2**21
    model.predict({"b": 1})  # it may be one that had no room


def test_numpy_values_are_taken():
    model = Model.new("y", "targets")
    model.learn({"a": np.float32(1), "b": np.int64(3), "y": np.float64(2)})
    assert model.predict({"a": np.float32(1)}) == 2.0
