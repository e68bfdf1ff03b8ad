from dataclasses import replace

from shrubs.analysis.traces import curve, kept_positions, life


def test_long_traces_are_thinned_and_keep_their_end():
    kept = kept_positions(10_001, 250)
    assert len(kept) <= 250
    assert kept[-1] == 10_000


def test_a_metric_that_was_not_traced_has_no_curve(records):
    assert curve(records[0], "mae") is None


def test_a_record_without_trace_has_neither_curve_nor_life(records):
    bare = replace(records[0], trace={}, shrubs=())
    assert (curve(bare, "accuracy"), life(bare)) == (None, None)


def test_births_and_deaths_are_counted_between_points(ensemble):
    # Born 3 and 8 first; then 15 and 19 come and 3 goes; then 8 and 15 go.
    assert life(ensemble).births == (2, 2, 0)
    assert life(ensemble).deaths == (0, 1, 2)


def test_members_are_given_by_age(ensemble):
    assert life(ensemble).members[1] == ((12, 0.5), (5, 0.3), (1, 0.2))


def test_delays_are_those_of_the_known_drifts(ensemble):
    assert life(ensemble).delays == (2,)


def test_a_single_tree_has_no_life(records):
    assert life(records[2]) is None


def test_a_metric_that_was_never_known_has_no_curve(records):
    trace = {**records[0].trace, "windowed_auc": [None] * len(records[0].trace["n_examples"])}
    assert curve(replace(records[0], trace=trace), "windowed_auc") is None
