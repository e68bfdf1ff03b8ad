"""A stream changes its mind twice; the ensemble follows without a drift detector."""

import random

from shrubs import ShrubClassifier

draw = random.Random(1)
learner = ShrubClassifier(memory_limit="32KB")
deciding = {0: "a", 1: "b", 2: "a"}  # the feature that decides, per thousand examples

for start in range(0, 3000, 200):
    right = 0
    for t in range(start, start + 200):
        x = {"a": draw.random(), "b": draw.random(), "c": draw.random()}
        y = x[deciding[t // 1000]] > 0.5
        right += learner.predict_one(x) == y
        learner.learn_one(x, y)
    births = [shrub.born for shrub in learner.shrubs]
    print(
        f"examples {start:4} to {start + 199:4}: {right / 200:.1%} right, "
        f"{sum(born >= start for born in births):2} of {learner.n_shrubs} shrubs are new"
    )
