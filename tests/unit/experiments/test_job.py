import pytest

from shrubs.experiments.job import Job, do_job
from shrubs.experiments.registry import make_stream


@pytest.fixture
def targets(tmp_path):
    file = tmp_path / "targets.csv"
    file.write_text("a,target\n" + "".join(f"{i},{i / 7:.3f}\n" for i in range(60)))
    return str(file)


def test_a_shorter_stream_of_the_paper_keeps_its_drifts():
    record = do_job(Job("no-change", "led_a", {}, {"n_examples": 4000}))
    assert record.known_drifts == (1000, 2000, 3000)


def test_a_regression_refuses_a_learner_of_classes(targets):
    with pytest.raises(ValueError, match="'majority-class' takes classes, but this stream has"):
        do_job(Job("majority-class", "targets", file=targets))
    assert do_job(Job("no-change", "targets", file=targets)).metrics["r2"] is not None


def test_a_record_names_the_stream_and_not_its_place(targets):
    job = Job("no-change", "mine", {}, {"target": "a", "nominal": ["target"]}, file=targets)
    record = do_job(job)
    assert record.run_id == job.run_id
    assert record.stream == "mine"
    assert targets not in record.to_json()


def test_a_file_can_be_encoded_as_the_paper_does(tmp_path):
    file = tmp_path / "colours.csv"
    file.write_text("colour,target\nred,yes\nblue,no\n")
    stream = make_stream("colours", file=str(file), one_hot=True)
    assert [f.name for f in stream.schema.features] == ["colour=blue", "colour=red"]
    with pytest.raises(ValueError, match="one_hot needs a file that can be read twice"):
        make_stream("stdin", file="-", one_hot=True)


def test_the_label_is_that_of_the_registry_unless_given():
    assert Job("no-change", "sea").label == "NC"
    assert do_job(Job("no-change", "sea", {}, {"n_examples": 10}, label="last")).label == "last"
