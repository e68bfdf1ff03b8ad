"""The package for browsers and Node: the same bits as Python."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shrubs import ShrubClassifier, _core

ROOT = Path(__file__).parents[2]
N = 1200


@dataclass(frozen=True)
class Case:
    """A learner of the package, and examples with missing values and categories."""

    options: dict[str, Any]
    n_classes: int = 3
    nominal: list[int] = field(default_factory=lambda: [3])

    def examples(self) -> tuple[np.ndarray, np.ndarray]:
        random = np.random.default_rng(5)
        X = random.random((N, 4)).astype(np.float32)
        X[:, 3] = random.integers(0, 5, N)
        score = X[:, 0] + X[:, np.where(np.arange(N) < N // 2, 1, 2)].diagonal() + X[:, 3] / 5
        y = score * 100 if self.n_classes == 0 else score.astype(int) % self.n_classes
        X[random.random(X.shape) < 0.05] = np.nan
        return X, y


CASES = {
    "auto": Case({"memoryLimit": 65536, "seed": 7}),
    "small": Case({"memoryLimit": 16384, "lastOutcomes": False}),
    "targets": Case({"memoryLimit": 65536}, n_classes=0),
    "paper": Case({"method": "paper", "maxShrubs": 12, "windowSize": 48, "seed": 2}),
    "cross-entropy": Case({"method": "paper", "windowSize": 32, "crossEntropy": True}),
    "tree": Case({"method": "windowed tree", "windowSize": 64}),
}


def without_nan(X: np.ndarray) -> list[list[float | None]]:
    return [[None if np.isnan(value) else float(value) for value in row] for row in X]


def request(case: Case) -> dict[str, Any]:
    X, y = case.examples()
    options = {"nFeatures": 4, "nClasses": case.n_classes, "nominal": case.nominal, **case.options}
    return {"options": options, "X": without_nan(X), "y": y.tolist()}


def learned_in_python(begun: bytes, case: Case) -> tuple[bytes, list[float]]:
    """What becomes of a learner that JavaScript began, and what it predicts on the way."""
    learner = _core.load_state(begun)
    X, y = case.examples()
    predictions = []
    for i in range(N):
        f = learner.predict_many(X[i : i + 1])[0]
        predictions.append(float(f[0] if case.n_classes == 0 else np.argmax(f)))
        target = y[i : i + 1].astype(np.float64 if case.n_classes == 0 else np.int64)
        learner.learn_many(X[i : i + 1], target)
    return learner.to_state(b""), predictions


def test_tests_of_the_package_pass(node):
    done = node("--test", "test/shrubs.test.js")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", CASES)
def test_node_learns_and_predicts_the_bits_of_python(node, name):
    case = CASES[name]
    done = node("../tests/js/replay.mjs", text=json.dumps(request(case)))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    state, predictions = learned_in_python(base64.b64decode(found["begun"]), case)
    assert base64.b64decode(found["state"]) == state
    assert found["predictions"] == predictions


def test_a_learner_of_python_goes_on_in_node(node):
    case = CASES["auto"]
    X, y = case.examples()
    X[:, 3] = np.nan  # categories are numbers in Python only to its own tables
    learner = ShrubClassifier(memory_limit="64KB", seed=3).partial_fit(X[:600], y[:600])
    saved = base64.b64encode(learner.to_bytes()).decode()
    codes = [learner.classes_.tolist().index(label) for label in y[600:].tolist()]
    text = json.dumps({"state": saved, "X": without_nan(X[600:]), "y": codes})
    found = json.loads(node("../tests/js/replay.mjs", text=text).stdout)
    assert learner.predict(X[600:601])[0] == learner.classes_[int(found["predictions"][0])]
    learner.partial_fit(X[600:], y[600:])
    assert base64.b64decode(found["state"]) == learner.to_bytes()
    back = ShrubClassifier.from_bytes(base64.b64decode(found["state"]))
    assert back.examples_seen == N


def test_a_learner_of_node_goes_on_in_python(node):
    case = CASES["auto"]
    found = json.loads(node("../tests/js/replay.mjs", text=json.dumps(request(case))).stdout)
    state = base64.b64decode(found["state"])
    learner = ShrubClassifier.from_bytes(state)
    assert (learner.examples_seen, learner.n_features_in_) == (N, 4)
    x = np.array([[0.5, 0.5, 0.5, np.nan]], dtype=np.float32)
    expected = _core.load_state(state).predict_many(x)
    assert learner.predict_proba(x).tolist() == expected.tolist()


IN_CHROMIUM = """async ([address, { options, X, y }]) => {
    const { compile, Learner } = await import(`${address}/shrubs.js`);
    const learner = Learner.begin(await compile(), options);
    const begun = [...learner.save()];
    const predictions = X.map((row, i) => {
        const x = Float32Array.from(row, value => value ?? NaN);
        const prediction = learner.predict(x);
        learner.learn(x, y[i]);
        return prediction;
    });
    return { begun, state: [...learner.save()], predictions };
}"""


@pytest.mark.parametrize("name", ["auto", "targets"])
def test_chromium_learns_and_predicts_the_bits_of_python(browser, address, name):
    case = CASES[name]
    page = browser.new_page()
    page.goto(f"{address}/README.md")
    found = page.evaluate(IN_CHROMIUM, [address, request(case)])
    page.close()
    state, predictions = learned_in_python(bytes(found["begun"]), case)
    assert bytes(found["state"]) == state
    assert found["predictions"] == predictions


def test_the_version_is_that_of_the_python_package():
    import shrubs

    package = json.loads((ROOT / "js/package.json").read_text())
    assert package["version"] == shrubs.__version__


def scripts(path: str) -> list[str]:
    return re.findall(r"^```js\n(.*?)^```$", (ROOT / path).read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("path", ["docs/browser.md", "js/README.md"])
def test_documented_scripts_print_what_they_say(node, path):
    for script in scripts(path):
        done = node("--input-type=module", text=script)
        said = re.findall(r"^console\.log\(.*?\);  // (.*)$", script, re.MULTILINE)
        assert (done.stdout.splitlines(), done.stderr) == (said, "")


def test_the_exports_fit_the_core_where_they_are_not_built() -> None:
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    strict = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Icpp/include"]
    subprocess.run(["c++", *strict, "cpp/wasm/exports.cpp"], cwd=ROOT, check=True)
