"""Dates are numbers as in files: seconds since 1970 in UTC."""

from datetime import date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shrubs import PaperShrubClassifier
from shrubs.learners.partial_fit_learner import PartialFitLearner
from shrubs.streams import open_stream

DAYS = [date(2001, 1, 1) + timedelta(days=i) for i in range(12)]
TIMES = [datetime(day.year, day.month, day.day) for day in DAYS]
SECONDS = [time.replace(tzinfo=timezone.utc).timestamp() for time in TIMES]
Y = [int(i > 5) for i in range(12)]

COLUMNS = {
    "dates": DAYS,
    "times": TIMES,
    "elsewhere": [
        time.replace(tzinfo=timezone.utc).astimezone(timezone(timedelta(hours=5))) for time in TIMES
    ],
    "numpy": list(np.array(TIMES, dtype="datetime64[ns]")),
    "pandas": list(pd.Series(TIMES)),
}


def classifier():
    return PaperShrubClassifier(max_shrubs=4, window_size=8, splitter="best", step_size=0.5)


@pytest.fixture(scope="module")
def plain():
    return classifier().partial_fit(pd.DataFrame({"day": SECONDS}), Y)


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
def test_dates_in_rows_are_seconds(plain, column):
    learner = classifier()
    for day, y in zip(column, Y, strict=True):
        learner.learn_one({"day": day}, y)
    assert learner.to_bytes() == plain.to_bytes()
    of_seconds = [plain.predict_proba_one({"day": second}) for second in SECONDS]
    assert [learner.predict_proba_one({"day": day}) for day in column] == of_seconds
    snapshot = learner.snapshot()
    assert [snapshot.predict_proba_one({"day": day}) for day in column] == of_seconds
    by_position = classifier()
    for day, y in zip(column, Y, strict=True):
        by_position.learn_one([day], y)
    assert by_position.predict_proba_one([column[0]]) == of_seconds[0]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"day": TIMES}),
        pd.DataFrame({"day": pd.Series(TIMES).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")}),
        pd.DataFrame({"day": DAYS}),
        pl.DataFrame({"day": DAYS}),
        pl.DataFrame({"day": TIMES}),
        pa.table({"day": DAYS}),
        pa.table({"day": TIMES}),
    ],
    ids=[
        "pandas",
        "pandas zone",
        "pandas objects",
        "polars",
        "polars times",
        "arrow",
        "arrow times",
    ],
)
def test_dates_in_frames_are_seconds(plain, frame):
    learner = classifier().partial_fit(frame, Y)
    assert learner.to_bytes() == plain.to_bytes()
    assert learner.predict_proba(frame).tolist() == [
        list(plain.predict_proba_one({"day": second}).values()) for second in SECONDS
    ]


@pytest.mark.parametrize("kind", ["datetime64[D]", "datetime64[ns]", object])
def test_dates_in_arrays_are_seconds(kind):
    numbers = classifier().partial_fit(np.array(SECONDS)[:, None], Y)
    learner = classifier().partial_fit(np.array(TIMES, dtype=kind)[:, None], Y)
    assert learner.to_bytes() == numbers.to_bytes()


def test_dates_mean_what_they_mean_in_files(plain, tmp_path):
    path = tmp_path / "days.csv"
    path.write_text("day,y\n" + "".join(f"{d},{y}\n" for d, y in zip(DAYS, Y, strict=True)))
    learner = classifier()
    for x, y in open_stream(path):
        learner.learn_one(x, y)
    assert learner.to_bytes() == plain.to_bytes()


@pytest.mark.parametrize("nothing", [pd.NaT, np.datetime64("NaT"), None])
def test_a_missing_date_is_missing(plain, nothing):
    assert plain.predict_proba_one({"day": nothing}) == plain.predict_proba_one({})
    column = pd.Series([TIMES[0], nothing])
    assert np.isnan(plain.predict_proba(pd.DataFrame({"day": column}))).sum() == 0


def test_a_duration_is_no_date(plain):
    with pytest.raises(TypeError, match="feature 'day' takes numbers"):
        plain.predict_one({"day": timedelta(1)})


def test_learners_of_numbers_take_dates():
    from sklearn.linear_model import SGDClassifier

    learner = PartialFitLearner(lambda: SGDClassifier(random_state=1))
    for day, y in zip(DAYS, Y, strict=True):
        learner.learn_one({"day": day}, y)
    assert learner.predict_one({"day": TIMES[0]}) in (0, 1)
