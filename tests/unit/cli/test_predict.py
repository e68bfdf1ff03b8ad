"""`shrubs predict` with columns of the rows beside the predictions, and with a model per key."""

import json

import pytest

pytest.importorskip("typer")

from shrubs.live import Model
from tests.unit.cli.test_follow import run
from tests.unit.cli.test_follow_by_key import HEAD, OPTIONS, device, plain_loop, row, states, values


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """It knows size and colour."""
    path = tmp_path_factory.mktemp("models") / "m.shrubs"
    kept = Model.new("y", "classes", memory_limit="32KB", ignored=["id"])
    for i in range(100):
        x, y = values(i)
        kept.learn({**x, "y": y})
    kept.save(path)
    return path


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A model per device, of 300 rows."""
    path = tmp_path_factory.mktemp("stores") / "m.db"
    text = HEAD + "".join(map(row, range(300)))
    assert run("follow", "-", "-m", path, *OPTIONS, stdin=text)[0] == 0
    return path


def said(model, n):
    kept = Model.load(model)
    return [kept.predict(values(i)[0]) for i in range(n)]


@pytest.mark.parametrize("from_file", [True, False])
def test_columns_stand_beside_predictions_as_they_came(tmp_path, model, from_file):
    file = tmp_path / "new.csv"
    file.write_text(HEAD + "".join(map(row, range(20))))
    arguments = (file,) if from_file else ("-",)
    stdin = "" if from_file else file.read_text()
    code, lines, told = run(
        "predict", model, *arguments, "--columns", "device", "--columns", "id", stdin=stdin
    )
    assert code == 0, told
    expected = [f"{device(i)},{i},{each}" for i, each in enumerate(said(model, 20))]
    assert lines == ["device,id,prediction", *expected]


def test_answers_are_json_lines_if_asked_for(tmp_path, model):
    file = tmp_path / "new.jsonl"
    file.write_text("".join(json.dumps({"id": i, **values(i)[0]}) + "\n" for i in range(20)))
    code, lines, told = run("predict", model, file, "--columns", "id", "--json", "-p")
    assert code == 0, told
    for i, (line, each) in enumerate(zip(lines, said(model, 20), strict=True)):
        answer = json.loads(line)
        assert (answer["id"], answer["prediction"]) == (i, each)
        assert sum(answer["probabilities"].values()) == pytest.approx(1)


def test_each_key_is_asked_its_own_model_and_learns_nothing(store):
    learners = plain_loop(300)[0]
    before = states(store)
    rows = HEAD + "".join(map(row, range(300, 340))) + "900,nobody,1,red,\n"
    code, lines, told = run("predict", store, "-", "--key", "device", "--columns", "id", stdin=rows)
    assert code == 0, told
    expected = []
    for i in range(300, 340):
        learner = learners.get(device(i))
        answer = "" if learner is None else learner.predict_one(values(i)[0])
        expected.append(f"{device(i)},{i},{answer}")
    assert lines == ["device,id,prediction", *expected, "nobody,900,"]
    assert states(store) == before


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (("--columns", "id"), "size,colour\n1,red\n", "no column 'id' to put beside"),
        (("--columns", "size", "-p"), "size\n1\n", "probabilities need JSON Lines"),
        (("--columns", "prediction"), "size\n1\n", "cannot be beside the prediction"),
        (("--columns", "size"), "size\nlarge\n", "standard input, line 2, column 'size'"),
        (("--columns", "id", "--format", "arff"), "", "need CSV or JSON Lines, got arff"),
        (("--key", "device"), "size,device\n1,a\n", "m.shrubs keeps no models by key"),
    ],
)
def test_what_cannot_be_answered_is_told_in_one_line(model, arguments, text, message):
    code, _, told = run("predict", model, "-", *arguments, stdin=text)
    assert (code, message in told, len(told.splitlines())) == (1, True, 1), told


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        ((), "size\n1\n", "keeps a model per key: give --key"),
        (("--key", "colour"), "size\n1\n", "keeps a model per 'device', not 'colour'"),
        (("--key", "device"), "size,device\n1,\n", "column 'device': the row has no key"),
    ],
)
def test_wrong_keys_are_told_in_one_line(store, arguments, text, message):
    code, _, told = run("predict", store, "-", *arguments, stdin=text)
    assert (code, message in told, len(told.splitlines())) == (1, True, 1), told


def test_a_model_that_is_not_there_is_told(tmp_path):
    code, _, told = run("predict", tmp_path / "no.db", "-", "--key", "device", stdin="size\n1\n")
    assert (code, "no.db" in told) == (1, True)
    assert not (tmp_path / "no.db").exists()
