"""A hard cap: choose the largest window that fits, and learn without ever exceeding the cap."""

import numpy as np

from shrubs import PaperShrubClassifier

CAP = 16 * 1024
N_FEATURES = 6

window_size = 512
while True:
    learner = PaperShrubClassifier(max_shrubs=16, window_size=window_size, max_depth=5)
    plan = learner.plan(n_features=N_FEATURES, n_classes=2)
    print(f"a window of {window_size} takes {plan.total:,} bytes")
    if plan.total <= CAP:
        break
    window_size //= 2

learner.set_params(memory_limit=CAP)
X = np.random.default_rng(0).normal(size=(5000, N_FEATURES))
y = X[:, 0] + X[:, 1] > 0
right = learner.prequential(X, y, classes=[False, True]) == y
print(f"{right[1000:].mean():.1%} right after the first thousand examples")
print(learner.memory_report())

try:
    learner.set_params(window_size=4096).fit(X, y)
except ValueError as error:
    print(f"refused: {error}")
