"""Which features mattered before and after drifts, as sentences and a table."""

from __future__ import annotations

import html
from collections.abc import Sequence

from shrubs.analysis.importances import Change, Look, changes
from shrubs.analysis.runs import StreamRuns
from shrubs.report.escape import prose
from shrubs.report.page.shell import scrolling
from shrubs.report.units import count

__all__ = ["importances"]

_MAX_ROWS = 8
_LEAST = 0.005


def importances(runs: StreamRuns) -> str:
    """HTML of what mattered to the best run that tells; empty if none does."""
    found = changes(runs)
    if found is None:
        return ""
    run, noticed = found
    said = "".join(f"<li>{prose(_sentence(change))}{_rules(change)}</li>" for change in noticed)
    return (
        f"<p>{html.escape(run.label)} noticed:</p><ul>{said}</ul>{scrolling(_table(noticed))}"
        '<p class="caption">How much each feature tells the shrubs, in shares of all, before and '
        "after each drift.</p>"
    )


def _sentence(change: Change) -> str:
    before, after = change.before, change.after
    first, then = before.first, after.first
    sure = f"{100 * min(change.probability, 0.999):.1f} % sure"
    start = (
        f"A drift from about {count(change.began)} on, noticed at {count(change.noticed)}, {sure}: "
        f"{first} mattered most before ({_share(before, first)})"
    )
    who = "" if first == then else f" {then}"
    return f"{start} and{who} after ({_share(after, then)})."


def _rules(change: Change) -> str:
    """The heaviest rule of each side."""
    pairs = [("Before", change.before.rules[:1]), ("after", change.after.rules[:1])]
    said = "; ".join(f"{when}: {rule}" for when, rules in pairs for rule in rules)
    return f'<br><span class="caption">{html.escape(said)}.</span>' if said else ""


def _share(look: Look, name: str) -> str:
    share = look.shares.get(name)
    return "-" if share is None else f"{100 * share:.0f} %"


def _table(noticed: Sequence[Change]) -> str:
    """The features by the largest share that they had; a deeper shade is a larger share."""
    columns = [look for change in noticed for look in (change.before, change.after)]
    largest: dict[str, float] = {}
    for name, share in (pair for look in columns for pair in look.shares.items()):
        largest[name] = max(share, largest.get(name, 0.0))
    names = sorted(largest, key=lambda name: -largest[name])[:_MAX_ROWS]
    kept = [name for name in names if largest[name] >= _LEAST]
    head = "".join(
        f'<th scope="col">before {count(change.noticed)}</th><th scope="col">after</th>'
        for change in noticed
    )
    rows = "".join(_row(name, columns) for name in kept)
    lines = '<col><col class="drift">' * len(noticed)
    return (
        f'<table class="importances"><colgroup><col>{lines}</colgroup><thead><tr>'
        f'<th scope="col">feature</th>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _row(name: str, columns: Sequence[Look]) -> str:
    cells = "".join(_cell(look, name) for look in columns)
    return f'<tr><th scope="row">{html.escape(name)}</th>{cells}</tr>'


def _cell(look: Look, name: str) -> str:
    share = look.shares.get(name, 0.0)
    deep = ' class="deep"' if share > 0.55 else ""
    shade = f"background:rgb(var(--heat) / {0.04 + 0.96 * share:.3f})"
    return f'<td{deep} style="{shade}">{_share(look, name)}</td>'
