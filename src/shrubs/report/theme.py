"""One colour and one marker per learner, the same in every figure.

The colours were searched for distance: any two differ for normal sight and for people who see no
red, green or blue (at least 0.07 in Oklab), and all have a contrast of 3 to 1 against the page.
Markers and dashes repeat what the colours say, for print without colour.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

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
    ("#4b2864", "#ffe1ff"),
    ("#0f23ff", "#556491"),
    ("#5a0a2d", "#c80fc3"),
)
"""On a light and on a dark page. The two greys are for the baselines."""

MARKERS: tuple[Marker, ...] = get_args(Marker)

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

_HUES = (0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12)

# The learners of the registry, and the methods of a study by their labels, each with a colour of
# its own.
_RESERVED = {
    name: place
    for place, names in {
        0: "shrubspaper shrubclassifier shrubregressor se",
        1: "windowedtree wt",
        2: "hoeffdingtree ht htriver",
        3: "adaptiverandomforest arf arfriver",
        4: "srp",
        5: "htt",
        6: "bag",
        7: "shrubs seauto",
        8: "nochange nc",
        9: "majorityclass mc",
        10: "sb",
        11: "nb",
        12: "sdt",
    }.items()
    for name in names.split()
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
    unless two names ask for the same. Beyond eleven, colours repeat with other markers.

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
    start = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    for number in range(len(taken) + 1):
        rounds, step = divmod(number, len(_HUES))
        place = _HUES[(start + step) % len(_HUES)] + rounds * len(COLOURS)
        if place not in taken:
            return place
    raise AssertionError("more places are tried than are taken")


def _style(place: int) -> Style:
    rounds, slot = divmod(place, len(COLOURS))
    return Style(slot, MARKERS[(slot + rounds * 3) % len(MARKERS)])
