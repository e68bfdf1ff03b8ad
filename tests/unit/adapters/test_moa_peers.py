"""MOA's learners: the contract of every peer, and agreement with MOA's own command line."""

import copy
import importlib.util
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shrubs.adapters import moa_jvm
from shrubs.adapters.moa_peers import MoaPeer
from shrubs.evaluation import evaluate
from shrubs.experiments import registry
from shrubs.experiments.registry import make_learner
from shrubs.protocols import Block, Feature, Schema
from shrubs.streams import paper_stream

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("capymoa") is None, reason="needs capymoa"),
    pytest.mark.skipif(not moa_jvm.has_java(), reason="needs Java"),
]

# Few members, so that the tests are quick.
OPTIONS = {
    "moa:naive-bayes": "",
    "moa:hoeffding-tree": "-g 50 -c 0.01",
    "moa:efdt": "-g 50 -c 0.01 -l MC",
    "moa:streaming-random-patches": "-s 3 -l (trees.EFDT -g 50 -c 0.01 -l NB)",
    "moa:adaptive-random-forest": "-s 3 -x (ADWINChangeDetector -a 0.01)",
    "moa:oza-bag": "-s 3 -l (trees.HoeffdingTree -g 50 -c 0.1 -l MC)",
    "moa:online-smooth-boost": "-s 3",
    "moa:sgbt": "-s 3",
}
DRAWING = ["moa:streaming-random-patches", "moa:adaptive-random-forest", "moa:oza-bag"]
SCHEMA = Schema(
    (Feature("a"), Feature("b"), Feature("colour", True, ("red", "green", "blue"))), ("x", "y", "z")
)

every = pytest.mark.parametrize("name", OPTIONS)


def peer(name, seed=1):
    learner = make_learner(name, SCHEMA, {"options": OPTIONS[name]}, seed)
    learner.prepare(SCHEMA)
    return learner


def examples(n=600, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3), dtype=np.float32)
    X[:, 2] = rng.integers(0, 3, n)
    y = (X[:, 0] > 0.5).astype(np.int64) + (X[:, 2] == 2)
    return Block(X, y)


def part(block, start, stop):
    return Block(block.X[start:stop], block.y[start:stop])


def predict(learner, block):
    return learner.interleave(block, part(block, 0, 0)).predicted.tolist()


@every
def test_the_same_seed_gives_the_same_predictions(name):
    block = examples()
    one, other = (peer(name).interleave(block, block) for _ in range(2))
    assert one.predicted.tolist() == other.predicted.tolist()
    assert one.p_true.tolist() == other.p_true.tolist()


@pytest.mark.parametrize("name", DRAWING)
def test_another_seed_gives_other_votes(name):
    block = examples()
    one, other = (peer(name, seed).interleave(block, block) for seed in (1, 2))
    assert one.p_true.tolist() != other.p_true.tolist()


@every
def test_a_block_is_the_same_as_its_examples_one_by_one(name):
    block = examples(300)
    rows = [part(block, i, i + 1) for i in range(300)]
    whole = peer(name).interleave(block, block)
    single = peer(name)
    outcomes = [single.interleave(row, row) for row in rows]
    assert [outcome.predicted[0] for outcome in outcomes] == whole.predicted.tolist()
    assert [outcome.p_true[0] for outcome in outcomes] == whole.p_true.tolist()


@every
def test_a_late_label_is_learned_late(name):
    # Ten rows are predicted before the first label comes.
    block = examples(300)
    whole = peer(name).interleave(block, part(block, 0, 290))
    single = peer(name)
    nothing = part(block, 0, 0)
    predicted = [
        single.interleave(
            part(block, i, i + 1), nothing if i < 10 else part(block, i - 10, i - 9)
        ).predicted[0]
        for i in range(300)
    ]
    assert predicted == whole.predicted.tolist()


def test_an_evaluation_with_delay_goes_through():
    stream = paper_stream("agrawal_a", n_examples=1500, scale_drifts=True)
    late, soon = (
        evaluate(MoaPeer("bayes.NaiveBayes"), stream, delay=delay).values() for delay in (1000, 0)
    )
    assert late["accuracy"] != soon["accuracy"]


@every
def test_a_class_that_comes_late_is_predicted(name):
    block = examples(1200)
    y = np.where(np.arange(1200) < 400, np.minimum(block.y, 1), block.y)
    learner = peer(name)
    learner.interleave(Block(block.X, y), Block(block.X, y))
    assert 2 in predict(learner, block)


