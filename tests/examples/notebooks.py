"""The notebooks of the examples, run from top to bottom.

``python -m tests.examples.notebooks`` writes what they show into them. Look before you commit it.
"""

import os
import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


def run(path: Path, directory: Path) -> nbformat.NotebookNode:
    """The notebook with what it shows; its files are left in ``directory``."""
    commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=120,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(directory)}},
    )
    client.execute(env={**os.environ, "PATH": commands})
    return notebook


def main() -> None:
    """Write the outputs of every notebook into it."""
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as directory:
            notebook = run(path, Path(directory))
        nbformat.write(notebook, path)


if __name__ == "__main__":
    main()
