"""Values in messages."""

import pytest

from shrubs.messages import shown


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("never shown")


class Endless:
    def __repr__(self) -> str:
        return "x\n" * 10**6


@pytest.mark.parametrize(
    "value",
    ["a" * 10**6, 10**400, 10**5000, Broken(), [Broken()], Endless(), {0: [1] * 10**6}],
    ids=range(7),
)
def test_whatever_comes_is_shown_on_one_short_line(value: object) -> None:
    text = shown(value)
    assert 0 < len(text) <= 80
    assert "\n" not in text


def test_what_is_short_is_shown_whole() -> None:
    assert shown(["a", 1, None]) == "['a', 1, None]"
