"""The command `shrubs show`: what a model predicts, of what, and by which rules."""

from __future__ import annotations

import heapq
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from shrubs.cli.arguments import AsJson
from shrubs.cli.console import errors, out, show_bytes
from shrubs.cli.show_keyed import show_keyed
from shrubs.dates import names_of_parts
from shrubs.keyed.keyed_model import KeyedModelFile
from shrubs.learners.shrub import Vote, rules
from shrubs.live import Model
from shrubs.live.values import KINDS_IN_WORDS
from shrubs.messages import shown

__all__ = ["show"]

_FEW = 8


def show(
    model: Annotated[Path, typer.Argument(help="A model kept by `shrubs learn` or `follow`.")],
    n_rules: Annotated[int, typer.Option("--rules", min=0, help="How many rules to show.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Show what a model predicts, of which columns, and its heaviest rules.

    The weight of a rule is that of its shrub, halved for each of its conditions.
    """
    with errors():
        if KeyedModelFile.is_one(model):
            show_keyed(model, as_json=as_json)
            return
        kept = Model.load(model)
        if as_json:
            sys.stdout.write(json.dumps(_described(kept, model, n_rules), default=str) + "\n")
            return
        out.print(_facts(kept, model))
        columns = _columns(kept)
        if columns:
            out.print("", _column_table(columns))
        heaviest = _heaviest(kept, n_rules)
        if heaviest:
            out.print("\nheaviest rules")
        for weight, vote in heaviest:
            out.print(f"{weight:.4f}  {vote.in_words}", soft_wrap=True)


def _described(model: Model, path: Path, n_rules: int) -> dict[str, Any]:
    learner: Any = model.learner
    return {
        "learner": type(learner).__name__,
        "target": model.target,
        "task": model.task,
        "classes": _classes(model),
        "examples_seen": learner.examples_seen,
        "memory_bytes": learner.memory_bytes,
        "file_bytes": path.stat().st_size,
        "n_shrubs": learner.n_shrubs,
        "ignored": sorted(model.ignored),
        "columns": [
            {"name": name, "holds": holds, "importance": share}
            for name, holds, share in _columns(model)
        ],
        "rules": [
            {"weight": weight, "rule": vote.in_words} for weight, vote in _heaviest(model, n_rules)
        ],
    }


def _facts(model: Model, path: Path) -> Table:
    learner: Any = model.learner
    target = "an unknown target" if model.target is None else shown(model.target)
    classes = _classes(model)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row("model", f"{path.name}, a {type(learner).__name__}")
    table.add_row("predicts", f"{target}, {model.task}" + (": " + _few(classes) if classes else ""))
    table.add_row("examples", f"{learner.examples_seen:,}")
    memory, file = show_bytes(learner.memory_bytes), show_bytes(path.stat().st_size)
    table.add_row("bytes", f"{memory} in memory, {file} in the file")
    table.add_row("shrubs", f"{learner.n_shrubs}")
    if model.ignored:
        table.add_row("ignores", _few(sorted(model.ignored)))
    if model.position is not None:
        table.add_row("followed", f"up to line {model.position[3]:,} of its file")
    return table


def _classes(model: Model) -> list[Any]:
    learner: Any = model.learner
    return learner.classes_.tolist() if model.task == "classes" and learner.examples_seen else []


def _few(values: Sequence[Any]) -> str:
    more = f" and {len(values) - _FEW} more" if len(values) > _FEW else ""
    return ", ".join(map(shown, values[:_FEW])) + more


def _columns(model: Model) -> list[tuple[str, str, float | None]]:
    """Name, what it holds and importance of each column, the most important first."""
    learner = model.learner
    shares: dict[str, float] = {}
    if learner.examples_seen and model.kinds:
        names = map(str, learner.feature_names_in_)
        shares = dict(zip(names, learner.feature_importances_.tolist(), strict=True))
    found = [
        (name, KINDS_IN_WORDS[kind], _share(name, shares))
        for name, kind in model.kinds.items()
        if name != model.target
    ]
    return sorted(found, key=lambda column: (-(column[2] or 0.0), column[0]))


def _share(name: str, shares: dict[str, float]) -> float | None:
    """Of a date, that of all of its parts; None for a column that the learner does not hold."""
    parts = [shares[part] for part in (name, *names_of_parts(name)) if part in shares]
    return sum(parts) if parts else None


def _column_table(columns: Sequence[tuple[str, str, float | None]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("column", "holds"):
        table.add_column(name, overflow="fold")
    table.add_column("importance", justify="right")
    for name, holds, share in columns:
        table.add_row(name, holds, "forgotten" if share is None else f"{100 * share:.1f}%")
    return table


def _heaviest(model: Model, n_rules: int) -> list[tuple[float, Vote]]:
    return heapq.nlargest(n_rules, _weighed(model), key=lambda rule: rule[0])


def _weighed(model: Model) -> Iterator[tuple[float, Vote]]:
    for shrub in model.learner.shrubs:
        for vote in rules(shrub):
            yield vote.weight / 2 ** len(vote.rule), vote
