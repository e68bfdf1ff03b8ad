"""Writes the paper's five tables, from the runs on whole streams, into docs/reproduce.md.

python docs/study/tables.py
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shrubs.analysis import paper_numbers as paper
from shrubs.analysis.comparison import Comparison, best_under_budgets, compared_areas
from shrubs.analysis.study import Outcomes
from shrubs.results import read

STUDY = Path(__file__).parent / "full"
PAGE = Path(__file__).parents[1] / "reproduce.md"
BEGIN, END = "<!-- the paper's tables: docs/study/tables.py -->\n", "<!-- end of the tables -->\n"
METHODS = ("SE", "WT", "SE auto", "SRP", "ARF", "Bag", "SB", "HTT", "HT", "NB", "SDT")
NOTHING = "\N{EN DASH}"


def tables(outcomes: Outcomes) -> str:
    """Best accuracies without and with limits, and areas; what is printed stands below ours."""
    parts = []
    for best in best_under_budgets(outcomes):
        limit = "without a limit" if best.budget == "no limit" else f"under {best.budget}"
        parts += [f"**Best accuracy {limit}:**", _table(outcomes, best.accuracies, _percent)]
    areas = compared_areas(outcomes)
    parts += ["**Area under the front (APF):**", _table(outcomes, areas, "{:.4f}".format)]
    return "\n\n".join(parts) + "\n"


def _table(outcomes: Outcomes, found: Comparison, text: Callable[[float], str]) -> str:
    lines = [["stream", *METHODS], [":--", *["--:"] * len(METHODS)]]
    for stream in paper.STREAMS:
        cells = [_cell(outcomes, found, (method, stream), text) for method in METHODS]
        lines.append([stream, *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(
    outcomes: Outcomes, found: Comparison, at: tuple[str, str], text: Callable[[float], str]
) -> str:
    """Ours, bold if it is the best of the stream; below it what the paper prints."""
    ours, printed = found.ours.get(at), found.printed.get(at)
    best = max(
        v for (method, stream), v in found.ours.items() if stream == at[1] and method in METHODS
    )
    if ours is None:
        shown = "none" if outcomes.was_tried(*at) else NOTHING
    else:
        shown = f"**{text(ours)}**" if ours == best else text(ours)
    if not found.printed or at[0] not in paper.METHODS:
        return shown
    return f"{shown}<br>{NOTHING if not printed else text(printed)}"


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def main() -> None:
    """Replace the tables of the page."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    found = tables(Outcomes.of(read(STUDY)))
    PAGE.write_text(f"{before}{BEGIN}\n{found}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
