"""`shrubs follow`, and `predict` from a pipe, as real processes."""

import array
import contextlib
import csv
import fcntl
import json
import os
import signal
import sys
import tempfile
import termios

import pytest

pytest.importorskip("typer")

import shrubs
from shrubs.cli.app import app
from shrubs.live import Model
from tests.unit.cli.forked import Forked
from tests.unit.runners.waiting import wait_for

HEAD = "id,size,colour,y\n"


def row(i):
    return f"{i},{i % 7},{'red' if i % 3 else 'blue'},{'yes' if i % 7 > 2 else 'no'}\n"


def texts(i):
    return dict(zip(HEAD.strip().split(","), row(i).strip().split(","), strict=True))


STARTED = []


def start(*arguments):
    process = Forked(*arguments)
    STARTED.append(process)
    return process


@pytest.fixture(autouse=True)
def _end_all():
    yield
    while STARTED:
        process = STARTED.pop()
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def run(*arguments, stdin=""):
    """The same in this process, which takes less time."""
    with contextlib.ExitStack() as files:
        source, *answers = (files.enter_context(tempfile.TemporaryFile("w+")) for _ in range(3))
        source.write(stdin)
        source.seek(0)
        with pytest.MonkeyPatch.context() as patch:
            for name, file in zip(("stdin", "stdout", "stderr"), (source, *answers), strict=True):
                patch.setattr(sys, name, file)
            with pytest.raises(SystemExit) as end:
                app([str(each) for each in arguments])
        stdout, stderr = (file.seek(0) or file.read() for file in answers)
    return end.value.code, stdout.splitlines(), stderr


def say(process, text):
    process.stdin.write(text)
    process.stdin.flush()


def expected(n, begin=0):
    """The model of these rows, and what it said of each before."""
    model = Model.new("y", "classes", ignored=["id"], seed=0)
    said = []
    for i in range(begin, n):
        typed = model.typed(texts(i))
        said.append(model.predict(typed))
        model.learn(typed)
    return model, said


