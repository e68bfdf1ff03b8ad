"""Install the sdist and a wheel in clean environments, and try each there.

For every interpreter: the sdist alone, and a wheel, which is one that an earlier interpreter built
if its tag fits (the stable ABI), or else its own. Each environment runs `try_install.py`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run(*command: str | Path, cwd: Path) -> str:
    """What a command printed; its errors end everything."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def pip(environment: Path, *arguments: str | Path) -> None:
    """Run pip in an environment."""
    python = environment / "bin" / "python"
    run(python, "-m", "pip", "--disable-pip-version-check", *arguments, cwd=environment)


def new_environment(interpreter: str, place: Path) -> Path:
    """An environment with nothing but a current pip."""
    run(interpreter, "-m", "venv", place, cwd=place.parent)
    pip(place, "install", "-q", "--upgrade", "pip")
    return place


def install_wheel(environment: Path, sdist: Path, wheels: Path) -> None:
    """Install a wheel that fits, made first if there is none."""
    offline = ("install", "-q", "--no-deps", "--no-index", "--find-links", wheels, "shrubs")
    python = environment / "bin" / "python"
    fits = subprocess.run(
        [python, "-m", "pip", *offline, "--dry-run"], capture_output=True, check=False
    )
    if fits.returncode:
        pip(environment, "wheel", "-q", "--no-deps", "--wheel-dir", wheels, sdist)
    pip(environment, *offline)
    pip(environment, "install", "-q", "shrubs", "--find-links", wheels)


def main() -> None:
    """Print one line per environment."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dist", type=Path, help="holds the sdist; missing wheels go there")
    parser.add_argument("interpreters", nargs="+")
    options = parser.parse_args()
    wheels = options.dist.resolve()
    (sdist,) = wheels.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as scratch:
        for number, interpreter in enumerate(options.interpreters):
            place = Path(scratch, str(number))
            place.mkdir()
            from_wheel = new_environment(interpreter, place / "wheel")
            install_wheel(from_wheel, sdist, wheels)
            from_sdist = new_environment(interpreter, place / "sdist")
            pip(from_sdist, "install", "-q", "--no-binary", "shrubs", sdist)
            for environment in (from_wheel, from_sdist):
                python = environment / "bin" / "python"
                tried = run(python, HERE / "try_install.py", HERE.parent / "README.md", cwd=place)
                print(f"{environment.name:<6} {tried}", flush=True)


if __name__ == "__main__":
    main()
