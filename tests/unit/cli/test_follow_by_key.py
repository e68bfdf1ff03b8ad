"""`shrubs follow --key`, which keeps a model per key in one file."""

import json
import os
import random
import signal
import time

import pytest

pytest.importorskip("typer")

import shrubs
from shrubs.keyed import KeyedLearners, SQLiteStore, StoreError
from shrubs.keyed.keyed_model import KeyedModelFile
from tests.unit.cli.test_follow import _end_all, run, say, start  # noqa: F401

HEAD = "id,device,size,colour,y\n"
OPTIONS = ("--target", "y", "--ignore", "id", "--key", "device", "--set", "memory_limit=16KB")


def device(i):
    return f"{i * i % 11 + i // 100:03}"  # some come late


def values(i):
    size, colour = i % 7, "red" if i % 3 else "blue"
    return {"size": float(size), "colour": colour}, "yes" if (size > 2) == (i % 11 > 4) else "no"


def row(i):
    x, y = values(i)
    return f"{i},{device(i)},{x['size']:g},{x['colour']},{y}\n"


def plain_loop(n):
    """One learner per key, and what each said of its rows before it learned them."""
    learners, said = {}, []
    for i in range(n):
        if device(i) not in learners:
            learners[device(i)] = shrubs.ShrubClassifier(memory_limit="16KB", seed=0)
        x, y = values(i)
        said.append(learners[device(i)].predict_one(x))
        learners[device(i)].learn_one(x, y)
    return learners, said


def states(path):
    with KeyedModelFile(path) as file:
        model = file.load()
        return {key: model.learners.learner(key).to_bytes() for key in model.learners}


def expected_states(n):
    return {key: learner.to_bytes() for key, learner in plain_loop(n)[0].items()}


def test_each_key_has_a_model_of_its_own_whatever_the_budget(tmp_path):
    text = HEAD + "".join(map(row, range(300)))
    for budget in ("256MB", "40KB"):
        path = tmp_path / f"{budget}.db"
        code, lines, said = run(
            "follow", "-", "-m", path, *OPTIONS, "--memory-budget", budget, stdin=text
        )
        assert code == 0, said
        assert "followed 300 rows: 300 learned" in said
        assert f"{budget}.db has {len(plain_loop(300)[0])} keys" in said
        answers = [f"{device(i)},{each or ''}" for i, each in enumerate(plain_loop(300)[1])]
        assert lines == ["device,prediction", *answers]
        assert states(path) == expected_states(300)
    assert len(os.listdir(tmp_path)) == 2


def test_a_file_goes_on_after_kills_and_nothing_is_learned_twice(tmp_path):
    path, log = tmp_path / "m.db", tmp_path / "events.csv"
    log.write_text(HEAD + "".join(map(row, range(3000))))
    command = ["follow", log, "-m", path, "--memory-budget", "60KB"]
    chance = random.Random(5)
    answers = {}

    def take(line):
        key, i, answer = line.strip().split(",")
        assert answers.setdefault(int(i), (key, answer)) == (key, answer)

    for kill in range(4):
        options = OPTIONS if kill == 0 else ("--key", "device")  # the store knows the others
        process = start(*command, *options, "--columns", "id", "--save-every", "70")
        assert process.stdout.readline() == "device,id,prediction\n"
        for _ in range(chance.randrange(200, 600)):
            take(process.stdout.readline())
        time.sleep(chance.uniform(0, 0.01))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for line in process.stdout:  # what had gone out before
            take(line)
    last = start(*command, "--key", "device", "--columns", "id")
    last.stdout.readline()
    while 2999 not in answers:
        take(last.stdout.readline())
    last.terminate()
    assert last.wait() == 0
    said = plain_loop(3000)[1]
    assert answers == {i: (device(i), said[i] or "") for i in range(3000)}
    assert states(path) == expected_states(3000)


def test_a_store_is_saved_every_so_often_and_serves_one_process(tmp_path):
    path = tmp_path / "m.db"
    process = start("follow", "-", "-m", path, *OPTIONS, "--save-every", "20")
    say(process, HEAD + "".join(map(row, range(30))))
    for _ in range(31):
        process.stdout.readline()
    code, _, said = run("follow", "-", "-m", path, *OPTIONS[:-2])
    assert (code, said) == (1, f"error {path}: another process keeps this model\n")
    code, _, said = run("show", path)
    assert (code, "is in use by another process" in said) == (1, True)
    process.kill()
    process.wait()
    assert states(path) == expected_states(20)


