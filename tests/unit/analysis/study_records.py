"""Records of a small study, built by hand so that every expected number can be worked out."""

from shrubs.results import Record

MB = 1024**2
LABELS = {
    "shrubs-paper": "SE",
    "windowed-tree": "WT",
    "soft-trees": "SDT",
    "moa:naive-bayes": "NB",
    "moa:hoeffding-tree": "HT",
    "moa:efdt": "HTT",
    "moa:streaming-random-patches": "SRP",
    "moa:adaptive-random-forest": "ARF",
    "moa:oza-bag": "Bag",
    "moa:online-smooth-boost": "SB",
    "no-change": "NC",
    "majority-class": "MC",
}


def record(learner, stream, *, accuracy=0.5, size=1024.0, n_examples=100, **changes):
    metrics = {
        "accuracy": accuracy,
        "mean_running_accuracy": accuracy,
        "kappa_temporal": 0.25,
        "mean_memory_bytes": size,
        "max_memory_bytes": size,
        "predict_seconds": 1.0,
        "learn_seconds": 2.0,
    }
    trace = {
        "n_examples": [n_examples // 2, n_examples],
        "accuracy": [accuracy, accuracy],
        "windowed_accuracy": [accuracy, accuracy],
        "kappa_temporal": [0.2, 0.25],
        "memory_bytes": [size, size],
    }
    given = {
        "learner": learner,
        "label": LABELS.get(learner, learner),
        "configuration": {"size": size},
        "stream": stream,
        "stream_options": {"n_examples": n_examples},
        "seed": 1,
        "code_version": "0",
        "n_examples": n_examples,
        "finished": True,
        "metrics": metrics,
        "classes": ("a", "b"),
        "trace": trace,
    }
    return Record(**{**given, **changes})


def failed(learner, stream, failure, configuration):
    return record(
        learner,
        stream,
        failure=failure,
        finished=False,
        metrics={},
        trace={},
        n_examples=0,
        configuration={"broken": configuration},
    )


def small_study():
    """Four methods on elec (whole) and led_a (a prefix)."""
    records = []
    for stream, n in (("elec", 45_312), ("led_a", 1_000)):
        at = {"n_examples": n}
        records += [
            record("shrubs-paper", stream, accuracy=0.94, size=20 * 1024, **at),
            record("shrubs-paper", stream, accuracy=0.96, size=2 * MB, **at),
            record("shrubs-paper", stream, accuracy=0.90, size=3 * MB, **at),
            record("moa:naive-bayes", stream, accuracy=0.7616, size=3 * 1024, **at),
            record("no-change", stream, accuracy=0.85, size=100, **at),
        ]
    records += [
        record("moa:hoeffding-tree", "elec", accuracy=0.80, size=200 * 1024, n_examples=45_312),
        failed("moa:hoeffding-tree", "elec", "time", 1),
        failed("moa:hoeffding-tree", "led_a", "memory", 1),
        failed("moa:hoeffding-tree", "led_a", "crash", 2),
        failed("moa:hoeffding-tree", "led_a", "error", 3),
    ]
    return records
