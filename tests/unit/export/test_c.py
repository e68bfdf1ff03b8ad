import re
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shrubs import PaperShrubClassifier, PaperShrubRegressor, ShrubClassifier
from shrubs.export import to_c, to_json
from tests.devices.targets import TARGETS, call, flash_bytes, missing
from tests.unit.export.compiled import CC, assert_same_bits, compile_c, predict
from tests.unit.export.devices import predict_on
from tests.unit.export.models import (
    LEARNERS,
    draw_stream,
    make_snapshot,
    make_wide_snapshot,
    with_unseen,
)

pytestmark = pytest.mark.skipif(shutil.which(CC) is None, reason="needs a C compiler")


def stream_for(kind, seed, **shape):
    return draw_stream(seed, **({"n_classes": None} if "targets" in kind else {}), **shape)


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_c_predicts_the_same_bits_as_the_snapshot(kind, seed, tmp_path):
    X, y, nominal = stream_for(kind, seed)
    snapshot = make_snapshot(kind, X[:300], y[:300], nominal)
    assert_same_bits(snapshot, with_unseen(X, nominal), tmp_path)


SHAPES = st.fixed_dictionaries(
    {
        "n": st.sampled_from([51, 52, 55, 90, 650]),
        "n_features": st.integers(1, 9),
        "n_classes": st.sampled_from([1, 2, 9, 40]),
        "missing": st.sampled_from([0.0, 0.3]),
    }
)


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(sorted(LEARNERS)), st.integers(0, 1000), SHAPES)
def test_c_predicts_the_same_bits_in_all_shapes(tmp_path_factory, kind, seed, shape):
    n_classes = None if "targets" in kind else shape["n_classes"]
    X, y, nominal = draw_stream(seed, **{**shape, "n_classes": n_classes})
    n_learned = len(X) - 50
    snapshot = make_snapshot(kind, X[:n_learned], y[:n_learned], nominal)
    assert_same_bits(snapshot, with_unseen(X, nominal), tmp_path_factory.mktemp("c"))


@pytest.mark.parametrize("kind", ["untuned", "paper"])
@pytest.mark.parametrize("weights", ["balanced", {0: 1.0, 1: 4.0, 2: 0.5}])
def test_class_weights_are_applied(kind, weights, tmp_path):
    X, y, nominal = draw_stream(4)
    snapshot = make_snapshot(kind, X[:300], y[:300], nominal, class_weight=weights)
    assert_same_bits(snapshot, X, tmp_path)


def test_neighbours_are_compared_by_some_of_many_features(tmp_path):
    snapshot, X = make_wide_snapshot()
    assert "neighbour_features[i]" in to_c(snapshot)
    assert_same_bits(snapshot, with_unseen(X, [3]), tmp_path)


def test_what_only_came_last_is_a_constant(tmp_path):
    # Every label twice: the last labels tell all, and a snapshot knows them.
    draw = np.random.default_rng(5)
    y = np.repeat(draw.integers(0, 2, size=300), 2)
    X = draw.normal(size=(600, 2))
    snapshot = ShrubClassifier(memory_limit="24KB").partial_fit(X, y).snapshot()
    assert "constants[" in to_c(snapshot)
    assert_same_bits(snapshot, X, tmp_path)


@pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")
def test_only_features_that_were_kept_are_asked_for(tmp_path):
    X = np.random.default_rng(6).normal(size=(200, 90))
    snapshot = ShrubClassifier(memory_limit="16KB").partial_fit(X, X[:, 0] > 0).snapshot()
    kept = snapshot.parts()["names"]
    assert len(kept) < 90
    assert f"const float x[{len(kept)}]" in to_c(snapshot)
    assert_same_bits(snapshot, X, tmp_path)


