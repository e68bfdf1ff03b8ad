import itertools

import numpy as np
import pytest

from shrubs.report.methods import METHODS
from shrubs.report.theme import AGES, COLOURS, MARKERS, styles

# How people see who lack one kind of cone, on linear RGB (Machado, Oliveira and Fernandes, 2009).
SIGHTS = {
    "all": np.eye(3),
    "no red": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no blue": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
PAGES = ("#ffffff", "#14181d")


def linear(colour):
    values = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    lms = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return lab @ np.cbrt(lms @ np.clip(rgb, 0, 1))


def luminance(colour):
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("page", [0, 1])
@pytest.mark.parametrize("sight", SIGHTS)
def test_any_two_colours_differ_for_every_sight(page, sight):
    seen = [oklab(SIGHTS[sight] @ linear(pair[page])) for pair in COLOURS]
    distances = [np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)]
    assert min(distances) >= 0.07


@pytest.mark.parametrize("page", [0, 1])
def test_every_colour_stands_out_from_the_page(page):
    for pair in COLOURS:
        lighter, darker = sorted([luminance(pair[page]), luminance(PAGES[page])], reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 3


def test_the_methods_of_a_study_have_colours_of_their_own():
    chosen = styles(METHODS)
    assert len({style.slot for style in chosen.values()}) == len(METHODS)


def test_shades_of_age_get_darker():
    lights = [luminance(colour) for colour in AGES]
    assert lights == sorted(lights, reverse=True)


def test_a_learner_keeps_its_style_whoever_else_is_there():
    alone = styles(["WindowedTree"])["WindowedTree"]
    assert styles(["ShrubClassifier", "WindowedTree", "Zebra"])["WindowedTree"] == alone


def test_unknown_learners_do_not_take_reserved_styles():
    names = [f"peer {i}" for i in range(8)]
    chosen = styles(["ShrubClassifier", *names])
    assert all(chosen[name] != chosen["ShrubClassifier"] for name in names)


def test_many_learners_have_different_styles():
    names = [f"peer {i}" for i in range(30)]
    assert len(set(styles(names).values())) == 30


def test_order_does_not_matter():
    names = [f"peer {i}" for i in range(12)]
    assert styles(names) == styles(reversed(names))


def test_spelling_of_a_known_name_does_not_matter():
    assert styles(["no-change"])["no-change"] == styles(["NoChange"])["NoChange"]


def test_every_marker_is_drawn_by_the_page():
    from shrubs.report.page.shell import _read

    script = _read("marker.js")
    assert all(f"\n  {marker}: " in script for marker in MARKERS)
