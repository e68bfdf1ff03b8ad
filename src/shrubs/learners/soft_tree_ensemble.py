"""An ensemble of soft decision trees, trained by gradient steps on the window (PyTorch).

The gradient-based peer of the paper (SDT). An inner node sends an example to the right with
probability sigmoid(<x, w> + b); a tree's output is the mean of its leaves, weighted by the
probabilities of their paths; the ensemble's is the mean over its trees.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from shrubs.learners._encoding import Encoder
from shrubs.learners._tables import plain_label
from shrubs.messages import shown
from shrubs.protocols import Block, Outcome, Row, Schema

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["SoftTreeEnsemble"]

Loss = Literal["cross_entropy", "mse"]
Optimiser = Literal["adam", "sgd"]

_MAX_DEPTH = 12
# Kingma and Ba (2015)
_DECAY, _SQUARE_DECAY, _TINY = 0.9, 0.999, 1e-8


class SoftTreeEnsemble:
    """Soft decision trees that take a gradient step on the last examples after each new one.

    Leaves hold raw values, one per class, not distributions: with ``loss="cross_entropy"`` the
    probabilities are the softmax of the ensemble's output, so that no saturated leaf blocks the
    gradient; with ``"mse"`` the output itself is compared with the indicator of the class, and cut
    off at zero to give probabilities. Leaves begin at zero, so the first prediction is uniform;
    splits begin at random, with outputs of about unit size.

    Inputs are standardised with what was learned before; nominal features are one-hot encoded; a
    missing value counts as the mean.

    Args:
        n_trees: at least 1.
        depth: of every tree, 1 to 12; a tree has 2**depth leaves.
        step_size: of a gradient step, above 0.
        window_size: the maximum number of examples kept, at least 1; a step uses all of them.
        loss: "cross_entropy" or "mse".
        optimiser: "adam" scales every step by the gradients seen so far. "sgd" takes plain steps;
            the mean over trees and paths makes gradients small, so it needs a ``step_size`` of
            about ``n_trees / 4``.
        steps_per_example: gradient steps after each example, at least 1.
        seed: of the first splits.

    The same seed gives the same predictions on the same machine and version of PyTorch. One thread
    is used.

    >>> trees = SoftTreeEnsemble(n_trees=4, depth=2, step_size=0.1)
    >>> for i in range(100):
    ...     _ = trees.learn_one({"a": i % 5}, "high" if i % 5 > 2 else "low")
    >>> trees.predict_one({"a": 4}), trees.predict_one({"a": 0})
    ('high', 'low')
    """

    def __init__(
        self,
        *,
        n_trees: int = 16,
        depth: int = 3,
        step_size: float = 0.01,
        window_size: int = 64,
        loss: Loss = "cross_entropy",
        optimiser: Optimiser = "adam",
        steps_per_example: int = 1,
        seed: int = 0,
    ) -> None:
        for name, value in (
            ("n_trees", n_trees),
            ("depth", depth),
            ("window_size", window_size),
            ("steps_per_example", steps_per_example),
        ):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        if depth > _MAX_DEPTH:
            raise ValueError(f"depth must be at most {_MAX_DEPTH}, got {depth}")
        if not step_size > 0:
            raise ValueError(f"step_size must be above 0, got {step_size}")
        for name, choice, choices in (("loss", loss, Loss), ("optimiser", optimiser, Optimiser)):
            if choice not in get_args(choices):
                raise ValueError(f"{name} must be one of {get_args(choices)}, got {shown(choice)}")
        self.n_trees = n_trees
        self.depth = depth
        self.step_size = step_size
        self.window_size = window_size
        self.loss = loss
        self.optimiser = optimiser
        self.steps_per_example = steps_per_example
        self.seed = seed
        self._encoder = Encoder()
        self._tables = self._encoder.tables
        self._examples_seen = 0
        self._n_steps = 0
        # Row 0 of the splits holds their thresholds b, row i + 1 their weights w for column i; the
        # window's column 0 is 1.
        self._splits = torch.zeros(1, n_trees * (2**depth - 1))
        self._leaves = torch.zeros(n_trees * 2**depth, 0)
        self._moments: list[torch.Tensor] = []
        self._window = torch.zeros(window_size, 1)
        self._labels = torch.zeros(window_size, dtype=torch.int64)

    def prepare(self, schema: Schema) -> None:
        """Announce the features and classes of a stream."""
        if schema.classes is None:
            raise ValueError("SoftTreeEnsemble cannot learn a regression")
        self._encoder.prepare(schema)
        self._tables.add_labels(list(schema.classes))
        self._make_room()

    def learn_one(self, x: Row, y: Any) -> Self:
        """Learn one example: put it into the window and take a gradient step."""
        label = plain_label(y)
        row = self._encoder.read(x, learn=True)
        index = self._tables.add_label(label)
        scales = self._encoder.now()
        self._encoder.learn(row)
        self._make_room()
        with _one_thread():
            self._learn(self._as_inputs(row, scales)[0], index)
        return self

    def predict_one(self, x: Row) -> Any:
        """The most likely label; None before the first one."""
        shares = self.predict_proba_one(x)
        return max(shares, key=shares.__getitem__) if shares else None

    def predict_proba_one(self, x: Row) -> dict[Hashable, float]:
        """Probabilities by label."""
        labels = self._tables.labels()
        if self._examples_seen == 0:
            return dict.fromkeys(labels, 1 / max(len(labels), 1))
        row = self._encoder.read(x, learn=False)
        with _one_thread():
            shares = self._probabilities(self._as_inputs(row, self._encoder.now())[0])
        return dict(zip(labels, shares.tolist(), strict=True))

    def interleave(self, block: Block, learned: Block) -> Outcome:
        """One block of a prequential evaluation; see `shrubs.protocols.BlockLearner`."""
        offset = len(block) - len(learned)
        means, spreads = self._encoder.learn(learned.X)
        self._tables.add_labels(list(range(self._tables.n_classes, _end(learned.y))))
        self._make_room()
        to_learn = self._as_inputs(learned.X, (means[:-1], spreads[:-1]))
        n_learned = np.maximum(np.arange(len(block)) - offset, 0)
        inputs = self._as_inputs(block.X, (means[n_learned], spreads[n_learned]))
        predicted = np.empty(len(block), dtype=np.int64)
        p_true = np.zeros(len(block))
        seconds = [0.0, 0.0]
        labels = learned.y.tolist()
        with _one_thread():
            for i, label in enumerate(block.y.tolist()):
                start = time.perf_counter()
                shares = self._probabilities(inputs[i])
                predicted[i] = shares.argmax()
                p_true[i] = shares[label] if label < len(shares) else 0.0
                middle = time.perf_counter()
                if i >= offset:
                    self._learn(to_learn[i - offset], labels[i - offset])
                seconds[0] += middle - start
                seconds[1] += time.perf_counter() - middle
        return Outcome(predicted, p_true, *seconds)

    @property
    def memory_bytes(self) -> int:
        """Parameters, the optimiser's moments, the window, scales, tables and the object itself."""
        tensors = [self._splits, self._leaves, self._window, self._labels, *self._moments]
        numbers = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        objects = sum(sys.getsizeof(tensor) for tensor in tensors)
        own = sys.getsizeof(self) + sys.getsizeof(self.__dict__)
        return int(numbers + objects + own + self._encoder.memory_bytes)

    def _as_inputs(self, X: NDArray[Any], scales: Any) -> torch.Tensor:
        """Examples as the splits take them: a column of ones, then the encoded features."""
        encoded = self._encoder.encode(X, scales)
        return torch.from_numpy(np.insert(encoded, 0, 1.0, axis=1))

    def _outputs(self, inputs: torch.Tensor) -> torch.Tensor:
        """The mean over the trees, ``(n, n_classes)``, for inputs ``(n, 1 + n_columns)``."""
        right = torch.sigmoid(inputs @ self._splits).view(len(inputs), self.n_trees, -1)
        paths = torch.ones(len(inputs), self.n_trees, 1)
        for level in range(self.depth):
            here = right[:, :, 2**level - 1 : 2 ** (level + 1) - 1]
            paths = torch.stack([paths * (1 - here), paths * here], dim=3).flatten(2)
        return paths.flatten(1) @ self._leaves / self.n_trees

    def _probabilities(self, inputs: torch.Tensor) -> NDArray[np.float64]:
        with torch.no_grad():
            outputs = self._outputs(inputs[None])[0].double().numpy()
        # In double precision, so that they sum to one.
        shares = (
            np.exp(outputs - outputs.max())
            if self.loss == "cross_entropy"
            else np.maximum(outputs, 0.0)
        )
        total = shares.sum()
        return np.asarray(shares / total if total > 0 else np.full(len(shares), 1 / len(shares)))

    def _learn(self, inputs: torch.Tensor, label: int) -> None:
        place = self._examples_seen % self.window_size
        self._window[place] = inputs
        self._labels[place] = label
        self._examples_seen += 1
        n_kept = min(self._examples_seen, self.window_size)
        for _ in range(self.steps_per_example):
            self._take_step(self._window[:n_kept], self._labels[:n_kept])

    def _take_step(self, inputs: torch.Tensor, labels: torch.Tensor) -> None:
        parameters = [self._splits, self._leaves]
        for parameter in parameters:
            parameter.requires_grad_()
        outputs = self._outputs(inputs)
        if self.loss == "cross_entropy":
            loss = functional.cross_entropy(outputs, labels)
        else:
            loss = functional.mse_loss(
                outputs, functional.one_hot(labels, self._tables.n_classes) * 1.0
            )
        gradients = torch.autograd.grad(loss, parameters)
        self._n_steps += 1
        for i, parameter in enumerate(parameters):
            parameter.requires_grad_(False)
            if self.optimiser == "sgd":
                parameter.sub_(gradients[i], alpha=self.step_size)
            else:
                self._take_adam_step(parameter, gradients[i], *self._moments[2 * i : 2 * i + 2])

    def _take_adam_step(
        self, parameter: torch.Tensor, gradient: torch.Tensor, mean: Any, square: Any
    ) -> None:
        mean.lerp_(gradient, 1 - _DECAY)
        square.lerp_(gradient * gradient, 1 - _SQUARE_DECAY)
        root = (square / (1 - _SQUARE_DECAY**self._n_steps)).sqrt_().add_(_TINY)
        parameter.addcdiv_(mean, root, value=-self.step_size / (1 - _DECAY**self._n_steps))

    def _make_room(self) -> None:
        """Parameters, moments and window for all columns and classes known now.

        The first columns draw their splits; a later one begins without weight, and a later class
        with zero in every leaf.
        """
        n_inputs, n_classes = self._encoder.n_columns + 1, self._tables.n_classes
        if self._splits.shape[0] == 1 and n_inputs > 1:
            draw = np.random.default_rng(self.seed).normal(
                scale=1 / np.sqrt(n_inputs), size=(n_inputs, self._splits.shape[1])
            )
            self._splits = torch.from_numpy(draw.astype(np.float32))
        shapes = (n_inputs, self._splits.shape[1]), (len(self._leaves), n_classes)
        self._splits, self._leaves = (
            _grown(self._splits, shapes[0]),
            _grown(self._leaves, shapes[1]),
        )
        self._window = _grown(self._window, (self.window_size, n_inputs))
        if self.optimiser == "adam":
            before = self._moments or [torch.zeros(0, 0)] * 4
            self._moments = [_grown(part, shapes[i // 2]) for i, part in enumerate(before)]


def _grown(tensor: torch.Tensor, shape: tuple[int, int]) -> torch.Tensor:
    """The tensor, with zeros below and to the right."""
    if tuple(tensor.shape) == shape:
        return tensor
    larger = torch.zeros(shape)
    larger[: tensor.shape[0], : tensor.shape[1]] = tensor
    return larger


def _end(labels: NDArray[Any]) -> int:
    return int(labels.max()) + 1 if len(labels) else 0


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """One thread, as for every learner; the caller's setting comes back afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
