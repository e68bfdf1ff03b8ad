"""Slow, plain Python versions of each algorithm: the specification that runs."""

from .exponential import exponential
from .prox import project_sparse_simplex
from .random_numbers import Random
from .shrub_ensemble import ReferenceClassifier, ReferenceRegressor

__all__ = [
    "Random",
    "ReferenceClassifier",
    "ReferenceRegressor",
    "exponential",
    "project_sparse_simplex",
]
