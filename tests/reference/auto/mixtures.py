"""The weights of the experts: one proximal gradient descent per step size, and a mix of them.

All but losses and shares is in single precision, every sum from the first to the last.
"""

from collections.abc import Iterable

import numpy as np

from tests.reference.exponential import exponential

STEP_SIZES = (2.0**-10, 2.0**-7, 2.0**-4, 2.0**-1)
_FORGETTING = 0.995
_RATE = 2.0
_TARGET_RATE = 0.1
_LEAST_ERROR = 1e-6


class Mixtures:
    """K mixtures of the experts of each range.

    A prediction is a list of W numbers: the probabilities of the classes, or one target. Experts
    take part if they are `present`: their indices, ascending.
    """

    def __init__(self, ranges: list[range]) -> None:
        self._members = [members for members in ranges for _ in STEP_SIZES]
        self._step_sizes = STEP_SIZES * len(ranges)
        self.weights = [equal_weights(list(members)) for members in self._members]
        self.losses = [0.0 for _ in self._members]
        self._outputs: list[list[np.float32]] = []
        self._width = 0

    @property
    def n_weights(self) -> int:
        """The weights of all experts in all mixtures."""
        return sum(len(members) for members in self._members)

    def mix(self, experts: list[list[float]], present: list[int], width: int) -> list[float]:
        """Return the prediction of width W: sum_k share_k sum_i w_ki p_i."""
        self._width = width
        self._outputs = [
            self._mixture(weights, experts, [i for i in present if i in weights], width)
            for weights in self.weights
        ]
        prediction = [0.0] * width
        for share, output in zip(self.shares(), self._outputs, strict=True):
            for c in range(width):
                prediction[c] += share * float(output[c])
        return prediction

    def _mixture(
        self,
        weights: dict[int, np.float32],
        experts: list[list[float]],
        present: list[int],
        width: int,
    ) -> list[np.float32]:
        total = single_sum([weights[i] for i in present])
        shares = {i: weights[i] / total for i in present}
        return [
            single_sum([shares[i] * np.float32(experts[i][c]) for i in present])
            for c in range(width)
        ]

    def shares(self) -> list[float]:
        """Return the share of each mixture: exponentially less with its loss.

        Where all errors of targets are small, so are the differences that matter.
        """
        least = min(self.losses)
        error = max((1.0 - _FORGETTING) * least, _LEAST_ERROR)
        rate = max(_RATE, _TARGET_RATE / error if self._width == 1 else 0.0)
        shares = [exponential(-rate * (loss - least)) for loss in self.losses]
        total = running_sum(shares)
        return [share / total for share in shares]

    def learn(self, experts: list[list[float]], present: list[int], target: list[float]) -> None:
        """Let each mixture take a step towards `target`, after `mix` of the same predictions."""
        said = {i: [np.float32(number) for number in experts[i]] for i in present}
        for k, step_size in enumerate(self._step_sizes):
            weights = self.weights[k]
            errors = [o - np.float32(t) for o, t in zip(self._outputs[k], target, strict=True)]
            loss = single_sum([error * error for error in errors])
            self.losses[k] = _FORGETTING * self.losses[k] + float(loss)
            gradient = [np.float32(2.0 * step_size) * error for error in errors]
            members = [i for i in present if i in weights]
            stepped = []
            for i in members:
                slope = single_sum([g * p for g, p in zip(gradient, said[i], strict=True)])
                stepped.append(weights[i] - slope)
            if members:
                # The projection subtracts at least what makes those with a weight sum to one.
                trusted = [w for i, w in zip(members, stepped, strict=True) if weights[i] > 0.0]
                bound = (single_sum(trusted) - np.float32(1.0)) / np.float32(len(trusted))
                weights.update(zip(members, project_simplex(stepped, bound), strict=True))

    def weights_of(self, experts: Iterable[int]) -> list[float]:
        """Return the weights of experts over all mixtures."""
        mixtures = list(zip(self.shares(), self.weights, strict=True))
        return [
            running_sum([share * float(weights.get(expert, 0.0)) for share, weights in mixtures])
            for expert in experts
        ]

    def weight_together(self, experts: range) -> float:
        """Return the weight of experts together: those in each mixture are added first."""
        mixtures = zip(self.shares(), self.weights, strict=True)
        nothing = np.float32(0.0)
        return running_sum(
            [
                share * float(single_sum([weights.get(expert, nothing) for expert in experts]))
                for share, weights in mixtures
            ]
        )

    def forget(self, expert: int) -> None:
        """Let a newcomer start with nothing."""
        for weights in self.weights:
            if expert in weights:
                weights[expert] = np.float32(0.0)

    def restore(self, present: list[int]) -> None:
        """Give equal weights where all that a mixture trusted is gone."""
        for weights in self.weights:
            members = [i for i in present if i in weights]
            if not single_sum([weights[i] for i in members]) > 0.0:
                weights.update(equal_weights(members))


def equal_weights(members: list[int]) -> dict[int, np.float32]:
    """Return weights of `members` that sum to one."""
    return {i: np.float32(1.0) / np.float32(len(members)) for i in members}


def project_simplex(weights: list[np.float32], bound: np.float32) -> list[np.float32]:
    """Return the nearest probabilities: max(w - tau, 0) with the tau for which they sum to one.

    tau is at least `bound` and, counted from the largest, which keeps at most one, -1. Entries
    below it end at zero; without them it can only rise, until none is below.

    >>> weights = [np.float32(w) for w in (1.0, 0.5, -3.0)]
    >>> [float(w) for w in project_simplex(weights, np.float32(0.0))]
    [0.75, 0.25, 0.0]
    """
    one = np.float32(1.0)
    largest = max(weights)
    weights = [weight - largest for weight in weights]
    tau = max(bound - largest, -one)
    while True:
        above = [weight for weight in weights if weight > tau]
        risen = (single_sum(above) - one) / np.float32(len(above))
        if not risen > tau:
            return [weight - tau if weight > tau else np.float32(0.0) for weight in weights]
        tau = risen


def single_sum(numbers: list[np.float32]) -> np.float32:
    """Return the sum from the first to the last, each step rounded."""
    total = np.float32(0.0)
    for number in numbers:
        total += number
    return total


def squared_loss(prediction: list[float], target: list[float]) -> float:
    """Return the squared distance of a prediction to the target."""
    loss = 0.0
    for p, t in zip(prediction, target, strict=True):
        loss += (p - t) * (p - t)
    return loss


def running_sum(numbers: list[float]) -> float:
    """Return the sum from the first to the last, each step rounded (unlike `sum`)."""
    total = 0.0
    for number in numbers:
        total += number
    return total
