import io
from dataclasses import replace

import pytest

pytest.importorskip("rich")

from rich.console import Console

from shrubs.cli.summary import summary, verdict
from shrubs.experiments.job import Job, do_job

JOBS = [Job("no-change", "sea", {}, {"n_examples": 500}, seed) for seed in range(4)]
RECORD = do_job(JOBS[0])


def rows(table):
    console = Console(file=io.StringIO(), width=120)
    console.print(table)
    return [line.split() for line in console.file.getvalue().splitlines()]


def scored(label, stream, accuracy, **changes):
    metrics = {**RECORD.metrics, "accuracy": accuracy, "max_memory_bytes": 1024.0}
    return replace(RECORD, label=label, stream=stream, metrics=metrics, **changes)


def test_the_summary_counts_what_became_of_many_runs():
    records = [JOBS[0].failed("time", ""), JOBS[1].failed("crash", ""), RECORD]
    shown = rows(summary(records, 4))
    assert shown[1:] == [["NC", "1", "1", "1"], ["3", "of", "4", "runs", "1", "1", "1"]]


def test_the_summary_shows_single_runs_best_first_and_failures_last():
    records = [
        scored("worse", "sea", 0.5),
        JOBS[0].failed("memory", ""),
        scored("better", "sea", 0.75),
        scored("best", "agrawal_a", 0.9, finished=False),
    ]
    shown = rows(summary(records, 4))
    assert [row[:3] for row in shown[1:]] == [
        ["agrawal_a", "best", "(interrupted)"],
        ["sea", "better", "75.00"],
        ["sea", "worse", "50.00"],
        ["sea", "NC", "(failed:"],
    ]
    assert shown[-1][-5:] == ["-"] * 5


def test_the_winner_is_best_on_all_streams():
    records = [scored(name, s, a) for name, a in (("a", 0.5), ("b", 0.6)) for s in ("x", "y")]
    records.append(scored("c", "x", 0.9))
    assert verdict(records) == (
        "b wins over 2 streams with 60.0% right in 1.0 KB, 10.0 points ahead of a (1.0 KB)."
    )
    assert verdict(records[:2]) == "Too few finished runs to name a winner."


def test_a_regression_is_won_by_r2():
    metrics = {"r2": 0.5, "rmse": 1.0, "mae": 1.0, "max_memory_bytes": 1024.0}
    records = [replace(RECORD, label="a", metrics=metrics),
               replace(RECORD, label="b", metrics={**metrics, "r2": 0.25})]  # fmt: skip
    assert rows(summary(records, 2))[0][:4] == ["stream", "learner", "R²", "RMSE"]
    assert verdict(records) == (
        "a wins over one stream with an R² of 0.500 in 1.0 KB, 0.250 ahead of b (1.0 KB)."
    )


def test_classes_and_targets_have_a_table_and_a_winner_each():
    metrics = {"r2": 0.5, "rmse": 1.0, "mae": 1.0, "max_memory_bytes": 1024.0}
    records = [
        scored("a", "sea", 0.5),
        scored("b", "sea", 0.75),
        replace(RECORD, label="a", stream="ramp", metrics=metrics),
        replace(RECORD, label="b", stream="ramp", metrics={**metrics, "r2": 0.25}),
        replace(JOBS[0].failed("time", ""), label="c", stream="ramp"),
    ]
    shown = rows(summary(records, 5))
    assert [row[:2] for row in shown] == [
        ["stream", "learner"], ["sea", "b"], ["sea", "a"], [],
        ["stream", "learner"], ["ramp", "a"], ["ramp", "b"], ["ramp", "c"],
    ]  # fmt: skip
    assert verdict(records) == (
        "b wins over one stream of classes with 75.0% right in 1.0 KB, 25.0 points ahead of a "
        "(1.0 KB).\na wins over one stream of targets with an R² of 0.500 in 1.0 KB, 0.250 "
        "ahead of b (1.0 KB)."
    )
    assert verdict(records[:3]).endswith(
        "\nToo few finished runs on streams of targets to name a winner."
    )


def test_80_columns_cut_no_name():
    label = "the-largest-of-all-adaptive-random-forests"
    console = Console(file=io.StringIO(), width=80)
    console.print(summary([scored(label, "gas-sensor-8of10", 0.5)], 1))
    head, *lines = console.file.getvalue().splitlines()
    start, end = head.index("learner"), head.index("right %") - 1
    assert "".join(line[start:end].strip() for line in lines) == label
    assert "right %  kappa-t %  running %" in head
