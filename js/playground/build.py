"""Puts the playground into one file that needs nothing else: ``python build.py OUTPUT.html``."""

import base64
import gzip
import hashlib
import re
import sys
from pathlib import Path
from string import Template

HERE = Path(__file__).parent
MODULES = (
    *("../shrubs.js", "concepts.js", "csv.js", "race.js", "palette.js", "plane.js", "garden.js"),
    *("chart.js", "view.js", "state.js", "show.js", "actions.js", "controls.js", "main.js"),
)
MAX_BYTES = 400_000
_IMPORT = re.compile(r"^import .*?;\n", re.M)
_EXPORT = re.compile(r"^export ", re.M)


def script() -> str:
    """All modules as one; they have no name twice."""
    text = "\n".join((HERE / name).read_text(encoding="utf-8") for name in MODULES)
    text = _EXPORT.sub("", _IMPORT.sub("", text))
    # The core comes from the page, and a script that is no module has no address.
    return f"'use strict';\n(() => {{\n{text.replace('import.meta.url', 'location.href')}\n}})();\n"


def page() -> str:
    """The whole file."""
    first = (HERE / "../../src/shrubs/report/page/theme.js").read_text(encoding="utf-8")
    scripts = (first, script())
    hashes = (base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in scripts)
    core = gzip.compress((HERE / "../shrubs.wasm").read_bytes(), mtime=0)
    return Template((HERE / "index.html").read_text(encoding="utf-8")).substitute(
        policy="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "script-src 'wasm-unsafe-eval' " + " ".join(f"'sha256-{found}'" for found in hashes),
        style=(HERE / "style.css").read_text(encoding="utf-8"),
        first=first,
        script=scripts[1],
        core=base64.b64encode(core).decode(),
    )


if __name__ == "__main__":
    output = Path(sys.argv[1])
    output.parent.mkdir(parents=True, exist_ok=True)
    written = output.write_bytes(page().encode())
    if written > MAX_BYTES:
        sys.exit(f"{output} has {written:,} bytes, more than {MAX_BYTES:,}")
    print(f"{output.name}: {written:,} bytes")
