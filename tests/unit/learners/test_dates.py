"""A column of dates becomes the features that a person would make of it."""

import pickle
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs import PaperShrubClassifier, ShrubClassifier, ShrubRegressor
from shrubs._core import Tables
from shrubs.learners._dates import spread_row
from shrubs.learners.partial_fit_learner import PartialFitLearner
from tests.reference.dates import date_features

GENERATOR = np.random.default_rng(3)
MINUTES = np.sort(GENERATOR.integers(0, 60 * 24 * 400, 600)).tolist()
TIMES = [datetime(2023, 11, 1) + timedelta(minutes=minute) for minute in MINUTES]
DAYS = [at.date() for at in TIMES]
BERLIN = [at.replace(tzinfo=ZoneInfo("Europe/Berlin")) for at in TIMES]
SIZES = GENERATOR.random(len(TIMES)).tolist()
Y = ["work" if at.weekday() < 5 and 8 <= at.hour < 17 else "rest" for at in TIMES]

# How people hold the same dates. Wall time counts, whatever the zone.
COLUMNS = {
    "datetime": TIMES,
    "zone": BERLIN,
    "offset": [at.replace(tzinfo=timezone(timedelta(hours=5))) for at in TIMES],
    "numpy": list(np.array(TIMES, dtype="datetime64[ns]")),
    "pandas": list(pd.Series(TIMES)),
    "iso": [at.isoformat() for at in TIMES],
    "iso with zone": [f"{at}Z" for at in TIMES],
}
FRAMES = {
    "pandas": pd.DataFrame({"when": TIMES, "size": SIZES}),
    "pandas zone": pd.DataFrame({"when": pd.DatetimeIndex(BERLIN), "size": SIZES}),
    "pandas objects": pd.DataFrame({"when": pd.Series(TIMES, dtype=object), "size": SIZES}),
    "pandas arrow": pd.DataFrame({"when": TIMES, "size": SIZES}).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "pandas texts": pd.DataFrame({"when": COLUMNS["iso"], "size": SIZES}),
    "polars": pl.DataFrame({"when": TIMES, "size": SIZES}),
    "polars zone": pl.DataFrame(
        {
            "when": pl.Series(TIMES)
            .dt.replace_time_zone("Europe/Berlin", ambiguous="earliest", non_existent="null")
            .fill_null(strategy="forward"),
            "size": SIZES,
        }
    ),
    "polars texts": pl.DataFrame({"when": COLUMNS["iso"], "size": SIZES}),
    "arrow": pa.table({"when": TIMES, "size": SIZES}),
}


def classifier():
    return PaperShrubClassifier(max_shrubs=4, window_size=64, step_size=0.5, seed=1)


def by_hand(at, size=None):
    return {**date_features("when", at), **({} if size is None else {"size": size})}


@pytest.fixture(scope="module")
def plain():
    """The learner on features made by hand."""
    learner = classifier()
    for at, size, y in zip(TIMES, SIZES, Y, strict=True):
        learner.learn_one(by_hand(at, size), y)
    return learner


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
def test_dates_in_rows_are_features_made_by_hand(plain, column):
    learner = classifier()
    for at, size, y in zip(column, SIZES, Y, strict=True):
        learner.learn_one({"when": at, "size": size}, y)
    assert learner.to_bytes() == plain.to_bytes()
    loaded = pickle.loads(pickle.dumps(learner))
    for i in range(0, len(TIMES), 50):
        x, same = {"when": column[i], "size": SIZES[i]}, by_hand(TIMES[i], SIZES[i])
        expected = plain.predict_proba_one(same)
        assert learner.predict_proba_one(x) == expected
        assert learner.snapshot().predict_proba_one(x) == expected
        assert loaded.predict_proba_one({**x, "unknown": "2024-01-01", "other": "text"}) == expected
        assert learner.explain_one(x) == plain.explain_one(same)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_dates_in_frames_are_features_made_by_hand(plain, frame):
    learner = classifier().partial_fit(frame, Y)
    assert learner.to_bytes() == plain.to_bytes()
    made = pd.DataFrame([by_hand(at, size) for at, size in zip(TIMES, SIZES, strict=True)])
    np.testing.assert_array_equal(learner.predict_proba(frame), plain.predict_proba(made))
    np.testing.assert_array_equal(learner.snapshot().predict(frame), plain.predict(made))


