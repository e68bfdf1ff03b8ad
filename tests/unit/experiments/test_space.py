import hashlib
import itertools

from hypothesis import given
from hypothesis import strategies as st

from shrubs.experiments.space import Space

RANGES = st.dictionaries(
    st.sampled_from("abcdef"), st.lists(st.integers(0, 99), min_size=1, max_size=4, unique=True)
)


def plain_draw(ranges, n, key):
    """The definition: go through all attempts, keep those that are new."""
    found, attempt = [], 0
    while len(found) < n:
        configuration = {}
        for name, values in ranges.items():
            digest = hashlib.sha256(f"{key}/{name}/{attempt}".encode()).hexdigest()[:16]
            number = int.from_bytes(bytes.fromhex(digest), "little")
            configuration[name] = values[number % len(values)]
        if configuration not in found:
            found.append(configuration)
        attempt += 1
    return found


@given(RANGES, st.integers(1, 30), st.text())
def test_a_draw_agrees_with_its_definition(ranges, n, key):
    space = Space(ranges)
    drawn = space.draw(n, key=key)
    if n < space.size:
        assert drawn == plain_draw(ranges, n, key)
    else:
        everything = [
            dict(zip(ranges, values, strict=True)) for values in itertools.product(*ranges.values())
        ]
        assert sorted(drawn, key=repr) == sorted(
            [dict(sorted(each.items())) for each in everything], key=repr
        )


@given(RANGES, st.integers(1, 30))
def test_the_order_of_the_parameters_does_not_matter(ranges, n):
    backwards = dict(reversed(ranges.items()))
    assert Space(ranges).draw(n, key="k") == Space(backwards).draw(n, key="k")


def test_more_configurations_begin_with_the_fewer():
    space = Space({"a": list(range(10)), "b": list(range(10))})
    assert space.draw(20, key="k")[:5] == space.draw(5, key="k")


def test_another_key_draws_others():
    space = Space({"a": list(range(1000)), "b": list(range(1000))})
    assert space.draw(5, key="elec") != space.draw(5, key="covtype")


def test_every_value_is_as_likely():
    # 3,000 of 10,000 pairs: each of the ten values of `a` is expected 300 times, give or take 16.
    drawn = Space({"a": list(range(10)), "b": list(range(1000))}).draw(3000, key="k")
    counts = [sum(each["a"] == value for each in drawn) for value in range(10)]
    assert all(230 < count < 370 for count in counts)


def test_options_stay_and_texts_are_filled_in():
    space = Space({"g": [50], "window_size": [8]}, {"options": "-g {g} -l (x -c 1)", "loss": "mse"})
    assert space.draw(9, key="k") == [
        {"options": "-g 50 -l (x -c 1)", "loss": "mse", "window_size": 8}
    ]


def test_without_ranges_there_is_one_configuration():
    assert Space().draw(50, key="k") == [{}]
