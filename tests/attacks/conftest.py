"""A failed attack names the round that failed."""

import pytest

from tests.attacks.budget import under_way


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call):
    report = yield
    if call.when == "call" and report.failed:
        for number in under_way:
            again = f"SHRUBS_ATTACK=0 SHRUBS_ATTACK_SEED={number}"
            report.sections.append(("the failed round alone", again))
    if call.when == "teardown":
        under_way.clear()
    return report
