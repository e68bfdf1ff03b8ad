"""A learner per key in a plain loop: all of them in memory, all states kept at each flush."""

from copy import deepcopy


class PlainKeyedLearners:
    """What `shrubs.keyed.KeyedLearners` must agree with to the bit."""

    def __init__(self, make):
        self._make = make
        self._learners = {}
        self._kept = {}, None
        self.progress = None

    def learn_one(self, key, x, y):
        self._learners.setdefault(key, self._make()).learn_one(x, y)

    def predict_one(self, key, x):
        return self._learners.get(key, self._make()).predict_one(x)

    def partial_fit(self, keys, X, y):
        for key, x, outcome in zip(keys, X, y, strict=True):
            self.learn_one(key, x, outcome)

    def predict(self, keys, X):
        return [self.predict_one(key, x) for key, x in zip(keys, X, strict=True)]

    def prequential(self, keys, X, y):
        predictions = []
        for key, x, outcome in zip(keys, X, y, strict=True):
            predictions.append(self.predict_one(key, x))
            self.learn_one(key, x, outcome)
        return predictions

    def flush(self, progress=None):
        self.progress = self.progress if progress is None else progress
        self._kept = deepcopy(self._learners), self.progress

    def rollback(self):
        learners, self.progress = self._kept
        self._learners = deepcopy(learners)

    def states(self):
        return {key: learner.to_bytes() for key, learner in self._learners.items()}
