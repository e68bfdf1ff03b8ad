"""Synthetic streams, defined as MOA defines them and drawn by the compiled core.

Every stream is a frozen description: reading it again gives the same examples, whatever the size
of the blocks, and the same seed gives the same bits on every platform. The random numbers are our
own, so the examples are not those of MOA; their distribution is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from shrubs._core import Generator, Turns, agrawal, hyperplane, led, random_rbf, sea, sine
from shrubs.protocols import Block, Feature, Schema
from shrubs.streams._core_stream import CoreStream, read_alone
from shrubs.streams.one_hot import one_hot_features

__all__ = ["LED", "SEA", "Agrawal", "Hyperplane", "RandomRBF", "Sine"]


def _check(stream: CoreStream) -> None:
    """Raises ValueError or TypeError for options that the core does not take."""
    stream._generator()
    Turns().add_stream(stream.n_examples)


def _nominal(name: str, categories: Iterable[str]) -> Feature:
    return Feature(name, nominal=True, categories=tuple(categories))


def _numeric(prefix: str, n: int) -> tuple[Feature, ...]:
    return tuple(Feature(f"{prefix}{i + 1}") for i in range(n))


_AGRAWAL_FEATURES = (
    Feature("salary"),
    Feature("commission"),
    Feature("age"),
    _nominal("elevel", (f"level{i}" for i in range(5))),
    _nominal("car", (f"car{i + 1}" for i in range(20))),
    _nominal("zipcode", (f"zipcode{i + 1}" for i in range(9))),
    Feature("hvalue"),
    Feature("hyears"),
    Feature("loan"),
)
_LED_FEATURES = tuple(_nominal(f"att{i + 1}", ("0", "1")) for i in range(24))


@dataclass(frozen=True, kw_only=True)
class Agrawal:
    """Loan applicants in two groups, by one of ten rules (Agrawal, Imielinski and Swami, 1993).

    The label is given before the numbers are disturbed. As in MOA, the disturbed house value
    (``hvalue``) is cut to [0, 135000].

    Args:
        n_examples: length of the stream, from 0.
        seed: from 0 to 2**64 - 1.
        function: the rule, 1 to 10.
        perturbation: how far numbers move, as a part of their range, from 0 to 1.
        balance: alternate the classes.
        one_hot: 40 numeric features instead of 9 with three nominal ones.
        name: for tables and file names.

    >>> stream = Agrawal(n_examples=3, function=2)
    >>> [feature.name for feature in stream.schema.features][:3]
    ['salary', 'commission', 'age']
    >>> block = next(stream.blocks())
    >>> block.X.shape, block.y
    ((3, 9), array([0, 1, 1]))
    """

    n_examples: int = 1_000_000
    seed: int = 1
    function: int = 1
    perturbation: float = 0.05
    balance: bool = False
    one_hot: bool = False
    name: str = "agrawal"

    def __post_init__(self) -> None:
        _check(self)

    @property
    def schema(self) -> Schema:
        """What the examples look like."""
        features = one_hot_features(_AGRAWAL_FEATURES) if self.one_hot else _AGRAWAL_FEATURES
        return Schema(features, ("groupA", "groupB"))

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""
        return read_alone(self, size)

    def _generator(self) -> Generator:
        return agrawal(
            seed=self.seed,
            function=self.function,
            perturbation=self.perturbation,
            balance=self.balance,
            one_hot=self.one_hot,
        )


@dataclass(frozen=True, kw_only=True)
class LED:
    """The digits of a seven-segment display: seven noisy segments, 17 irrelevant bits.

    With the default noise no learner can get more than about 74% right.

    Args:
        n_examples: length of the stream, from 0.
        seed: from 0 to 2**64 - 1.
        n_drift_features: so many segments change places with irrelevant bits, 0 to 7.
        noise: probability that a segment is flipped, from 0 to 1.
        one_hot: 48 numeric features instead of 24 nominal ones.
        name: for tables and file names.

    >>> block = next(LED(n_examples=2, noise=0).blocks())
    >>> block.X[:, :7].astype(int)
    array([[1, 0, 1, 1, 1, 0, 1],
           [1, 1, 0, 1, 0, 1, 1]])
    >>> block.y
    array([2, 5])
    """

    n_examples: int = 1_000_000
    seed: int = 1
    n_drift_features: int = 0
    noise: float = 0.1
    one_hot: bool = False
    name: str = "led"

    def __post_init__(self) -> None:
        _check(self)

    @property
    def schema(self) -> Schema:
        """What the examples look like."""
        features = one_hot_features(_LED_FEATURES) if self.one_hot else _LED_FEATURES
        return Schema(features, tuple(range(10)))

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""
        return read_alone(self, size)

    def _generator(self) -> Generator:
        return led(
            seed=self.seed,
            n_drift_features=self.n_drift_features,
            noise=self.noise,
            one_hot=self.one_hot,
        )


@dataclass(frozen=True, kw_only=True)
class RandomRBF:
    """Examples around centroids that move with every example.

    An example is a centroid, drawn by weight, plus a random direction of normal length. Each
    centroid has a class and a deviation of its own. Centroids turn round at 0 and 1.

    Args:
        n_examples: length of the stream, from 0.
        seed: of the examples, from 0 to 2**64 - 1.
        model_seed: of the centroids, from 0 to 2**64 - 1.
        n_features: from 1 to 65535.
        n_classes: from 2 to 65535.
        n_centroids: from 1.
        n_drift_centroids: so many of them move; None for all.
        speed: how far they move per example, from 0 to 1.
        name: for tables and file names.

    >>> stream = RandomRBF(n_examples=4, n_features=2, n_classes=3, speed=0.001)
    >>> next(stream.blocks()).y
    array([0, 1, 2, 2])
    """

    n_examples: int = 1_000_000
    seed: int = 1
    model_seed: int = 1
    n_features: int = 10
    n_classes: int = 2
    n_centroids: int = 50
    n_drift_centroids: int | None = None
    speed: float = 0.0
    name: str = "random_rbf"

    def __post_init__(self) -> None:
        _check(self)

    @property
    def schema(self) -> Schema:
        """What the examples look like."""
        classes = tuple(f"class{i + 1}" for i in range(self.n_classes))
        return Schema(_numeric("att", self.n_features), classes)

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""
        return read_alone(self, size)

    def _generator(self) -> Generator:
        return random_rbf(
            seed=self.seed,
            model_seed=self.model_seed,
            n_features=self.n_features,
            n_classes=self.n_classes,
            n_centroids=self.n_centroids,
            n_drift_centroids=self.n_drift_centroids,
            speed=self.speed,
        )


@dataclass(frozen=True, kw_only=True)
class SEA:
    """Three features in [0, 10]; two of them sum to more than a threshold (Street and Kim, 2001).

    Args:
        n_examples: length of the stream, from 0.
        seed: from 0 to 2**64 - 1.
        function: the threshold, 1 to 4 for 8, 9, 7 and 9.5.
        noise: probability that the label is flipped, from 0 to 1.
        balance: alternate the classes (before the noise).
        name: for tables and file names.

    >>> next(SEA(n_examples=5, balance=True, noise=0).blocks()).y
    array([1, 0, 1, 0, 1])
    """

    n_examples: int = 1_000_000
    seed: int = 1
    function: int = 1
    noise: float = 0.1
    balance: bool = False
    name: str = "sea"

    def __post_init__(self) -> None:
        _check(self)

    @property
    def schema(self) -> Schema:
        """What the examples look like."""
        return Schema(_numeric("attrib", 3), ("groupA", "groupB"))

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""
        return read_alone(self, size)

    def _generator(self) -> Generator:
        return sea(seed=self.seed, function=self.function, noise=self.noise, balance=self.balance)


@dataclass(frozen=True, kw_only=True)
class Hyperplane:
    """The two sides of a rotating hyperplane (Hulten, Spencer and Domingos, 2001).

    Args:
        n_examples: length of the stream, from 0.
        seed: from 0 to 2**64 - 1.
        n_features: from 1 to 65535.
        n_drift_features: so many weights change, from 0 to ``n_features``.
        magnitude: how much they change with every example, from 0 to 1.
        noise: probability that the label is flipped, from 0 to 1.
        reversal: probability that a weight's change turns round, from 0 to 1.
        name: for tables and file names.

    >>> next(Hyperplane(n_examples=8, magnitude=0.001).blocks()).y
    array([0, 0, 0, 0, 0, 1, 1, 1])
    """

    n_examples: int = 1_000_000
    seed: int = 1
    n_features: int = 10
    n_drift_features: int = 2
    magnitude: float = 0.0
    noise: float = 0.05
    reversal: float = 0.1
    name: str = "hyperplane"

    def __post_init__(self) -> None:
        _check(self)

    @property
    def schema(self) -> Schema:
        """What the examples look like."""
        return Schema(_numeric("att", self.n_features), ("class1", "class2"))

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""
        return read_alone(self, size)

    def _generator(self) -> Generator:
        return hyperplane(
            seed=self.seed,
            n_features=self.n_features,
            n_drift_features=self.n_drift_features,
            magnitude=self.magnitude,
            noise=self.noise,
            reversal=self.reversal,
        )


@dataclass(frozen=True, kw_only=True)
class Sine:
    """Points below and above a sine curve (Gama et al., 2004).

    Args:
        n_examples: length of the stream, from 0.
        seed: from 0 to 2**64 - 1.
        function: 1: below sin(x) is positive; 3: below 0.5 + 0.3 sin(3 pi x) is positive; 2 and
            4: the same with the classes reversed.
        irrelevant_features: two more features that the label does not depend on.
        balance: alternate the classes.
        name: for tables and file names.

    >>> stream = Sine(n_examples=4, function=3, irrelevant_features=False)
    >>> stream.schema.n_features, stream.schema.classes
    (2, ('positive', 'negative'))
    """

    n_examples: int = 1_000_000
    seed: int = 1
    function: int = 1
    irrelevant_features: bool = True
    balance: bool = False
    name: str = "sine"

    def __post_init__(self) -> None:
        _check(self)

    @property
    def schema(self) -> Schema:
        """What the examples look like."""
        return Schema(
            _numeric("att", 4 if self.irrelevant_features else 2), ("positive", "negative")
        )

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the examples in order, ``size`` at a time; the last block may be shorter."""
        return read_alone(self, size)

    def _generator(self) -> Generator:
        return sine(
            seed=self.seed,
            function=self.function,
            irrelevant_features=self.irrelevant_features,
            balance=self.balance,
        )
