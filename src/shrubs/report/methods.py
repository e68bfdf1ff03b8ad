"""The methods of a study, spelled out."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["METHODS"]

METHODS: Mapping[str, str] = {
    "SE": "shrub ensemble, the paper's, with the settings that the study tries",
    "SE auto": "shrub ensemble without tuning, the default of this library",
    "WT": "windowed tree: one tree, grown on the last examples",
    "SRP": "streaming random patches",
    "ARF": "adaptive random forest",
    "Bag": "online bagging of Hoeffding trees",
    "SB": "online smooth boosting of Hoeffding trees",
    "HTT": "Hoeffding anytime tree, also called extremely fast decision tree",
    "HT": "Hoeffding tree",
    "NB": "naive Bayes",
    "SDT": "soft decision trees",
    "MC": "majority class: the most frequent label so far",
    "NC": "no-change: the last label again",
}
"""By label, as tables call them."""
