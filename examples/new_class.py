"""A class that was never announced appears in the middle of the stream."""

import random

from shrubs import ShrubClassifier

draw = random.Random(3)
learner = ShrubClassifier(memory_limit="32KB")
labels = ["circle", "square"]

for t in range(900):
    if t == 600:
        labels.append("star")
    label = draw.choice(labels)
    corners = {"circle": 0, "square": 4, "star": 10}[label]
    x = {"corners": corners + draw.gauss(0, 0.5), "size": draw.random()}
    if t % 150 == 149:
        probabilities = learner.predict_proba_one({"corners": 10, "size": 0.5})
        shown = ", ".join(f"{name} {share:.2f}" for name, share in probabilities.items())
        print(f"after {t:3} examples, ten corners are: {shown}")
    learner.learn_one(x, label)
