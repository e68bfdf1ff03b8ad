import os
import subprocess
import sys

import pytest

from shrubs.live import only_one

HOLD = """
import sys
from shrubs.live import only_one
with only_one(sys.argv[1]):
    print("mine", flush=True)
    input()
"""


def test_a_second_process_is_refused_until_the_first_ends(tmp_path):
    path = tmp_path / "m.shrubs"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        with (
            pytest.raises(OSError, match="another process keeps this model") as caught,
            only_one(path),
        ):
            pass
        assert caught.value.filename == str(path)
        holder.kill()
        holder.wait()
    with only_one(path):
        pass
    assert os.listdir(tmp_path) == []
