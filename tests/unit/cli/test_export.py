import json

import pytest

pytest.importorskip("typer")

from shrubs import ShrubRegressor, load
from shrubs.export import to_c, to_json
from tests.unit.cli.test_commands import here


@pytest.fixture
def model(tmp_path):
    learner = ShrubRegressor(memory_limit="24KB")
    for i in range(100):
        learner.learn_one({"a": i % 10}, float(i % 10))
    learner.save(tmp_path / "kept.shrubs")
    return tmp_path / "kept.shrubs"


def test_c_is_printed(model):
    done = here("export", model, "--to", "c", "--name", "pump")
    assert done.exit_code == 0
    assert done.stdout == to_c(load(model).snapshot(), name="pump")


def test_json_is_written_into_a_file(model, tmp_path):
    done = here("export", model, "--to", "json", "-o", tmp_path / "kept.json")
    assert (done.exit_code, done.stdout) == (0, "")
    assert (tmp_path / "kept.json").read_text() == to_json(load(model).snapshot())
    assert json.loads((tmp_path / "kept.json").read_text())["task"] == "targets"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--to", "c", "--name", "a b"], "name must be an identifier of C"),
        (["--to", "json", "--name", "a"], "--name is for --to c, got 'a'"),
    ],
)
def test_a_wrong_name_is_refused(model, options, message):
    done = here("export", model, *options)
    assert done.exit_code == 1
    assert message in done.stderr
    assert done.stdout == ""


def test_a_language_that_is_not_known_is_refused(model):
    done = here("export", model, "--to", "cobol")
    assert done.exit_code == 2
    assert "'c', 'json'" in done.stderr


def test_a_model_that_has_learned_nothing_is_refused(tmp_path):
    ShrubRegressor().save(tmp_path / "new.shrubs")
    done = here("export", tmp_path / "new.shrubs", "--to", "c")
    assert done.exit_code == 1
    assert "has not seen an example yet" in done.stderr
