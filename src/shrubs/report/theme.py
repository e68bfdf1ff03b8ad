"""One colour and one marker per learner, the same in every figure.

The colours were searched for distance: any two differ for normal sight and for people who see no
red, green or blue (at least 0.07 in Oklab), and all have a contrast of 3 to 1 against the page.
Markers and dashes repeat what the colours say, for print without colour.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["AGES", "COLOURS", "DASHES", "MARKERS", "Marker", "Style", "styles"]

Marker: TypeAlias = Literal[
    "circle", "square", "triangle", "diamond", "down", "plus", "cross", "bar", "ring", "box"
]

COLOURS: tuple[tuple[str, str], ...] = (
    ("#00926a", "#52fc93"),
    ("#ac4100", "#ffa323"),
    ("#1934b3", "#4a6bea"),
    ("#b83caa", "#df58bc"),
    ("#a38c06", "#c18f18"),
    ("#009dd5", "#00c8fe"),
    ("#920012", "#dd3946"),
    ("#8168f2", "#b774fd"),
    ("#5c6470", "#aab2bd"),
    ("#8b929c", "#767e89"),
)
"""On a light and on a dark page. The last two are grey, for the baselines."""

MARKERS: tuple[Marker, ...] = (
    "circle",
    "square",
    "triangle",
    "diamond",
    "down",
    "plus",
    "cross",
    "bar",
    "ring",
    "box",
)

DASHES: tuple[tuple[float, ...], ...] = ((), (7, 4), (2, 3), (10, 3, 2, 3), (4, 2), (1, 2))
"""Tell apart the configurations of one learner: lengths of strokes and gaps."""

AGES: tuple[str, ...] = (
    "#f2ec8b",
    "#bfdc6f",
    "#82c766",
    "#45ad6d",
    "#1b9077",
    "#19717c",
    "#275377",
    "#2c3564",
)
"""From the youngest shrub to the oldest: ever darker, so that it reads without hues too."""

_N_HUES = 8
_NO_CHANGE = 8
_MAJORITY = 9

_RESERVED = {
    "shrubs": 0,
    "shrubclassifier": 0,
    "shrubregressor": 0,
    "windowedtree": 1,
    "hoeffdingtree": 2,
    "riverhoeffdingtree": 2,
    "adaptiverandomforest": 3,
    "riveradaptiverandomforest": 3,
    "nochange": _NO_CHANGE,
    "majorityclass": _MAJORITY,
    # The methods of a study by their labels; the last two share a colour and not a marker.
    "se": 0,
    "wt": 1,
    "ht": 2,
    "arf": 3,
    "srp": 4,
    "htt": 5,
    "bag": 6,
    "sb": 7,
    "nc": _NO_CHANGE,
    "mc": _MAJORITY,
    "nb": 12,
    "sdt": 14,
    # The colour of SB, with another marker.
    "seauto": 17,
    "shrubspaper": 17,
}


@dataclass(frozen=True)
class Style:
    """How a learner is drawn: the position of its colour in `COLOURS`, and its marker."""

    slot: int
    marker: Marker

    @property
    def colour(self) -> str:
        """On a light page."""
        return COLOURS[self.slot][0]


def styles(learners: Iterable[str]) -> dict[str, Style]:
    """A style for every learner.

    Our own learners and the usual peers have one of their own. Another name asks for the place that
    its letters give it and takes the next free one, so a name keeps its style from page to page
    unless two names ask for the same. Beyond eight, colours repeat with other markers.

    >>> styles(["ShrubClassifier", "NoChange"])["ShrubClassifier"]
    Style(slot=0, marker='circle')
    """
    names = sorted(set(learners))
    chosen = {name: _RESERVED[_key(name)] for name in names if _key(name) in _RESERVED}
    taken = set(chosen.values())
    for name in names:
        if name not in chosen:
            chosen[name] = _free_place(name, taken)
            taken.add(chosen[name])
    return {name: _style(place) for name, place in chosen.items()}


def _key(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _free_place(name: str, taken: set[int]) -> int:
    """The first free place from the one the name asks for; further rounds once all are taken."""
    n_places = _N_HUES
    start = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    for number in range(len(taken) + 1):
        rounds, step = divmod(number, n_places)
        place = (start + step) % n_places + rounds * len(COLOURS)
        if place not in taken:
            return place
    raise AssertionError("more places are tried than are taken")


def _style(place: int) -> Style:
    rounds, slot = divmod(place, len(COLOURS))
    return Style(slot, MARKERS[(slot + rounds * 3) % len(MARKERS)])
