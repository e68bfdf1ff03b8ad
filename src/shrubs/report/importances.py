"""Which features mattered before and after drifts, as sentences and a table."""

from __future__ import annotations

import html
from collections.abc import Sequence

from shrubs.analysis.importances import Look, Shift, shifts
from shrubs.analysis.runs import StreamRuns
from shrubs.report.escape import prose
from shrubs.report.page.shell import scrolling
from shrubs.report.units import count

__all__ = ["importances"]

_MAX_ROWS = 8
_LEAST = 0.005


def importances(runs: StreamRuns) -> str:
    """HTML of what mattered to the best run that tells; empty if none does."""
    found = shifts(runs)
    if found is None:
        return ""
    run, changes = found
    said = "".join(f"<li>{prose(_sentence(change))}</li>" for change in changes)
    return (
        f"<p>{html.escape(run.label)}:</p><ul>{said}</ul>{scrolling(_table(changes))}"
        '<p class="caption">How much each feature tells the shrubs about the latest examples, in '
        "shares of all; dotted lines are drifts.</p>"
    )


def _sentence(change: Shift) -> str:
    before, after = change.before, change.after
    first, then = before.first, after.first
    start = (
        f"Drift at {count(change.drift)}: {first} mattered most before ({_share(before, first)})"
    )
    who = "" if first == then else f" {then}"
    return f"{start} and{who} after ({_share(after, then)})."


def _share(look: Look, name: str) -> str:
    share = look.shares.get(name)
    return "-" if share is None else f"{100 * share:.0f} %"


def _table(changes: Sequence[Shift]) -> str:
    """The features by the largest share that they had; a deeper shade is a larger share."""
    looks = {look.n_examples: look for each in changes for look in (each.before, each.after)}
    columns = [looks[at] for at in sorted(looks)]
    largest: dict[str, float] = {}
    for name, share in (pair for look in columns for pair in look.shares.items()):
        largest[name] = max(share, largest.get(name, 0.0))
    names = sorted(largest, key=lambda name: -largest[name])[:_MAX_ROWS]
    kept = [name for name in names if largest[name] >= _LEAST]
    head = "".join(f'<th scope="col">{count(look.n_examples)}</th>' for look in columns)
    rows = "".join(_row(name, columns) for name in kept)
    after = {each.after.n_examples for each in changes}
    lines = "".join("<col>" if at not in after else '<col class="drift">' for at in sorted(looks))
    return (
        f'<table class="importances"><colgroup><col>{lines}</colgroup><thead><tr>'
        f'<th scope="col">examples</th>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _row(name: str, columns: Sequence[Look]) -> str:
    cells = "".join(_cell(look, name) for look in columns)
    return f'<tr><th scope="row">{html.escape(name)}</th>{cells}</tr>'


def _cell(look: Look, name: str) -> str:
    share = look.shares.get(name, 0.0)
    deep = ' class="deep"' if share > 0.55 else ""
    shade = f"background:rgb(var(--heat) / {0.04 + 0.96 * share:.3f})"
    return f'<td{deep} style="{shade}">{_share(look, name)}</td>'
