"""The numbers of docs/reproduce.md follow from the tracked records."""

import math
import re
import runpy

import pytest

from shrubs.analysis import paper_numbers as paper
from shrubs.analysis.study import (
    Outcomes,
    accuracy,
    best_runs,
    compare_areas,
    compare_areas_everywhere,
    size,
)
from shrubs.results import read

from .documents import ROOT

PAGE = (ROOT / "docs/reproduce.md").read_text(encoding="utf-8")
NOTHING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"


def table(heading):
    """The rows of the first table under a heading, by stream."""
    lines = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0].splitlines()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|"
    ]
    return {row[0]: row[1:] for row in rows[2:]}


@pytest.fixture(scope="module")
def outcomes():
    return Outcomes.of(read(ROOT / "docs/study/full"))


@pytest.fixture(scope="module")
def full(outcomes):
    return best_runs(outcomes, math.inf)


@pytest.fixture(scope="module")
def mini():
    return Outcomes.of(read(ROOT / "docs/study/mini"))


def percent(share):
    return f"{100 * share:.2f}"


def kilobytes(n_bytes):
    return f"{n_bytes / 1024:,.0f}"


def ours(full, method, stream):
    """Accuracy and size; a dash where no run was left."""
    run = full.get((method, stream))
    return (NOTHING, NOTHING) if run is None else (percent(accuracy(run)), kilobytes(size(run)))


def lead(full, stream):
    """Of the better of shrub ensembles and windowed trees over what the paper prints, in points."""
    best = max(accuracy(full[method, stream]) for method in ("SE", "WT"))
    return 100 * (best - paper.ACCURACY["SE"][stream])


def signed(points):
    return f"{'+' if points >= 0 else MINUS}{abs(points):.2f}"


def test_the_table_of_the_streams_is_that_of_naive_bayes(full):
    shown = table("The streams")
    assert tuple(shown) == paper.STREAMS
    for stream, row in shown.items():
        right, kb = ours(full, "NB", stream)
        printed = paper.ACCURACY["NB"][stream], paper.SIZE["NB"][stream]
        assert row == [percent(printed[0]), right, kilobytes(printed[1]), kb]


def test_the_table_of_whole_streams_holds_the_best_runs(outcomes, full):
    shown = table("Shrub ensembles on the whole streams")
    assert tuple(shown) == paper.STREAMS
    for stream, row in shown.items():
        (se, se_kb), (wt, wt_kb) = (ours(full, method, stream) for method in ("SE", "WT"))
        auto, no_change = (ours(full, method, stream)[0] for method in ("SE auto", "NC"))
        printed = percent(paper.ACCURACY["SE"][stream]), kilobytes(paper.SIZE["SE"][stream])
        runs = [str(len(outcomes.runs(method, stream))) for method in ("SE", "WT")]
        numbers = [se, wt, signed(lead(full, stream)), auto, no_change]
        assert row == [printed[0], *numbers, printed[1], se_kb, wt_kb, *runs]


def test_on_so_many_streams_the_printed_number_is_reached(full):
    told = re.search(r"On (\w+) of twelve streams", PAGE)
    reached = sum(lead(full, stream) >= 0 for stream in paper.STREAMS)
    assert ["nine", "ten", "eleven", "twelve"].index(told[1]) + 9 == reached


def test_the_tables_of_the_paper_are_those_of_the_records(outcomes):
    made = runpy.run_path(str(ROOT / "docs/study/tables.py"))
    assert f"{made['BEGIN']}\n{made['tables'](outcomes)}\n{made['END']}" in PAGE


@pytest.mark.parametrize(
    ("compare", "names", "told"),
    [
        (
            compare_areas_everywhere,
            ("SE auto", "SE", "WT", "HTT", "HT", "NB"),
            r"SE auto ranks first with (\S+), SE has (\S+), "
            r"WT (\S+), HTT (\S+), HT (\S+), NB (\S+)\. ",
        ),
        (
            compare_areas,
            ("SE", "SRP", "ARF", "Bag", "HTT"),
            r"SE (\S+), SRP (\S+), ARF (\S+), then Bag (\S+) and HTT (\S+)\. ",
        ),
    ],
)
def test_the_ranks_on_whole_streams_are_as_told(outcomes, compare, names, told):
    found = compare(outcomes)
    ranks = dict(zip(found.methods, found.ranks, strict=True))
    text = " ".join(PAGE.split())
    numbers = [float(rank) for rank in re.search(told, text).groups()]
    assert numbers == [round(ranks[name], 2) for name in names]


def test_the_ranks_of_the_miniature_are_as_told(mini):
    found, log = compare_areas(mini), compare_areas(mini, log=True)
    ranks = dict(zip(found.methods, found.ranks, strict=True))
    told = re.search(r"SE auto is first\*\* \((\S+)\)", PAGE)
    assert float(told[1]) == round(ranks["SE auto"], 2) == round(found.ranks[0], 2)
    told = re.search(r"SE \((\S+)\) before SRP \((\S+)\)", PAGE)
    assert (float(told[1]), float(told[2])) == (round(ranks["SE"], 2), round(ranks["SRP"], 2))
    told = re.search(r"logarithmic size axis\*\* SE leads \((\S+)\)", PAGE)
    assert (log.methods[0], round(log.ranks[0], 2)) == ("SE", float(told[1]))