@every
def test_constant_and_missing_values_are_survived(name):
    block = examples()
    block.X[:, 1] = 7
    block.X[::5, 0] = np.nan
    block.X[::7, 2] = np.nan
    outcome = peer(name).interleave(block, block)
    assert set(outcome.predicted.tolist()) <= {-1, 0, 1, 2}
    assert ((outcome.p_true >= 0) & (outcome.p_true <= 1)).all()


@every
def test_a_reset_forgets_everything(name):
    block = examples()
    learner = peer(name)
    first = learner.interleave(block, block)
    learner.reset().prepare(SCHEMA)
    again = learner.interleave(block, block)
    assert first.predicted.tolist() == again.predicted.tolist()


@every
def test_probabilities_sum_to_one(name):
    block = examples()
    learner = peer(name)
    learner.interleave(block, block)
    shares = learner.predict_proba(block.X)
    assert shares.shape == (600, 3)
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1)


@every
def test_the_prediction_is_the_most_probable_class(name):
    block = examples()
    learner = peer(name)
    learner.interleave(block, block)
    shares = learner.predict_proba(block.X)
    outcome = learner.interleave(block, part(block, 0, 0))
    assert outcome.predicted.tolist() == shares.argmax(axis=1).tolist()
    assert outcome.p_true.tolist() == shares[np.arange(600), block.y].tolist()


@every
def test_no_votes_are_uniform_and_the_first_class(name):
    block = examples(1)
    outcome = peer(name).interleave(block, block)
    assert outcome.predicted.tolist() == [0]
    np.testing.assert_allclose(outcome.p_true, [1 / 3])


@every
def test_bytes_are_zero_untrained_and_grow(name):
    if not moa_jvm.measures_sizes():
        pytest.skip("this process imported capymoa first, which starts Java without the agent")
    learner = peer(name)
    assert learner.memory_bytes == 0
    block = examples()
    learner.interleave(block, block)
    assert learner.memory_bytes > 100


@pytest.mark.parametrize(("stream", "kilobytes"), [("rbf_f", 5), ("agrawal_a", 8), ("led_a", 29)])
def test_bytes_of_naive_bayes_are_those_of_the_paper(stream, kilobytes):
    # They do not grow later. One-hot indicators are nominal for MOA, else they would be more.
    if not moa_jvm.measures_sizes():
        pytest.skip("this process imported capymoa first, which starts Java without the agent")
    learner = MoaPeer("bayes.NaiveBayes")
    evaluate(learner, paper_stream(stream, n_examples=1000, one_hot=True))
    assert round(learner.memory_bytes / 1024) == kilobytes


def test_without_the_agent_there_are_no_bytes(monkeypatch):
    learner = peer("moa:naive-bayes")
    monkeypatch.setattr(moa_jvm, "measures_sizes", lambda: False)
    with pytest.raises(RuntimeError, match="was started without MOA's size agent; call"):
        _ = learner.memory_bytes


@pytest.mark.parametrize("name", sorted(set(OPTIONS) - {"moa:streaming-random-patches"}))
def test_a_saved_learner_goes_on_as_if_nothing_happened(name):
    block = examples()
    learner = peer(name)
    learner.interleave(part(block, 0, 300), part(block, 0, 300))
    other = pickle.loads(pickle.dumps(learner))
    rest = part(block, 300, 600)
    one, two = learner.interleave(rest, rest), other.interleave(rest, rest)
    assert one.predicted.tolist() == two.predicted.tolist()


def test_a_learner_that_java_cannot_save_says_so():
    block = examples(100)
    learner = peer("moa:streaming-random-patches")
    learner.interleave(block, block)
    with pytest.raises(RuntimeError, match=r"MOA failed to save meta\.StreamingRandomPatches: "):
        copy.deepcopy(learner)


@pytest.mark.parametrize(
    ("learner", "options", "message"),
    [
        ("trees.EFTD", "", r"MOA cannot make 'trees.EFTD' with options '': Class not found"),
        ("trees.EFDT", "-Q 3", r"options '-Q 3': it takes -R reevaluationPeriod, -m maxByteSize"),
        ("trees.EFDT", "-g many", r"options '-g many': it takes -R"),
    ],
)
def test_wrong_options_are_named(learner, options, message):
    with pytest.raises(ValueError, match=message):
        MoaPeer(learner, options=options).prepare(SCHEMA)


def test_a_class_that_was_not_announced_is_refused():
    block = examples(10)
    with pytest.raises(ValueError, match="y must be below the 3 classes announced, got 4"):
        peer("moa:naive-bayes").interleave(Block(block.X, block.y + 2), block)


