from dataclasses import replace

from shrubs.analysis.runs import arrange
from shrubs.report.summary import (
    drifts_at_a_glance,
    drifts_in_words,
    facts,
    headline,
    sentence,
)


def with_accuracy(record, accuracy):
    return replace(record, metrics={**record.metrics, "accuracy": accuracy})


def test_the_sentence_names_the_winner_and_its_lead(records):
    runs = arrange([with_accuracy(records[2], 0.8), with_accuracy(records[3], 0.55)])[0]
    assert sentence(runs) == (
        "WindowedTree is right most often: 80.00 % of all predictions, "
        "25.0 points (\N{PLUS-MINUS SIGN} 6.5) ahead of NoChange. "
        "Predicting the last label again would be right on 55.00 %."
    )


def test_the_sentence_admits_that_no_change_wins(records):
    runs = arrange([with_accuracy(records[2], 0.8), with_accuracy(records[3], 0.9)])[0]
    assert sentence(runs).endswith("Nothing beats predicting the last label here.")


def test_the_lead_is_over_another_learner_not_over_another_configuration(records):
    best, second = with_accuracy(records[0], 0.9), with_accuracy(records[1], 0.89)
    runs = arrange([best, second, with_accuracy(records[2], 0.8)])[0]
    assert "10.0 points (\N{PLUS-MINUS SIGN} 4.9) ahead of WindowedTree" in sentence(runs)


def test_the_sentence_of_a_regression_speaks_of_errors(records):
    assert "has the least error: off by 0.8595 on average, 2.360" in sentence(arrange(records)[1])


def test_the_headline_of_one_stream_names_it(records):
    assert headline(arrange(records[:5])) == "ShrubClassifier leads on planes"


def test_the_headline_of_a_lone_learner_claims_no_lead(records):
    assert headline(arrange(records[:1])) == "ShrubClassifier on planes"


def test_the_headline_of_a_draw_names_nobody(records):
    assert headline(arrange(records)) == "5 learners on 2 streams"


def test_the_facts_show_no_change_even_if_it_was_not_run(records):
    assert "no-change" in {fact.label for fact in facts(arrange(records[:3])[0])}


def test_without_known_drifts_the_best_run_that_noticed_one_tells_of_it(records):
    unknown = [replace(record, known_drifts=()) for record in records[:4]]
    unknown[3] = replace(unknown[3], found_drifts=(310,))
    runs = arrange(unknown)[0]
    assert drifts_at_a_glance(runs).startswith("Errors of NoChange began to rise at 310; ")
    assert "(a drift detected from the errors of NoChange)" in drifts_in_words(runs)[0]


def test_without_any_drift_nothing_is_told(records):
    assert drifts_at_a_glance(arrange([replace(records[0], known_drifts=())])[0]) == ""


def test_a_single_drift_is_not_one_of_them(records):
    n = len(records[0].trace["n_examples"])
    trace = {**records[0].trace, "windowed_accuracy": [0.9] * (n // 2) + [0.5] * (n - n // 2)}
    text = drifts_at_a_glance(arrange([replace(records[0], trace=trace)])[0])
    assert text == "It drifted at 300; ShrubClassifier was not back by the end."
