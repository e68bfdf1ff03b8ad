def comparable(record):
    """What is the same whenever a run is done; time is not, and the size of Python's dicts."""
    measured = ("seconds", "memory_bytes")
    metrics = {name: v for name, v in record.metrics.items() if not name.endswith(measured)}
    return (
        record.learner,
        record.configuration,
        record.stream,
        record.n_examples,
        metrics,
        record.found_drifts,
        record.failure,
    )
