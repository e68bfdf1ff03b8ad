"""A learner that is saved and loaded at any moment goes on to the bit, also in little memory."""

import pytest

from shrubs import ShrubClassifier, ShrubRegressor
from tests.attacks.budget import rounds

pytestmark = pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")


def crowded_stream(draw, kind):
    """Examples with more names, categories and labels than fit in, some of them long."""
    n_names, n_categories, n_labels = draw.choice([2, 5, 40]), draw.choice([1, 4, 80]), 60
    for _ in range(draw.choice([20, 120])):
        x = {}
        for _ in range(draw.randint(1, 4)):
            number = draw.randrange(n_names)
            category = "y" * draw.choice([1, 40]) + str(draw.randrange(n_categories))
            name = "x" * draw.choice([1, 1, 1, 30]) + str(number)
            x[name] = draw.random() if number % 2 else category
        label = "z" * draw.choice([0, 0, 50]) + str(draw.randrange(n_labels))
        yield x, label if kind is ShrubClassifier else draw.random()


@pytest.mark.parametrize("kind", [ShrubClassifier, ShrubRegressor])
def test_a_learner_that_is_loaded_again_and_again_is_the_one_that_never_stopped(kind):
    for draw in rounds(25):
        limit = draw.choice(["12KB", "16KB", "24KB", "40KB"])
        steady, loaded = kind(memory_limit=limit), kind(memory_limit=limit)
        for x, y in crowded_stream(draw, kind):
            steady.learn_one(x, y)
            if draw.random() < 0.3:
                loaded = kind.from_bytes(loaded.to_bytes())
            loaded.learn_one(x, y)
            assert loaded.to_bytes() == steady.to_bytes()
