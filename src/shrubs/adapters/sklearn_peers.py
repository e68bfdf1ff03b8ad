"""scikit-learn's incremental learners as peers (extra ``shrubs[sklearn]``)."""

from __future__ import annotations

import functools
from typing import Any

from shrubs.learners.partial_fit_learner import PartialFitLearner

__all__ = ["gaussian_nb", "mlp", "sgd"]

# With one example at a time its variances are smoothed by nothing, and it fails on features that
# are constant for a while: 60% instead of 75% right on the beginning of elec.
_EXAMPLES_PER_FIT_OF_NB = 8


def sgd(
    *, regression: bool, seed: int, examples_per_fit: int = 1, **options: Any
) -> PartialFitLearner:
    """scikit-learn's linear model trained by stochastic gradient descent."""
    from sklearn import linear_model

    model = linear_model.SGDRegressor if regression else linear_model.SGDClassifier
    make = functools.partial(model, random_state=seed, **options)
    return PartialFitLearner(make, regression=regression, examples_per_fit=examples_per_fit)


def gaussian_nb(
    *, regression: bool, seed: int, examples_per_fit: int = _EXAMPLES_PER_FIT_OF_NB, **options: Any
) -> PartialFitLearner:
    """scikit-learn's Gaussian naive Bayes, on numbers as they are; it draws no random numbers."""
    from sklearn import naive_bayes

    make = functools.partial(naive_bayes.GaussianNB, **options)
    return PartialFitLearner(make, standardise=False, examples_per_fit=examples_per_fit)


def mlp(
    *, regression: bool, seed: int, examples_per_fit: int = 1, **options: Any
) -> PartialFitLearner:
    """scikit-learn's neural network of one hidden layer."""
    from sklearn import neural_network

    model = neural_network.MLPRegressor if regression else neural_network.MLPClassifier
    make = functools.partial(model, random_state=seed, **options)
    return PartialFitLearner(make, regression=regression, examples_per_fit=examples_per_fit)
