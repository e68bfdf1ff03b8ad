"""The conventions of scikit-learn, kept without importing it.

Parameters are attributes under their own names; ``get_params`` and ``set_params`` read and write
them; tags are built only when scikit-learn asks for them.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from typing import Any

__all__ = [
    "NotFittedError",
    "build_tags",
    "defaults",
    "not_fitted",
    "warn_about_column_vector",
]


class NotFittedError(ValueError, AttributeError):
    """The learner has not seen an example yet (raised where scikit-learn is not in use)."""


def not_fitted(learner: object) -> Exception:
    """The error for a batch prediction before the first example."""
    message = (
        f"this {type(learner).__name__} has not seen an example yet: call learn_one, partial_fit "
        "or fit first"
    )
    if "sklearn" in sys.modules:
        from sklearn.exceptions import NotFittedError as SklearnNotFittedError

        return SklearnNotFittedError(message)  # type: ignore[no-any-return]
    return NotFittedError(message)


def warn_about_column_vector() -> None:
    """Say that a column was given where a vector is expected."""
    category: type[Warning] = UserWarning
    if "sklearn" in sys.modules:
        from sklearn.exceptions import DataConversionWarning

        category = DataConversionWarning
    message = "A column-vector y was passed when a 1d array was expected."
    warnings.warn(message, category, stacklevel=4)


def defaults(learner: type) -> dict[str, Any]:
    """The default of each of the constructor's parameters."""
    parameters = inspect.signature(learner.__init__).parameters  # type: ignore[misc]
    return {name: parameter.default for name, parameter in parameters.items() if name != "self"}


def build_tags(*, regression: bool) -> Any:
    """What scikit-learn wants to know about a learner."""
    from sklearn.utils import (
        ClassifierTags,
        InputTags,
        RegressorTags,
        Tags,
        TargetTags,
    )

    return Tags(
        estimator_type="regressor" if regression else "classifier",
        target_tags=TargetTags(required=True),
        transformer_tags=None,
        classifier_tags=None if regression else ClassifierTags(),
        regressor_tags=RegressorTags() if regression else None,
        input_tags=InputTags(sparse=True, allow_nan=True),
    )
