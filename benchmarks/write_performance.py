"""Put the numbers of the benchmarks into docs/performance.md, and draw its figures.

Runs `bench_step`, `bench_moa_peers`, `bench_predict`, `bench_growth` and `bench_grow_every`, unless
told to take what they left in build/performance, and replaces what stands between the marks
`<!-- NAME -->` and `<!-- end -->` of the page.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from results_file import read_results

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "performance.md"
FIGURES = PAGE.parent / "figures"
BENCHMARKS = ("step", "moa_peers", "predict", "growth", "grow_every")
COLOURS = {"best": "#1b6e3c", "random": "#d97706"}


def markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    lines = [list(head), *(list(row) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def show_target(row: dict[str, Any]) -> str:
    """Return the target of a row, and whether it is held."""
    if row["target"] is None:
        return ""
    return f"{row['target']:.0f}, {'held' if row['ratio'] >= row['target'] else 'missed'}"


def step_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of `bench_step`."""
    return markdown(
        ("setting", "core, µs", "plain, µs", "times faster", "target", "same bits", "entered"),
        (
            (
                row["setting"], f"{row['core_us']:.1f}", f"{row['plain_us']:.0f}",
                f"{row['ratio']:.1f}", show_target(row), "yes" if row["equal"] else "no",
                f"{100 * row['entered']:.0f}%",
            )
            for row in rows
        ),
    )  # fmt: skip


def peers_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of `bench_moa_peers` or `bench_predict`."""
    return markdown(
        ("setting", "ours, µs", "peer", "peer, µs", "times faster", "target"),
        (
            (
                row["setting"], f"{row['us']:.2f}", row["peer"], f"{row['peer_us']:.2f}",
                f"{row['ratio']:.1f}", show_target(row),
            )
            for row in rows
        ),
    )  # fmt: skip


def growth_table(results: dict[str, Any]) -> str:
    """Return microseconds per example by shape."""
    rows = []
    for line in results["growth"]:
        costs = [f"{value}: {us:.1f}" for value, us in zip(line["values"], line["us"], strict=True)]
        largest = max(after / before for before, after in pairwise(line["us"]))
        step_size = f"{line['step_size']:g}"
        rows.append((line["splitter"], step_size, line["name"], ", ".join(costs), f"{largest:.2f}"))
    return markdown(("splitter", "step", "doubled", "µs per example", "largest growth"), rows)


def spread_table(results: dict[str, Any]) -> str:
    """Return median and 99th percentile of `learn_one`."""
    return markdown(
        ("splitter", "median, µs", "99th percentile, µs", "ratio"),
        (
            (
                row["splitter"], f"{row['median_us']:.1f}", f"{row['p99_us']:.1f}",
                f"{row['p99_us'] / row['median_us']:.1f}",
            )
            for row in results["spread"]
        ),
    )  # fmt: skip


def grow_every_table(results: dict[str, Any]) -> str:
    """Return the percentage right by stream and pause."""
    rows = [
        (
            str(row["grow_every"]), *(f"{score:.1f}" for score in row["scores"]),
            f"{sum(row['scores']) / len(row['scores']):.1f}", f"{row['us']:.1f}",
        )
        for row in results["rows"]
    ]  # fmt: skip
    return markdown(("k", *results["names"], "mean", "µs"), rows)


def draw_growth(results: dict[str, Any]) -> None:
    """Draw cost against each quantity, both axes in powers of two."""
    names = list(dict.fromkeys(line["name"] for line in results["growth"]))
    figure, axes = plt.subplots(1, len(names), figsize=(11, 3.4), sharey=True, layout="constrained")
    for axis, name in zip(axes, names, strict=True):
        for line in (line for line in results["growth"] if line["name"] == name):
            colour = COLOURS[line["splitter"]]
            style = "o-" if line["step_size"] < 1.0 else ".--"
            label = f"{line['splitter']}, step {line['step_size']:g}"
            axis.plot(line["values"], line["us"], style, color=colour, label=label)
        first = min(line["us"][0] for line in results["growth"] if line["name"] == name)
        values = line["values"]
        axis.plot(
            values, [first * v / values[0] for v in values], ":", color="grey", label="doubles"
        )
        axis.set_xscale("log", base=2)
        axis.set_yscale("log", base=2)
        axis.set_xticks(values, [str(value) for value in values])
        axis.set_xlabel(name)
    axes[0].set_ylabel("µs per example")
    axes[0].yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    lines, labels = axes[0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    save(figure, "growth")


def draw_grow_every(results: dict[str, Any]) -> None:
    """Draw mean accuracy against cost, one point per pause."""
    figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
    us = [row["us"] for row in results["rows"]]
    means = [sum(row["scores"]) / len(row["scores"]) for row in results["rows"]]
    axis.plot(us, means, "o-", color=COLOURS["random"])
    axis.margins(0.1)
    for row, x, y in zip(results["rows"], us, means, strict=True):
        axis.annotate(f"k={row['grow_every']}", (x, y), (5, -10), textcoords="offset points")
    axis.set_xlabel("µs per example")
    axis.set_ylabel("% right, mean of the streams")
    save(figure, "grow-every")


def save(figure: Any, name: str) -> None:
    """Write a figure that is the same bytes for the same numbers."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    plt.rcParams["svg.hashsalt"] = name
    figure.savefig(FIGURES / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


TABLES: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("step", "step", step_table),
    ("moa_peers", "moa_peers", peers_table),
    ("predict", "predict", peers_table),
    ("growth", "growth", growth_table),
    ("spread", "growth", spread_table),
    ("grow_every", "grow_every", grow_every_table),
)


def main() -> None:
    """Run the benchmarks and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only-write", action="store_true", help="run no benchmark")
    parser.add_argument("--run", nargs="*", default=BENCHMARKS, help="run only these")
    chosen = parser.parse_args()
    for name in () if chosen.only_write else chosen.run:
        # A missed target is a number like any other here.
        subprocess.run([sys.executable, str(HERE / f"bench_{name}.py")], check=False)
    page = PAGE.read_text()
    for mark, source, table in TABLES:
        results = read_results(source)
        if results is not None:
            text = f"<!-- {mark} -->\n\n{table(results)}\n\n<!-- end -->"
            page = re.sub(rf"<!-- {mark} -->.*?<!-- end -->", lambda _, t=text: t, page, flags=re.S)
    PAGE.write_text(page)
    for source, draw in (("growth", draw_growth), ("grow_every", draw_grow_every)):
        results = read_results(source)
        if results is not None:
            draw(results)


if __name__ == "__main__":
    main()
