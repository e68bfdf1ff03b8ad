"""The six synthetic streams of the paper, by name."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Literal, get_args

from shrubs.protocols import Stream
from shrubs.streams.drift import join
from shrubs.streams.synthetic import LED, Agrawal, RandomRBF

__all__ = ["PaperStream", "paper_stream"]

PaperStream = Literal["agrawal_a", "agrawal_g", "led_a", "led_g", "rbf_f", "rbf_m"]

_LENGTH = 1_000_000
_POSITION = 250_000  # of every join; the inner ones count from their first example
_WIDTHS = {"a": 50, "g": 50_000}
_SPEEDS = {"m": 0.0001, "f": 0.001}
_AGRAWAL_FUNCTIONS = (1, 2, 1, 4)
_LED_DRIFT_FEATURES = (1, 3, 5, 7)


def paper_stream(
    name: PaperStream,
    *,
    n_examples: int = _LENGTH,
    seed: int = 1,
    one_hot: bool = False,
    scale_drifts: bool = False,
) -> Stream:
    """Returns a synthetic stream of the paper with its exact parameters.

    Args:
        name: agrawal, led or rbf; then how they change: abruptly (``_a``), gradually (``_g``), or
            by centroids that move at moderate (``_m``) or fast (``_f``) speed.
        n_examples: the paper has 1,000,000.
        seed: of every generator and every join, from 0 to 2**64 - 1.
        one_hot: nominal features as one column per category, as in the paper (d = 40, 48 and 10).
        scale_drifts: scale the positions and widths of the drifts from 1,000,000 to ``n_examples``.
            The centroids of rbf keep their speed.

    >>> paper_stream("led_a", one_hot=True).schema.n_features
    48
    >>> paper_stream("agrawal_g", n_examples=20_000, scale_drifts=True).schema.drifts
    (5000, 10000, 15000)
    """
    if name not in get_args(PaperStream):
        raise ValueError(_unknown(name))
    kind, _, variant = name.partition("_")
    if kind == "rbf":
        return RandomRBF(
            n_examples=n_examples,
            seed=seed,
            model_seed=seed,
            n_classes=5,
            speed=_SPEEDS[variant],
            name=name,
        )
    concepts: Sequence[Stream]
    if kind == "led":
        concepts = [
            LED(n_examples=n_examples, seed=seed, n_drift_features=n, one_hot=one_hot)
            for n in _LED_DRIFT_FEATURES
        ]
    else:
        concepts = [
            Agrawal(n_examples=n_examples, seed=seed, function=function, one_hot=one_hot)
            for function in _AGRAWAL_FUNCTIONS
        ]
    numerator, denominator = (n_examples, _LENGTH) if scale_drifts else (1, 1)
    return _nested(
        concepts,
        position=_POSITION * numerator // denominator,
        width=_WIDTHS[variant] * numerator // denominator,
        n_examples=n_examples,
        seed=seed,
        name=name,
    )


def _nested(
    concepts: Sequence[Stream], *, position: int, width: int, n_examples: int, seed: int, name: str
) -> Stream:
    """Joins the concepts from the last to the first, so that each join holds all later ones."""
    joined = concepts[-1]
    for concept in reversed(concepts[:-1]):
        joined = join(
            concept,
            joined,
            position=position,
            width=width,
            n_examples=n_examples,
            seed=seed,
            name=name,
        )
    return joined


def _unknown(name: str) -> str:
    close = get_close_matches(name, get_args(PaperStream), n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ";"
    return f"unknown stream '{name}'{hint} known are {', '.join(get_args(PaperStream))}"
