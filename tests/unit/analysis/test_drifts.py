from shrubs.analysis.drifts import detection_delays


def test_the_first_detection_after_a_drift_counts():
    assert detection_delays([100], [110, 150]) == [10]


def test_a_detection_before_the_first_drift_counts_for_none():
    assert detection_delays([100], [50]) == [None]


def test_a_detection_after_the_next_drift_does_not_count_for_the_one_before():
    assert detection_delays([100, 200], [205]) == [None, 5]


def test_a_detection_at_the_drift_has_no_delay():
    assert detection_delays([100], [100]) == [0]


def test_without_known_drifts_there_are_no_delays():
    assert detection_delays([], [5]) == []
