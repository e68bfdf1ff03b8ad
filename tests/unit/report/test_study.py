"""The report of a study: what stands beside the paper's numbers, what is written."""

import re
import shutil
import subprocess

import pytest

from shrubs import results
from shrubs.analysis.study import Outcomes
from shrubs.report import write_study_report
from shrubs.report.tables.comparison import to_html, to_latex, to_markdown
from shrubs.report.tables.study import tables
from tests.unit.analysis.study_records import failed, record, small_study


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


def test_times_that_were_not_kept_have_no_line():
    metrics = {"mean_running_accuracy": 0.5, "mean_memory_bytes": 1024.0}
    found = Outcomes.of([record("shrubs-paper", "elec", metrics=metrics)])
    for table in tables(found):
        assert not {"time s", "time s, paper"} & set(lines(table, "elec"))


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


def test_a_report_goes_to_another_place_if_asked(directory, tmp_path):
    before = set(directory.rglob("*"))
    page, *others = write_study_report(directory, output=tmp_path / "new", figures=False)
    assert page == tmp_path / "new/report.html"
    assert all(path.is_relative_to(tmp_path) and path.exists() for path in others)
    assert set(directory.rglob("*")) == before


def test_page_shows_the_study_s_file_as_text(written):
    assert "small &lt;study&gt;" in written[0].read_text(encoding="utf-8")


def test_a_study_of_failures_only_still_has_a_report(tmp_path):
    results.append(tmp_path / "results.jsonl", failed("shrubs-paper", "elec", "time", 1))
    page, *_ = write_study_report(tmp_path, figures=False)
    assert "0 runs of 1 method on 1 stream; 1 more run dropped (time 1)" in page.read_text()


def test_names_that_break_out_are_shown_as_text(tmp_path):
    name = "</script><img src=x onerror=alert(1)>"
    results.append(tmp_path / "results.jsonl", record("shrubs-paper", name))
    page, *_ = write_study_report(tmp_path, figures=False, command=name)
    assert "<img" not in page.read_text(encoding="utf-8")
