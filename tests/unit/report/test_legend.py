from shrubs.analysis.runs import Run, arrange
from shrubs.report.legend import Legend
from tests.unit.analysis.study_records import LABELS, record


def test_configurations_of_a_learner_share_their_style_and_differ_in_dashes(records):
    shrubs = [run for run in arrange(records)[0].runs if run.learner == "ShrubClassifier"]
    entries = [Legend.of(["ShrubClassifier"]).entry(run) for run in shrubs]
    assert len({entry.style for entry in entries}) == 1
    assert len({entry.dash for entry in entries}) == 2


def test_every_method_of_a_study_has_a_look_of_its_own():
    legend = Legend.of(LABELS.values())
    entries = [legend.entry(Run(record(name, "elec"))) for name in LABELS]
    assert len({(entry.style, entry.dash) for entry in entries}) == 12
    assert len({(entry.style.slot, entry.dash) for entry in entries}) == 12
