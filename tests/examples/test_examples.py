"""Every example runs, without a warning, and shows something."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_without_a_warning(path: Path, tmp_path: Path) -> None:
    if "river" in path.read_text(encoding="utf-8") and not importlib.util.find_spec("river"):
        pytest.skip("not installed: river")
    command = [sys.executable, "-W", "error::UserWarning", str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
