"""Dates as numbers, slowly: what the clock and the calendar on the wall show."""

import calendar
from datetime import date, datetime, time


def days_since_1970(day):
    """Counted year by year."""
    first, last = sorted([1970, day.year])
    days = sum(366 if calendar.isleap(year) else 365 for year in range(first, last))
    lengths = [calendar.monthrange(day.year, month)[1] for month in range(1, day.month)]
    return (days if day.year >= 1970 else -days) + sum(lengths) + day.day - 1


def hour_of_day(at):
    microseconds = at.microsecond + 10**6 * (at.second + 60 * (at.minute + 60 * at.hour))
    return microseconds / (3600 * 10**6)


def date_features(name, value):
    """The features that a date or a time becomes, by name."""
    features = {}
    if isinstance(value, datetime | time):
        features[f"{name}: hour"] = hour_of_day(value)
    if isinstance(value, date):
        features[f"{name}: weekday"] = calendar.weekday(value.year, value.month, value.day)
        features[f"{name}: days since 1970"] = days_since_1970(value)
    return features
