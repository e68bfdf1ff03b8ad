"""Small inputs: what they cost grows with their size, and not faster."""

import time
import tracemalloc

import numpy as np
import pytest
import scipy.sparse

from shrubs import PaperShrubClassifier, ShrubClassifier


def grows_at_most(factor, cost, small, large, attempts=4):
    """Whether the cost of the larger input is at most so many times that of the smaller one."""
    return any(cost(large) <= factor * cost(small) for _ in range(attempts))


@pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")
@pytest.mark.parametrize("kind", [ShrubClassifier, PaperShrubClassifier])
def test_texts_that_never_came_before(kind):
    def cost(n):
        learner = kind(memory_limit="4MB").learn_one({"a": "text"}, 0)
        start = time.perf_counter()
        for i in range(n):
            learner.learn_one({"a": f"text {i}"}, i % 2)
        return time.perf_counter() - start

    assert grows_at_most(8, cost, 1000, 4000)


def test_named_nominal_features_given_as_codes():
    def cost(n):
        row = {f"feature {i}": i % 3 for i in range(n)}
        learner = PaperShrubClassifier(
            max_shrubs=2, window_size=4, grow_every=1000, nominal_features=list(row)
        )
        learner.learn_one(row, 0)
        start = time.perf_counter()
        for _ in range(10):
            learner.predict_one(row)
        return time.perf_counter() - start

    assert grows_at_most(8, cost, 1000, 4000)


def test_a_matrix_of_named_nominal_features():
    def cost(n):
        names = [f"feature {i}" for i in range(n)]
        learner = PaperShrubClassifier(
            max_shrubs=2, window_size=4, grow_every=1000, nominal_features=names
        )
        learner.learn_one(dict.fromkeys(names, 1), 0)
        X = np.ones((20, n))
        start = time.perf_counter()
        learner.predict(X)
        return time.perf_counter() - start

    assert grows_at_most(8, cost, 1000, 4000)


@pytest.mark.parametrize("method", ["partial_fit", "prequential"])
def test_a_sparse_matrix_stays_sparse(method):
    X = scipy.sparse.random(20_000, 500, density=0.001, format="csr", random_state=0)
    learner = PaperShrubClassifier(max_shrubs=1, window_size=2, grow_every=10**6)
    tracemalloc.start()
    getattr(learner, method)(X, np.arange(20_000) % 2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * 1024**2  # 80 MB if dense
    assert learner.examples_seen == 20_000


def test_a_sparse_matrix_is_refused_as_a_whole():
    X = scipy.sparse.random(3000, 20, density=0.1, format="lil", random_state=0)
    X[2999, 3] = np.inf
    learner = PaperShrubClassifier()
    with pytest.raises(ValueError, match="feature 3 must be finite"):
        learner.partial_fit(X.tocsr(), np.arange(3000) % 2)
    assert learner.examples_seen == 0
