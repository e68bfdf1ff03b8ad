import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")

from typer.testing import CliRunner

from shrubs.cli.app import app

ROOT = Path(__file__).parents[3]
SHRUBS = [sys.executable, "-c", "from shrubs.cli import main; main()"]


def shrubs(*arguments, stdin=None, cwd=None, env=None):
    return subprocess.run(
        [*SHRUBS, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        check=False,
    )


def here(*arguments, stdin=None, env=None):
    """The same in this process, which takes less time."""
    return CliRunner().invoke(app, [str(each) for each in arguments], input=stdin, env=env)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "toys.csv"
    rows = [f"{i % 7},{'red' if i % 2 else 'blue'},{'yes' if i % 2 else 'no'}" for i in range(60)]
    path.write_text("size,colour,target\n" + "\n".join(rows) + "\n")
    return path


def test_help_names_every_command():
    done = shrubs("--help")
    assert done.returncode == 0
    for command in ("run", "race", "streams", "learners", "report", "predict", "learn"):
        assert command in done.stdout


def test_run_prints_one_plain_row_into_a_pipe():
    done = shrubs("run", "shrubs-paper", "sea", "-n", 1000, "--set", "max_shrubs=4")
    assert done.returncode == 0
    head, row = done.stdout.splitlines()
    assert head.split()[:2] == ["stream", "learner"]
    assert row.split()[:2] == ["sea", "SE"]
    assert "\x1b" not in done.stdout


def test_run_speaks_json(tmp_path):
    results = tmp_path / "results.jsonl"
    done = here("run", "no-change", "sea", "-n", 500, "--json", "--results", results)
    record = json.loads(done.stdout)
    assert (record["learner"], record["n_examples"]) == ("no-change", 500)
    assert json.loads(results.read_text()) == record


@pytest.mark.parametrize("what", ["streams", "learners", "studies"])
def test_lists_speak_json(what):
    done = here(what, "--json")
    names = [json.loads(line)["name"] for line in done.stdout.splitlines()]
    assert {"streams": "elec", "learners": "shrubs", "studies": "mini"}[what] in names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "shrubs", "elecc"), "did you mean 'elec'?"),
        (("run", "shrub", "sea"), "unknown learner 'shrub'; did you mean 'shrubs'?"),
        (("run", "shrubs", "sea", "--set", "seed"), "--set takes NAME=VALUE, got 'seed'"),
        (
            ("run", "shrubs-paper", "sea", "--set", "window_size=0"),
            "window_size must be at least 1",
        ),
        (("race", "sea", "-l", "shrubs,arf"), "unknown learner 'arf'"),
        (("race", "-"), "a race needs streams that can be read twice"),
        (("race", "sea", "-s", "shrub.seed=1"), "no learner 'shrub' is in this race; did you mean"),
        (("race", "sea", "--max-memory", "64 kilos"), "--max-memory must be bytes, or a size such"),
        (("race", "sea", "--max-memory", "9" * 400), "--max-memory must be bytes, or a size such"),
        (("race", "toys.csv", "--task", "guess"), "task must be one of auto, classes, targets"),
        (("study", "minni"), "unknown study 'minni'; did you mean 'mini'?"),
        (("report", "nothing.jsonl"), "nothing.jsonl: No such file"),
        (("learn", "nothing.csv", "-m", "m"), "nothing.csv"),
        (("predict", "nothing.model", "nothing.csv"), "nothing.model: No such file"),
    ],
)
def test_a_mistake_gets_one_clear_line(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    done = here(*arguments)
    assert done.exit_code == 1
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert isinstance(done.exception, SystemExit)  # said by the command, no traceback


def test_a_wrong_option_is_a_usage_error():
    assert shrubs("run", "shrubs", "sea", "-n", "0").returncode == 2
    done = shrubs("lern")
    assert done.returncode == 2
    assert "learn" in done.stderr


def test_the_real_data_are_asked_for_in_one_line(tmp_path):
    empty = {"SHRUBS_DATA": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    done = here("run", "shrubs", "elec", env=empty)
    assert done.exit_code == 1
    assert "SHRUBS_DATA" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        ("a,target\n1,yes\nx y,no\n2,yes\n3,no\n", "line 3, column 'a'"),
        ("a\n1\n2\n", "only the column 'a'"),
    ],
)
def test_a_broken_file_is_named(tmp_path, content, message):
    path = tmp_path / "broken.csv"
    path.write_text(content)
    done = here("run", "no-change", path)
    assert done.exit_code == 1
    assert "broken.csv" in done.stderr
    assert message in done.stderr


