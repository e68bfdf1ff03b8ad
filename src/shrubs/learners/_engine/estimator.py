"""Parameters by scikit-learn's convention: stored by the constructor, checked at first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from shrubs.learners import _sklearn
from shrubs.messages import shown

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Estimator"]


class Estimator:
    """Anything whose parameters are attributes under the names of its constructor."""

    _defaults: ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._defaults = _sklearn.defaults(cls)  # once: looking at a signature takes its time

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._defaults}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a learner that has begun takes them up at the next ``fit``."""
        known = self._defaults
        for name in params:
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {shown(name)} for {type(self).__name__}; it has "
                    f"{', '.join(known)}"
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if not _same(value, self._defaults[name])
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)