@pytest.mark.filterwarnings("ignore::shrubs.MemoryFullWarning")
def test_a_forgotten_feature_is_only_asked_whether_it_is_there(tmp_path):
    learner = ShrubClassifier(memory_limit="10KB")
    draw = np.random.default_rng(6)
    for i in range(900):
        names = [f"f{j}" for j in range(12 * (i // 100), 12 * (i // 100) + 12)]
        row = dict(zip(names, draw.normal(size=12).tolist(), strict=True))
        learner.learn_one(row, bool(row[names[0]] > 0))
    snapshot = learner.snapshot()
    n_features = len(snapshot.parts()["names"])
    X = draw.normal(size=(50, n_features))
    X[draw.random(X.shape) < 0.5] = np.nan
    assert '"at_most": null' in to_json(snapshot)
    expected = snapshot._core.predict(X)
    found = predict(compile_c(to_c(snapshot), tmp_path), X, 2)
    np.testing.assert_array_equal(found, expected)


@pytest.fixture(params=TARGETS.values(), ids=list(TARGETS))
def target(request):
    if missing(request.param):
        pytest.skip(missing(request.param))
    return request.param


@pytest.mark.parametrize("kind", ["untuned", "untuned targets", "paper", "paper targets"])
def test_devices_predict_the_same_bits(kind, target, tmp_path):
    X, y, nominal = stream_for(kind, 7)
    snapshot = make_snapshot(kind, X[:300], y[:300], nominal)
    rows = with_unseen(X, nominal)
    is_regression = "targets" in kind
    expected = snapshot.predict(rows) if is_regression else snapshot.predict_proba(rows)
    n_classes = None if is_regression else expected.shape[1]
    source = to_c(snapshot)
    found, stack = predict_on(target, source, rows, n_classes, tmp_path)
    np.testing.assert_array_equal(found.view(np.uint64), expected.view(np.uint64))
    (said,) = re.findall(r"RAM: at most (\d+)", source.replace("\n *", ""))
    assert stack <= int(said) <= 4 * stack


# -- what the comment says -----------------------------------------------------------------------

M3 = TARGETS["cortex-m3"]
without_m3 = pytest.mark.skipif(missing(M3) is not None, reason=str(missing(M3)))


@without_m3
@pytest.mark.parametrize("kind", LEARNERS)
def test_flash_is_as_the_comment_says(kind, tmp_path):
    X, y, nominal = stream_for(kind, 8)
    source = to_c(make_snapshot(kind, X, y, nominal))
    said = [int(n) for n in re.findall(r"(?:Flash:|about) (\d+)", source.replace("\n *", ""))]
    called = re.findall(r"^ \* \w+ (model_\w+)\(", source, re.MULTILINE)
    main = "".join(f"extern char {name};" for name in called)
    main += "char *volatile used; int main(void) { " + "".join(f"used = &{n};" for n in called)
    (tmp_path / "model.c").write_text(source)
    (tmp_path / "main.c").write_text(main + " return 0; }")
    (tmp_path / "empty.c").write_text("char *volatile used; int main(void) { return 0; }")
    compiler = (f"{M3.compiler}gcc", *M3.all_flags, "-std=c99")
    linked = ("-nostartfiles", "-Wl,--gc-sections", "-Wl,-e,main")
    for name, sources in (("with", ["main.c", "model.c"]), ("without", ["empty.c"])):
        call(*compiler, *linked, *sources, "-o", name, where=tmp_path)
    empty = flash_bytes(M3, tmp_path / "without")
    code = flash_bytes(M3, tmp_path / "with") - empty - said[0]
    assert said[1] == pytest.approx(code, rel=0.15)


HOSTILE = ['*/ int system(char *); int bad = system("x"); /*', "??/", "a\nb", "\\", "*\\\n/", "'"]


def test_no_name_gets_out_of_its_comment(tmp_path):
    learner = PaperShrubClassifier(nominal_features=[HOSTILE[0]])
    for i, text in enumerate(HOSTILE * 3):
        row = {name: float(i * j) for j, name in enumerate(HOSTILE[1:])}
        learner.learn_one({**row, HOSTILE[0]: text, "é" * 500: 1.0}, text)
    source = to_c(learner.snapshot())
    assert source.isascii()
    compile_c(source, tmp_path, "-Wtrigraphs")
    comment = source[: source.index("*/")]
    assert "system" in comment
    assert "system" not in source[len(comment) :]


@pytest.mark.parametrize("name", ["", "1x", "a b", "_x", "x;", "x\n", "é", "x" * 49])
def test_a_name_that_is_no_identifier_is_refused(name):
    snapshot = PaperShrubRegressor().learn_one([1.0], 2.0).snapshot()
    with pytest.raises(ValueError, match=r"^name must be an identifier of C"):
        to_c(snapshot, name=name)


def test_the_name_is_that_of_both_functions():
    source = to_c(PaperShrubClassifier().learn_one([1.0], 2).snapshot(), name="pump_1")
    assert "int pump_1_predict(const float x[1])\n" in source
    assert "void pump_1_predict_proba(const float x[1], double p[1])\n" in source


def test_the_same_model_gives_the_same_text():
    X, y, nominal = draw_stream(9)
    first, second = (to_c(make_snapshot("untuned", X, y, nominal)) for _ in range(2))
    assert first == second


def test_fused_arithmetic_would_be_noticed(tmp_path):
    # What the pragma is for: its processor fuses sums and products of single precision.
    target = TARGETS["cortex-m4f"]
    if missing(target):
        pytest.skip(missing(target))
    X, y, nominal = draw_stream(7)
    snapshot = make_snapshot("untuned", X[:300], y[:300], nominal)
    source = to_c(snapshot)
    careless = re.sub(r"#if defined\(__GNUC__\) && .*?#endif\n", "", source, flags=re.DOTALL)
    assert len(careless) < len(source)
    expected = snapshot.predict_proba(X)
    assert (predict_on(target, source, X, 3, tmp_path)[0] == expected).all()
    assert (predict_on(target, careless, X, 3, tmp_path)[0] != expected).any()


def test_the_file_needs_no_header_of_a_library():
    X, y, nominal = draw_stream(1)
    source = to_c(make_snapshot("untuned", X, y, nominal))
    always = source[: source.index("#if defined(__GNUC__)\n")] if "INFINITY" in source else source
    assert set(re.findall(r"#include <(.+)>", always)) == {"float.h", "stdint.h"}
