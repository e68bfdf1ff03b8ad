"""Figures as the JSON that the page's script draws, rounded to what can be seen."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from shrubs.report.critical_difference import Diagram
from shrubs.report.figure import Bands, Lines, Matrix, Points
from shrubs.report.runs import Run, StreamRuns

__all__ = ["bands", "diagram", "legend", "lines", "matrix", "points", "positions"]


def legend(runs: StreamRuns) -> list[dict[str, Any]]:
    """The runs of a stream; figures name them by their position here."""
    return [
        {
            "label": run.label,
            "learner": run.learner,
            "detail": run.detail,
            "slot": run.style.slot,
            "marker": run.style.marker,
            "dash": run.dash,
        }
        for run in runs.runs
    ]


def lines(figure: Lines, order: dict[str, int]) -> dict[str, Any]:
    """Lines over the stream."""
    return {
        **_frame(figure),
        "known": figure.known_drifts,
        "series": [
            {
                "run": order[series.run.label],
                "x": series.x,
                "y": [_rounded(value) for value in series.y],
                "found": series.found_drifts,
            }
            for series in figure.series
        ],
    }


def bands(figure: Bands, order: dict[str, int]) -> dict[str, Any]:
    """The life of an ensemble; members as age, weight in thousandths, age, weight, ..."""
    return {
        "name": figure.name,
        "title": figure.title,
        "run": order[figure.run.label],
        "x": figure.x,
        "members": [
            [number for age, weight in point for number in (age, round(weight * 1000))]
            for point in figure.members
        ],
        "ages": figure.ages,
        "births": figure.births,
        "deaths": figure.deaths,
        "known": figure.known_drifts,
        "found": figure.found_drifts,
        "caption": figure.caption,
    }


def points(figure: Points, order: dict[str, int]) -> dict[str, Any]:
    """One point per run."""
    return {
        **_frame(figure),
        "points": [
            {"run": order[run.label], "x": round(x), "y": _rounded(y)}
            for run, (x, y) in zip(figure.runs, figure.values, strict=True)
        ],
        "front": figure.front,
        "better": figure.better,
        **({"fronts": figure.fronts} if figure.fronts else {}),
    }


def diagram(figure: Diagram) -> dict[str, Any]:
    """Methods along their ranks."""
    return {
        "title": figure.title,
        "methods": figure.methods,
        "ranks": [_rounded(rank) for rank in figure.ranks],
        "legend": [{"slot": style.slot, "marker": style.marker} for style in figure.styles],
        "bars": figure.bars,
    }


def matrix(figure: Matrix, order: dict[str, int]) -> dict[str, Any]:
    """Counts by class."""
    return {
        "title": figure.title,
        "run": order[figure.run.label],
        "classes": figure.classes,
        "counts": figure.counts,
    }


def positions(runs: tuple[Run, ...]) -> dict[str, int]:
    """Where each run stands in the legend, by label."""
    return {run.label: i for i, run in enumerate(runs)}


def _frame(figure: Lines | Points) -> dict[str, Any]:
    axes = {"xAxis": asdict(figure.x), "yAxis": asdict(figure.y)}
    return {"name": figure.name, "title": figure.title, **axes}


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")
