"""The paper's encoding of nominal features: one indicator for each category."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from shrubs.messages import shown
from shrubs.protocols import Block, Feature, Schema, Stream
from shrubs.streams.formats.limits import MAX_FEATURES

__all__ = ["OneHotStream", "one_hot_features"]


class OneHotStream:
    """A stream whose nominal features are replaced by indicators, each in its place.

    The feature ``day`` with the categories ``1`` and ``2`` becomes ``day=1`` and ``day=2``. If the
    category is missing, so are its indicators. Learners here take nominal features as they are;
    this is for comparing with the paper and for peers that do not.
    """

    def __init__(self, stream: Stream) -> None:
        for feature in stream.schema.features:
            if feature.nominal and not feature.categories:
                raise ValueError(
                    f"the categories of the feature {shown(feature.name)} are not known"
                )
        n_columns = sum(len(f.categories) if f.nominal else 1 for f in stream.schema.features)
        if n_columns > MAX_FEATURES:
            most = f"a learner takes at most {MAX_FEATURES} features"
            raise ValueError(f"{most}, one for each category makes {n_columns}")
        self._stream = stream
        self._schema = Schema(
            one_hot_features(stream.schema.features),
            stream.schema.classes,
            stream.schema.drifts,
        )

    @property
    def name(self) -> str:
        """The name of the stream that is encoded."""
        return self._stream.name

    @property
    def schema(self) -> Schema:
        """What the encoded examples look like."""
        return self._schema

    @property
    def n_examples(self) -> int | None:
        """How many examples there are; None if that is not known before reading."""
        return self._stream.n_examples

    @property
    def n_unlabelled(self) -> int:
        """How many rows of a file are skipped, as they have no label."""
        return int(getattr(self._stream, "n_unlabelled", 0))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What columns of a file look like though they are read as categories."""
        return tuple(getattr(self._stream, "doubts", ()))

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""
        return (Block(self._encode(block.X), block.y) for block in self._stream.blocks(size))

    def _encode(self, X: NDArray[np.float32]) -> NDArray[np.float32]:
        encoded = np.zeros((len(X), self._schema.n_features), dtype=np.float32)
        start = 0
        for j, feature in enumerate(self._stream.schema.features):
            if not feature.nominal:
                encoded[:, start] = X[:, j]
                start += 1
                continue
            stop = start + len(feature.categories)
            missing = np.isnan(X[:, j])
            rows = np.flatnonzero(~missing)
            encoded[rows, start + X[rows, j].astype(np.intp)] = 1.0
            encoded[missing, start:stop] = np.nan
            start = stop
        return encoded


def one_hot_features(features: Iterable[Feature]) -> tuple[Feature, ...]:
    """Each nominal feature as one indicator per category, in its place."""
    return tuple(
        column
        for feature in features
        for column in (
            [Feature(f"{feature.name}={name}", indicator=True) for name in feature.categories]
            if feature.nominal
            else [feature]
        )
    )
