"""The critical-difference diagram: methods along their average rank, bars over what is alike."""

from __future__ import annotations

from dataclasses import dataclass

from shrubs.analysis.differences import Differences
from shrubs.report.theme import Style, styles

__all__ = ["Diagram", "critical_difference"]


@dataclass(frozen=True)
class Diagram:
    """Methods with their ranks, best first, and the bars that join those that are alike.

    A bar is the first and the last position of its methods.
    """

    name: str
    title: str
    methods: tuple[str, ...]
    ranks: tuple[float, ...]
    styles: tuple[Style, ...]
    bars: tuple[tuple[int, int], ...]
    caption: str


def critical_difference(name: str, title: str, found: Differences) -> Diagram:
    """The diagram of a comparison."""
    looks = styles(found.methods)
    place = {method: i for i, method in enumerate(found.methods)}
    return Diagram(
        name,
        title,
        found.methods,
        found.ranks,
        tuple(looks[method] for method in found.methods),
        tuple((place[clique[0]], place[clique[-1]]) for clique in found.cliques),
        _caption(found),
    )


def _caption(found: Differences) -> str:
    p = "below 0.001" if found.friedman_p < 0.001 else f"{found.friedman_p:.3f}"
    text = (
        f"Average rank on {found.n_streams} streams, the best on the left. Friedman's test: "
        f"chi-squared {found.friedman_statistic:.1f}, p {p}. "
    )
    if not found.p_values:
        return text + "The ranks do not differ by more than chance, so no pairs are tested."
    return text + (
        f"A bar joins neighbours that pairwise Wilcoxon tests with Holm's correction do not tell "
        f"apart at {found.alpha:g}."
    )
