"""River's learners as peers."""

import pickle

import numpy as np
import pytest

pytest.importorskip("river")

from river import tree

from shrubs.adapters import river_peers
from shrubs.evaluation import evaluate
from shrubs.evaluation.rows import as_rows
from tests.unit.evaluation.toys import ToyStream


def test_a_peer_is_its_model():
    stream = ToyStream(300)
    block = next(stream.blocks(300))
    peer = river_peers.hoeffding_tree(regression=False, seed=1, grace_period=20)
    model = tree.HoeffdingTreeClassifier(grace_period=20)
    evaluate(peer, stream)
    for row, y in zip(as_rows(stream.schema, block), block.y, strict=True):
        model.learn_one(row, stream.schema.classes[y])
    rows = as_rows(stream.schema, block)[:50]
    assert [peer.predict_proba_one(x) for x in rows] == [model.predict_proba_one(x) for x in rows]
    assert peer.memory_bytes == model._raw_memory_usage


def test_missing_numbers_are_left_out_or_filled():
    filling, leaving = (river_peers.Numbers(fill_missing=fill) for fill in (True, False))
    for numbers in (filling, leaving):
        numbers.learn_one({"a": 1.0, "c": "red"})
        numbers.learn_one({"a": 4.0, "c": "blue"})
    assert filling.transform_one({}) == {"a": 2.5, "c=red": 0.0, "c=blue": 0.0}
    assert leaving.transform_one({}) == {}
    assert leaving.transform_one({"c": "red"}) == {"c=red": 1.0, "c=blue": 0.0}


def test_the_encoding_of_a_peer_is_part_of_its_size():
    few, many = (river_peers.gaussian_nb(regression=False, seed=1) for _ in range(2))
    for i in range(50):
        few.learn_one({"c": "always"}, "yes")
        many.learn_one({"c": f"category {i}"}, "yes")
    assert many.memory_bytes > few.memory_bytes + 50 * len("category 0")


@pytest.mark.parametrize("make", [river_peers.bagging, river_peers.boosting, river_peers.bole])
def test_options_of_an_ensemble_go_to_its_trees(make):
    peer = make(regression=False, seed=1, n_models=3, grace_period=77)
    assert len(peer.model) == 3
    assert peer.model[0].grace_period == 77


def test_a_pickled_peer_goes_on_the_same():
    peer = river_peers.aggregated_mondrian_forest(regression=False, seed=1, n_estimators=3)
    stream = ToyStream(100)
    evaluate(peer, stream)
    again = pickle.loads(pickle.dumps(peer))
    for row in as_rows(stream.schema, next(stream.blocks(100))):
        assert again.predict_proba_one(row) == peer.predict_proba_one(row)
        for one in (peer, again):
            one.learn_one(row, "yes")


def test_regression_trees_take_nominal_features():
    peer = river_peers.hoeffding_tree(regression=True, seed=1)
    evaluation = evaluate(peer, ToyStream(400, regression=True))
    assert np.isfinite(evaluation.values()["rmse"])