def test_a_missing_target_is_suggested(table):
    done = here("run", "shrubs", table, "--target", "colours")
    assert done.exit_code == 1
    assert "did you mean 'colour'" in done.stderr


def test_a_model_learns_from_a_file_and_goes_on_from_standard_input(tmp_path, table):
    model = tmp_path / "toys.model"
    first = shrubs("learn", table, "--model", model, "--set", "memory_limit=64KB")
    assert "learned 60 examples" in first.stdout
    again = shrubs("learn", "-", "--model", model, stdin=table.read_text())
    assert "learned 60 examples" in again.stdout
    from shrubs import load

    assert load(model).examples_seen == 120


def test_predictions_are_one_line_each(tmp_path, table):
    model = tmp_path / "toys.model"
    here("learn", table, "--model", model)
    unlabelled = tmp_path / "new.csv"
    unlabelled.write_text("size,colour\n1,red\n1,blue\n2,\n")
    assert shrubs("predict", model, unlabelled).stdout.split()[:2] == ["yes", "no"]
    shares = here("predict", model, unlabelled, "--probabilities").stdout.splitlines()
    assert [round(sum(json.loads(line).values()), 6) for line in shares] == [1.0, 1.0, 1.0]


def test_a_broken_row_keeps_the_rows_before_it(tmp_path, table):
    model = tmp_path / "toys.model"
    lines = table.read_text().splitlines()
    text = "\n".join([*lines, *lines[1:] * 400, "oops,red,yes", ""])
    done = shrubs("learn", "-", "--model", model, stdin=text)
    assert done.returncode == 1
    assert "oops" in done.stderr
    assert model.exists()


def test_options_of_an_existing_model_cannot_change(tmp_path, table):
    model = tmp_path / "toys.model"
    here("learn", table, "--model", model)
    done = here("learn", table, "--model", model, "--set", "memory_limit=64KB")
    assert done.exit_code == 1
    assert "its options cannot be changed" in done.stderr


def test_a_directory_that_cannot_be_written_is_named_before_learning(tmp_path, table):
    done = here("learn", table, "--model", tmp_path / "nowhere" / "m")
    assert done.exit_code == 1
    assert "nowhere: cannot keep a model there" in done.stderr


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    for learner in ("shrubs", "no-change", "majority-class"):
        for stream in ("agrawal_a", "led_a"):
            done = here("run", learner, stream, "-n", 500, "--results", folder / "results.jsonl")
            assert done.exit_code == 0
    return folder


def test_the_report_of_a_directory_is_that_of_a_study(study):
    pytest.importorskip("matplotlib")
    done = here("report", study)
    assert done.exit_code == 0
    assert f"The report is in {study}/report.html" in done.stdout
    assert "Area under the Pareto front" in (study / "report.html").read_text(encoding="utf-8")
    assert "500 of 1,000,000 examples" in (study / "tables" / "best.md").read_text()
    assert (study / "figures" / "critical-difference-ours.pdf").exists()


def test_failed_runs_are_left_out_of_the_report_of_a_file(study, tmp_path):
    lines = (study / "results.jsonl").read_text().splitlines()
    failed = {**json.loads(lines[0]), "metrics": {}, "failure": "time", "seed": 99}
    results = tmp_path / "results.jsonl"
    results.write_text("\n".join([*lines, json.dumps(failed)]) + "\n")
    done = here("report", results, "-o", tmp_path / "report.html")
    assert done.exit_code == 0
    assert "left out runs that failed: 1" in done.stderr


