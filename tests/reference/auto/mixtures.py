"""The weights of the experts: one proximal gradient descent per step size, and a mix of them."""

from tests.reference.exponential import exponential
from tests.reference.single_precision import to_single

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
        self.weights = [
            dict.fromkeys(members, to_single(1.0 / float(len(members)))) if members else {}
            for members in self._members
        ]
        self.losses = [0.0 for _ in self._members]
        self._outputs: list[list[float]] = []
        self._width = 0

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
                prediction[c] += share * output[c]
        return prediction

    def _mixture(
        self, weights: dict[int, float], experts: list[list[float]], present: list[int], width: int
    ) -> list[float]:
        total = running_sum([weights[i] for i in present])
        output = [0.0] * width
        for i in present:
            if weights[i] > 0.0:
                weight = weights[i] / total
                for c in range(width):
                    output[c] += weight * experts[i][c]
        return output

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
        for k, step_size in enumerate(self._step_sizes):
            output, weights = self._outputs[k], self.weights[k]
            self.losses[k] = _FORGETTING * self.losses[k] + squared_loss(output, target)
            gradient = [2.0 * step_size * (o - t) for o, t in zip(output, target, strict=True)]
            members = [i for i in present if i in weights]
            stepped = [weights[i] - inner_product(gradient, experts[i]) for i in members]
            for i, weight in zip(members, project_simplex(stepped) if members else [], strict=True):
                weights[i] = to_single(weight)

    def weight(self, expert: int) -> float:
        """Return the weight of an expert over all mixtures."""
        weight = 0.0
        for share, weights in zip(self.shares(), self.weights, strict=True):
            weight += share * weights.get(expert, 0.0)
        return weight

    def forget(self, expert: int) -> None:
        """Let a newcomer start with nothing."""
        for weights in self.weights:
            if expert in weights:
                weights[expert] = 0.0

    def restore(self, present: list[int]) -> None:
        """Give equal weights where all that a mixture trusted is gone."""
        for weights in self.weights:
            members = [i for i in present if i in weights]
            if not running_sum([weights[i] for i in members]) > 0.0:
                for i in members:
                    weights[i] = to_single(1.0 / float(len(members)))


def project_simplex(weights: list[float]) -> list[float]:
    """Return the nearest probabilities: max(w - tau, 0) with the tau for which they sum to one.

    Entries below tau end at zero; without them tau can only rise, until none is below.

    >>> project_simplex([1.0, 0.5, -3.0])
    [0.75, 0.25, 0.0]
    """
    kept = weights
    while True:
        tau = (running_sum(kept) - 1.0) / float(len(kept))
        above = [weight for weight in kept if weight > tau]
        if len(above) in (0, len(kept)):
            return [weight - tau if weight > tau else 0.0 for weight in weights]
        kept = above


def squared_loss(prediction: list[float], target: list[float]) -> float:
    """Return the squared distance of a prediction to the target."""
    loss = 0.0
    for p, t in zip(prediction, target, strict=True):
        loss += (p - t) * (p - t)
    return loss


def inner_product(a: list[float], b: list[float]) -> float:
    """Return sum_c a_c b_c, from the first to the last."""
    return running_sum([p * q for p, q in zip(a, b, strict=True)])


def running_sum(numbers: list[float]) -> float:
    """Return the sum from the first to the last, each step rounded (unlike `sum`)."""
    total = 0.0
    for number in numbers:
        total += number
    return total
