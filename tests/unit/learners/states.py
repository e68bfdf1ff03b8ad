"""Byte states of many kinds, and ways to damage them; docs/file-format.md describes the bytes."""

import json
import random
import struct
import warnings
import zlib

from shrubs import (
    MemoryFullWarning,
    PaperShrubClassifier,
    PaperShrubRegressor,
    ShrubClassifier,
    ShrubRegressor,
    WindowedTree,
)


def make_learners():
    """Small learners whose states differ in kind: leaves, nodes, tables, tasks."""
    draw = random.Random(0)
    small = {"max_shrubs": 3, "window_size": 6, "step_size": 0.5}
    learners = {
        "dense leaves": PaperShrubClassifier(**small),
        "sparse leaves": PaperShrubClassifier(**{**small, "step_size": 8.0}),
        "wide nodes": PaperShrubClassifier(**small, max_features=3),
        "codes": PaperShrubClassifier(**small, splitter="best", nominal_features=[0]),
        "names": PaperShrubClassifier(**small, loss="cross_entropy"),
        "weights": PaperShrubClassifier(**small, class_weight={0: 1, 1: 2.5, 2: 9}),
        "regression": PaperShrubRegressor(**small),
        "tree": WindowedTree(window_size=6),
        "auto": ShrubClassifier(memory_limit=16_000),
        "auto, names": ShrubClassifier(memory_limit="32KB"),
        "auto, regression": ShrubRegressor(memory_limit=16_000),
        "auto, crowded": ShrubClassifier(memory_limit=16_000),
        "auto, wide": ShrubRegressor(memory_limit=16_000),
        "auto, compared": ShrubClassifier(memory_limit="64KB"),
    }
    for i in range(15):
        x = [draw.random(), draw.random()]
        learners["dense leaves"].learn_one(x, i % 3)
        learners["sparse leaves"].learn_one(x, i)
        learners["wide nodes"].learn_one([draw.random() for _ in range(70)], i % 2)
        learners["codes"].learn_one([float(i % 4), x[1]], "ab"[i % 2])
        learners["names"].learn_one({"a": x[0], "b": "red" if i % 2 else "blue"}, i % 3)
        learners["weights"].learn_one(x, i % 3, weight=0.75)
        learners["regression"].learn_one(x, draw.gauss(0.0, 10.0))
        learners["tree"].learn_one(x, i % 2)
        learners["auto"].learn_one(x, i % 3)
        learners["auto, names"].learn_one({"a": x[0], "b": "red" if i % 2 else "blue"}, i % 3)
        learners["auto, regression"].learn_one(x, draw.gauss(0.0, 10.0))
    for _ in range(150):  # neighbours are compared by the second feature and others
        x = [draw.random() for _ in range(36)]
        learners["auto, compared"].learn_one(x, x[1] > 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MemoryFullWarning)
        for i in range(60):
            x = {"a": draw.random(), f"f{i // 2}": 1.0, "id": f"customer {i}"}
            learners["auto, crowded"].learn_one(x, f"class {i // 4}")
            learners["auto, wide"].learn_one([draw.random() for _ in range(100)], float(i))
    return learners


def sealed(body):
    """A state of these bytes, with its length and checksum made right."""
    body = body[:8] + struct.pack("<Q", len(body) + 4) + body[16:]
    return body + struct.pack("<I", zlib.crc32(body))


def tables_of(state):
    """Where the JSON tables begin and end."""
    begin = state.index(b'{"learner"')
    (length,) = struct.unpack("<Q", state[begin - 8 : begin])
    return begin, begin + length


def with_tables(state, tables):
    """The same state with other tables, as data or as bytes."""
    begin, end = tables_of(state)
    text = tables if isinstance(tables, bytes) else json.dumps(tables).encode()
    return sealed(state[: begin - 8] + struct.pack("<Q", len(text)) + text + state[end:-4])


def read_tables(state):
    begin, end = tables_of(state)
    return json.loads(state[begin:end])


def deepest_state():
    """A regression whose shrub is a chain of 65,534 questions, each the left child of the last."""
    learner = PaperShrubRegressor(window_size=65_535, max_shrubs=1).learn_one([1.0], 3.0)
    n = 65_534
    # The state ends in its only shrub: weight, birth, number of questions, one leaf; checksum.
    head = learner.to_bytes()[: -4 - 8 - 8 - 2 - 8]
    nodes = b"".join(struct.pack("<fHH", float(n - i), 0, n - 1 - i) for i in range(n))
    leaves = struct.pack("<d", 1.0) * (n + 1)
    return sealed(head + struct.pack("<dQH", 1.0, 0, n) + nodes + leaves)
