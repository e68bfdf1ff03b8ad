"""Every notebook runs from top to bottom, and ends by showing something."""

from pathlib import Path

import pytest

pytest.importorskip("nbclient")

from tests.examples.notebooks import NOTEBOOKS, run


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Jupyter's own, at its start
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_shows_something(path: Path, tmp_path: Path) -> None:
    outputs = [cell.outputs for cell in run(path, tmp_path).cells if cell.cell_type == "code"]
    assert "\x1b[1A" not in str(outputs)  # nothing moves the cursor where there is none
    assert outputs[-1][0].output_type == "execute_result"
