"""Arrays of objects: texts beside numbers, as ColumnTransformer makes them."""

import numpy as np
import pandas as pd
import pytest

from shrubs import PaperShrubClassifier, PaperShrubRegressor, ShrubClassifier

ROWS = [["red", 1.5], ["blue", 2.0], [None, 0.5], ["red", np.nan], ["green", 3.0], ["blue", 1.0]]
Y = [0, 1, 1, 0, 1, 1]


def classifier():
    return PaperShrubClassifier(max_shrubs=4, window_size=4, splitter="best", step_size=0.5)


def test_an_array_of_objects_gives_the_model_of_its_rows():
    one_by_one = classifier()
    for x, y in zip(ROWS, Y, strict=True):
        one_by_one.learn_one(x, y)
    array = np.array(ROWS, dtype=object)
    learner = classifier().partial_fit(array, Y)
    assert learner.to_bytes() == one_by_one.to_bytes()
    assert classifier().partial_fit(ROWS, Y).to_bytes() == one_by_one.to_bytes()
    expected = [list(learner.predict_proba_one(x).values()) for x in ROWS]
    assert learner.predict_proba(array).tolist() == expected
    assert learner.snapshot().predict_proba(array).tolist() == expected


def test_new_categories_come_with_later_arrays():
    learner = classifier().partial_fit(np.array(ROWS[:2], dtype=object), Y[:2])
    learner.partial_fit(np.array([["green", 1.0], ["pink", 2.0]], dtype=object), [0, 1])
    one_by_one = classifier()
    for x, y in zip([*ROWS[:2], ["green", 1.0], ["pink", 2.0]], [*Y[:2], 0, 1], strict=True):
        one_by_one.learn_one(x, y)
    assert learner.to_bytes() == one_by_one.to_bytes()


def test_an_array_of_another_width_or_kind_is_refused():
    learner = classifier().partial_fit(np.array(ROWS, dtype=object), Y)
    with pytest.raises(ValueError, match="X has 3 features, but this learner was built for 2"):
        learner.predict(np.array([["red", 1.0, "x"]], dtype=object))
    with pytest.raises(ValueError, match="X has 3 features, but this learner was built for 2"):
        learner.partial_fit(np.array([["red", 1.0, "x"]], dtype=object), [0])
    with pytest.raises(TypeError, match="takes numbers, got 'x'"):
        learner.predict(np.array([["red", "x"]], dtype=object))


def test_a_pipeline_with_a_column_transformer_fits():
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    frame = pd.DataFrame({"colour": ["red", "blue"] * 30, "size": np.arange(60.0)})
    labels = ["warm", "cold"] * 30
    scale = make_column_transformer((StandardScaler(), ["size"]), remainder="passthrough")
    pipeline = make_pipeline(scale, ShrubClassifier()).fit(frame, labels)
    assert pipeline.score(frame, labels) > 0.9
    regression = make_pipeline(scale, PaperShrubRegressor()).fit(frame, [1.0, 2.0] * 30)
    assert regression.predict(frame).shape == (60,)
