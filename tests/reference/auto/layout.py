"""What fits into the memory: how many examples, shrubs, leaves and companions."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """Shrubs that are grown on windows of the same length.

    reactive: grown again when wrong, not by the clock. recalls: its shrubs know the outcomes before
    an example.
    """

    length: int
    n_places: int
    max_leaves: int
    reactive: bool
    recalls: bool


@dataclass(frozen=True)
class Layout:
    """The sizes of an ensemble.

    n_bayes: how many of the naive Bayes classifiers there are, slow to forget first. n_neighbours:
    examples in bytes, 0 without such a companion. n_buckets: for categories, a power of two, or 0
    without nominal features. recalls: whether some experts know
    what came last; of these, the first n_transitions tables of what follows one, two, three labels,
    with n_contexts leaves each. n_drifts: how many drifts are remembered. is_small: all shrubs are
    grown at once, and all experts are mixed together alone.
    """

    window_size: int
    groups: tuple[Group, ...]
    n_bayes: int
    has_linear: bool
    n_neighbours: int
    n_buckets: int
    recalls: bool
    n_transitions: int
    n_contexts: int
    n_drifts: int
    is_small: bool
