import re
from collections import Counter
from pathlib import Path

import pytest

from shrubs.experiments.job import do_job
from shrubs.experiments.registry import LEARNERS
from shrubs.experiments.study import Limits
from shrubs.experiments.study_file import find_study, named_studies, read_study

ROOT = Path(__file__).parents[3]

SMALL = """
name = "small"
configurations = 2
[[streams]]
names = ["sea", "sine"]
n_examples = 500
[[methods]]
learner = "windowed-tree"
ranges.window_size = [8, 16, 32]
[[methods]]
learner = "no-change"
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "small.toml"


def test_every_configuration_meets_every_stream(file):
    file.write_text(SMALL)
    jobs = read_study(file).jobs()
    assert Counter((job.learner, job.stream) for job in jobs) == {
        ("windowed-tree", "sea"): 2,
        ("windowed-tree", "sine"): 2,
        ("no-change", "sea"): 1,
        ("no-change", "sine"): 1,
    }
    assert all(job.stream_options == {"n_examples": 500} and job.seed == 1 for job in jobs)


def test_first_configurations_come_first(file):
    file.write_text(SMALL)
    jobs = read_study(file).jobs()
    assert {(job.learner, job.stream) for job in jobs[:4]} == {
        (learner, stream)
        for learner in ("windowed-tree", "no-change")
        for stream in ("sea", "sine")
    }


def test_runs_do_not_depend_on_what_else_is_in_the_file(file):
    file.write_text(SMALL)
    alone = {job.run_id for job in read_study(file).jobs() if job.learner == "windowed-tree"}
    more = '[[methods]]\nlearner = "shrubs-paper"\nranges.window_size = [16]\n'
    head, methods = SMALL.split("[[methods]]", 1)
    file.write_text(head + more + "[[methods]]" + methods)
    jobs = read_study(file).jobs()
    assert {job.run_id for job in jobs if job.learner == "windowed-tree"} == alone


def test_runs_carry_the_label_of_their_method(file):
    file.write_text(SMALL.replace('"windowed-tree"', '"windowed-tree"\nlabel = "small tree"'))
    jobs = read_study(file).jobs()
    assert {(job.learner, job.label) for job in jobs} == {
        ("windowed-tree", "small tree"),
        ("no-change", "NC"),
    }
    assert do_job(jobs[0]).label == jobs[0].failed("error", "").label == jobs[0].label


def test_every_seed_has_its_runs(file):
    file.write_text(SMALL.replace("configurations = 2", "configurations = 2\nseeds = [1, 2, 3]"))
    jobs = read_study(file).jobs()
    assert len(jobs) == 18
    assert len({job.run_id for job in jobs}) == 18


def test_limits_have_defaults(file):
    file.write_text(SMALL)
    assert read_study(file).limits == Limits(7200, 28800, 104_857_600, 2_147_483_648)
    file.write_text(SMALL + "[limits]\nmax_seconds = 5\n")
    assert read_study(file).limits == Limits(5, 20, 104_857_600, 2_147_483_648)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name =", "nmae =", "small.toml: unknown key 'nmae'; did you mean 'name'? known are name"),
        ('"small"', "3", "small.toml: name must be a text, got 3"),
        (
            '"small"',
            '"a/b"',
            "name must be letters, digits, '_', '-' and '.', got 'a/b'",
        ),
        ("= 2", "= 0", "small.toml: configurations must be at least 1, got 0"),
        ("= 2", "= true", "small.toml: configurations must be a whole number, got True"),
        ("= 2", "= ", "small.toml is not TOML: "),
        ("= 500", "= -1", "streams[0]: n_examples must be at least 1, got -1"),
        ('"sea", ', '"elecc", ', "streams[0]: unknown stream 'elecc'; did you mean 'elec'?"),
        ('"sea", ', '"sine", ', "streams[0]: stream 'sine' is listed twice"),
        ('["sea", "sine"]', "[]", "streams[0]: names must hold at least one text, got []"),
        ("names", "name", "streams[0]: unknown key 'name'; did you mean 'names'?"),
        ('"no-change"', '"no-chnge"', "methods[1]: unknown learner 'no-chnge'; did you mean"),
        ("learner = ", "learn = ", "methods[0]: unknown key 'learn'; did you mean 'learner'?"),
        ("[8, 16, 32]", "[]", "methods[0], ranges: window_size must hold at least one value"),
        ("[8, 16, 32]", "8", "methods[0], ranges: window_size must be a list, got 8"),
        ("[8, 16, 32]", "[8, 0]", "methods[0]: window_size must be at least 1, got 0"),
        ("window_size", "windw", "unknown option 'windw'; did you mean 'window_size'?"),
        (
            "ranges.window",
            'options.loss = "{los}"\nranges.window',
            "methods[0]: options: no range is called 'los'; known are window_size",
        ),
        ("[[methods]]", "[limits]\nmax_second = 1\n[[methods]]", "did you mean 'max_seconds'"),
        ("[[streams]]", "[streams]", "streams must be a list, got"),
        ("[[streams]]", "[[finalists]]\nbest = 0\n[[streams]]", "finalists[0]: best must be at"),
        ("[[streams]]", "[[finalists]]\n[[streams]]", "finalists[0]: the key 'best' is missing"),
    ],
)
def test_a_mistake_is_named_with_its_place(file, old, new, message):
    file.write_text(SMALL.replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(message)):
        read_study(file)


FINALISTS = """
[[finalists]]
best = 1
[[finalists]]
best = 1
max_bytes = 2000
"""


def test_the_best_earlier_runs_are_done_again_on_the_streams_of_the_study(file):
    file.write_text(SMALL)
    earlier = [do_job(job) for job in read_study(file).jobs() if job.learner == "windowed-tree"]
    file.write_text(SMALL.replace("500", "600") + FINALISTS)
    study = read_study(file, earlier=earlier)
    jobs = [job for job in study.jobs() if job.configuration in [r.configuration for r in earlier]]
    best = max((r for r in earlier if r.stream == "sea"), key=lambda r: r.metrics["accuracy"])
    assert best.configuration in [job.configuration for job in jobs if job.stream == "sea"]
    assert all(job.stream_options == {"n_examples": 600} and job.label == "WT" for job in jobs)
    assert study.skipped() == []


def test_finalists_without_earlier_runs_are_skipped_in_one_line(file):
    file.write_text(SMALL + FINALISTS)
    study = read_study(file)
    assert {job.learner for job in study.jobs()} == {"windowed-tree", "no-change"}
    assert study.skipped() == [
        "finalists: no earlier runs; --best-of names the directory of a study"
    ]


def test_earlier_runs_need_finalists(file):
    file.write_text(SMALL)
    earlier = [do_job(read_study(file).jobs()[0])]
    with pytest.raises(ValueError, match="toml has no finalists that could be the best"):
        read_study(file, earlier=earlier)


def test_drifts_are_scaled_unless_a_study_says_otherwise(file):
    def options():
        return read_study(file).streams[0].options

    file.write_text(SMALL)
    assert options() == {"n_examples": 500}
    file.write_text(SMALL.replace("= 500", "= 500\nscale_drifts = true"))
    assert options() == {"n_examples": 500}
    file.write_text(SMALL.replace("= 500", "= 500\nscale_drifts = false"))
    assert options() == {"n_examples": 500, "scale_drifts": False}


def test_a_study_needs_methods(file):
    file.write_text(SMALL.split("[[methods]]", maxsplit=1)[0])
    with pytest.raises(ValueError, match="the key 'methods' is missing"):
        read_study(file)


def test_streams_without_data_are_skipped_in_one_line(file, tmp_path, monkeypatch):
    monkeypatch.setenv("SHRUBS_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file.write_text(SMALL.replace('"sine"', '"elec", "covtype"'))
    study = read_study(file)
    assert {job.stream for job in study.jobs()} == {"sea"}
    (line,) = study.skipped()
    assert line.startswith("elec, covtype: no data on this machine; set SHRUBS_DATA")


def test_methods_that_are_not_installed_are_skipped_in_one_line(file, monkeypatch):
    for name in ("moa:efdt", "moa:naive-bayes"):
        # What an installation without its module looks like.
        entry = LEARNERS[name].__class__(**{**vars(LEARNERS[name]), "needs": "no_such_module"})
        monkeypatch.setitem(LEARNERS, name, entry)
    more = "".join(f'[[methods]]\nlearner = "{n}"\n' for n in ("moa:efdt", "moa:naive-bayes"))
    file.write_text(SMALL + more)
    study = read_study(file)
    assert {job.learner for job in study.jobs()} == {"windowed-tree", "no-change"}
    assert study.skipped() == ["moa:efdt, moa:naive-bayes: pip install 'shrubs[moa]'"]


PAPER = {
    "shrubs-paper": 50,
    "windowed-tree": 50,
    "soft-trees": 50,
    "moa:streaming-random-patches": 50,
    "moa:oza-bag": 50,
    "moa:adaptive-random-forest": 20,
    "moa:hoeffding-tree": 18,
    "moa:efdt": 18,
    "moa:online-smooth-boost": 5,
    "moa:naive-bayes": 1,
}


def test_the_study_of_the_paper_has_its_312_configurations_per_stream():
    study = read_study(find_study("paper"))
    sizes = {m.learner: min(m.space.size, m.configurations) for m in study.methods}
    assert sum(PAPER.values()) == 312
    assert sizes == {**PAPER, "shrubs": 1, "no-change": 1, "majority-class": 1}
    assert len(study.streams) == 12
    assert (study.limits.max_seconds, study.limits.max_model_bytes) == (2 * 3600, 100 * 1024**2)


def test_the_miniature_asks_the_same_questions():
    paper, mini = (read_study(find_study(name)) for name in ("paper", "mini"))
    assert [m.learner for m in mini.methods] == [m.learner for m in paper.methods]
    assert {s.name for s in mini.streams} == {s.name for s in paper.streams}
    for ours, theirs in zip(mini.methods, paper.methods, strict=True):
        assert ours.space.options == theirs.space.options
        for name, values in ours.space.ranges.items():
            assert set(values) <= set(theirs.space.ranges[name])


def test_the_search_has_the_ranges_of_the_paper():
    paper, search, prefix = (
        read_study(find_study(n)) for n in ("paper", "search", "search-prefix")
    )
    spaces = {m.learner: dict(m.space.ranges) for m in search.methods}
    printed = {m.learner: dict(m.space.ranges) for m in paper.methods}
    assert spaces["shrubs-paper"] == printed["shrubs-paper"]
    assert {**spaces["windowed-tree"], "regrow": ["on_error", "always"]} == printed["windowed-tree"]
    assert {s.name for s in search.streams} == {s.name for s in paper.streams}
    assert prefix.methods == search.methods
    assert {m.label or m.learner for m in search.methods} == {"SE", "shrubs-paper", "windowed-tree"}


def test_the_full_study_has_all_hoeffding_trees_on_whole_streams():
    paper, full = (read_study(find_study(name)) for name in ("paper", "full"))
    assert {s.name for s in full.streams} == {s.name for s in paper.streams}
    assert all(s.options == {"n_examples": None, "one_hot": True} for s in full.streams)
    for learner in ("moa:hoeffding-tree", "moa:efdt", "moa:naive-bayes"):
        ours, theirs = ([m for m in s.methods if m.learner == learner] for s in (full, paper))
        assert [m.space for m in ours] == [m.space for m in theirs]
    assert [(f.best, f.max_bytes) for f in full.finalists] == [
        (10, float("inf")), (5, 1024**2), (5, 128 * 1024)
    ]  # fmt: skip


def test_the_study_in_the_documents_is_one(file):
    text = (ROOT / "docs/study.md").read_text()
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    file.write_text(block)
    study = read_study(file)
    assert [m.configurations for m in study.methods] == [10, 3]
    assert study.limits == Limits(600, 2400, 104_857_600, 2_147_483_648)


FILE = """
[[streams]]
file = "data/mine.csv"
target = "label"
nominal = ["day"]
task = "classes"
format = "csv"
n_examples = 30
[[methods]]
learner = "no-change"
"""


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "data").mkdir()
    path = tmp_path / "data/mine.csv"
    path.write_text("day,x,label\n" + "".join(f"{i % 7},{i},{i % 2}\n" for i in range(40)))
    return path


def read_and_check(file):
    study = read_study(file)
    study.check(study.files())
    return study


def test_a_file_is_a_stream_relative_to_the_study(file, mine):
    file.write_text(FILE)
    (job,) = read_and_check(file).jobs()
    assert (job.stream, job.file) == ("mine", str(mine))
    assert job.stream_options == {
        "n_examples": 30, "target": "label", "nominal": ["day"], "task": "classes",
        "file_format": "csv",
    }  # fmt: skip
    record = do_job(job)
    assert (record.n_examples, record.classes, record.run_id) == (30, ("0", "1"), job.run_id)


def test_a_file_may_have_another_name(file, mine):
    named = FILE.replace("target", 'name = "days"\ntarget')
    file.write_text(named)
    assert [job.stream for job in read_study(file).jobs()] == ["days"]
    file.write_text(named + named.partition("[[methods]]")[0])
    with pytest.raises(ValueError, match=r"streams\[1\]: stream 'days' is listed twice"):
        read_study(file)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mine.csv", "yours.csv", "yours.csv"),
        ("mine.csv", "mine.dat", "mine.dat"),
        ('target = "label"', 'target = "labels"', "did you mean 'label'"),
        ('"day"', '"days"', "did you mean 'day'"),
        ('"classes"', '"classification"', "streams[0]: task must be one of auto, classes"),
        ("target =", "traget =", "streams[0]: unknown key 'traget'; did you mean 'target'?"),
        ('["day"]', '"day"', "streams[0]: nominal must be a list, got 'day'"),
        ('"csv"', '"xml"', "streams[0]: format must be one of csv, jsonl, arff, parquet, libsvm"),
        ('"no-change"', '"majority-class"', "'majority-class' takes classes, but this stream has"),
        ('"data/mine.csv"', '"-"', "streams[0]: a study needs files that can be read twice"),
    ],
)
def test_a_mistake_about_a_file_is_found_before_any_run(file, mine, old, new, message):
    text = FILE.replace(old, new)
    if "majority" in new:
        text = text.replace('"label"', '"x"').replace('"classes"', '"targets"')
    file.write_text(text)
    with pytest.raises((ValueError, OSError), match=re.escape(message)):
        read_and_check(file)


def test_a_path_wins_over_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_study("mini") == named_studies()["mini"]
    Path("mini").write_text("")
    assert find_study("mini") == Path("mini")
    with pytest.raises(ValueError, match="unknown study 'minni'; did you mean 'mini'"):
        find_study("minni")


@pytest.mark.parametrize("name", named_studies())
def test_the_studies_of_the_package_are_valid(name):
    study = read_study(find_study(name))
    assert study.name == name
    assert study.about
