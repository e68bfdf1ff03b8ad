"""Writes the page of all commands from the command line itself (a hook of mkdocs)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer.main

from shrubs.cli.app import app

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

INTRODUCTION = """# All commands

`pip install 'shrubs[cli]'` brings the command line. [Compare learners](comparing.md) shows
what it is for; this page is what `--help` says of every command.
"""


def describe_commands() -> str:
    """The page: every command with its arguments and options."""
    program: Any = typer.main.get_command(app)
    every = {"shrubs": program} if program.params else {}
    every |= {f"shrubs {name}": command for name, command in program.commands.items()}
    return "\n".join([INTRODUCTION, *(_describe(name, each) for name, each in every.items())])


def _describe(name: str, command: Any) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option"]
    usage = " ".join([name, *map(_placeholder, arguments), "[OPTIONS]"])
    lines = [f"## {name}", "", command.help, "", "```sh", usage, "```", ""]
    rows = [(f"`{_placeholder(each)}`", each) for each in arguments]
    rows += [(_spelling(each), each) for each in options]
    lines += ["| | Means | Default |", "|---|---|---|"]
    lines += [f"| {head} | {_cell(each.help)} | {_default(each)} |" for head, each in rows]
    return "\n".join([*lines, ""])


def _placeholder(argument: Any) -> str:
    word = argument.metavar or argument.name.upper()
    return f"{word}..." if argument.nargs == -1 else word


def _spelling(option: Any) -> str:
    *short, long = sorted(option.opts, key=len)
    value = "" if option.is_flag else f" {option.metavar or long.lstrip('-').upper()}"
    return ", ".join([f"`{long}{value}`", *(f"`{each}`" for each in short)])


def _default(param: Any) -> str:
    if param.required:
        return "required"
    unsaid = param.default is None or param.default is False or not param.show_default
    return "" if unsaid else f"`{param.default}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the page to the site."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "commands.md", content=describe_commands()))
    return files
