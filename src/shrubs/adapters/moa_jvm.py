"""The Java machine that MOA runs in, started once per process when it is first needed.

MOA's jar is taken from the installed capymoa package, which itself need not be imported: that takes
seconds. The variables CAPYMOA_MOA_JAR and CAPYMOA_JVM_ARGS mean what they mean in CapyMOA.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = [
    "full_size_of",
    "has_java",
    "java_class",
    "measures_sizes",
    "moa_jar",
    "plain_errors",
    "start",
]

_OUR_CLASSES = Path(__file__).parent / "java"

# One thread collects garbage, as one thread learns; otherwise runs side by side disturb each other.
_ARGUMENTS = "-Xmx4g -Xss10M -XX:+UseSerialGC"

# Without these the size agent silently leaves out what Java's own collections hold.
_OPENED = (
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
)

# The agent's class is in MOA's jar, but an agent is named by the manifest of a jar of its own.
_AGENT_MANIFEST = "Manifest-Version: 1.0\nPremain-Class: sizeof.agent.SizeOfAgent\n"


@functools.cache
def has_java() -> bool:
    """Whether there is a Java machine to start, and JPype to start it with."""
    if importlib.util.find_spec("jpype") is None:
        return False
    import jpype

    try:
        jpype.getDefaultJVMPath()
    except (OSError, ValueError):
        return False
    return True


def moa_jar() -> Path:
    """Where MOA is: in CAPYMOA_MOA_JAR, or in the capymoa package."""
    given = os.environ.get("CAPYMOA_MOA_JAR")
    if given is not None:
        jar = Path(given)
    else:
        package = importlib.util.find_spec("capymoa")
        if package is None or package.origin is None:
            raise ImportError("MOA needs capymoa; install it with: pip install 'shrubs[moa]'")
        jar = Path(package.origin).parent / "jar" / "moa.jar"
    if not jar.is_file():
        raise ImportError(f"MOA's jar is not where it should be: {jar}")
    return jar


def start() -> None:
    """Start the machine, or make MOA known to the one that runs already."""
    jar = moa_jar()
    if not has_java():
        raise ImportError("MOA needs Java 11 or newer; install one, or set JAVA_HOME")
    import jpype

    if jpype.isJVMStarted():
        _extend(jar)
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        agent = _write_agent(Path(directory))
        jpype.startJVM(
            *os.environ.get("CAPYMOA_JVM_ARGS", _ARGUMENTS).split(),
            f"-javaagent:{agent}",
            *_OPENED,
            "--enable-native-access=ALL-UNNAMED",
            classpath=[str(jar), str(_OUR_CLASSES)],
            ignoreUnrecognized=True,
            interrupt=False,
        )


def java_class(name: str) -> Any:
    """A class of MOA, of Java, or of ours, by its full name."""
    start()
    import jpype

    return jpype.JClass(name)


@contextlib.contextmanager
def plain_errors(doing: str) -> Iterator[None]:
    """Turn an exception of Java into one of Python, which can leave this process."""
    import jpype

    try:
        yield
    except jpype.JException as error:
        raise RuntimeError(f"MOA failed {doing}: {error}") from None


def measures_sizes() -> bool:
    """Whether the running machine has the agent that measures bytes.

    It has if we started it. A machine that was started by importing capymoa has not.
    """
    # Asking the agent itself would print its complaint.
    handle = java_class("sizeof.agent.SizeOfAgent").class_.getDeclaredField("inst")
    handle.setAccessible(True)
    return handle.get(None) is not None


def full_size_of(thing: Any) -> int:
    """The bytes of a Java object and of all objects that it leads to."""
    if not measures_sizes():
        raise RuntimeError(
            "this Java machine was started without MOA's size agent; call "
            "shrubs.adapters.moa_jvm.start() before importing capymoa"
        )
    return int(java_class("moa.core.SizeOf").fullSizeOf(thing))


def _extend(jar: Path) -> None:
    import jpype

    try:
        jpype.JClass("ShrubsBlockLoop")
    except TypeError:
        jpype.addClassPath(jar)
        jpype.addClassPath(_OUR_CLASSES)


def _write_agent(directory: Path) -> Path:
    agent = directory / "sizeof-agent.jar"
    with zipfile.ZipFile(agent, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", _AGENT_MANIFEST)
    return agent