def test_json_takes_texts_and_whole_numbers_as_keys(tmp_path):
    path = tmp_path / "m.db"
    rows = [{"device": key, "a": i, "y": "no"} for i, key in enumerate(["7", 7, "ü", "7"])]
    text = "".join(json.dumps(each) + "\n" for each in rows)
    options = ("--format", "jsonl", "--target", "y", "--key", "device", "-p")
    code, lines, said = run("follow", "-", "-m", path, *options, stdin=text)
    assert code == 0, said
    found = [json.loads(line) for line in lines]
    assert [each["prediction"] for each in found] == [None, "no", None, "no"]
    assert [each["probabilities"] for each in found] == [{}, {"no": 1.0}, {}, {"no": 1.0}]
    assert sorted(states(path)) == ["7", "ü"]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("", "line 2, column 'device': the row has no key"),
        (None, "line 2, column 'device': the row has no key"),
        (1.5, "line 2, column 'device': a key must be a text or a whole number, got 1.5"),
        (True, "line 2, column 'device': a key must be a text or a whole number, got True"),
        ("\ud800", "line 2, column 'device': a key must be a text without lone surrogates"),
    ],
)
def test_a_bad_key_is_refused_or_skipped(tmp_path, key, message):
    path = tmp_path / "m.db"
    rows = [{"device": each, "a": 1, "y": "no"} for each in ("a", key, "b")]
    text = "".join(json.dumps(each) + "\n" for each in rows)
    options = ("--format", "jsonl", "--target", "y", "--key", "device")
    code, lines, said = run("follow", "-", "-m", path, *options, stdin=text)
    assert (code, len(lines)) == (1, 1)
    assert message in said
    code, lines, said = run("follow", "-", "-m", path, *options, "--skip-bad", stdin=text)
    assert (code, len(lines)) == (0, 2)
    assert "2 learned, 1 skipped" in said
    assert sorted(states(path)) == ["a", "b"]


def test_all_keys_have_one_contract(tmp_path):
    path = tmp_path / "m.db"
    run("follow", "-", "-m", path, *OPTIONS, stdin=HEAD + row(0))
    text = HEAD + f"1,{device(0)}x,big,red,no\n"
    code, _, said = run("follow", "-", "-m", path, "--key", "device", stdin=text)
    assert (code, "column 'size': the column holds numbers, got 'big'" in said) == (1, True)
    for options, message in (
        (("--key", "device", "--target", "size"), "predicts 'y', it cannot learn 'size'"),
        (("--key", "id"), "keeps a model per 'device', not 'id'"),
        ((), "keeps a model per key: give --key"),
        (OPTIONS, "exists already; its options cannot be changed"),
    ):
        code, _, said = run("follow", "-", "-m", path, *options)
        assert (code, message in said, len(said.splitlines())) == (1, True, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--key", "y"), "column 'y' cannot be both the key and the target"),
        (("--key", "nr"), "line 2, column 'nr': the row has no key"),
        (("--key", "device", "--memory-budget", "much"), "memory_budget must be"),
    ],
)
def test_a_mistake_gets_one_clear_line(tmp_path, options, message):
    code, _, said = run(
        "follow", "-", "-m", tmp_path / "m.db", "--target", "y", *options, stdin=HEAD + row(0)
    )
    assert (code, message in said, len(said.splitlines())) == (1, True, 1), said


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "m.db"
    shrubs.ShrubClassifier().save(path)
    code, _, said = run("follow", "-", "-m", path, *OPTIONS)
    assert (code, said) == (1, f"error {path} is not a store of learners\n")
    path.unlink()
    for progress in (None, "17", "{}", '{"key": "k", "model": "AAAA"}'):
        with KeyedLearners(shrubs.ShrubClassifier, SQLiteStore(path)) as learners:
            learners.learn_one("a", {"x": 1}, "no")
            learners.flush(progress)
        with pytest.raises(StoreError, match="was not kept by `shrubs follow --key`"):
            states(path)


def test_show_says_what_a_store_keeps(tmp_path):
    path, log = tmp_path / "m.db", tmp_path / "events.csv"
    log.write_text(HEAD + "".join(map(row, range(40))))
    process = start("follow", log, "-m", path, *OPTIONS, "--save-every", "0.2s")
    for _ in range(41):
        process.stdout.readline()
    process.terminate()
    process.wait()
    code, lines, said = run("show", path)
    assert code == 0, said
    n_keys = len(plain_loop(40)[0])
    for line in (
        "models    m.db, a ShrubClassifier for each 'device'",
        "predict   'y', classes",
        f"keys      {n_keys}",
        "examples  40",
        "ignore    'device', 'id'",
        "followed  up to line 41 of a file",
        "colour  texts",
    ):
        assert line in map(str.rstrip, lines)
    found = json.loads(run("show", path, "--json")[1][0])
    assert (found["n_keys"], found["file_bytes"]) == (n_keys, path.stat().st_size)
