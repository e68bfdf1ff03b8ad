"""The command `shrubs serve`: a model behind HTTP."""

from __future__ import annotations

import errno
import ipaddress
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from shrubs.cli.arguments import MemoryBudget, Options, read_options
from shrubs.cli.console import errors, out, read_bytes, warn
from shrubs.keyed.keyed_model import KeyedModelFile
from shrubs.live import Model, only_one
from shrubs.messages import shown

__all__ = ["serve"]

_TASKS: dict[str, Literal["classes", "targets"]] = {"classes": "classes", "targets": "targets"}


def serve(
    model: Annotated[Path, typer.Argument(help="A model kept by `shrubs learn`, or a new one.")],
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 for any.", min=0, max=65535)] = 8000,
    target: Annotated[str | None, typer.Option(help="The target, of a model without one.")] = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Keep a model for each value of this column; the model's file is a SQLite store.",
        ),
    ] = None,
    memory_budget: MemoryBudget = "256MB",
    task: Annotated[
        str | None, typer.Option(metavar="classes|targets", help="What a new model learns.")
    ] = None,
    options: Options = None,
    token: Annotated[
        str, typer.Option(envvar="SHRUBS_TOKEN", help="That clients must send; better not here.")
    ] = "",
    save_every: Annotated[
        float, typer.Option(help="Seconds between two savings of the model.", min=0.01)
    ] = 60.0,
    max_waiting: Annotated[int, typer.Option(help="Rows that wait for labels.", min=1)] = 100_000,
    max_age: Annotated[float, typer.Option(help="Seconds that they wait.", min=0.01)] = 86_400.0,
    max_body: Annotated[str, typer.Option(help="The longest request, such as 8MB.")] = "8MB",
    max_connections: Annotated[int, typer.Option(help="At a time.", min=1)] = 256,
) -> None:
    """Serve a model: it predicts, learns, remembers and explains, and loses no label.

    The page at its address shows it live; /docs says what can be asked.
    """
    with errors():
        try:
            from shrubs.serve.guard import Limits
            from shrubs.serve.ledger import Bounds
            from shrubs.serve.server import bind, serve
            from shrubs.serve.service import Service
        except ImportError as error:
            raise ImportError(f'{error}; pip install "shrubs[cli,serve]"') from None
        limits = Limits(
            max_body=read_bytes("--max-body", max_body),
            max_connections=max_connections,
            token=_checked(token),
            hosts=_names(host, token),
        )
        bounds = Bounds(max_waiting, max_age)
        with bind(host, port) as listening:
            _make_if_new(model, key, target, task, read_options(options))
            service = Service(
                model,
                key=key,
                memory_budget=read_bytes("--memory-budget", memory_budget),
                bounds=bounds,
                save_every=save_every,
                target=target,
                task=task,
            )
            address = f"[{host}]" if ":" in host else host
            out.print(f"serving {model} at http://{address}:{listening.getsockname()[1]}/")
            out.file.flush()
            serve(service, listening, limits)


def _make_if_new(
    path: Path, key: str | None, target: str | None, task: str | None, options: dict[str, Any]
) -> None:
    """Keep a model that has learned nothing where there is none, if its task is given."""
    with only_one(path), KeyedModelFile(path) as file:
        if key is None and KeyedModelFile.is_one(path):
            raise ValueError(f"{path} keeps a model per key: give --key")
        if path.exists() and (key is None or file.load(key) is not None):
            if options:
                raise ValueError(f"{path} exists already; its options cannot be changed")
        elif task is None:
            raise FileNotFoundError(errno.ENOENT, "there is no such model; --task makes one", path)
        elif task not in _TASKS:
            raise ValueError(f"--task must be classes or targets, got {shown(task)}")
        else:
            new = Model.new(target or "target", _TASKS[task], **options)
            (new if key is None else file.keyed(new, key)).save(path)


def _checked(token: str) -> str:
    """A token that a header can carry."""
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise ValueError("--token must have letters, digits and signs of ASCII, and no spaces")
    return token


def _names(host: str, token: str) -> tuple[str, ...]:
    """The names by which a service without a token may be called, if it is for this machine."""
    try:
        is_local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_local = False
    if token:
        return ()
    if not is_local:
        warn(f"whoever reaches {host} can read and teach this model; SHRUBS_TOKEN asks for a token")
        return ()
    return tuple(
        dict.fromkeys((f"[{host}]" if ":" in host else host, "localhost", "127.0.0.1", "[::1]"))
    )