def test_each_row_is_answered_at_once_and_the_model_is_kept_at_the_end(tmp_path):
    path = tmp_path / "m.shrubs"
    process = start("follow", "-", "-m", path, "--target", "y", "--ignore", "id", "--columns", "id")
    say(process, HEAD)
    assert process.stdout.readline() == "id,prediction\n"
    model, said = expected(30)
    for i in range(30):
        say(process, row(i))
        assert process.stdout.readline() == f"{i},{said[i] or ''}\n"
    process.stdin.close()
    assert process.wait() == 0
    assert "followed 30 rows: 30 learned" in process.stderr.read()
    assert path.read_bytes() == model.to_bytes()
    assert path.stat().st_mode & 0o777 == 0o666 & ~os.umask(os.umask(0o22))
    assert sorted(os.listdir(tmp_path)) == ["m.shrubs"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_keeps_what_was_answered(tmp_path, number):
    path = tmp_path / "m.shrubs"
    process = start("follow", "-", "-m", path, "--target", "y", "--ignore", "id")
    say(process, HEAD + "".join(map(row, range(20))))
    for _ in range(21):
        process.stdout.readline()
    process.send_signal(number)
    assert process.wait() == 0
    assert path.read_bytes() == expected(20)[0].to_bytes()


def test_a_signal_is_heard_while_nobody_reads_the_answers(tmp_path):
    path = tmp_path / "m.shrubs"
    process = start("follow", "-", "-m", path, "--target", "y", "--columns", "note",
                    "--set", "memory_limit=64KB")  # fmt: skip
    say(
        process, "note,size,y\n" + "".join(f"{'x' * 2000},{i % 5},{i % 2 > 0}\n" for i in range(50))
    )
    wait_for(lambda: n_waiting(process) > 60_000)  # of 65,536
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 0
    answered = process.stdout.read().count("\n") - 1
    assert Model.load(path).learner.examples_seen == answered < 50


def n_waiting(process):
    """Bytes that were written and not yet read."""
    held = array.array("i", [0])
    fcntl.ioctl(process.stdout.fileno(), termios.FIONREAD, held)
    return held[0]


def test_a_closed_pipe_ends_quietly_and_keeps_what_was_answered(tmp_path):
    path = tmp_path / "m.shrubs"
    process = start("follow", "-", "-m", path, "--target", "y", "--ignore", "id")
    say(process, HEAD + row(0))
    assert [process.stdout.readline() for _ in range(2)] == ["prediction\n", '""\n']
    process.stdout.close()
    say(process, row(1))
    assert process.wait() == 0
    assert process.stderr.read() == ""
    assert path.read_bytes() == expected(1)[0].to_bytes()


def test_a_file_is_followed_and_goes_on_where_it_was_saved(tmp_path):
    path, log = tmp_path / "m.shrubs", tmp_path / "events.csv"
    log.write_text(HEAD + "".join(map(row, range(5))))
    command = ["follow", log, "-m", path, "--target", "y", "--ignore", "id", "--columns", "id"]
    first = start(*command, "--save-every", "2")
    for _ in range(6):
        first.stdout.readline()
    with log.open("a") as file:
        file.write(row(5))
    assert first.stdout.readline().startswith("5,")
    wait_for(lambda: Model.load(path).learner.examples_seen == 6)
    first.kill()
    first.wait()
    with log.open("a") as file:
        file.write(row(6))
    second = start(*command)
    assert [second.stdout.readline() for _ in range(2)] == ["id,prediction\n", "6,yes\n"]
    second.terminate()
    assert second.wait() == 0
    assert shrubs.load(path).to_bytes() == expected(7)[0].learner.to_bytes()


def test_a_model_is_saved_every_so_many_seconds_without_rows(tmp_path):
    path = tmp_path / "m.shrubs"
    process = start("follow", "-", "-m", path, "--target", "y", "--save-every", "0.5s")
    say(process, HEAD + row(0))
    wait_for(path.exists)
    process.kill()
    process.wait()
    assert Model.load(path).learner.examples_seen == 1


def test_rows_without_a_label_are_predicted_and_not_learned(tmp_path):
    path = tmp_path / "m.shrubs"
    text = HEAD + row(0) + row(3) + "9,1,red,\n9,1,red,?\n"
    code, lines, said = run("follow", "-", "-m", path, "--target", "y", stdin=text)
    assert (code, len(lines)) == (0, 5)
    assert "followed 4 rows: 2 learned" in said


def test_json_lines_go_in_and_out(tmp_path):
    path = tmp_path / "m.shrubs"
    rows = [{"a": i % 5, "up": i % 5 > 2, "id": f"n{i}", "y": i % 5 / 2 + 0.25} for i in range(20)]
    text = "".join(json.dumps(each) + "\n" for each in rows)
    options = ("--format", "jsonl", "--target", "y", "--ignore", "id", "--columns", "id")
    code, lines, said = run("follow", "-", "-m", path, *options, stdin=text)
    assert code == 0, said
    found = [json.loads(line) for line in lines]
    assert [each["id"] for each in found] == [each["id"] for each in rows]
    assert found[0]["prediction"] == 0.0
    assert Model.load(path).task == "targets"
    code, lines, _ = run(
        "follow", "-", "-m", path, "--format", "jsonl", "--output", "csv", stdin=text
    )
    assert (code, len(lines), lines[0]) == (0, 21, "prediction")


def test_probabilities_stand_beside_the_prediction(tmp_path):
    path = tmp_path / "m.shrubs"
    text = HEAD + "".join(map(row, range(9)))
    options = ("--target", "y", "-p", "--output", "jsonl")
    _, lines, _ = run("follow", "-", "-m", path, *options, stdin=text)
    last = json.loads(lines[-1])
    assert set(last["probabilities"]) == {"yes", "no"}
    assert sum(last["probabilities"].values()) == pytest.approx(1)


def test_targets_have_no_probabilities(tmp_path):
    options = ("--target", "y", "-p", "--output", "jsonl")
    code, _, said = run("follow", "-", "-m", tmp_path / "m", *options, stdin="a,y\n1,0.5\n")
    assert code == 1
    assert (
        said
        == "error standard input, line 2: this model learned targets: they have no probabilities\n"
    )


def test_one_answer_is_one_line_whatever_stands_beside_it(tmp_path):
    text = json.dumps({"a": 1, "note": 'x\n"y",\r\u2028z', "y": "no"}) + "\n"
    options = ("--format", "jsonl", "--target", "y", "--columns", "note", "--output", "csv")
    _, lines, _ = run("follow", "-", "-m", tmp_path / "m", *options, stdin=text)
    assert list(csv.reader(lines)) == [["note", "prediction"], ['x "y",  z', ""]]


BAD = {
    "9,big,red,no\n": "line 4, column 'size': the column holds numbers, got 'big'",
    "9,1,red\n": "line 4: expected 4 values, got 3",
    "9,1e39,red,no\n": "line 4: feature 'size' must be finite and fit single precision, got 1e+39",
    '9,1,"red,no\n': "line 4: unexpected end of data",
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_row_is_refused_or_skipped_and_counted(tmp_path, bad):
    path = tmp_path / "m.shrubs"
    text = HEAD + row(0) + row(1) + bad + row(2)
    options = ("--target", "y", "--ignore", "id")
    code, lines, said = run("follow", "-", "-m", path, *options, stdin=text)
    assert (code, len(lines)) == (1, 3)
    assert said.startswith(f"error standard input, {BAD[bad]}")
    assert path.read_bytes() == expected(2)[0].to_bytes()
    path.unlink()
    code, lines, said = run("follow", "-", "-m", path, *options, "--skip-bad", stdin=text)
    assert (code, len(lines)) == (0, 4)
    assert f"followed 4 rows: 3 learned, 1 skipped (the last: standard input, {BAD[bad]})" in said
    assert path.read_bytes() == expected(3)[0].to_bytes()


def test_a_bad_row_of_a_file_is_met_again(tmp_path):
    path, log = tmp_path / "m.shrubs", tmp_path / "x.csv"
    log.write_text(HEAD + row(0) + "1,big,red,no\n" + row(2))
    for n_answers in (1, 0):
        code, lines, said = run("follow", log, "-m", path, "--target", "y", "--ignore", "id")
        assert (code, len(lines)) == (1, 1 + n_answers)
        assert "x.csv, line 3, column 'size'" in said


@pytest.mark.parametrize(
    ("options", "text", "message"),
    [
        ((), HEAD + row(0), "give --target"),
        (("--target", "z"), HEAD + row(0), "line 2: there is no column 'z'"),
        (("--target", "size"), HEAD + row(1), "column 'size': the first row has 1.0; give --task"),
        (("--target", "y", "--save-every", "0s"), "", "--save-every must be rows such as 1000"),
        (("--target", "y", "--output", "xml"), "", "--output must be one of csv, jsonl"),
        (("--target", "y", "--format", "arff"), "", "--format must be one of csv, jsonl"),
        (("--target", "y", "-p"), "", "probabilities need JSON Lines"),
        (("--target", "y", "--columns", "nr"), HEAD + row(0), "no column 'nr' to put beside"),
        (("--target", "y"), "1,2\n3,4\n", "line 1: the first line must hold column names"),
        (("--target", "y", "--set", "memory=1"), HEAD + row(0), "unknown option 'memory'"),
    ],
)
def test_a_mistake_gets_one_clear_line(tmp_path, options, text, message):
    code, _, said = run("follow", "-", "-m", tmp_path / "m", *options, stdin=text)
    assert code == 1
    assert message in said
    assert len(said.splitlines()) == 1
    assert os.listdir(tmp_path) == []


def test_another_target_and_another_process_are_refused(tmp_path):
    path = tmp_path / "m.shrubs"
    expected(9)[0].save(path)
    code, _, said = run("follow", "-", "-m", path, "--target", "size")
    assert (code, f"{path}: this model predicts 'y', it cannot learn 'size'" in said) == (1, True)
    code, _, said = run("follow", "-", "-m", path, stdin="wind,y\n1,no\n")
    assert "line 2: the row has none of the columns that the model knows: 'colour', 'size'" in said
    holder = start("follow", "-", "-m", path)
    assert holder.stdout.readline() == "prediction\n"
    for command in (("follow", "-"), ("learn", "-")):
        code, _, said = run(*command, "-m", path)
        assert (code, said) == (1, f"error {path}: another process keeps this model\n")
    holder.stdin.close()
    holder.wait()


def test_a_learner_without_a_contract_can_be_followed(tmp_path):
    path = tmp_path / "m.shrubs"
    model, _ = expected(9)
    model.learner.save(path)
    code, _, said = run("follow", "-", "-m", path, stdin=HEAD + row(1))
    assert (code, "does not know its target: give --target" in said) == (1, True)
    code, lines, said = run("follow", "-", "-m", path, "--target", "y", stdin=HEAD + row(9))
    assert (code, len(lines)) == (0, 2), said
    assert Model.load(path).target == "y"


def test_predict_answers_each_line_of_a_pipe_at_once(tmp_path):
    path = tmp_path / "m.shrubs"
    model, _ = expected(30)
    model.save(path)
    process = start("predict", path, "-")
    say(process, HEAD)
    for i in range(30, 35):
        say(process, row(i))
        assert process.stdout.readline().strip() == ("yes" if i % 7 > 2 else "no")
    say(process, "9,big,red,\n")
    assert process.wait() == 1
    assert (
        "standard input, line 7, column 'size': the column holds numbers" in process.stderr.read()
    )


def test_learn_keeps_what_it_learned_at_sigterm(tmp_path):
    path = tmp_path / "m.shrubs"
    process = start("learn", "-", "-m", path, "--target", "y")
    say(process, HEAD + "".join(map(row, range(40_000))))
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 128 + signal.SIGTERM
    assert shrubs.load(path).examples_seen > 0


def test_several_files_and_patterns_are_learned_in_order(tmp_path):
    for k in range(3):
        text = HEAD + "".join(map(row, range(10 * k, 10 * k + 10)))
        (tmp_path / f"part{k}.csv").write_text(text)
    rows = [texts(i) for i in range(30, 40)]
    last = tmp_path / "z.jsonl"
    last.write_text(
        "".join(json.dumps({**each, "size": int(each["size"])}) + "\n" for each in rows)
    )
    path = tmp_path / "m.shrubs"
    code, lines, said = run("learn", tmp_path / "part*.csv", last, "-m", path, "--ignore", "id")
    assert (code, lines[0][:19]) == (0, "learned 40 examples"), said
    assert shrubs.load(path).to_bytes() == expected(40)[0].learner.to_bytes()
    assert Model.load(path).contract == expected(40)[0].contract
    code, _, said = run("learn", tmp_path / "none*.csv", "-m", path)
    assert (code, "none*.csv: no file has such a name" in said) == (1, True)


def test_a_text_where_numbers_were_is_refused_in_a_file_too(tmp_path):
    path = tmp_path / "m.shrubs"
    expected(9)[0].save(path)
    table = tmp_path / "t.csv"
    table.write_text("size,y\nbig,no\nsmall,no\n")
    for command in (("learn", table, "-m", path), ("predict", path, table)):
        code, _, said = run(*command)
        assert code == 1
        assert said.endswith("t.csv, line 2, column 'size': 'big' is not a number\n")
    code, _, said = run("learn", table, "-m", path, "--nominal", "size")
    assert (code, said) == (1, f"error {path}: column 'size' holds numbers\n")
    assert path.read_bytes() == expected(9)[0].to_bytes()


def test_a_file_with_none_of_the_known_columns_is_refused(tmp_path):
    path = tmp_path / "m.shrubs"
    expected(9)[0].save(path)
    table = tmp_path / "t.csv"
    table.write_text("wind,y\n1,no\n")
    code, _, said = run("learn", table, "-m", path)
    assert code == 1
    assert "t.csv has none of the columns that the model knows: 'colour', 'size'\n" in said
    assert path.read_bytes() == expected(9)[0].to_bytes()
    code, _, said = run("predict", path, table)
    assert "t.csv: there is none of the columns that the model knows: 'colour', 'size'" in said
    code, _, said = run("learn", table, "-m", path, "--target", "wind")
    assert "this model predicts 'y', it cannot learn 'wind'" in said


def test_show_says_what_a_model_knows(tmp_path):
    path = tmp_path / "m.shrubs"
    model, _ = expected(60)
    model.save(path)
    code, lines, said = run("show", path, "--rules", "2")
    assert code == 0, said
    text = "\n".join(lines)
    assert "predicts  'y', classes: 'no', 'yes'" in text
    assert "examples  60" in text
    assert "ignores   'id'" in text
    assert [line.split()[:2] for line in lines if "%" in line][:2] == [
        ["size", "numbers"], ["colour", "texts"],
    ]  # fmt: skip
    assert len(lines[lines.index("heaviest rules") :]) == 3
    found = json.loads(run("show", path, "--json")[1][0])
    assert (found["target"], found["classes"], found["examples_seen"]) == ("y", ["no", "yes"], 60)
    assert found["file_bytes"] == path.stat().st_size
    shrubs.ShrubRegressor().save(path)
    assert "an unknown target, targets" in "\n".join(run("show", path)[1])


def test_a_warning_is_one_line_without_a_place_in_the_code(tmp_path):
    process = start("follow", "-", "-m", tmp_path / "m", "--target=y", "--set=memory_limit=8KB")
    text = "name,y\n" + "".join(f"{'long' * 9}{i},{'yes' if i % 2 else 'no'}\n" for i in range(300))
    say(process, text)
    process.stdin.close()
    process.stdout.read()
    said = process.stderr.read().splitlines()
    assert process.wait() == 0
    assert said[0].startswith("warning memory_limit='8KB' has no room for all")
    assert len(said) == 2
