"""The rounds of an attack: a failure names its round, and that round can be repeated alone."""

import os
import subprocess
import sys

ATTACK = """
from tests.attacks.budget import rounds

def test_attack():
    for draw in rounds(20):
        print("a round")
        assert draw.random() < 0.9
"""


def attack(folder, **settings):
    """What pytest says of an attack that fails in one round out of ten."""
    (folder / "test_attack.py").write_text(ATTACK)
    (folder / "conftest.py").write_text("from tests.attacks.conftest import *")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder]
    environment = {**os.environ, "PYTHONPATH": os.getcwd(), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        command, check=False, env=environment | settings, stdout=subprocess.PIPE, text=True
    ).stdout


def test_a_failed_round_can_be_repeated_alone(tmp_path):
    first = attack(tmp_path, SHRUBS_ATTACK="1", SHRUBS_ATTACK_SEED="0")
    (again,) = (line for line in first.splitlines() if line.startswith("SHRUBS_ATTACK=0"))
    second = attack(tmp_path, **dict(setting.split("=") for setting in again.split()))
    assert again in second
    assert first.count("a round\n") > second.count("a round\n") == 1
