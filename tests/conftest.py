"""Settings of the tests: hypothesis draws the same streams everywhere, unless asked to explore.

``HYPOTHESIS_PROFILE=explore pytest tests/unit/learners`` draws new ones, and thirty times as many.
"""

import os
import signal

from hypothesis import HealthCheck, settings

from shrubs.adapters import moa_jvm

# A shell that starts the tests in the background lets them, and all that they start, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Java's better compiler costs more than it gains in so short a time.
os.environ.setdefault("CAPYMOA_JVM_ARGS", f"{moa_jvm._ARGUMENTS} -XX:TieredStopAtLevel=1")

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("default", derandomize=True, max_examples=60, **_COMMON)
settings.register_profile("explore", derandomize=False, max_examples=2000, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