def test_another_stream_needs_a_reset():
    learner = peer("moa:naive-bayes")
    learner.prepare(SCHEMA)
    with pytest.raises(ValueError, match="prepared for another stream; call reset"):
        learner.prepare(Schema((Feature("a"),), (0, 1)))


def test_capymoas_shrubs_learn_and_can_be_saved():
    block = examples(60)
    learner = make_learner("capymoa:shrubs", SCHEMA, {"batch_size": 16}, 1)
    learner.prepare(SCHEMA)
    first = learner.interleave(block, part(block, 0, 50))
    assert first.predicted[:11].tolist() == [-1] * 11
    assert learner.memory_bytes > 16 * 3 * 8
    other = pickle.loads(pickle.dumps(learner))
    one, two = (each.interleave(block, block) for each in (learner, other))
    assert one.predicted.tolist() == two.predicted.tolist()
    assert (one.predicted == block.y).mean() > 0.5


def test_java_missing_is_said_in_one_line(monkeypatch):
    monkeypatch.setattr(registry, "has_java", lambda: False)
    message = "learner 'moa:efdt' is not installed: install Java 11 or newer, or set JAVA_HOME"
    with pytest.raises(ValueError, match=message):
        make_learner("moa:efdt", SCHEMA, {}, 1)


def test_naming_the_learners_starts_no_java_machine():
    script = (
        "import sys, shrubs; from shrubs.experiments.registry import LEARNERS, make_learner;"
        "assert 'jpype' not in sys.modules and 'capymoa' not in sys.modules;"
        "assert LEARNERS['moa:efdt'].is_installed;"
        "import jpype; assert not jpype.isJVMStarted() and 'capymoa' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True)


def to_arff(schema, block, path):
    lines = ["@relation stream"]
    for feature in schema.features:
        kind = f"{{{','.join(feature.categories)}}}" if feature.nominal else "numeric"
        lines.append(f"@attribute '{feature.name}' {kind}")
    lines += [f"@attribute class {{{','.join(map(str, schema.classes))}}}", "@data"]
    for x, y in zip(block.X.tolist(), block.y.tolist(), strict=True):
        values = [
            feature.categories[int(value)] if feature.nominal else repr(value)
            for feature, value in zip(schema.features, x, strict=True)
        ]
        lines.append(",".join([*values, str(schema.classes[y])]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def stream():
    """Numbers and nominal features, with three drifts."""
    return paper_stream("agrawal_a", n_examples=5000, scale_drifts=True)


@pytest.fixture(scope="module")
def arff(stream, tmp_path_factory):
    path = tmp_path_factory.mktemp("moa") / "stream.arff"
    to_arff(stream.schema, next(stream.blocks(5000)), path)
    return path


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("bayes.NaiveBayes", ""),
        ("trees.HoeffdingTree", ""),
        ("trees.EFDT", "-g 50 -c 0.01 -l MC"),
        ("meta.OzaBag", "-s 4 -l (trees.EFDT -g 100 -c 0.1 -l NB)"),
    ],
)
def test_accuracy_is_that_of_moas_command_line(learner, options, stream, arff):
    task = (
        f"EvaluateInterleavedTestThenTrain -l ({learner} {options}) -s (ArffFileStream -f {arff})"
        " -e BasicClassificationPerformanceEvaluator -i 5000 -f 5000"
    )
    command = ["java", "-XX:TieredStopAtLevel=1", "-cp", str(moa_jvm.moa_jar()), "moa.DoTask", task]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    names, values = (line.split(",") for line in done.stdout.strip().splitlines()[-2:])
    moas = float(dict(zip(names, values, strict=True))["classifications correct (percent)"])
    ours = evaluate(MoaPeer(learner, options=options), stream).values()["accuracy"]
    assert 100 * ours == pytest.approx(moas, abs=0.1)


@pytest.mark.skipif(shutil.which("javac") is None, reason="no Java compiler")
def test_the_compiled_loop_is_that_of_the_source(tmp_path):
    directory = Path(moa_jvm.__file__).parent / "java"
    source = directory / "ShrubsBlockLoop.java"
    jar = str(moa_jvm.moa_jar())
    subprocess.run(
        ["javac", "--release", "11", "-g:none", "-cp", jar, "-d", str(tmp_path), str(source)],
        check=True,
    )
    assert code(tmp_path) == code(directory)


def code(directory):
    """What the class does; positions in its table of constants differ between compilers."""
    command = ["javap", "-p", "-c", "-cp", str(directory), "ShrubsBlockLoop"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.sub(r"#\d+", "#", text)