@given(st.dictionaries(st.text(), st.datetimes() | st.dates() | st.times()))
def test_rows_of_dates_have_the_features_of_each(row):
    expected = {}
    for name, value in row.items():
        expected.update(date_features(name, value))
    assert spread_row(Tables(), row, (), learning=True) == expected


def test_dates_without_names_are_named_by_position():
    rows = [[size, at] for size, at in zip(SIZES, TIMES, strict=True)]
    learner, from_array = classifier(), classifier().partial_fit(np.array(rows, dtype=object), Y)
    for row, y in zip(rows, Y, strict=True):
        learner.learn_one(row, y)
    assert learner.to_bytes() == from_array.to_bytes()
    names = [0, "1: days since 1970", "1: hour", "1: weekday"]
    assert learner.feature_names_in_.tolist() == names
    by_name = [learner.predict_proba_one({0: size, 1: at}) for size, at in rows[:50]]
    assert [learner.predict_proba_one(tuple(row)) for row in rows[:50]] == by_name
    assert learner.predict(np.array(rows[:50], dtype=object)).tolist() == [
        max(shares, key=shares.get) for shares in by_name
    ]
    missing = learner.predict_proba_one({0: 0.5})
    assert learner.predict_proba_one([0.5, None]) == missing
    assert learner.predict_proba_one(np.array([0.5, np.nan])) == missing
    assert learner.predict_proba(np.array([[0.5, np.nan]]))[0].tolist() == list(missing.values())
    assert learner.explain_one([0.5, TIMES[0]]) == learner.explain_one({0: 0.5, 1: TIMES[0]})


@pytest.mark.parametrize("kind", ["datetime64[s]", "datetime64[ns]", object])
def test_arrays_of_dates(kind):
    learner = classifier().partial_fit(np.array(TIMES, dtype=kind)[:, None], Y)
    other = classifier().partial_fit(pd.DataFrame({"0": TIMES}), Y)
    assert learner.to_bytes() == other.to_bytes()


@pytest.mark.parametrize(
    "column",
    [DAYS, pl.Series(DAYS), [f"{day}" for day in DAYS], np.array(DAYS, "datetime64[D]").tolist()],
)
def test_dates_without_a_time_have_no_hour(column):
    learner = classifier().partial_fit(pl.DataFrame({"when": column}), Y)
    assert learner.feature_names_in_.tolist() == ["when: days since 1970", "when: weekday"]
    row = {"when": column[7]}
    assert learner.predict_proba_one(row) == learner.predict_proba_one(
        date_features("when", DAYS[7])
    )


def test_times_of_day_are_hours():
    times = [at.time() for at in TIMES]
    learner, rows = classifier().partial_fit(pl.DataFrame({"at": times}), Y), classifier()
    for at, y in zip(times, Y, strict=True):
        rows.learn_one({"at": at}, y)
    assert rows.to_bytes() == learner.to_bytes()
    assert learner.feature_names_in_.tolist() == ["at: hour"]
    assert learner.predict_one({"at": times[0]}) == learner.predict_one({"at: hour": times[0].hour})


@pytest.mark.parametrize("nothing", [pd.NaT, np.datetime64("NaT"), None, float("nan"), pd.NA])
def test_a_missing_date_is_missing(plain, nothing):
    expected = plain.predict_proba_one({"size": 0.5})
    assert plain.predict_proba_one({"when": nothing, "size": 0.5}) == expected
    for column in (pd.Series([TIMES[0], nothing]), pd.Series([nothing, nothing])):
        frame = pd.DataFrame({"when": column, "size": 0.5})
        assert plain.predict_proba(frame)[1].tolist() == list(expected.values())
    learner = classifier().learn_one({"when": nothing, "size": 0.5}, "rest")
    assert learner.feature_names_in_.tolist() == ["size"]


