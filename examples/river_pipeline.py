"""A shrub ensemble in a River pipeline, beside River's Hoeffding tree."""

from river import evaluate, metrics, preprocessing, tree
from river.datasets import synth

from shrubs.adapters.river import ShrubClassifier

learners = {
    "shrub ensemble": ShrubClassifier(memory_limit="64KB"),
    "Hoeffding tree": tree.HoeffdingTreeClassifier(),
}
for name, learner in learners.items():
    stream = synth.ConceptDriftStream(
        stream=synth.SEA(variant=0, seed=1),
        drift_stream=synth.SEA(variant=2, seed=1),
        position=2500,
        width=50,
        seed=1,
    ).take(5000)
    pipeline = preprocessing.StandardScaler() | learner
    print(name, evaluate.progressive_val_score(stream, pipeline, metrics.Accuracy()))
