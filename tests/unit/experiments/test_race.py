import re

import pytest

from shrubs.experiments.race import choose_stream, make_race
from shrubs.experiments.study import Limits


def stream(text, **file_options):
    return choose_stream(text, n_examples=100, one_hot=False, **file_options)


def race(*learners, settings=(), **options):
    return make_race([stream("sea"), stream("sine")], learners, settings, **options)


@pytest.fixture
def targets(tmp_path):
    file = tmp_path / "targets.csv"
    file.write_text("a,b,y\n" + "".join(f"{i},{i % 3},{i / 7:.3f}\n" for i in range(60)))
    return str(file)


def test_every_learner_meets_every_stream_once():
    jobs = race("no-change", "windowed-tree", seed=3, delay=5).jobs()
    assert [(job.stream, job.learner) for job in jobs] == [
        ("sea", "no-change"),
        ("sea", "windowed-tree"),
        ("sine", "no-change"),
        ("sine", "windowed-tree"),
    ]
    assert {(job.seed, job.delay) for job in jobs} == {(3, 5)}


def test_one_learner_races_twice_under_two_labels():
    jobs = race(
        "windowed-tree",
        "small=windowed-tree",
        settings=["small.window_size=16", "small.splitter=random", "windowed-tree.max_depth=3"],
    ).jobs()
    assert {(job.label, job.learner): job.configuration for job in jobs} == {
        ("WT", "windowed-tree"): {"max_depth": 3},
        ("small", "windowed-tree"): {"window_size": 16, "splitter": "random"},
    }


def test_a_setting_reaches_a_learner_with_dots_in_its_name():
    path = "tests.unit.experiments.bad_learners:Notes"
    (job, _) = race(path, settings=[f'{path}.file="a.b=c"']).jobs()
    assert job.configuration == {"file": "a.b=c"}


def test_there_are_no_limits_unless_given():
    assert race("no-change").limits == Limits(*[float("inf")] * 4)
    limits = race("no-change", max_seconds=5, max_memory=1000).limits
    assert (limits.max_seconds, limits.max_wall_seconds, limits.max_model_bytes) == (5, 20, 1000)


@pytest.mark.parametrize(
    ("learners", "settings", "message"),
    [
        (["no-chnge"], [], "unknown learner 'no-chnge'; did you mean 'no-change'?"),
        (["a=no-chnge"], [], "unknown learner 'no-chnge'; did you mean 'no-change'?"),
        (["no-change", "no-change"], [], "learner 'no-change' is given twice; give one a label"),
        (["a=no-change", "a=windowed-tree"], [], "learner 'a' is given twice"),
        (["no-change", "a=no-change"], [], "'no-change' and 'a' are the same; give one another"),
        (["no-change", "NC=windowed-tree"], [], "'no-change' and 'NC' are the same"),
        (["windowed-tree"], ["windowed-tree.windw=1"], "did you mean 'window_size'?"),
        (["windowed-tree"], ["windowed-tree.window_size=0"], "window_size must be at least 1"),
        (
            ["small=windowed-tree"],
            ["smal.max_depth=1"],
            "no learner 'smal' is in this race; did you",
        ),
        (["windowed-tree"], ["max_depth=1"], "--set takes LEARNER.NAME=VALUE in a race, got"),
        (["windowed-tree"], ["windowed-tree.max_depth"], "--set takes LEARNER.NAME=VALUE"),
        (["windowed-tree"], ["windowed-tree.splitter={a}"], "no range is called 'a'"),
    ],
)
def test_a_mistake_is_named(learners, settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        race(*learners, settings=settings)


def test_streams_are_told_apart(targets):
    with pytest.raises(ValueError, match="stream 'sea' is given twice"):
        make_race([stream("sea"), stream("sea")], ["no-change"])
    with pytest.raises(ValueError, match="unknown stream 'seaa'; did you mean 'sea'"):
        stream("seaa")
    with pytest.raises(ValueError, match="streams that can be read twice, not standard input"):
        make_race([stream("-")], ["no-change"])
    with pytest.raises(OSError, match=r"nothing\.csv"):
        make_race([stream("nothing.csv")], ["no-change"])


def test_a_file_brings_its_options(targets):
    chosen = stream(targets, target="a", nominal=["b"])
    (job,) = make_race([chosen], ["no-change"]).jobs()
    assert (job.stream, job.file) == ("targets", targets)
    assert job.stream_options == {"n_examples": 100, "target": "a", "nominal": ["b"]}
    assert stream("sea", target="a").options == {"n_examples": 100}


def test_by_default_those_race_that_take_the_stream(targets):
    def learners(*streams):
        return {job.learner for job in make_race(streams).jobs()}

    assert {"no-change", "majority-class"} <= learners(stream("sea"))
    assert "no-change" in learners(stream(targets))
    assert "majority-class" not in learners(stream("sea"), stream(targets))


def test_a_learner_of_classes_is_refused_before_a_regression(targets):
    with pytest.raises(ValueError, match="'majority-class' takes classes, but this stream has"):
        make_race([stream(targets)], ["majority-class"])
