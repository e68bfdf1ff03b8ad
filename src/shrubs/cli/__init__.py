"""The command line: parses arguments, calls the packages below, prints."""

from __future__ import annotations

import sys
import warnings

__all__ = ["main"]


def main() -> None:
    """Run the command line; without its extra, one line says what to install."""
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError:
        sys.exit("the command line needs an extra: pip install 'shrubs[cli]'")
    from shrubs.cli.app import app
    from shrubs.cli.console import warn

    warnings.showwarning = lambda message, *place: warn(str(message))  # not where in the code
    app()
