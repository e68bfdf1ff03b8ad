import platform
import re

from shrubs.experiments.environment import environment


def test_the_environment_names_the_day_and_the_versions():
    found = environment()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found["date"])
    assert found["Python"] == platform.python_version()
    assert re.match(r"\d+\.", found["numpy"])


def test_the_environment_does_not_name_the_host():
    assert platform.node() not in " ".join(environment().values()).split()
