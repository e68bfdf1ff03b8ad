"""The numbers of a date agree with the calendar and the clock on the wall."""

import math
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrubs.dates import names_of_parts, parts_of, parts_of_array
from tests.reference.dates import date_features

ZONES = st.sampled_from(
    [None, timezone.utc, timezone(timedelta(hours=-11, minutes=-30))]
    + [ZoneInfo(name) for name in ("Europe/Berlin", "America/New_York", "Asia/Kathmandu")]
)
TIMES = st.datetimes(timezones=ZONES)


def features(value):
    parts = parts_of(value)
    assert parts is not None
    return {n: v for n, v in zip(names_of_parts("a"), parts, strict=True) if not math.isnan(v)}


@given(TIMES | st.dates() | st.times())
def test_dates_are_hour_weekday_and_day(value):
    assert features(value) == date_features("a", value)


@given(st.datetimes(), st.sampled_from(["", "Z", "+00:00", "-0930", "+05"]))
def test_iso_texts_are_the_dates_that_they_say(value, zone):
    to_minutes = value.replace(second=0, microsecond=0)
    to_milliseconds = value.replace(microsecond=value.microsecond // 1000 * 1000)
    for text, said in {
        value.isoformat(): value,
        value.isoformat(" ", "milliseconds"): to_milliseconds,
        value.isoformat("T", "minutes"): to_minutes,
    }.items():
        assert features(text + zone) == date_features("a", said)
    assert features(f"{value.date()}") == date_features("a", value.date())


@given(st.lists(st.datetimes() | st.none(), min_size=1))
@pytest.mark.parametrize("unit", ["D", "h", "s", "us"])
def test_arrays_have_the_parts_of_their_elements(unit, values):
    array = np.array([np.datetime64(value, "us") for value in values]).astype(f"datetime64[{unit}]")
    for i, value in enumerate(array.tolist()):
        expected = [math.nan] * 3 if value is None else parts_of(value)
        np.testing.assert_array_equal(parts_of_array(array)[:, i], expected)
        np.testing.assert_array_equal(parts_of(array[i]), expected)


@given(st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1)), st.integers(1, 86_399))
def test_single_precision_tells_seconds_of_a_century_apart(value, seconds):
    other = value + timedelta(seconds=seconds)
    assert not np.array_equal(np.float32(parts_of(value)), np.float32(parts_of(other)))


def test_a_change_of_clocks_is_read_off_the_wall():
    before, after = (
        datetime(2024, 10, 27, 0, 30, tzinfo=timezone.utc).astimezone(ZoneInfo("Europe/Berlin")),
        datetime(2024, 10, 27, 1, 30, tzinfo=timezone.utc).astimezone(ZoneInfo("Europe/Berlin")),
    )
    assert parts_of(before) == parts_of(after) == (2.5, 6, 20023)
    assert parts_of(pd.Timestamp(before)) == parts_of(before)


@pytest.mark.parametrize(
    "value",
    [
        *("", "2024", "2024-01", "20240105", "2024-13-01", "2024-02-30", "24-01-05", "10:30"),
        *("2024-01-05T", "2024-01-05T25:00", "2024-01-05 late", "x2024-01-05", "2024-01-05\n"),
        *("\uff12\uff10\uff12\uff14-01-05", 1.5, None, timedelta(1), b"2024-01-05", pd.NaT),
    ],
)
def test_anything_else_is_no_date(value):
    assert parts_of(value) is None


def test_missing_dates_of_numpy_have_no_parts():
    assert np.isnan(parts_of(np.datetime64("NaT"))).all()


def test_dates_that_python_cannot_hold():
    assert parts_of(np.datetime64("20000-01-01T06", "s"))[0] == 6
    assert parts_of(date(1, 1, 1))[2] == -719162
