"""Losses: the gradient of the mean loss over the window, one entry per weight.

Outputs of shrubs come as `outputs[i][j]`: what shrub i (the oldest first) says of example j (in
the order of arrival). For classes that is a distribution in fixed point, of shape (n_classes,).
"""

from .exponential import softmax
from .leaf_values import ONE
from .target_scale import TargetScale, clamp


def mse_gradient(
    weights: list[float], outputs: list[list[list[int]]], labels: list[int]
) -> list[float]:
    """Return 2 / (n C) * sum_j <f(x_j) - y_j, h_i(x_j)> for every shrub i.

    >>> mse_gradient([0.0], [[[32768, 0]]], [0])
    [-1.0]
    """
    n_examples = len(labels)
    n_classes = len(outputs[0][0])
    one = float(ONE)
    factor = 2.0 / (float(n_examples) * float(n_classes) * one * one)
    gradient = []
    for output in outputs:
        # <f, h_i> over the window: the Gram matrix of the outputs, in integers, times the weights.
        agreement = 0.0
        for weight, other in zip(weights, outputs, strict=True):
            agreement += weight * float(_inner_product(output, other))
        right = sum(output[j][labels[j]] for j in range(n_examples))
        gradient.append((agreement - float(right) * one) * factor)
    return gradient


def _inner_product(first: list[list[int]], second: list[list[int]]) -> int:
    total = 0
    for first_row, second_row in zip(first, second, strict=True):
        for first_value, second_value in zip(first_row, second_row, strict=True):
            total += first_value * second_value
    return total


def cross_entropy_gradient(
    weights: list[float], outputs: list[list[list[int]]], labels: list[int]
) -> list[float]:
    """Return 1 / n * sum_j <softmax(f(x_j)) - y_j, h_i(x_j)> for every shrub i.

    >>> cross_entropy_gradient([0.0], [[[32768, 0]]], [0])
    [-0.5]
    """
    n_examples = len(labels)
    n_classes = len(outputs[0][0])
    gradient = [0.0] * len(weights)
    for j in range(n_examples):
        votes = [0.0] * n_classes
        for weight, output in zip(weights, outputs, strict=True):
            for c in range(n_classes):
                votes[c] += weight * (float(output[j][c]) * (1.0 / float(ONE)))
        probabilities = softmax(votes)
        for c in range(n_classes):
            difference = probabilities[c] - (1.0 if c == labels[j] else 0.0)
            for i, output in enumerate(outputs):
                gradient[i] += difference * (float(output[j][c]) * (1.0 / float(ONE)))
    return [total / float(n_examples) for total in gradient]


def regression_gradient(
    weights: list[float],
    outputs: list[list[float]],
    targets: list[float],
    target_scale: TargetScale,
) -> list[float]:
    """Return 2 / n * sum_j (f(x_j) - y_j) h_i(x_j) for every shrub i, in scaled targets.

    Outputs are centred as the targets are. Weights that sum to one give the same errors, and all
    entries of the gradient move by the same amount, which the projection undoes.

    >>> regression_gradient([0.0], [[4.0, 6.0]], [4.0, 6.0], TargetScale(2, 1.25))
    [-0.125]
    """
    n_examples = len(targets)
    scaled = [[_scale_output(value, target_scale) for value in output] for output in outputs]
    gradient = [0.0] * len(weights)
    for j in range(n_examples):
        prediction = 0.0
        for weight, output in zip(weights, scaled, strict=True):
            prediction += weight * output[j]
        error = prediction - target_scale.scale(targets[j])
        for i, output in enumerate(scaled):
            gradient[i] += error * output[j]
    return [total * (2.0 / float(n_examples)) for total in gradient]


def _scale_output(value: float, target_scale: TargetScale) -> float:
    """Scale what a shrub says; one grown on far larger targets may exceed all bounds."""
    return clamp(value * target_scale.shrink, 1e100) - target_scale.centre
