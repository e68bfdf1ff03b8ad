"""Names and texts that a terminal, or what writes to it, would take for more than texts."""

import io
import re
from dataclasses import replace

import pytest

from shrubs.cli.app import app
from shrubs.cli.console import Terminal
from shrubs.cli.summary import result_tables, summary, verdict
from shrubs.cli.view import View
from shrubs.experiments.job import Job, do_job
from shrubs.runners.process.child import Standing
from shrubs.runners.study import Running

NAMES = ["[/x]", "a[bold]b", ":warning:", "[link=http://x]y", "back\\slash[/]", "\x1b[2J\x07bell"]
ROWS = "x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(300))


def printed(name):
    """Control characters are shown as what they are, everything else as it is."""
    return name.replace("\x1b", "\\x1b").replace("\x07", "\\x07")


def test_every_command_takes_odd_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name = "[/x]:smile:\x1b[2J"
    file = tmp_path / f"{name}.csv"
    file.parent.mkdir()
    file.write_text(ROWS)
    label = f"{name}=no-change,WT=windowed-tree"
    for command in (
        ("race", f"{name}.csv", "-l", label, "-o", f"{name} race"),
        ("run", "no-change", f"{name}.csv"),
        ("learn", f"{name}.csv", "-m", f"{name}.model"),
        ("report", f"{name} race/results.jsonl", "-o", f"{name}.html"),
    ):
        with pytest.raises(SystemExit, match="0"):
            app(command)
        said = capsys.readouterr().out
        assert "x]:smile:\\x1b[2J" in said
        assert "\x1b" not in said


@pytest.mark.parametrize("name", [*NAMES, "two\nlines"])
def test_an_error_with_an_odd_name_is_one_line(capsys, name):
    for command in (
        ("run", "no-change", f"{name}.csv"),
        ("run", name, "sea"),
        ("race", "sea", "-l", name),
        ("study", f"{name}.toml"),
        ("report", f"{name}.jsonl"),
    ):
        with pytest.raises(SystemExit, match="1"):
            app(command)
        said = capsys.readouterr().err
        assert re.fullmatch(r"error [^\n\x1b]+\n", said), said


def consoles():
    for terminal in (True, False):
        yield Terminal(file=io.StringIO(), width=200, force_terminal=terminal)


@pytest.mark.parametrize("name", NAMES)
def test_runs_are_shown_by_their_names(name):
    job = Job("no-change", "sea", {}, {"n_examples": 500}, label=name)
    good = replace(do_job(job), stream=name)
    bad = replace(job.failed("error", name), stream=name)
    for console in consoles():
        with View([job, Job("no-change", name)], console, lambda record: None) as view:
            view.on_tick([Running(job, 1.0, Standing(100, 500, good.metrics))])
            view.on_lost(job, name)
            view.on_record(job, bad)
            view.on_tick([])
            view.on_tick(1)
        for shown in (result_tables([good, bad]), summary([good, bad, bad], 3), verdict([good])):
            console.print(shown)
        text = console.file.getvalue()
        assert text.count(printed(name)) >= 6
        assert "\x1b[2J" not in text.replace(printed(name), "")