def test_a_file_of_failures_has_no_report(study, tmp_path):
    line = (study / "results.jsonl").read_text().splitlines()[0]
    (tmp_path / "results.jsonl").write_text(json.dumps({**json.loads(line), "failure": "crash"}))
    done = here("report", tmp_path / "results.jsonl")
    assert (done.exit_code, "holds no results" in done.stderr) == (1, True)


def test_a_directory_without_results_is_no_study(tmp_path):
    done = here("report", tmp_path)
    assert done.exit_code == 1
    assert "results.jsonl: No such file" in done.stderr


def test_brackets_in_an_error_are_shown(tmp_path):
    # They name an extra in "pip install 'shrubs[moa]'", and must not be read as a style.
    done = here("run", "shrubs", tmp_path / "none[moa].csv")
    assert done.exit_code == 1
    assert "none[moa].csv" in done.stderr


def test_a_learner_of_this_directory_runs_by_its_import_path(tmp_path):
    (tmp_path / "mine.py").write_text(
        "class Fixed:\n"
        "    def __init__(self, label=0):\n"
        "        self.label = label\n"
        "    def learn_one(self, x, y): pass\n"
        "    def predict_one(self, x): return self.label\n"
    )
    done = shrubs("run", "mine:Fixed", "sea", "-n", 300, "--set", "label=1", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["configuration"] == {"label": 1}
    done = shrubs("race", "sea", "-l", "mine:Fixed,mine:Fxed", "-n", 300, cwd=tmp_path)
    assert done.returncode == 1
    assert "'mine' has no 'Fxed'; did you mean 'Fixed'?" in done.stderr
    done = shrubs("race", "sea", "-l", "mine:Fixed,no-change", "-n", 300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_an_interrupted_run_goes_on_from_its_checkpoint(tmp_path):
    learner = "tests.unit.experiments.bad_learners:Interrupts"
    run = ["run", learner, "agrawal_a", "-n", 9000, "--json", "--set"]
    first, again = (
        shrubs(*run, "at=3500", "--checkpoint", tmp_path / "c", cwd=ROOT) for _ in range(2)
    )
    interrupted, resumed = json.loads(first.stdout), json.loads(again.stdout)
    whole = json.loads(shrubs(*run, "at=0", cwd=ROOT).stdout)
    assert (first.returncode, interrupted["finished"]) == (130, False)
    assert 3500 <= interrupted["n_examples"] < 9000
    assert (again.returncode, resumed["n_examples"]) == (0, 9000)
    assert resumed["metrics"]["accuracy"] == whole["metrics"]["accuracy"]
    assert resumed["found_drifts"] == whole["found_drifts"]


@pytest.mark.parametrize("output", ["/proc/shrubs", "a-file/shrubs"])
def test_an_output_that_cannot_be_written_is_named_before_the_race(tmp_path, output):
    (tmp_path / "a-file").write_text("")
    done = shrubs("race", "sea", "-n", 500, "-o", output, cwd=tmp_path)
    assert done.returncode == 1
    assert output in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_directory_is_named_before_the_run(tmp_path):
    tmp_path.chmod(0o500)
    done = shrubs("run", "no-change", "sea", "-n", 500, "--results", tmp_path / "r.jsonl")
    assert done.returncode == 1
    assert "Permission denied" in done.stderr


@pytest.mark.parametrize("learner", ["shrubs", "no-change", "majority-class", "windowed-tree"])
def test_a_class_may_appear_late_in_a_pipe(learner):
    early = [f"{i % 5},{'ab'[i % 2]}" for i in range(3000)]
    late = [f"{i % 5},{'abc'[i % 3]}" for i in range(3000)]
    text = "\n".join(["x,target", *early, *late, ""])
    done = here("run", learner, "-", "--json", stdin=text)
    assert done.exit_code == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["n_examples"], record["classes"]) == (6000, ["a", "b", "c"])


def test_the_version_is_shown_and_the_package_is_a_command():
    from shrubs import __version__

    assert here("--version").stdout == f"shrubs {__version__}\n"
    module = [sys.executable, "-m", "shrubs", "--version"]
    done = subprocess.run(module, capture_output=True, text=True, check=True)
    assert done.stdout == f"shrubs {__version__}\n"


def test_a_shell_completes_commands():
    asked = {"_SHRUBS_COMPLETE": "complete_bash", "COMP_WORDS": "shrubs stu", "COMP_CWORD": "1"}
    done = subprocess.run(
        [Path(sys.executable).parent / "shrubs"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["study", "studies"]


def test_what_is_missing_can_be_had(tmp_path):
    empty = {"SHRUBS_DATA": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    listed = here("streams", env=empty).stdout
    assert "weather: shrubs fetch weather" in listed
    assert "airlines: put airlines.csv.xz into the SHRUBS_DATA directory" in listed
    rows = map(json.loads, here("streams", "--json", env=empty).stdout.splitlines())
    remedies = {row["name"]: row["remedy"] for row in rows if not row["available"]}
    assert remedies["weather"] == "shrubs fetch weather"
    done = here("fetch", "airlines", env=empty)
    assert (done.exit_code, "airlines has no public address" in done.stderr) == (1, True)
    done = here("fetch", "elecc", env=empty)
    assert "did you mean 'elec'?" in done.stderr
    (tmp_path / "elec.parquet").write_text("")
    assert here("fetch", "elec", env=empty).stdout == "elec is here already\n"


def test_whole_numbers_are_classes_if_they_are_said_to_be(tmp_path):
    table, model = tmp_path / "digits.data", tmp_path / "digits.model"
    table.write_text("size,target\n" + "".join(f"{i % 7},{i % 30}\n" for i in range(90)))
    done = here("learn", table, "-m", model, "--format", "csv", "--task", "classes")
    assert done.exit_code == 0, done.stderr
    from shrubs import load

    assert len(load(model).classes_) == 30
    assert here("learn", table, "-m", model, "--format", "csv").exit_code == 0
    done = here("learn", table, "-m", model, "--format", "csv", "--task", "targets")
    assert f"error {model}: this model learned classes, it cannot learn targets" in done.stderr
    done = here("predict", model, table, "--format", "csv")
    assert len(done.stdout.split()) == 90
    options = ("--format", "csv", "--task", "targets", "--json")
    assert json.loads(here("run", "no-change", table, *options).stdout)["classes"] is None


def test_rows_without_a_label_are_counted_and_skipped(tmp_path):
    table = tmp_path / "toys.csv"
    table.write_text("size,target\n" + "".join(f"{i},{'ab?'[i % 3]}\n" for i in range(90)))
    line = f"warning {table}: 30 rows without a label are skipped"
    run = here("run", "no-change", table, "--json")
    assert (json.loads(run.stdout)["n_examples"], run.stderr.strip()) == (60, line)
    race = shrubs("race", table, "-l", "no-change", "-o", tmp_path / "race")
    assert line in race.stderr.splitlines()
    learned = here("learn", "-", "-m", tmp_path / "m", stdin=table.read_text())
    assert "learned 60 examples" in learned.stdout
    assert "warning -: 30 rows without a label are skipped" in learned.stderr


def test_numbers_that_are_read_as_categories_are_told(tmp_path):
    table = tmp_path / "toys.csv"
    rows = (";".join([f"{i},5"] * 5 + ["ab"[i % 2]]) + "\n" for i in range(40))
    table.write_text("a;b;c;d;e;target\n" + "".join(rows))
    seen = "are read as categories but look like numbers, such as '0,5'; write them like 1234.5"
    lines = [f"warning {table}: the values of column '{name}' {seen}" for name in "abc"]
    lines.append(f"warning {table}: so it is with 2 more columns")
    assert here("run", "no-change", table, "--json").stderr.strip().splitlines() == lines
    race = shrubs("race", table, "-l", "no-change", "-o", tmp_path / "race")
    assert lines == [line for line in race.stderr.splitlines() if line.startswith("warning")]
    assert lines[0] in here("learn", table, "-m", tmp_path / "m").stderr


def test_a_column_that_the_model_knows_is_missed(tmp_path, table):
    model = tmp_path / "toys.model"
    here("learn", table, "--model", model)
    new = tmp_path / "new.csv"
    new.write_text("size\n1\n")
    done = here("predict", model, new)
    assert len(done.stdout.splitlines()) == 1
    assert f"warning {new}: a column that the model knows is missing: 'colour'" in done.stderr
    assert here("predict", model, table).stderr == ""


def test_what_a_new_column_holds_is_decided_by_the_whole_file(tmp_path, table):
    model, new = tmp_path / "toys.model", tmp_path / "new.csv"
    here("learn", table, "--model", model)
    new.write_text("size,colour,code\n" + "1,red,7\n" * 300 + "1,red,x7\n" * 400)
    done = here("predict", model, new)
    assert (done.exit_code, len(done.stdout.split())) == (0, 700), done.stderr


@pytest.mark.parametrize("by", ["file", "pipe"])
def test_categories_that_look_like_numbers_stay_categories(tmp_path, by):
    table, model = tmp_path / "toys.csv", tmp_path / "toys.model"
    table.write_text("code,target\n" + "".join(f"{i % 4},{'ab'[i % 4 == 2]}\n" for i in range(400)))
    here("learn", table, "--model", model, "--nominal", "code")
    text = "code\n2\n3\n"
    (tmp_path / "new.csv").write_text(text)
    file = "-" if by == "pipe" else tmp_path / "new.csv"
    assert shrubs("predict", model, file, stdin=text).stdout.split() == ["b", "a"]


@pytest.mark.parametrize("nominal", [[], ["--nominal", "when"]])
def test_dates_are_learned_and_predicted(tmp_path, nominal):
    table, model = tmp_path / "toys.csv", tmp_path / "toys.model"
    rows = [f"2024-01-{1 + i % 28:02}T{i % 24:02}:30,{'ab'[i % 24 > 11]}\n" for i in range(500)]
    table.write_text("when,target\n" + "".join(rows))
    assert here("learn", table, "--model", model, *nominal).exit_code == 0
    done = here("predict", model, table)
    right = [
        row.endswith(f",{line}\n") for row, line in zip(rows, done.stdout.split(), strict=True)
    ]
    assert sum(right) > 450 or nominal
    assert done.stderr == ""
    from shrubs import load

    assert load(model).text_features() == nominal[1:]


def test_a_value_of_another_kind_tells_of_nominal(tmp_path):
    table = tmp_path / "toys.csv"
    table.write_text("size,target\n" + "".join(f"{i},{i % 2}\n" for i in range(90)) + "abc,1\n")
    message = (
        "error toys.csv, line 92, column 'size': 'abc' is not a number; if the column holds "
        "categories, give --nominal 'size'\n"
    )
    assert here("run", "no-change", table).stderr == message
    assert here("race", table, "-o", tmp_path / "race").stderr == message
    assert here("learn", table, "-m", tmp_path / "m").stderr == message


def test_a_model_of_a_file_is_that_of_its_rows(tmp_path, table):
    model = tmp_path / "toys.model"
    here("learn", table, "--model", model, "--nominal", "size")
    from shrubs import ShrubClassifier, load

    learner = ShrubClassifier(seed=0)
    for i in range(60):
        x = {"size": str(i % 7), "colour": "red" if i % 2 else "blue"}
        learner.learn_one(x, "yes" if i % 2 else "no")
    assert load(model).to_bytes() == learner.to_bytes()


def test_a_report_of_another_kind_is_not_overwritten(tmp_path, study):
    race, page = tmp_path / "race", tmp_path / "page.html"
    shrubs("race", "sea", "-l", "no-change", "-n", 300, "-o", race)
    assert here("report", race, "-o", page).exit_code == 0
    assert "shrubs race" in page.read_text(encoding="utf-8")[:4096]
    assert here("report", race).stdout == f"The report is in {race}/report.html\n"
    results = study / "results.jsonl"
    (tmp_path / "study").mkdir()
    (tmp_path / "study/results.jsonl").write_text(results.read_text())
    (tmp_path / "study/study.toml").write_text("")
    done = here("report", tmp_path / "study", "-o", race / "report.html")
    assert f"{race}/report.html is the report of a race" in done.stderr
    done = here("race", "sea", "-l", "no-change", "-n", 300, "-o", tmp_path / "study")
    assert f"{tmp_path}/study holds a study; choose another directory" in done.stderr