@pytest.mark.parametrize("wrong", ["soon", "2024-99-99", 5.0, timedelta(1)])
def test_what_is_no_date_is_refused_by_name(plain, wrong):
    before = plain.to_bytes()
    with pytest.raises(TypeError, match="feature 'when' takes dates, got"):
        plain.learn_one({"when": wrong, "size": 0.5}, "rest")
    if not isinstance(wrong, timedelta):
        frame = pd.DataFrame({"when": [wrong], "size": [0.5]})
        with pytest.raises(TypeError, match="feature 'when' takes dates, got"):
            plain.partial_fit(frame, ["rest"])
        assert plain.predict(frame) == plain.predict_one({"size": 0.5})
    assert plain.predict_proba_one({"when": wrong, "size": 0.5}) == plain.predict_proba_one(
        {"size": 0.5}
    )
    assert plain.to_bytes() == before


def test_a_feature_keeps_the_kind_it_starts_with():
    texts = (
        classifier().learn_one({"when": "soon"}, "rest").learn_one({"when": "2024-01-01"}, "rest")
    )
    assert texts.feature_names_in_.tolist() == ["when"]
    declared = PaperShrubClassifier(nominal_features=["when"])
    declared.learn_one({"when": "2024-01-01"}, "rest")
    assert declared.text_features() == ["when"]
    for learner in (texts, declared):
        with pytest.raises(TypeError, match="feature 'when' takes categories"):
            learner.learn_one({"when": TIMES[0]}, "rest")
    numbers = classifier().learn_one({"when": 1.0}, "rest")
    for learn in (
        lambda: numbers.learn_one({"when": TIMES[0]}, "rest"),
        lambda: numbers.predict_one({"when": DAYS[0]}),
        lambda: numbers.partial_fit(pd.DataFrame({"when": TIMES}), Y),
        lambda: classifier().learn_one([1.0], "rest").learn_one([TIMES[0]], "rest"),
        lambda: classifier().learn_one([1.0], "rest").predict(np.array([[TIMES[0]]])),
    ):
        with pytest.raises(TypeError, match=r"feature \S+ takes numbers, got"):
            learn()


def test_names_of_parts_may_not_be_taken():
    with pytest.raises(ValueError, match="there are two features 'when: hour'"):
        classifier().learn_one({"when": TIMES[0], "when: hour": 3}, "rest")
    with pytest.raises(ValueError, match="there are two features '3: hour'"):
        classifier().learn_one({3: TIMES[0], "3": TIMES[0]}, "rest")


def test_a_date_may_gain_a_time_of_day():
    learner = (
        classifier().learn_one({"when": DAYS[0]}, "rest").learn_one({"when": TIMES[0]}, "work")
    )
    assert learner.feature_names_in_[-1] == "when: hour"


def test_hours_and_weekdays_are_learned_as_well_as_by_hand():
    dates = ShrubClassifier(seed=1).prequential(FRAMES["pandas"], Y)
    hours = pd.DataFrame({"hour": [at.hour for at in TIMES], "day": [at.weekday() for at in TIMES]})
    hand = ShrubClassifier(seed=1).prequential(hours.assign(size=SIZES), Y)
    right = np.array(Y, dtype=object)
    assert (dates == right).mean() > max(0.93, (hand == right).mean() - 0.02)


def test_days_are_learned_from_a_date_alone():
    learner = ShrubRegressor(seed=1)
    for day in np.random.default_rng(1).permutation(DAYS):  # the last targets tell nothing
        learner.learn_one({"when": f"{day}"}, float(day >= date(2024, 5, 1)))
    assert learner.predict_one({"when": date(2023, 12, 1)}) < 0.2
    assert learner.predict_one({"when": date(2024, 11, 1)}) > 0.8


@pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")
def test_dates_survive_a_full_memory():
    learner = ShrubClassifier(seed=1, memory_limit="16KB")
    for i, (at, y) in enumerate(zip(TIMES, Y, strict=True)):
        learner.learn_one({"when": at, f"name {i}": 1.0, "id": f"2024-{i:03}-text"}, y)
    assert "when: hour" in learner.feature_names_in_.tolist()
    assert learner.memory_bytes <= 16_384
    assert learner.predict_one({"when": TIMES[0], "id": "2024-01-99"}) in ("work", "rest")


def test_learners_of_numbers_take_dates():
    from sklearn.linear_model import SGDClassifier

    learner = PartialFitLearner(lambda: SGDClassifier(random_state=1))
    for day, y in zip(DAYS, Y, strict=True):
        learner.learn_one({"day": day}, y)
    assert learner.predict_one({"day": TIMES[0]}) in ("work", "rest")
