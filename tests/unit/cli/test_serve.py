"""`shrubs serve` as people start it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from shrubs.keyed.keyed_model import KeyedModelFile
from shrubs.live import Model

pytest.importorskip("fastapi")
CliRunner = pytest.importorskip("typer.testing").CliRunner
app = pytest.importorskip("shrubs.cli.app").app

SHRUBS = [sys.executable, "-c", "from shrubs.cli import main; main()", "serve"]


def refusal(*arguments):
    result = CliRunner().invoke(app, ["serve", *map(str, arguments)])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_new_model_is_served_and_kept_at_the_end(tmp_path):
    path = tmp_path / "m.shrubs"
    options = ["--task", "classes", "--target", "label", "--port", "0"]
    process = subprocess.Popen(
        [*SHRUBS, path, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "SHRUBS_TOKEN": "t"},
    )
    port = int(
        re.fullmatch(r"serving .* at http://127\.0\.0\.1:(\d+)/\n", process.stdout.readline())[1]
    )
    connection = http.client.HTTPConnection("127.0.0.1", port)
    body = json.dumps({"x": {"a": 1}, "y": "yes"})
    headers = {"content-type": "application/json", "authorization": "Bearer t"}
    connection.request("POST", "/learn", body, headers)
    assert connection.getresponse().status == 200
    connection.close()
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert (process.returncode, error) == (0, "")
    model = Model.load(path)
    assert model.target == "label"
    assert model.learner.examples_seen == 1


def test_what_cannot_be_served_is_refused_in_a_line(tmp_path):
    assert "there is no such model; --task makes one" in refusal(tmp_path / "none", "--port", 0)
    Model.new("label", "classes").save(tmp_path / "m")
    assert "this model predicts 'label'" in refusal(tmp_path / "m", "--target", "b", "--port", 0)
    (tmp_path / "broken").write_bytes(b"nothing")
    assert "broken: these bytes are not a saved" in refusal(tmp_path / "broken", "--port", 0)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"127.0.0.1:{port}: Address already in use\n" in refusal(
            tmp_path / "m", "--port", port
        )
    nowhere = ("--host", "nohost.invalid", "--token", "t", "--port", 0)
    assert "nohost.invalid:0: " in refusal(tmp_path / "m", *nowhere)
    assert "--max-body must be" in refusal(tmp_path / "m", "--max-body", "much", "--port", 0)


def test_a_store_is_served_by_its_key_alone(tmp_path):
    path = tmp_path / "m.db"
    new = Model.new("label", "classes")
    with KeyedModelFile(path) as file:
        file.keyed(new, "pump").save(path)
    assert "keeps a model per key: give --key" in refusal(path, "--port", 0)
    assert "keeps a model per 'pump', not 'x'" in refusal(path, "--key", "x", "--port", 0)
    more = ("--key", "pump", "--port", 0)
    assert "this model predicts 'label'" in refusal(path, *more, "--target", "b")
    assert "--memory-budget must be" in refusal(path, *more, "--memory-budget", "much")
    new.save(tmp_path / "m")
    assert "is not a store of learners" in refusal(tmp_path / "m", *more)
    assert "cannot be both" in refusal(tmp_path / "n", *more, "--task=classes", "--target=pump")
    assert "--task makes one" in refusal(tmp_path / "n", *more)  # nothing was kept there
