"""The report of a study: what counts, what stands beside the paper's numbers, what is written."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from shrubs import results
from shrubs.report import write_study_report
from shrubs.report.study.comparison import areas, best_runs, tables
from shrubs.report.study.figures import (
    best_of_each,
    compare_areas,
    compare_printed,
    compared_streams,
    fronts,
)
from shrubs.report.study.outcomes import Outcomes
from shrubs.report.study.table import to_html, to_latex, to_markdown

from .study_records import MB, failed, record, small_study


@pytest.fixture(scope="module")
def outcomes():
    return Outcomes.of(small_study())


@pytest.fixture(scope="module")
def by_name(outcomes):
    return {table.name: table for table in tables(outcomes)}


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    for each in small_study():
        results.append(folder / "results.jsonl", each)
    (folder / "study.toml").write_text('name = "small <study>"\n')
    return folder


@pytest.fixture(scope="module")
def written(directory):
    return write_study_report(directory, command="shrubs report study")


def lines(table, stream):
    """By label, the texts and marks by method."""
    group = next(group for group in table.groups if group.name == stream)
    return {
        line.label: {m: (c.text, c.mark) for m, c in zip(table.columns, line.cells, strict=True)}
        for line in group.lines
    }


def test_methods_go_by_their_labels_ours_first_baselines_last(outcomes):
    assert outcomes.methods == ("SE", "HT", "NB", "NC")


def test_methods_that_the_order_does_not_name_come_before_the_baselines():
    names = ("no-change", "river:hoeffding-tree", "shrubs-paper")
    assert Outcomes.of(record(name, "elec") for name in names).methods == ("SE", "HT (River)", "NC")


def test_failed_runs_are_counted_by_method_stream_and_cause(outcomes):
    assert outcomes.dropped == {
        ("HT", "elec"): {"time": 1},
        ("HT", "led_a"): {"memory": 1, "crash": 1, "error": 1},
    }
    assert (outcomes.n_counted, sum(outcomes.n_dropped.values())) == (11, 4)


def test_a_stopped_run_does_not_count():
    found = Outcomes.of([record("shrubs-paper", "elec", finished=False)])
    assert (found.n_counted, found.n_dropped) == (0, {"stopped": 1})


def test_of_two_records_of_a_run_the_last_counts():
    first, second = record("shrubs-paper", "elec"), record("shrubs-paper", "elec", accuracy=0.7)
    assert Outcomes.of([first, second]).counted == {("SE", "elec"): (second,)}


def test_a_regression_is_no_part_of_a_study():
    with pytest.raises(ValueError, match="'shrubs-paper' on 'elec' has no mean running accuracy"):
        Outcomes.of([record("shrubs-paper", "elec", metrics={"mae": 1.0})])


def test_runs_of_two_lengths_are_refused():
    runs = [record("shrubs-paper", "elec"), record("no-change", "elec", n_examples=200)]
    with pytest.raises(ValueError, match="'elec' was run on 100 and on 200 examples"):
        Outcomes.of(runs)


def test_an_empty_study_is_refused():
    with pytest.raises(ValueError, match="at least one run"):
        Outcomes.of([])


def test_a_method_whose_runs_were_all_dropped_has_no_area(outcomes):
    found = areas(outcomes)
    assert found["HT", "led_a"] == 0.0
    assert set(found) == {(m, s) for m in outcomes.methods for s in outcomes.streams}


def test_area_of_one_model(outcomes):
    # 0.7616 right of 3 of 204,800 KB.
    assert areas(outcomes)["NB", "elec"] == pytest.approx(0.7616 * (1 - 3 / 204_800))


def test_the_best_run_depends_on_the_budget(outcomes):
    free, small = best_runs(outcomes, float("inf")), best_runs(outcomes, MB)
    assert free["SE", "elec"].metrics["mean_running_accuracy"] == 0.96
    assert small["SE", "elec"].metrics["mean_running_accuracy"] == 0.94
    assert ("HT", "led_a") not in free


def test_all_tables_of_the_paper_are_there(by_name):
    assert list(by_name) == [
        "apf",
        "apf-log",
        "best",
        "best-10-mb",
        "best-1-mb",
        "best-128-kb",
        "dropped",
    ]


def test_numbers_stand_beside_the_printed_ones_with_their_difference(by_name):
    found = lines(by_name["best"], "elec")
    assert found["accuracy %"]["SE"] == ("96.00", "best")
    assert found["paper"]["SE"] == ("94.01", "best")
    # 96 - 94.012 points; 76.16 is within half a point of 76.165.
    assert found["difference"]["SE"] == ("+1.99", "differs")
    assert found["difference"]["NB"] == ("=", "agrees")
    assert found["difference"]["HT"] == ("\N{MINUS SIGN}6.45", "differs")
    assert found["difference"]["NC"] == ("", "")


def test_no_change_has_its_kappa_temporal(by_name):
    for name in ("best", "best-10-mb", "best-1-mb", "best-128-kb"):
        assert lines(by_name[name], "elec")["kappa-temporal"]["NC"][0] == "0.250"


def test_size_and_time_stand_beside_the_printed_ones(by_name):
    found = lines(by_name["best"], "elec")
    assert [found[label]["SE"][0] for label in ("size KB", "size KB, paper")] == ["2,048", "1"]
    assert [found[label]["SE"][0] for label in ("time s", "time s, paper")] == ["3.0", "12"]


def test_a_prefix_is_neither_marked_nor_counted(by_name, outcomes):
    # 96 - 72.329 points, in brackets.
    assert lines(by_name["best"], "led_a")["difference"]["SE"] == ("(+23.67)", "")
    group = by_name["best"].groups[1]
    assert (group.name, group.remark) == ("led_a", "1,000 of 1,000,000 examples")
    # Of SE, HT and NB on elec, only NB agrees.
    assert "1 of 3 agree" in by_name["best"].caption
    assert "not comparable in the strict sense" in by_name["best"].caption


def test_whole_streams_need_no_warning():
    found = Outcomes.of([record("shrubs-paper", "elec", n_examples=45_312)])
    assert "comparable" not in tables(found)[0].caption


def test_the_paper_prints_nothing_under_128_kb(by_name):
    assert "paper" not in lines(by_name["best-128-kb"], "elec")
    assert "prints no table" in by_name["best-128-kb"].caption


def test_a_stream_that_is_not_in_the_paper_has_no_printed_line():
    found = Outcomes.of([record("shrubs-paper", "sea")])
    for table in tables(found):
        assert not {"paper", "difference", "size KB, paper"} & set(lines(table, "sea"))


def test_dropped_runs_are_shown_by_cause(by_name):
    found = lines(by_name["dropped"], "led_a")
    assert {label: texts["HT"][0] for label, texts in found.items()} == {
        "memory": "1",
        "crash": "1",
        "error": "1",
        "runs that count": "0",
    }


def test_without_dropped_runs_there_is_no_table_of_them():
    assert "dropped" not in [t.name for t in tables(Outcomes.of([record("shrubs-paper", "elec")]))]


def test_streams_where_a_method_was_not_tried_are_not_ranked():
    names = ("shrubs-paper", "no-change", "windowed-tree")
    runs = [record(name, stream) for name in names for stream in ("elec", "led_a", "nomao")]
    found = Outcomes.of([run for run in runs if (run.learner, run.stream) != (names[1], "nomao")])
    assert compared_streams(found) == ["elec", "led_a"]
    assert compare_areas(found).n_streams == 2


def test_two_methods_are_too_few_to_rank():
    found = Outcomes.of(
        record(n, s) for n in ("shrubs-paper", "no-change") for s in ("elec", "led_a")
    )
    assert compare_areas(found) is None


def test_the_best_configuration_of_each_method_is_drawn(outcomes):
    runs = best_of_each(outcomes, "elec").runs
    assert [run.label for run in runs] == ["SE", "NC", "HT", "NB"]
    assert runs[0].record.metrics["mean_memory_bytes"] == 2 * MB


def test_fronts_hold_every_configuration_and_the_unbeaten_of_each_method(outcomes):
    figure = fronts(outcomes, "elec")
    # SE's third model is larger and worse than its second.
    assert [run.label for run in figure.runs] == ["SE", "SE", "SE", "HT", "NB", "NC"]
    assert figure.fronts == ((0, 1), (3,), (4,), (5,))
    assert (figure.x.log, figure.values[0]) == (True, (20 * 1024, 0.94))


def test_every_method_has_a_look_of_its_own():
    names = ["shrubs-paper", "windowed-tree", "soft-trees", "no-change", "majority-class"]
    names += [f"moa:{name}" for name in ("naive-bayes", "hoeffding-tree", "efdt", "oza-bag")]
    names += ["moa:streaming-random-patches", "moa:adaptive-random-forest"]
    names += ["moa:online-smooth-boost"]
    found = best_of_each(Outcomes.of(record(name, "elec") for name in names), "elec")
    assert len(found.runs) == 12
    assert len({(run.style, run.dash) for run in found.runs}) == 12
    assert len({(run.style.slot, run.dash) for run in found.runs}) == 12


def test_markdown_has_a_cell_for_every_column(by_name):
    for table in by_name.values():
        rows = [line for line in to_markdown(table).splitlines() if line.startswith("|")]
        assert len(rows) == 2 + sum(len(group.lines) for group in table.groups)
        assert {re.sub(r"\\.", "", row).count("|") for row in rows} == {len(table.columns) + 3}
    assert "**96.00**" in to_markdown(by_name["best"])


def test_latex_is_balanced_and_has_a_cell_for_every_column(by_name):
    for table in by_name.values():
        text = to_latex(table)
        bare = text.replace(r"\{", "").replace(r"\}", "")
        assert bare.count("{") == bare.count("}")
        assert re.findall(r"\\(begin|end)\{longtable\}", text) == ["begin", "end"]
        rows = [line for line in text.splitlines() if re.search(r"(?<!\\)&", line)]
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(table.columns) + 1}
        assert all(re.search(r"\\\\\*?$", row) for row in rows)
        assert "led_a" not in text
        assert text.isascii()


def test_html_says_what_agrees_and_what_differs(by_name):
    text = to_html(by_name["best"])
    assert '<td class="differs">+1.99</td>' in text
    assert '<td class="agrees">=</td>' in text


def test_report_writes_page_tables_and_figures(directory, written):
    names = {str(path.relative_to(directory)) for path in written}
    assert "report.html" in names
    assert {"tables/apf.md", "tables/apf.tex", "tables/apf.html", "tables/all.tex"} <= names
    for kind in ("svg", "png", "pdf"):
        assert {
            f"figures/{name}.{kind}"
            for name in (
                "elec-accuracy",
                "elec-memory",
                "elec-front",
                "led-a-front",
                "critical-difference-ours",
                "critical-difference-paper",
                "critical-difference-ours-log",
            )
        } <= names
    assert all(path.stat().st_size > 0 for path in written)


def test_the_document_reads_every_table(directory, written):
    text = (directory / "tables" / "all.tex").read_text()
    for name in re.findall(r"\\input\{(.*?)\}", text):
        assert (directory / "tables" / name).exists()
    assert text.count(r"\input") == 7


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX is installed")
def test_the_tables_compile(directory, written, tmp_path):
    shutil.copytree(directory / "tables", tmp_path, dirs_exist_ok=True)
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def test_report_is_the_same_every_time(directory, written):
    before = {path: path.read_bytes() for path in written}
    assert write_study_report(directory, command="shrubs report study") == written
    assert {path: path.read_bytes() for path in written} == before


def test_page_shows_the_study_s_file_as_text(written):
    assert "small &lt;study&gt;" in written[0].read_text(encoding="utf-8")


def test_a_study_of_failures_only_still_has_a_report(tmp_path):
    results.append(tmp_path / "results.jsonl", failed("shrubs-paper", "elec", "time", 1))
    page, *_ = write_study_report(tmp_path, figures=False)
    assert "0 runs of 1 method on 1 stream; 1 more run dropped (time 1)" in page.read_text()


def test_names_that_break_out_are_shown_as_text(tmp_path):
    name = "</script><img src=x onerror=alert(1)>"
    results.append(tmp_path / "results.jsonl", replace(record("shrubs-paper", name)))
    page, *_ = write_study_report(tmp_path, figures=False, command=name)
    assert "<img" not in page.read_text(encoding="utf-8")


def test_printed_areas_give_the_paper_s_ranking():
    assert compare_printed().methods[:3] == ("SE", "SRP", "ARF")
