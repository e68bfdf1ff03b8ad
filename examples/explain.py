"""Why this prediction? The rules that voted, the heaviest shrub, and a drawing of it."""

import random
import sys

from shrubs import PaperShrubClassifier

draw = random.Random(5)
learner = PaperShrubClassifier(max_shrubs=6, window_size=64, max_depth=3, splitter="best")
for _ in range(500):
    x = {"income": draw.uniform(10, 90), "debt": draw.uniform(0, 50), "city": draw.choice("ABC")}
    x = {name: value for name, value in x.items() if draw.random() > 0.05}  # some are missing
    fine = x.get("income", 0) > 40 and x.get("debt", 50) < 30
    learner.learn_one(x, "grant" if fine else "refuse")

applicant = {"income": 55.0, "debt": 12.0, "city": "B"}
print(f"{applicant}: {learner.predict_one(applicant)}")
for vote in learner.explain_one(applicant):
    print(f"  {vote}")

print(max(learner.shrubs, key=lambda shrub: shrub.weight))
for name, share in zip(learner.feature_names_in_, learner.feature_importances_, strict=True):
    print(f"{name:7}{share:.0%}")

if len(sys.argv) > 1:  # explain.py shrub.png
    learner.shrubs[0].plot().figure.savefig(sys.argv[1])
