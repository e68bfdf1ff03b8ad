"""All learners on all streams in one table: the best run of each, and the mean of their places."""

from __future__ import annotations

import html
from collections.abc import Sequence

from shrubs.analysis.places import Places, places
from shrubs.analysis.runs import StreamRuns
from shrubs.report.units import percent, significant

__all__ = ["overview_table"]

_NOTHING = "\N{EN DASH}"


def overview_table(streams: Sequence[StreamRuns], anchors: Sequence[str]) -> str:
    """HTML; ``anchors`` are the ids of the streams' sections."""
    found = places(streams)
    headings = "".join(
        f'<th scope="col"><a href="#{at}">{html.escape(runs.title)}</a><small>{_unit(runs)}</small>'
        "</th>"
        for at, runs in zip(anchors, streams, strict=True)
    )
    body = "".join(_row(learner, found, streams) for learner in found.learners)
    return (
        '<table class="results overview"><thead><tr><th scope="col">learner</th>'
        f'<th scope="col">mean place</th>{headings}</tr></thead><tbody>{body}</tbody></table>'
    )


def _unit(runs: StreamRuns) -> str:
    return "accuracy %" if runs.task == "classification" else "mean absolute error"


def _row(learner: str, found: Places, streams: Sequence[StreamRuns]) -> str:
    mean = found.means.get(learner)
    cells = "".join(_cell(found, learner, i, runs) for i, runs in enumerate(streams))
    return (
        f'<tr><th scope="row">{html.escape(learner)}</th>'
        f"<td>{_NOTHING if mean is None else f'{mean:.2f}'}</td>{cells}</tr>"
    )


def _cell(found: Places, learner: str, stream: int, runs: StreamRuns) -> str:
    value = found.scores.get((learner, stream))
    if value is None:
        return f"<td>{_NOTHING}</td>"
    text = percent(value) if runs.task == "classification" else significant(value)
    best = ' class="best"' if found.at.get((learner, stream)) == 1 else ""
    return f"<td{best}>{text}</td>"
